"""The Messages dialect: what is written, and what is made of what comes back."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.exceptions import ModelBroke, ModelRefused, ModelUnreachable
from chat.llm.base import Finished, ModelRequest, Usage
from chat.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from tests.chat.llm.streams import ASKED, ROUND, TOOL, answer, client, messages_dialect, named, take

START = {
    "type": "message_start",
    "message": {
        "usage": {
            "input_tokens": 5,
            "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 20,
            "output_tokens": 1,
        }
    },
}
STOP = {"type": "message_stop"}
SUM = {"id": "a", "name": "soma", "input": {}}
MEAN = {"id": "b", "name": "media", "input": {}}


def begin(index=0, **block):
    return {
        "type": "content_block_start",
        "index": index,
        "content_block": {"type": "text", "text": ""} | block,
    }


def ask(index=0, **block):
    return begin(index, type="tool_use", **block)


def add(text, index=0):
    return {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}}


def argue(fragment, index=0):
    delta = {"type": "input_json_delta", "partial_json": fragment}
    return {"type": "content_block_delta", "index": index, "delta": delta}


def end(reason="end_turn", **usage):
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9} | usage}


def asked(*pieces, **more):
    return asyncio.run(take(client([answer(*pieces, **more)], messages_dialect())))


def body_of(request, **more):
    return json.loads(messages_dialect(**more).body(request))


def test_a_request_marks_the_prefix_that_stays():
    assert body_of(ASKED) == {
        "model": "m",
        "max_tokens": 4096,
        "tools": [{"name": "soma", "description": "Soma um campo.", "input_schema": TOOL.parameters}],
        "system": [{"type": "text", "text": "Você analisa.", "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "qual o total?"}]}],
        "stream": True,
    }


def test_two_questions_share_every_byte_before_the_question():
    dialect = messages_dialect()
    one, other = (dialect.body(ModelRequest("Você.", (UserMessage(text),), (TOOL,))) for text in ("ab", "cd"))
    assert one.split(b'"messages"')[0] == other.split(b'"messages"')[0]


def test_all_results_of_tools_are_in_one_message():
    assert body_of(ROUND)["messages"][1:] == [
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "c1", "name": "soma", "input": {"campo": "valor"}},
                {"type": "tool_use", "id": "c2", "name": "soma", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": '{"result":12}'},
                {
                    "type": "tool_result",
                    "tool_use_id": "c2",
                    "content": '{"note":"no JSON"}',
                    "is_error": True,
                },
                {"type": "text", "text": "escreva agora"},
            ],
        },
    ]


def test_where_tools_are_taken_away_what_was_asked_is_still_defined():
    body = body_of(ModelRequest(ROUND.system, ROUND.messages))
    assert body["tools"] == [{"name": "soma", "input_schema": {"type": "object"}}]
    assert body["tool_choice"] == {"type": "none"}
    assert "tools" not in body_of(ModelRequest("", (UserMessage("oi"),)))


def test_texts_that_show_nothing_are_left_out():
    messages = (UserMessage("oi"), AssistantMessage(" \n"), UserMessage("e?"), ToolMessage("c", "soma", ""))
    assert [message["role"] for message in body_of(ModelRequest("", messages))["messages"]] == [
        "user",
        "user",
    ]
    assert "system" not in body_of(ModelRequest("", messages))


@pytest.mark.parametrize(("version", "sent"), [("2023-06-01", {"temperature": 0.0}), ("2026-10-21", {})])
def test_a_temperature_is_sent_where_it_is_taken(version, sent):
    body = body_of(ASKED, version=version, temperature=0.0)
    assert {key: body[key] for key in ("temperature", "top_p", "top_k") if key in body} == sent
    assert messages_dialect(version=version).headers["anthropic-version"] == version


def test_a_text_arrives_with_its_usage():
    text, last = asked(
        named(
            START,
            {"type": "ping"},
            begin(text="Olá"),
            add(", mundo"),
            {"type": "content_block_stop"},
            end(),
            STOP,
        )
    )
    assert text == "Olá, mundo"
    assert last == Finished("stop", (), Usage(125, 9, cache_read_tokens=100, cache_write_tokens=20))


@pytest.mark.parametrize(
    "events", [[end(), STOP], [{"type": "message_start"}, {**end(), "usage": None}, STOP]]
)
def test_usage_that_does_not_come_is_estimated(events):
    _, last = asked(named(begin(), add("Olá"), *events))
    assert last.usage.is_estimated
    assert last.usage.input_tokens > 0


def test_the_last_usage_counts():
    _, last = asked(named(START, begin(), add("a"), end(input_tokens=6, cache_read_input_tokens=0), STOP))
    assert last.usage == Usage(26, 9, 0, 20)


@pytest.mark.parametrize(
    ("reason", "meaning"),
    [
        *(("end_turn", "stop"), ("stop_sequence", "stop"), ("pause_turn", "stop"), ("tool_use", "stop")),
        *(
            ("max_tokens", "length"),
            ("model_context_window_exceeded", "length"),
            ("refusal", "content_filter"),
        ),
        ("tomorrow", "stop"),
    ],
)
def test_a_message_ends_for_a_reason(reason, meaning):
    assert asked(named(START, end(reason), STOP))[1].reason == meaning


@pytest.mark.parametrize(
    ("events", "calls"),
    [
        pytest.param(
            [ask(1, **SUM), argue("", 1), argue('{"x":', 1), argue("1}", 1)],
            [("a", "soma", '{"x":1}')],
            id="fragments",
        ),
        pytest.param([ask(1, **SUM)], [("a", "soma", "{}")], id="no arguments"),
        pytest.param(
            [ask(1, **{**SUM, "input": {"x": "é"}})], [("a", "soma", '{"x": "é"}')], id="a whole input"
        ),
        pytest.param(
            [ask(2, **MEAN), argue("[", 2), ask(1, **SUM), argue("]", 2)],
            [("a", "soma", "{}"), ("b", "media", "[]")],
            id="in another order, in turns",
        ),
        pytest.param(
            [ask(1, **SUM), ask(2, **{**MEAN, "id": "a"})],
            [("a", "soma", "{}"), ("lastro_1", "media", "{}")],
            id="one id for two",
        ),
        pytest.param(
            [begin(0, type="thinking"), begin(1, type="server_tool_use", id="s"), ask(2, **SUM)],
            [("a", "soma", "{}")],
            id="blocks of other kinds",
        ),
    ],
)
def test_calls_are_put_together_from_fragments(events, calls):
    _, last = asked(named(START, *events, end("tool_use"), STOP))
    assert (last.reason, [(call.id, call.name, call.arguments) for call in last.calls]) == (
        "tool_calls",
        calls,
    )


def test_the_first_of_two_ends_counts():
    text, last = asked(named(START, begin(), add("a"), end("max_tokens"), add("b"), end("end_turn"), STOP))
    assert (text, last.reason) == ("a", "length")


def test_a_whole_message_is_taken_for_a_stream():
    content = [{"type": "text", "text": "Olá"}, {"type": "tool_use", **SUM, "input": {"x": 1}}]
    body = {
        "type": "message",
        "content": content,
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "output_tokens": 4},
    }
    text, last = asked(json.dumps(body).encode(), headers={"content-type": "application/json"})
    assert text == "Olá"
    assert last == Finished("tool_calls", (ToolCall("a", "soma", '{"x": 1}'),), Usage(3, 4))


def error(kind):
    return {"type": "error", "error": {"type": kind, "message": "x"}}


@pytest.mark.parametrize(
    ("content", "kind", "code"),
    [
        pytest.param(named(START, begin(), add("a")), ModelBroke, "model_cut_off", id="no end"),
        pytest.param(named(START, add("a"), error("api_error")), ModelBroke, "model_error_midway", id="midway"),
        pytest.param(named(error("overloaded_error")), ModelUnreachable, "model_overloaded", id="overloaded"),
        pytest.param(named(error("rate_limit_error")), ModelUnreachable, "model_too_many_requests", id="limited"),
        pytest.param(named(error("authentication_error")), ModelRefused, "model_refused_key", id="key"),
        pytest.param(json.dumps(error("api_error")).encode(), ModelUnreachable, "model_overloaded", id="whole error"),
        pytest.param(b'{"type": "message"}', ModelBroke, "model_not_understood", id="whole nothing"),
        pytest.param(named(START, begin(text=7)), ModelBroke, "model_not_understood", id="a text that is none"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_an_error(content, kind, code):
    with pytest.raises(kind) as raised:
        asked(content)
    assert raised.value.code == code


@settings(max_examples=40)
@given(
    cuts=st.lists(st.integers(1, 1_200), max_size=15, unique=True),
    line_end=st.sampled_from([b"\n", b"\r\n", b"\r"]),
)
def test_however_a_stream_is_cut_the_message_is_the_same(cuts, line_end):
    events = [
        START,
        begin(),
        add("Olá 😀"),
        add("\ud83d"),
        add("\ude00"),
        ask(1, **SUM),
        argue('{"é', 1),
        argue('":1}', 1),
    ]
    content = named(*events, {"type": "ping"}, end("tool_use"), STOP).replace(b"\n", line_end)
    edges = [0, *sorted(cut for cut in cuts if cut < len(content)), len(content)]
    text, last = asked(*(content[start:stop] for start, stop in pairwise(edges)))
    assert text == "Olá 😀😀"
    assert last == Finished("tool_calls", (ToolCall("a", "soma", '{"é":1}'),), Usage(125, 9, 100, 20))
