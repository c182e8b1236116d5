"""A script is replayed, from Python or from a file."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from chat.exceptions import ModelBroke, ModelUnreachable, SettingsError
from chat.llm.base import Finished, Usage
from chat.llm.scripted import Ask, End, Fail, Pause, Say, ScriptedClient
from chat.messages import ToolCall
from tests.chat.llm.streams import ASKED, ROUND, take


def test_each_request_gets_the_next_message():
    client = ScriptedClient(
        [
            [Say("Vou "), Say("ver."), Ask("soma", '{"x":1}'), Ask("media", "not json", id="z")],
            [Say("12."), End("length", Usage(3, 4))],
        ]
    )

    async def both():
        return [await take(client, request) for request in (ASKED, ROUND)]

    first, second = asyncio.run(both())
    calls = (ToolCall("call_1_1", "soma", '{"x":1}'), ToolCall("z", "media", "not json"))
    assert first == ("Vou ver.", Finished("tool_calls", calls, Usage()))
    assert second == ("12.", Finished("length", (), Usage(3, 4)))
    assert client.requests == [ASKED, ROUND]
    with pytest.raises(ModelUnreachable) as raised:
        asyncio.run(take(client))
    assert raised.value.code == "model_script_over"


def test_a_failure_and_a_pause_are_played():
    client = ScriptedClient([[Pause(0.05), Say("a"), Fail(ModelBroke("model_cut_off", provider="scripted"))]])
    begun = time.monotonic()
    with pytest.raises(ModelBroke):
        asyncio.run(take(client))
    assert time.monotonic() - begun >= 0.05


def test_a_file_is_replayed_over_and_over(tmp_path):
    path = tmp_path / "script.jsonl"
    path.write_text(
        '[{"text": "Olá"}, {"pause": 0}, {"call": "soma", "arguments": {"x": 1}, "id": "c1"}]\n'
        "\n"
        '[{"call": "soma", "arguments": "{"}, {"end": "length", "usage": {"input_tokens": 3}}]\n'
        '{"fail": "refused", "code": "model_refused_key"}\n',
        encoding="utf-8",
    )
    client = ScriptedClient.from_file(path)

    async def ask(times):
        return [await take(client) for _ in range(times)]

    first, second = asyncio.run(ask(2))
    assert first == ("Olá", Finished("tool_calls", (ToolCall("c1", "soma", '{"x": 1}'),), Usage()))
    assert second == ("", Finished("length", (ToolCall("call_2_1", "soma", "{"),), Usage(3)))
    with pytest.raises(Exception, match="access key"):
        asyncio.run(ask(1))
    assert asyncio.run(ask(1))[0][0] == "Olá"


@pytest.mark.parametrize(
    "line",
    [
        *(
            "nothing",
            "[1]",
            '{"say": "a"}',
            '{"text": 1}',
            '{"text": ""}',
            '{"pause": -1}',
            '{"fail": "how"}',
        ),
        *('{"end": "so"}', '{"end": "stop", "usage": {"tokens": 1}}', "null", "[" * 50_000),
        *('{"call": "a", "id": 7}', '{"end": "stop", "usage": 3}'),
    ],
)
def test_a_line_that_is_no_message_is_named(tmp_path, line):
    path = tmp_path / "script.jsonl"
    path.write_text(f'{{"text": "a"}}\n{line}\n', encoding="utf-8")
    with pytest.raises(SettingsError, match="line 2"):
        ScriptedClient.from_file(path)


def test_a_script_that_has_no_end_is_not_read():
    with pytest.raises(SettingsError) as raised:
        ScriptedClient.from_file(Path("/dev/zero"))
    assert raised.value.code == "setting_long_file"


def test_a_script_that_is_not_there_is_said(tmp_path):
    with pytest.raises(SettingsError, match="CHAT_SCRIPT_PATH"):
        ScriptedClient.from_file(tmp_path / "none.jsonl")


def test_an_empty_script_says_nothing():
    with pytest.raises(ModelUnreachable):
        asyncio.run(take(ScriptedClient([], repeats=True)))
