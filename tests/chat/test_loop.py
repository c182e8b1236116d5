"""A question goes to a model, its questions to tools, and one answer or one error comes back."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from contextlib import aclosing
from decimal import Decimal
from pathlib import Path

import pytest

from chat import Toolset
from chat.events import CallEvent, Done, Failed, Open, Text
from chat.exceptions import ModelBroke, ModelRefused, ModelUnreachable
from chat.llm.base import Usage
from chat.llm.scripted import ScriptedClient
from chat.loop import ChatLoop
from chat.messages import AssistantMessage, ToolMessage, UserMessage
from datasources import SourceUnreadable
from engine import materialize
from engine.exceptions import QueryError
from engine.query.deadline import Stop, one_request
from tests.chat.stand_in import (
    ENDLESS,
    Answer,
    Model,
    Tools,
    call,
    chat,
    ending,
    events_of,
    shape,
    statuses,
    text_of,
)

VENDAS = Path(__file__).parent.parent.parent / "examples" / "financeiro" / "vendas.csv"


# ---- answers ----


def test_text_is_told_as_it_arrives():
    events, run = chat(Model(["O total ", "é 5."]))
    assert events == [Open(), Text("O total "), Text("é 5."), Done()]
    assert run.outcome.text == run.outcome.answer == "O total é 5."
    assert (run.outcome.ending, run.outcome.iterations, run.outcome.usage) == ("done", 1, Usage(100, 10))


def test_a_real_tool_answers_a_question_about_a_real_file():
    question = '{"field":"valor_total", "verb":"sum"}'
    model = Model([call("sulfite_aggregate_data", question, "abc")], ["São R$ 423 mil."])
    with Toolset(materialize(VENDAS), language="pt") as tools:
        events, run = chat(model, tools, language="pt")
        (asked,) = run.outcome.calls
        fact = tools.ledger.get(json.loads(asked.text)["fact"])
    assert shape(events) == ["open", "running", "done", "text", "done"]
    assert fact is not None
    assert json.loads(asked.text, parse_float=Decimal)["result"] == Decimal(fact.value)
    assert events[1] == CallEvent("sulfite_aggregate_data", "running", '{"field":"valor_total","verb":"sum"}')
    assert isinstance(events[2], CallEvent)
    assert asked.text.startswith(str(events[2].detail))
    first, second = model.requests
    assert [tool.name for tool in first.tools] == [one["name"] for one in Toolset.definitions()]
    assert second.messages == (
        UserMessage("qual o total?"),
        AssistantMessage("", (asked.call,)),
        ToolMessage("abc", "sulfite_aggregate_data", asked.text),
    )
    assert run.outcome.usage == Usage(200, 20)


def test_a_script_of_a_file_is_played_over_real_tools(tmp_path):
    script = tmp_path / "script.jsonl"
    lines = [
        [
            {
                "call": "sulfite_group_by",
                "arguments": {"by": "vendedor", "verb": "SUM", "field": "valor_total", "top": 1},
            }
        ],
        [{"text": "Quem mais vendeu "}, {"text": "foi a Ana."}, {"end": "stop"}],
    ]
    script.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with Toolset(materialize(VENDAS)) as tools:
        events, _ = chat(ScriptedClient.from_file(script), tools)
    assert shape(events) == ["open", "running", "done", "text", "text", "done"]
    assert text_of(events) == "Quem mais vendeu foi a Ana."


def test_a_field_that_does_not_exist_is_told_so_that_the_model_can_do_better():
    model = Model(
        [call("sulfite_aggregate_data", '{"verb":"SUM","field":"valr_total"}')],
        [call("sulfite_aggregate_data", '{"verb":"SUM","field":"valor_total"}')],
        ["Pronto."],
    )
    with Toolset(materialize(VENDAS), language="pt") as tools:
        events, _ = chat(model, tools, language="pt")
    assert statuses(events) == ["running", "failed", "running", "done"]
    failed = events[2]
    assert isinstance(failed, CallEvent)
    assert str(failed.detail).startswith('O campo "valr_total" não existe. Campos disponíveis:')
    told = model.requests[1].messages[-1]
    assert isinstance(told, ToolMessage)
    assert told.is_error
    assert '"result":null' in told.text


def test_two_messages_are_two_paragraphs():
    events, run = chat(Model(["Um momento."], [], usage=Usage()), Tools())
    assert text_of(events) == "Um momento."
    events, run = chat(Model(["\n\n", "Um momento.", call()], ["\n", " ", "São 5.\n"]))
    assert text_of(events) == run.outcome.text == "Um momento.\n\nSão 5.\n"
    assert run.outcome.answer == "São 5.\n"


def test_calls_of_one_message_are_answered_in_order_and_in_a_thread():
    tools = Tools()
    model = Model([call("top", "{}", "b"), call("total", "{}", "a")], ["Pronto."])
    events, _ = chat(model, tools)
    assert [(event.name, event.status) for event in events if isinstance(event, CallEvent)] == [
        ("top", "running"),
        ("top", "done"),
        ("total", "running"),
        ("total", "done"),
    ]
    assert [one.call_id for one in model.requests[1].messages if isinstance(one, ToolMessage)] == ["b", "a"]
    assert threading.get_ident() not in tools.threads


def test_the_profile_goes_to_the_client_and_the_prompt_stays_the_same():
    model = Model([call()], ["Pronto."])
    loop = ChatLoop(model, Tools())
    profile = materialize(VENDAS).profile
    asyncio.run(events_of(loop.run("system", (UserMessage("?"),), profile=profile)))
    assert [request.profile for request in model.requests] == [profile, profile]
    assert [request.system for request in model.requests] == ["system", "system"]


# ---- how it ends ----


def test_an_answer_that_was_cut_says_so():
    events, run = chat(Model(["O total é", ending("length")]), language="pt")
    assert shape(events) == ["open", "text", "text", "done"]
    assert text_of(events).endswith("\n\n(A resposta termina aqui porque atingiu o tamanho máximo.)")
    assert run.outcome.text == "O total é"
    assert run.outcome.is_cut


def test_an_answer_that_a_content_filter_stopped_is_an_error_and_its_calls_are_not_run():
    tools = Tools()
    events, run = chat(Model(["O total", ending("content_filter", call())]), tools)
    assert shape(events) == ["open", "text", "error"]
    assert run.outcome.failure == "answer_withheld"
    assert tools.asked == []


@pytest.mark.parametrize(
    ("error", "said"),
    [
        pytest.param(
            ModelRefused("model_refused_key", provider="openai"),
            "O provedor openai recusou a chave",
            id="refused",
        ),
        pytest.param(
            ModelUnreachable("model_refused_key", provider="x"), "O provedor x recusou", id="unreachable"
        ),
        pytest.param(ModelBroke("model_refused_key", provider="x"), "O provedor x recusou", id="broke"),
        pytest.param(KeyError("secret"), "Algo deu errado do nosso lado", id="unforeseen"),
        pytest.param(
            TimeoutError("secret"), "Algo deu errado do nosso lado", id="a timeout that is not ours"
        ),
        pytest.param(StopAsyncIteration(), "Algo deu errado do nosso lado", id="stop"),
    ],
)
@pytest.mark.parametrize("before", [[], ["O total"], [call()]], ids=["first", "after text", "after a call"])
def test_whatever_a_client_raises_is_one_error_in_the_language_of_the_reader(error, said, before, caplog):
    model = Model([*before, error]) if before != [call()] else Model([call()], [error])
    events, run = chat(model, language="pt")
    (failed,) = [event for event in events if isinstance(event, Done | Failed)]
    assert isinstance(failed, Failed)
    assert failed is events[-1]
    assert failed.message.startswith(said)
    assert "secret" not in failed.message
    assert run.outcome.ending == "error"
    if said.startswith("Algo"):
        assert any(record.levelno == logging.ERROR and record.exc_info for record in caplog.records)


def test_a_stream_that_ends_without_an_end_is_an_error(caplog):
    class Broken(Model):
        async def stream(self, request):
            async for piece in super().stream(request):
                if piece.__class__.__name__ == "TextPiece":
                    yield piece

    events, run = chat(Broken(["O total"]))
    assert shape(events) == ["open", "text", "error"]
    assert run.outcome.failure == "chat_went_wrong"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (SourceUnreadable("secret", source="s"), "failed"),
        (ZeroDivisionError("secret"), "failed"),
        (StopIteration("secret"), "failed"),
        (MemoryError("secret"), "failed"),
    ],
)
def test_what_a_tool_raises_is_told_to_the_model_without_a_word_of_it(error, status, caplog):
    def fail(name, arguments):
        raise error

    model = Model([call()], ["Não sei o total."])
    events, _ = chat(model, Tools(fail), language="pt")
    assert shape(events) == ["open", "running", status, "text", "done"]
    told = model.requests[1].messages[-1]
    assert isinstance(told, ToolMessage)
    assert told.is_error
    assert told.text.startswith("A ferramenta falhou")
    assert not any("secret" in str(event.payload) for event in events)
    assert any(record.exc_info for record in caplog.records)


# ---- leaving ----


def test_leaving_closes_the_stream_of_the_provider_and_keeps_what_it_cost():
    async def leave():
        model = Model(["O total ", "é ", ENDLESS])
        async with aclosing(ChatLoop(model, Tools()).run("x" * 300, (UserMessage("?"),))) as run:
            async for event in run:
                if event == Text("é "):
                    break
        return model, run

    model, run = asyncio.run(leave())
    assert model.left == 1
    assert run.outcome.ending is None
    assert run.outcome.text == "O total é "
    assert run.outcome.usage == Usage(118, 4, is_estimated=True)  # 17 of them for the tools


@pytest.mark.parametrize(
    ("message", "usage"),
    [
        pytest.param([ModelUnreachable("chat_no_answer")], Usage(), id="unreachable"),
        pytest.param([ModelRefused("chat_no_answer")], Usage(), id="refused"),
        pytest.param([ModelBroke("chat_no_answer")], Usage(24, 0, is_estimated=True), id="broken at once"),
        pytest.param(["O total", ModelBroke("chat_no_answer")], Usage(24, 3, is_estimated=True), id="broken"),
        pytest.param(["O total", ending("content_filter")], Usage(100, 10), id="stopped by a filter"),
    ],
)
def test_what_failed_costs_what_it_has_probably_cost(message, usage):
    _, run = chat(Model(message))
    assert run.outcome.usage == usage


def test_a_cancelled_task_lets_the_stream_go_at_once():
    async def cancel():
        model = Model(["O total ", ENDLESS])
        run = ChatLoop(model, Tools()).run("system", (UserMessage("?"),))
        task = asyncio.create_task(events_of(run))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return model, run

    model, run = asyncio.run(cancel())
    assert model.left == 1
    assert run.outcome.ending is None


def test_a_running_tool_is_not_waited_for():
    free = threading.Event()

    def wait(name, arguments):
        free.wait(5)
        return Answer("{}")

    async def cancel():
        run = ChatLoop(Model([call()]), Tools(wait)).run("system", (UserMessage("?"),))
        task = asyncio.create_task(events_of(run))
        await asyncio.sleep(0.05)
        start = time.perf_counter()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        took = time.perf_counter() - start
        free.set()
        return took

    assert asyncio.run(cancel()) < 3


def ask_until_stopped(stopped):
    """A tool that asks on and on, and says when it was stopped."""

    def ask(name, arguments):
        try:
            with one_request(None, Stop()) as limit:
                while True:
                    limit.check()
                    time.sleep(0.001)
        except QueryError as error:
            stopped.append(error.code)
            raise

    return ask


@pytest.mark.parametrize("way", ["left", "late"])
def test_what_a_tool_asks_ends_with_the_run(way):
    stopped: list[str] = []
    tools = Tools(ask_until_stopped(stopped))

    async def run():
        loop = ChatLoop(Model([call()]), tools, deadline_seconds=30 if way == "left" else 0.1)
        task = asyncio.create_task(events_of(loop.run("system", (UserMessage("?"),))))
        if way == "left":
            await asyncio.sleep(0.05)
            task.cancel()
        return await asyncio.gather(task, return_exceptions=True)

    start = time.perf_counter()
    asyncio.run(run())  # which waits for threads
    assert time.perf_counter() - start < 5
    assert stopped == ["stopped"]


def test_a_client_that_does_not_let_go_is_not_waited_for(caplog):
    class Stubborn(Model):
        async def stream(self, request):
            try:
                async for piece in super().stream(request):
                    yield piece
            finally:
                await asyncio.sleep(30)

    start = time.perf_counter()
    events, _ = chat(Stubborn(["O total"]))
    assert time.perf_counter() - start < 3
    assert shape(events) == ["open", "text", "done"]
    assert "could not be closed" in caplog.text


def test_what_the_caller_does_between_two_events_is_never_interrupted():
    async def slowly():
        run = ChatLoop(Model(["a", "b"]), Tools(), deadline_seconds=0.3).run("s", (UserMessage("?"),))
        events = []
        async for event in run:
            events.append(event)
            await asyncio.sleep(0.2)
        return events

    events = asyncio.run(slowly())
    assert shape(events) == ["open", "text", "error"]


def test_two_conversations_at_a_time_do_not_meet():
    async def both():
        loop = ChatLoop(Model([call(), "a", 0.01], ["b", 0.01, "c"]), Tools())
        # The model tells its messages in turn, so that each run gets one with a call or one without.
        runs = [loop.run("s", (UserMessage("?"),)) for _ in range(2)]
        return await asyncio.gather(*map(events_of, runs))

    for events in asyncio.run(both()):
        assert events[0] == Open()
        assert events[-1] == Done()
        assert sum(isinstance(event, Done | Failed) for event in events) == 1


def test_what_a_terminal_would_obey_is_shown():
    events, _ = chat(Model(["\x1b[2J", "é 5\u202e ❤️"]))
    assert text_of(events) == "\\u{1b}[2Jé 5\\u{202e} ❤️"


def test_a_question_is_asked_as_it_was_written():
    tools = Tools()
    chat(Model([call("total", '{ "b": 1.50,\n "a": "<x>\u200b" }')], ["ok"]), tools)
    assert tools.asked == [("total", '{"b":1.50,"a":"\\u003cx>\\u200b"}')]
