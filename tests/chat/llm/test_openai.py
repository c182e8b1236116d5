"""The chat-completions dialect: what is written, and what is made of what comes back."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.exceptions import ModelBroke, ModelRefused, ModelUnreachable
from chat.llm.base import Finished, ModelRequest, Usage
from chat.llm.openai import OpenAiDialect
from chat.messages import AssistantMessage, ToolCall, UserMessage
from prompts import count_tokens
from tests.chat.llm.streams import ASKED, ROUND, TOOL, answer, client, delta, fragment, sse, take

STOP = delta("stop")
USAGE = {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 3}}


def asked(*pieces, **more):
    return asyncio.run(take(client([answer(*pieces, **more)])))


def calls_of(*deltas):
    """The calls that fragments amount to, an item a chunk."""
    chunks = [delta(tool_calls=[*fragments]) for fragments in deltas]
    _, last = asked(sse(*chunks, delta("tool_calls")))
    assert last.reason == "tool_calls"
    return [(call.id, call.name, call.arguments) for call in last.calls]


def test_a_request_is_written_in_this_order_and_no_other_way():
    body = json.loads(OpenAiDialect("gpt", max_tokens=100, temperature=0.0).body(ASKED))
    function = {"name": "soma", "description": "Soma um campo.", "parameters": TOOL.parameters}
    assert body == {
        "model": "gpt",
        "tools": [{"type": "function", "function": function}],
        "messages": [
            {"role": "system", "content": "Você analisa."},
            {"role": "user", "content": "qual o total?"},
        ],
        "max_tokens": 100,
        "temperature": 0.0,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert list(body)[:3] == ["model", "tools", "messages"]


def test_what_is_not_set_is_not_sent():
    body = json.loads(OpenAiDialect("gpt").body(ModelRequest("", (UserMessage("oi"),))))
    assert set(body) == {"model", "messages", "stream", "stream_options"}
    assert body["messages"] == [{"role": "user", "content": "oi"}]


def test_the_length_of_a_request_goes_before_that_of_the_client():
    dialect = OpenAiDialect("gpt", max_tokens=100, token_field="max_completion_tokens")
    body = json.loads(dialect.body(ModelRequest("", (UserMessage("oi"),), max_tokens=7)))
    assert body["max_completion_tokens"] == 7
    assert "max_tokens" not in body


@pytest.mark.parametrize(("takes_null", "content"), [(True, None), (False, "")])
def test_a_message_that_only_asked_goes_back_with_its_calls(takes_null, content):
    messages = json.loads(OpenAiDialect("m", takes_null=takes_null).body(ROUND))["messages"]
    assert messages[2] == {
        "role": "assistant",
        "content": content,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "soma", "arguments": '{"campo":"valor"}'}},
            {"id": "c2", "type": "function", "function": {"name": "soma", "arguments": "{}"}},
        ],
    }
    assert messages[3:] == [
        {"role": "tool", "tool_call_id": "c1", "content": '{"result":12}'},
        {"role": "tool", "tool_call_id": "c2", "content": '{"note":"no JSON"}'},
        {"role": "user", "content": "escreva agora"},
    ]


@pytest.mark.parametrize("arguments", ["", "[1]", "{", "9" * 5_000, '{"a":' * 50_000, "null"])
def test_arguments_that_are_no_object_never_go_back(arguments):
    asked_wrongly = AssistantMessage("", (ToolCall("c", "soma", arguments),))
    body = json.loads(OpenAiDialect("m").body(ModelRequest("", (UserMessage("a"), asked_wrongly))))
    assert body["messages"][1]["tool_calls"][0]["function"]["arguments"] == "{}"


def test_half_a_character_does_not_stop_a_request():
    assert b'"a?"' in OpenAiDialect("m").body(ModelRequest("", (UserMessage("a\ud800"),)))


def test_a_text_arrives_with_its_usage():
    cached = {"prompt_tokens": 10, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8}}
    text, last = asked(
        sse(
            {"choices": [], "prompt_filter_results": []},  # Azure begins so
            delta(role="assistant", content=""),
            delta(content="Olá, "),
            delta(content="mundo"),
            STOP,
            {"choices": [], "usage": cached},
        )
    )
    assert text == "Olá, mundo"
    assert last == Finished("stop", (), Usage(10, 3, cache_read_tokens=8))


@pytest.mark.parametrize(
    "usage",
    [
        pytest.param([], id="none"),
        pytest.param([{"choices": [], "usage": None}], id="null"),
        pytest.param(
            [{"choices": [], "usage": {"prompt_tokens": "10", "completion_tokens": -1}}], id="no numbers"
        ),
        pytest.param([{"choices": [], "usage": {"prompt_tokens": True, "completion_tokens": 1e9}}], id="odd"),
    ],
)
def test_usage_that_does_not_come_is_estimated(usage):
    _, last = asked(sse(delta(content="Olá, mundo"), STOP, *usage))
    assert last.usage.is_estimated
    assert last.usage.output_tokens == count_tokens("Olá, mundo")
    assert last.usage.input_tokens > count_tokens(ASKED.system)


@pytest.mark.parametrize(
    ("reason", "meaning"),
    [
        *(("stop", "stop"), ("length", "length"), ("content_filter", "content_filter")),
        *(("tool_calls", "stop"), ("eos", "stop")),
    ],
)
def test_a_message_ends_for_a_reason(reason, meaning):
    assert asked(sse(delta(content="x"), delta(reason)))[1].reason == meaning


A = {"id": "a", "name": "soma", "arguments": "{}"}
B = {"id": "b", "name": "media", "arguments": "[]"}
OPENED = fragment(id="a", name="soma", arguments="")


@pytest.mark.parametrize(
    ("chunks", "calls"),
    [
        pytest.param(
            [[{**OPENED, "index": 0}], [fragment(index=0, arguments='{"x"')], [fragment(index=0, arguments=":\n1}")]],
            [("a", "soma", '{"x":\n1}')],
            id="fragments",
        ),
        pytest.param(
            [[fragment(index=0, **A), fragment(index=1, **B)]],
            [("a", "soma", "{}"), ("b", "media", "[]")],
            id="two in one chunk",
        ),
        pytest.param(
            [[fragment(index=1, **B)], [fragment(index=0, **A)]],
            [("a", "soma", "{}"), ("b", "media", "[]")],
            id="the second first",
        ),
        pytest.param(
            [[{**OPENED, "index": 0}], [fragment(index=1, **B)], [fragment(index=0, arguments="{}")]],
            [("a", "soma", "{}"), ("b", "media", "[]")],
            id="in turns",
        ),
        pytest.param(
            [[fragment(id="a", name="soma", arguments="{")], [fragment(arguments="}")], [fragment(**B)]],
            [("a", "soma", "{}"), ("b", "media", "[]")],
            id="no index",
        ),
        pytest.param(
            [[fragment(name="soma", arguments="{}")], [fragment(name="media", arguments="[]")]],
            [("lastro_1", "soma", "{}"), ("lastro_2", "media", "[]")],
            id="neither index nor id",
        ),
        pytest.param(
            [[fragment(index=0, **A)], [fragment(index=0, **B)]],
            [("a", "soma", "{}"), ("b", "media", "[]")],
            id="one index for all",
        ),
        pytest.param(
            [[fragment(index=0, id="a", name="soma", arguments="{")], [fragment(index=0, id="z", arguments="}")]],
            [("a", "soma", "{}")],
            id="an id for every fragment",
        ),
        pytest.param(
            [[fragment(index=0, **A), fragment(index=1, **{**B, "id": "a"})]],
            [("a", "soma", "{}"), ("lastro_1", "media", "[]")],
            id="one id for two",
        ),
        pytest.param(
            [[fragment(index=0, id="a", name="soma", arguments={"x": "é"})]],
            [("a", "soma", '{"x": "é"}')],
            id="an object",
        ),
        pytest.param(
            [[fragment(index=0, id="a", name="soma", arguments='"\ud83d')], [fragment(index=0, arguments='\ude00"')]],
            [("a", "soma", '"😀"')],
            id="half a character",
        ),
        pytest.param([[fragment(index=0, id="a", name=None, arguments=None)]], [("a", "", "")], id="nothing asked"),
    ],
)  # fmt: skip
def test_calls_are_put_together_from_fragments(chunks, calls):
    assert calls_of(*chunks) == calls


def test_calls_count_whatever_the_reason_is_called():
    _, last = asked(sse(delta(tool_calls=[fragment(index=0, **A)]), STOP))
    assert last.reason == "tool_calls"


def test_ids_that_we_give_are_given_once():
    async def both():
        one = client(lambda _: answer(sse(delta(tool_calls=[fragment(index=0, name="soma")]), STOP)))
        return [(await take(one))[1].calls[0].id for _ in range(2)]

    assert asyncio.run(both()) == ["lastro_1", "lastro_2"]


@pytest.mark.parametrize(("cached", "counted"), [(3, 3), (10**15, 5), (-1, 0), (10**30, 0), ("3", 0)])
def test_no_more_is_cached_than_was_sent(cached, counted):
    usage = {"prompt_tokens": 5, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": cached}}
    end = asyncio.run(
        take(client([answer(sse(delta("stop", content="x"), {"choices": [], "usage": usage}))]))
    )[1]
    assert end.usage.cache_read_tokens == counted


def test_the_first_of_two_ends_counts():
    text, last = asked(sse(delta(content="a"), delta("length"), delta("stop", content="b")))
    assert (text, last.reason) == ("a", "length")


def test_a_whole_message_is_taken_for_a_stream():
    message = {"content": "Olá", "tool_calls": [{"id": "a", "function": {"name": "soma", "arguments": "{}"}}]}
    body = {"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": USAGE["usage"]}
    text, last = asked(b" \n" + json.dumps(body).encode(), headers={"content-type": "application/json"})
    assert text == "Olá"
    assert last == Finished("tool_calls", (ToolCall("a", "soma", "{}"),), Usage(10, 3))


def test_an_event_without_data_says_nothing():
    assert asked(b"data:\n\ndata: \n\n" + sse(delta(content="a"), STOP))[0] == "a"


def test_what_follows_the_end_changes_nothing():
    text, _ = asked(sse(delta(content="a"), STOP) + sse(delta(content="b")) + b"data: {]\n\n")
    assert text == "a"


@pytest.mark.parametrize(
    ("pieces", "kind", "code"),
    [
        pytest.param([sse(delta(content="a"), end="")], ModelBroke, "model_cut_off", id="neither end"),
        pytest.param(
            [sse(delta(content="a"), end=""), b"data: {"], ModelBroke, "model_cut_off", id="half an event"
        ),
        pytest.param([b""], ModelBroke, "model_not_understood", id="nothing"),
        pytest.param([b"<html>"], ModelBroke, "model_not_understood", id="a page"),
        pytest.param([b"data: {]\n\n"], ModelBroke, "model_not_understood", id="no JSON"),
        pytest.param([b"data: [1]\n\n"], ModelBroke, "model_not_understood", id="no object"),
        pytest.param(
            [b"data: " + b'{"a":' * 50_000 + b"\n\n"], ModelBroke, "model_not_understood", id="deep"
        ),
        pytest.param(
            [sse(delta(content=["a"]))], ModelBroke, "model_not_understood", id="a text that is none"
        ),
        pytest.param([b"{}"], ModelBroke, "model_not_understood", id="a whole message of nobody"),
        pytest.param([b'{"choices": [{'], ModelBroke, "model_not_understood", id="half a message"),
        pytest.param(
            [b'{"choices": "\xff"}'], ModelBroke, "model_not_understood", id="a message that is no UTF-8"
        ),
        pytest.param(
            [sse(delta(content="a"), {"error": {"message": "x"}})],
            ModelBroke,
            "model_error_midway",
            id="an error midway",
        ),
        pytest.param(
            [sse({"error": {"code": 500}})], ModelUnreachable, "model_overloaded", id="an error at once"
        ),
        pytest.param(
            [sse({"error": {"code": "rate_limit_exceeded"}})],
            ModelUnreachable,
            "model_too_many_requests",
            id="a limit at once",
        ),
        pytest.param(
            [b'{"error": "context length"}'], ModelRefused, "model_too_large", id="an error as a message"
        ),
        pytest.param(
            [b'event: error\ndata: {"message": "x"}\n\n'], ModelUnreachable, "model_overloaded", id="by name"
        ),
    ],
)
def test_what_is_no_answer_is_an_error(pieces, kind, code):
    with pytest.raises(kind) as raised:
        asked(*pieces)
    assert raised.value.code == code


def stream_bytes(end: bytes) -> bytes:
    chunks = [
        {"choices": []},
        delta(content="Olá 😀 \u2028"),
        delta(tool_calls=[fragment(index=0, id="a", name="soma", arguments='{"é')]),
        delta(tool_calls=[fragment(index=1, name="media", arguments="{}")]),
        delta(tool_calls=[fragment(index=0, arguments='": 1}')]),
        delta("tool_calls"),
        USAGE,
    ]
    halves = sse(delta(content="\ud83d"), end="") + sse(delta(content="\ude00"), end="")
    return (halves + b": ping\n\n" + sse(*chunks)).replace(b"\n", end)


@settings(max_examples=40)
@given(
    cuts=st.lists(st.integers(1, 900), max_size=15, unique=True),
    end=st.sampled_from([b"\n", b"\r\n", b"\r"]),
)
def test_however_a_stream_is_cut_the_message_is_the_same(cuts, end):
    content = stream_bytes(end)
    edges = [0, *sorted(cut for cut in cuts if cut < len(content)), len(content)]
    text, last = asked(*(content[start:stop] for start, stop in pairwise(edges)))
    assert text == "😀Olá 😀 \u2028"
    calls = (ToolCall("a", "soma", '{"é": 1}'), ToolCall("lastro_1", "media", "{}"))
    assert last == Finished("tool_calls", calls, Usage(10, 3))
