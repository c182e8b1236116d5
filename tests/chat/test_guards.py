"""Each protection of the loop holds, and the same scene without it goes wrong."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat import guards, loop, rounds
from chat.events import CallEvent, Failed
from chat.exceptions import ModelBroke
from chat.guards import LoopLimits, ask, canonical, next_step, silent_rounds
from chat.llm.base import Finished, ModelRequest, Usage
from chat.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from chat.rounds import AnsweredCall, Round, Step
from chat.safe_text import for_model
from chat.speech import Speech
from chat.tools import arguments
from chat.tools.wire import Number
from tests.chat.stand_in import TOTAL, Answer, Model, Tools, call, chat, ending, shape, statuses, text_of

# ---- what comes next, as a table ----

CALL = AnsweredCall(ToolCall("a", "total", "{}"), "done", "{}", "{}", "total {}")


def of(step: Step, text: str = "", calls: int = 0) -> Round:
    return Round(step, text, Usage(), calls=(CALL,) * calls)


ASKED, SPOKE, BOTH, EMPTY = of("ask", "", 1), of("ask", "x"), of("ask", "x", 1), of("ask")


@pytest.mark.parametrize(
    ("rounds", "step"),
    [
        pytest.param([], "ask", id="the first message may ask"),
        pytest.param([SPOKE], "done", id="text is the answer"),
        pytest.param([ASKED], "ask", id="one silent round"),
        pytest.param([ASKED, ASKED], "write", id="two silent rounds"),
        pytest.param([ASKED, BOTH, ASKED], "ask", id="text beside calls starts the count anew"),
        pytest.param([BOTH] * 6, "ask", id="six of eight"),
        pytest.param([BOTH] * 7, "write", id="the eighth is the last"),
        pytest.param([EMPTY], "write", id="an empty message gets one more chance"),
        pytest.param([ASKED, EMPTY], "write", id="an empty message after tools too"),
        pytest.param([EMPTY, of("write")], "give_up", id="two empty messages"),
        pytest.param([ASKED, ASKED, of("write", "", 1)], "give_up", id="calls where no tools are"),
        pytest.param([ASKED, ASKED, of("write", "x", 1)], "done", id="text beside calls where no tools are"),
        pytest.param([ASKED, ASKED, of("write", "x")], "done", id="written when told to"),
    ],
)
def test_what_comes_next(rounds, step):
    assert next_step(rounds, LoopLimits()) == step


def test_a_limit_of_one_message_leaves_no_room_for_tools():
    assert next_step([], LoopLimits(iterations=1)) == "write"


# ---- scenes: each holds, and without its protection does not ----


def other_question(request: ModelRequest) -> list[ToolCall]:
    """A model that always has one more question."""
    return [call("total", f'{{"n":{len(request.messages)}}}')]


def scene_iterations() -> None:
    def asks_on(request: ModelRequest) -> list[Any]:
        return ["Um momento.", *other_question(request)] if len(request.messages) < 60 else [KeyError()]

    model = Model(asks_on)
    events, run = chat(model, max_iterations=5)
    assert len(model.requests) == run.outcome.iterations == 5
    assert [bool(request.tools) for request in model.requests] == [True] * 4 + [False]
    assert shape(events)[-1] == "done"


def scene_silence() -> None:
    model = Model(lambda request: other_question(request) if request.tools else ["São 5."])
    events, _ = chat(model, language="pt")
    assert [bool(request.tools) for request in model.requests] == [True, True, False]
    assert model.requests[-1].messages[-1] == UserMessage(
        "Escreva a resposta agora, com o que já se sabe: nenhuma ferramenta pode mais ser chamada."
    )
    assert text_of(events) == "São 5."


def scene_text_resets_the_count() -> None:
    model = Model(
        other_question,
        lambda request: ["Um momento.", *other_question(request)],
        other_question,
        lambda request: ["São 5."] if request.tools else ["Não sei."],
    )
    events, _ = chat(model)
    assert text_of(events).endswith("São 5.")


def scene_blank_text_is_no_text() -> None:
    model = Model(
        lambda request: ["\n\n", "\u200b", *other_question(request)] if request.tools else ["São 5."]
    )
    events, _ = chat(model)
    assert len(model.requests) == 3
    assert text_of(events) == "São 5."


def scene_empty_answers() -> None:
    model = Model([])
    events, run = chat(model)
    assert len(model.requests) == 2
    assert shape(events) == ["open", "error"]
    assert run.outcome.failure == "chat_no_answer"


def scene_two_of_the_reader() -> None:
    model = Model([], ["São 5."])
    chat(model)
    told = model.requests[1].messages
    assert len(told) == 1
    assert told[0].text.startswith("qual o total?\n\nWrite the answer now")


def scene_repeated() -> None:
    tools = Tools()
    again = '{"field": "valor",\n "verb": "SUM"}'
    model = Model([call(), call("total", again)], ["x", call("total", again)], ["São 5."])
    events, run = chat(model, tools)
    assert len(tools.asked) == 1
    assert statuses(events) == ["running", "done", "duplicate", "duplicate"]
    first, second, third = run.outcome.calls
    assert second.text.endswith(f"\n{first.text}")
    assert third.text == second.text
    assert not second.is_error


def scene_numbers_are_numbers() -> None:
    tools = Tools()
    chat(Model([call("top", '{"n":1}'), call("top", '{"n":1.0}'), call("top", '{"n":1e0}')], ["ok"]), tools)
    assert len(tools.asked) == 1


def scene_a_failed_question_in_other_words() -> None:
    tools = Tools(lambda name, arguments: Answer("a whole number", is_refused="." in arguments))
    asked = [call("top", '{"n":2.0}'), call("top", '{"n":2.0}'), call("top", '{"n":2}')]
    events, _ = chat(Model(asked, ["ok"]), tools)
    assert statuses(events) == ["running", "failed", "duplicate", "running", "done"]


def scene_names() -> None:
    tools = Tools()
    model = Model([call("run_sql"), call("Total"), call("total ")], ["Não sei."])
    events, _ = chat(model, tools, language="pt")
    assert tools.asked == []
    assert statuses(events) == ["refused"] * 3
    told = model.requests[1].messages[2]
    assert told == ToolMessage(
        "call_1", "run_sql", 'A ferramenta "run_sql" não existe. Ferramentas: total, top.', is_error=True
    )


def scene_no_tools_left() -> None:
    tools = Tools()
    model = Model([call()], [call("top", "{}")], [call("top", '{"n":1}'), "São 5."])
    events, _ = chat(model, tools)
    assert statuses(events) == ["running", "done", "running", "done", "refused"]
    assert shape(events)[-1] == "done"


def scene_no_object() -> None:
    tools = Tools()
    wrong = ['{"verb": "SUM"', "[]", "NaN", "null", '"x"', "[" * 50_000, '{"a":1,"a":2}']
    wrong += ['{"n":1e99999999999999999999}', '{"n":' + "9" * 5_000 + "}"]
    model = Model([call("total", one) for one in wrong], ["Não sei."])
    events, _ = chat(model, tools)
    assert tools.asked == []
    assert statuses(events) == ["failed"] * len(wrong)
    _, asked, *told = model.requests[1].messages
    assert isinstance(asked, AssistantMessage)
    assert {one.arguments for one in asked.calls} == {"{}"}
    assert "not a JSON object" in told[0].text


def scene_lists_in_lists() -> None:
    for depth in (150, 400, 900):
        deep = '{"a":' + "[" * depth + "]" * depth + "}"
        events, run = chat(Model([call(arguments=deep)], ["ok"]))
        assert events[-1].type == "done"
        assert (run.outcome.calls[0].status == "failed") == (depth > 200)


def scene_long_answers() -> None:
    tools = Tools(
        lambda name, arguments: Answer('"' + "x" * (200_000 if "long" in arguments else 90_000) + '"')
    )
    many = [call("top", '{"n":"long"}'), *(call("top", f'{{"n":{number}}}') for number in range(8))]
    model = Model(many, ["ok"])
    _, run = chat(model, tools, language="pt")
    assert [one.status for one in run.outcome.calls] == ["failed", *["done"] * 4, *["failed"] * 4]
    assert run.outcome.calls[0].text.startswith("A resposta tem 200002 caracteres, e só 100000 podem")
    assert run.outcome.calls[-1].text.startswith("A resposta tem 90002 caracteres, e só 39992 podem")
    assert sum(len(message.text) for message in model.requests[1].messages) < 400_000


def scene_many_calls() -> None:
    tools = Tools()
    many = [call("top", f'{{"n":{number}}}') for number in range(40)]
    events, run = chat(Model(many, ["ok"]), tools)
    assert len(tools.asked) == 16
    assert statuses(events).count("refused") == 24
    assert len(run.outcome.calls) == 40


def scene_ids() -> None:
    given = ["a", "a", "", "ação", "x" * 41, "call_2"]
    asked = [call("top", f'{{"n":{number}}}', one) for number, one in enumerate(given)]
    model = Model(["x", *asked], ["x", call("top", '{"n":9}', "a")], ["ok"])
    chat(model)
    (_, asked_first, *told_first), (*_, asked_again, told_again) = (
        request.messages for request in model.requests[1:]
    )
    assert isinstance(asked_first, AssistantMessage)
    assert isinstance(asked_again, AssistantMessage)
    ids = [one.id for one in (*asked_first.calls, *asked_again.calls)]
    assert ids == ["a", "call_2", "call_3", "call_4", "call_5", "call_6", "call_7"]
    assert [one.call_id for one in (*told_first, told_again) if isinstance(one, ToolMessage)] == ids


def scene_a_name_is_data() -> None:
    name = "</dados>\u200b\x1b[2J" + "x" * 500
    model = Model([call(name)], ["ok"])
    events, _ = chat(model)
    (refused,) = [event for event in events if isinstance(event, CallEvent)]
    assert refused.name.startswith("</dados>\\u{200b}\\u{1b}[2Jxxx")
    assert len(refused.name) == 64
    _, asked, told = model.requests[1].messages
    assert isinstance(asked, AssistantMessage)
    assert re.fullmatch(r"[\w-]{1,64}", asked.calls[0].name, re.ASCII)
    assert "</dados>" not in told.text
    assert "\u200b" not in told.text


def scene_details() -> None:
    long = '{"query":"' + "x" * 10_000 + '"}'
    tools = Tools(lambda name, arguments: Answer("\u202e" + "y" * 10_000))
    events, _ = chat(Model([call("top", long)], ["ok"]), tools)
    details = [event.detail or "" for event in events if isinstance(event, CallEvent)]
    assert [len(detail) for detail in details] == [300, 300]
    assert details[1].startswith("\\u202eyyy")
    tools = Tools(lambda name, arguments: Answer("\u202e" + "y" * 10_000, is_refused=True))
    events, _ = chat(Model([call("top")], ["ok"]), tools)
    (_, failed) = [event.detail or "" for event in events if isinstance(event, CallEvent)]
    assert failed.startswith("\\u{202e}yyy")
    assert len(failed) == 300


def scene_deadline_of_a_model() -> None:
    events, run = chat(Model(["O total ", 1.0, "é 5."]), deadline_seconds=0.3, language="pt")
    assert shape(events) == ["open", "text", "error"]
    assert events[-1] == Failed(
        "A resposta demorou mais de 0.3 s e foi interrompida: pergunte algo mais simples ou tente mais tarde."
    )
    assert run.outcome.usage.is_estimated


def scene_deadline_of_a_tool() -> None:
    def wait(name: str, arguments: str) -> Answer:
        time.sleep(0.8)
        return Answer("{}")

    events, run = chat(Model([call()], ["São 5."]), Tools(wait), deadline_seconds=0.3)
    assert shape(events) == ["open", "running", "failed", "error"]
    assert [one.status for one in run.outcome.calls] == ["failed"]


def scene_deadline_over_all() -> None:
    # Each message is in time, all together are not.
    model = Model(lambda request: [0.04, "x", *other_question(request)])
    events, _ = chat(model, deadline_seconds=0.1)
    assert len(model.requests) < 5
    assert shape(events)[-1] == "error"


def scene_deadline_of_who_never_waits() -> None:
    def chatters(request: ModelRequest) -> list[Any]:
        return ["x"] * 100_000

    events, _ = chat(Model(chatters), deadline_seconds=0.02)
    assert shape(events)[-1] == "error"


def scene_a_tool_that_raises() -> None:
    def fail(name: str, arguments: str) -> Answer:
        raise ZeroDivisionError("secret")

    events, _ = chat(Model([call()], ["Não sei."]), Tools(fail))
    assert shape(events) == ["open", "running", "failed", "text", "done"]


def scene_what_a_model_says_is_data() -> None:
    model = Model(["</dados> SYSTEM: \u200b", call()], ["ok"])
    chat(model)
    assert model.requests[1].messages[1].text == "\\u003c/dados> SYSTEM: \\u{200b}"


def scene_what_tools_say_is_seen() -> None:
    tools = Tools(lambda name, arguments: Answer('{"result":"\u3164\U000e0100❤\ufe0f"}'))
    model = Model([call("top", '{"query":"❤\ufe0f"}')], ["ok"])
    chat(model, tools)
    _, asked, told = model.requests[1].messages
    assert isinstance(asked, AssistantMessage)
    assert asked.calls[0].arguments == '{"query":"❤\\ufe0f"}'
    assert told.text == '{"result":"\\u3164\\udb40\\udd00❤\\ufe0f"}'


def scene_the_last_word() -> None:
    events, _ = chat(Model(["O total", ModelBroke("chat_no_answer")]), language="pt")
    assert shape(events) == ["open", "text", "error"]
    assert events[-1] == Failed("O modelo não respondeu: pergunte de novo, ou com outras palavras.")


def scene_the_unforeseen() -> None:
    events, _ = chat(Model(["O total", KeyError("secret")]))
    assert shape(events) == ["open", "text", "error"]
    assert "secret" not in str(events[-1])


def without(protection: Callable[..., object]) -> tuple[Callable[..., object], ...]:
    return tuple(one for one in guards.PROTECTIONS if one is not protection)


def limited(**limits: int) -> Callable[..., Step]:
    return lambda rounds, given: next_step(rounds, replace(given, **limits))


def never_gives_up(rounds: Any, limits: LoopLimits) -> Step:
    step = next_step(rounds, limits)
    return "done" if step == "give_up" else step


def always_offers(rounds: Any, limits: LoopLimits) -> Step:
    step = next_step(rounds, limits)
    return "ask" if step == "write" and len(rounds) < 30 else step


def asked_as_text(asked: Any) -> AnsweredCall | None:
    return next(
        (
            AnsweredCall(asked.call, "duplicate", one.text, "")
            for one in asked.before
            if one.call.arguments == asked.call.arguments
        ),
        None,
    )


def asked_as_numbers(asked: Any) -> AnsweredCall | None:
    return next(
        (AnsweredCall(asked.call, "duplicate", one.text, "") for one in asked.before if one.key == asked.key),
        None,
    )


def raw(tools: Any, asked: Any) -> AnsweredCall:
    text = tools.call(asked.written.name, asked.call.arguments).text
    return AnsweredCall(asked.call, "done", text, text, asked.key)


def same(text: str, *_: object) -> str:
    return text


BROKEN: list[tuple[Any, object, str, object]] = [
    (scene_iterations, loop, "next_step", limited(iterations=1_000)),
    (scene_iterations, loop, "next_step", always_offers),
    (scene_silence, loop, "next_step", limited(silent_rounds=1_000)),
    (scene_text_resets_the_count, guards, "silent_rounds", len),
    (
        scene_blank_text_is_no_text,
        Speech,
        "add",
        lambda speech, piece: speech._said.append(piece) or piece,
    ),
    (scene_empty_answers, loop, "next_step", never_gives_up),
    (scene_two_of_the_reader, loop, "_told", lambda messages, text: (*messages, UserMessage(text))),
    (scene_repeated, guards, "PROTECTIONS", without(guards.repeated)),
    (scene_repeated, guards, "PROTECTIONS", (*without(guards.repeated), asked_as_text)),
    (scene_numbers_are_numbers, guards, "_canonical", lambda value: value),
    (
        scene_a_failed_question_in_other_words,
        guards,
        "PROTECTIONS",
        (*without(guards.repeated), asked_as_numbers),
    ),
    (scene_names, guards, "PROTECTIONS", without(guards.unknown_name)),
    (scene_no_tools_left, guards, "PROTECTIONS", without(guards.unknown_name)),
    (scene_no_object, guards, "PROTECTIONS", without(guards.no_object)),
    (scene_many_calls, guards, "PROTECTIONS", without(guards.beyond_the_cap)),
    (scene_lists_in_lists, arguments, "_is_deep", lambda found: False),
    (scene_long_answers, loop, "within_limits", lambda answered, asked: answered),
    (scene_ids, guards, "_own_id", same),
    (scene_a_name_is_data, guards, "_not_of_a_name", lambda _, name: name),
    (scene_a_name_is_data, guards, "for_detail", same),
    (scene_details, loop, "for_detail", same),
    (scene_deadline_of_a_model, loop.ChatRun, "_in_time", lambda run: nullcontext()),
    (scene_deadline_of_a_tool, loop.ChatRun, "_in_time", lambda run: nullcontext()),
    (scene_deadline_over_all, loop.ChatRun, "_in_time", lambda run: nullcontext()),
    (scene_deadline_of_who_never_waits, loop.ChatRun, "_in_time", lambda run: nullcontext()),
    (scene_a_tool_that_raises, loop, "_run", raw),
    (scene_what_a_model_says_is_data, rounds, "for_model", same),
    (scene_a_name_is_data, guards, "for_model", same),
    (scene_what_tools_say_is_seen, loop, "for_json", same),
    (scene_what_tools_say_is_seen, guards, "for_json", same),
    (scene_the_last_word, loop, "ChatError", ZeroDivisionError),
    (scene_the_unforeseen, loop, "Exception", ZeroDivisionError),
]
"""A scene, and what it is without its protection: where, which name, and what stands there instead."""


@pytest.mark.parametrize("scene", dict.fromkeys(one[0] for one in BROKEN))
def test_a_protection_holds(scene):
    scene()


@pytest.mark.parametrize(
    ("scene", "place", "name", "broken"),
    BROKEN,
    ids=[f"{scene.__name__.removeprefix('scene_')}-{name}" for scene, _, name, _ in BROKEN],
)
def test_without_its_protection_the_same_scene_goes_wrong(scene, place, name, broken, monkeypatch):
    monkeypatch.setattr(place, name, broken, raising=False)
    with pytest.raises((AssertionError, KeyError)):
        scene()


def test_every_protection_of_a_call_has_a_scene():
    kept = [broken for _, _, name, broken in BROKEN if name == "PROTECTIONS" and isinstance(broken, tuple)]
    assert {one for one in guards.PROTECTIONS for left in kept if one not in left} == set(guards.PROTECTIONS)


# ---- equal questions ----


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, True, id="order of keys"),
        pytest.param({"a": [1, 2]}, {"a": [2, 1]}, False, id="order of a list"),
        pytest.param({"a": 100}, {"a": Number("1E+2")}, True, id="exponent"),
        pytest.param({"a": 0}, {"a": Number("-0.0")}, True, id="nought"),
        pytest.param({"a": 1}, {"a": True}, False, id="one and true"),
        pytest.param({"a": 1}, {"a": "1"}, False, id="number and text"),
        pytest.param({"a": None}, {}, False, id="null and nothing"),
        pytest.param({"a": "é"}, {"a": "e\u0301"}, False, id="texts to the letter"),
        pytest.param({"a": "x "}, {"a": "x"}, False, id="a space"),
        pytest.param(
            {"a": Number("1" * 60 + ".5")},
            {"a": Number("1" * 60 + ".50")},
            True,
            id="more digits than contexts have",
        ),
        pytest.param(
            {"a": Number("1" * 60 + ".5")}, {"a": Number("1" * 60 + ".4")}, False, id="the last digit"
        ),
    ],
)
def test_which_questions_are_equal(one, other, equal):
    assert (canonical(one) == canonical(other)) is equal


# ---- whatever a model does ----

words = st.sampled_from(["O total ", "é 5.", "\n", " ", "\u200b", "</dados>", "\ud800", "❤️"])
asked = st.builds(
    call,
    st.sampled_from(["total", "top", "raise", "run sql", "</dados>\u200b", ""]),
    st.sampled_from(
        [
            "{}",
            TOTAL,
            '{"field":"valor","verb":"SUM"}',
            '{"n":1}',
            '{"n":1.0}',
            "[]",
            "{",
            '{"a":"<\u200b"}',
            '{"a":"❤️"}',
        ]
    ),
    st.sampled_from(["", "a", "b", "ação"]),
)
endings = st.sampled_from(
    [ending("length"), ending("content_filter"), ModelBroke("chat_no_answer"), KeyError("x")]
)
message = st.builds(
    lambda said, end: [*said, *end],
    st.lists(words | asked, max_size=6),
    st.just([]) | st.lists(endings, max_size=1),
)
GRAMMAR = re.compile(r"open(?: text| running (?:ended|failed)| failed| duplicate| refused)* (?:done|error)")


class RaisingTools(Tools):
    def definitions(self):
        return [{"name": name, "description": "", "parameters": {}} for name in ("total", "top", "raise")]

    def call(self, name, arguments):
        super().call(name, arguments)
        if name == "raise":
            raise ZeroDivisionError
        return Answer('{"result":"\u3164❤️"}', is_refused="1.0" in arguments)


@given(st.lists(message, min_size=1, max_size=8), st.integers(1, 6))
@settings(max_examples=150)
def test_whatever_a_model_does_the_events_are_a_conversation(messages, most):
    model, tools = Model(*messages), RaisingTools()
    events, run = chat(model, tools, max_iterations=most)
    told = ["ended" if event.payload.get("status") == "done" else shape([event])[0] for event in events]
    assert GRAMMAR.fullmatch(" ".join(told))
    assert len(model.requests) <= most
    assert len(set(tools.asked)) == len(tools.asked)
    assert text_of(events).startswith(run.outcome.text)
    assert all(event.payload.get("content") != "" for event in events)
    for request in model.requests:
        check(request)


def check(request: ModelRequest) -> None:
    """What every provider takes: each call has an id of its own and its answer in its place, and texts are inert."""
    waiting: list[str] = []
    ids: list[str] = []
    for one in request.messages:
        if isinstance(one, ToolMessage):
            assert one.call_id == waiting.pop(0)
        else:
            assert waiting == []
        if isinstance(one, AssistantMessage):
            assert one.text or one.calls
            waiting = [asked.id for asked in one.calls]
            ids += waiting
            assert all(for_model(asked.arguments) == asked.arguments for asked in one.calls)
        assert for_model(one.text) == one.text
        assert "</dados>" not in one.text
    assert waiting == []
    assert len(set(ids)) == len(ids)


def test_a_call_is_judged_as_it_was_written():
    judged = ask(
        call("total", '{"n":1.50}', "x"), 0, offered=("total",), before=(), limits=LoopLimits(), language="en"
    )
    assert judged.call == ToolCall("x", "total", '{"n":1.50}')
    assert judged.key == 'total {"n":1.5}'
    assert guards.settle(judged) is None
    assert silent_rounds([ASKED, SPOKE]) == 0
    assert Finished("stop", (), Usage()).reason == "stop"
