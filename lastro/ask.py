"""`lastro ask`: answers a question about a report in words, with a language model or without one."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from engine.notes import LANGUAGES
from lastro.output import say, standard_output, write_warnings
from lastro.question import add_command
from lastro.snapshots import add_report_arguments, make_snapshot
from lastro.sources import add_source_arguments

if TYPE_CHECKING:
    from chat.events import Event
    from chat.loop import ChatRun
    from chat.settings import ChatSettings

EXIT_FAILED = 1
EXIT_REFUSED = 2

EXAMPLE = """examples:
  lastro ask "qual o total de vendas?" vendas.csv
  lastro ask "who sold the most?" financeiro.report.json --param trimestre=2026-T1
  CHAT_PROVIDER=openai CHAT_MODEL=… CHAT_API_KEY=… lastro ask "compare março com abril" vendas.snapshot

Without CHAT_PROVIDER the question is answered by a small grammar from the report's own figures, and nothing leaves
this computer. With it, the data context of the report goes to the provider that is named."""


def add_parser(commands: Any) -> None:  # argparse names the type of its subparsers privately
    """Add the command to *commands*."""
    parser = add_command(commands, "ask", "answer a question about a report in words", EXAMPLE, run)
    parser.add_argument("question", metavar="QUESTION", help="in Portuguese or English, in quotation marks")
    add_source_arguments(parser)
    add_report_arguments(parser)
    writing = parser.add_argument_group("writing")
    writing.add_argument("--json", action="store_true", help="the events as they come, a JSON object a line")
    writing.add_argument(
        "--lang",
        choices=LANGUAGES,
        help="the language of notices beside the answer (default: that of the question)",
    )
    writing.add_argument(
        "--max-tokens", type=int, help="shorten what the model is told of the report until it fits"
    )


def run(parsed: argparse.Namespace) -> int:
    """Write the answer as it comes; which tools are asked goes to standard error. Gives the exit status."""
    import asyncio

    from chat.exceptions import ChatError
    from chat.offline.read import language_of_question
    from chat.settings import read_settings
    from engine import profile_snapshot

    parsed.lang = parsed.lang or language_of_question(parsed.question) or "en"
    try:
        settings = read_settings()
        snapshot = make_snapshot(parsed, complete=True)
        write_warnings(profile_snapshot(snapshot).warnings)
        return asyncio.run(_answer(parsed, settings, snapshot))
    except ChatError as error:
        for line in f"lastro: {error.text(parsed.lang)}".splitlines():
            say(line)
        return EXIT_REFUSED


async def _answer(parsed: argparse.Namespace, settings: ChatSettings, snapshot: Any) -> int:
    from contextlib import aclosing

    from chat.consumer import Consumer
    from chat.llm.base import LlmClient

    client = LlmClient.from_config(settings, parsed.lang)
    consumer = Consumer(snapshot, client, settings, context_tokens=parsed.max_tokens)
    write = _write_json if parsed.json else _write_words
    try:
        with consumer.begin(parsed.lang) as conversation:
            run = conversation.ask([{"role": "user", "content": parsed.question}])
            async with aclosing(run) as events:
                async for event in events:
                    write(event, run)
    finally:
        await client.aclose()
    return 0 if run.outcome.ending == "done" else EXIT_FAILED


def _write_json(event: Event, _: ChatRun) -> None:
    _write(json.dumps({"type": event.type, **event.payload}, ensure_ascii=False) + "\n")


def _write_words(event: Event, run: ChatRun) -> None:
    from chat.events import CallEvent, Done, Failed, Text
    from lastro.call_view import call_line

    match event:
        case Text():
            _write(event.content)
        case CallEvent():
            if event.status != "running":  # tools answer sooner than one could read
                say(f"  {call_line(run.outcome.calls[-1])}")
        case Done():
            _write("\n")
        case Failed():
            say(f"lastro: {event.message}")


def _write(text: str) -> None:
    with standard_output() as out:
        out.write(text.encode(errors="replace"))
        out.flush()
