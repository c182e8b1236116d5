"""`lastro ask`: answers a question about a report in words, with a language model or without one."""

from __future__ import annotations

import argparse
import json
import sys
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
    parser.add_argument(
        "question", metavar="QUESTION", type=_question, help="in Portuguese or English, in quotation marks"
    )
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


def _question(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError(
            "there is no question: write one in quotation marks, before the files"
        )
    return text


def run(parsed: argparse.Namespace) -> int:
    """Write the answer as it comes; which tools are asked goes to standard error. Gives the exit status."""
    import asyncio

    from chat.exceptions import ChatError
    from chat.offline.read import likely_language
    from chat.sentences import sentence
    from chat.settings import read_settings, unknown_names
    from engine import profile_snapshot

    parsed.lang = parsed.lang or likely_language(parsed.question) or "en"
    _say_what_is_logged()
    try:
        for unknown in unknown_names():
            say(f"lastro: {unknown.text(parsed.lang)}")
        settings = read_settings()
        if settings.provider == "offline" and (settings.model or settings.api_key):
            say(f"lastro: {sentence('provider_unset', parsed.lang)}")
        snapshot = make_snapshot(parsed, complete=True)
        write_warnings(profile_snapshot(snapshot).warnings)
        return asyncio.run(_answer(parsed, settings, snapshot))
    except ChatError as error:
        for line in f"lastro: {error.text(parsed.lang)}".splitlines():
            say(line)
        return EXIT_REFUSED


def _say_what_is_logged() -> None:
    """Failures that nobody foresaw, on a line each: nothing else is set up to log, and Python would write pages."""
    import logging

    class Said(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            error = record.exc_info[1] if record.exc_info else None
            why = f" ({type(error).__name__}: {error})" if error else ""
            say(f"lastro: {record.getMessage()}{why}")

    logging.getLogger("chat").handlers = [Said(logging.ERROR)]


async def _answer(parsed: argparse.Namespace, settings: ChatSettings, snapshot: Any) -> int:
    from contextlib import aclosing

    from chat.consumer import Consumer
    from chat.llm.base import LlmClient

    client = LlmClient.from_config(settings, parsed.lang)
    consumer = Consumer(snapshot, client, settings, context_tokens=parsed.max_tokens)
    words = _Words()
    write = _write_json if parsed.json else words.write
    try:
        with consumer.begin(parsed.lang) as conversation:
            run = conversation.ask([{"role": "user", "content": parsed.question}])
            async with aclosing(run) as events:
                async for event in events:
                    write(event, run)
    finally:
        words.close()
        await client.aclose()
    return 0 if run.outcome.ending == "done" else EXIT_FAILED


def _write_json(event: Event, _: ChatRun) -> None:
    _write(json.dumps({"type": event.type, **event.payload}, ensure_ascii=False) + "\n")


class _Words:
    """
    The answer on standard output, and what goes on beside it on standard error.

    Where a terminal shows both, each begins on a line of its own.
    """

    def __init__(self) -> None:
        self._is_within_line = False
        """Whether what was written last has no end of its line yet."""
        self._is_after_gap = False
        """Whether a line was left empty: another would only be a larger gap."""
        self._is_after_remark = False
        self._is_shown = sys.stdout is not None and sys.stdout.isatty()

    def write(self, event: Event, run: ChatRun) -> None:
        """Show *event*."""
        from chat.events import CallEvent, Done, Failed, Text
        from lastro.call_view import call_line

        match event:
            case Text():
                self._add(event.content)
            case CallEvent():
                if event.status != "running":  # tools answer sooner than one could read
                    self._remark(f"  {call_line(run.outcome.calls[-1])}")
            case Done() if self._is_within_line:
                self._add("\n")
            case Failed():
                self._remark(f"lastro: {event.message}")

    def close(self) -> None:
        """Leave the terminal at the beginning of a line, however it ends."""
        if self._is_within_line and self._is_shown:
            self._add("\n")

    def _add(self, text: str) -> None:
        if (self._is_shown and self._is_after_remark) or self._is_after_gap:
            text = text.lstrip("\n")  # the next paragraph begins on a new line as it is
        self._is_after_remark = False
        if text:
            _write(text)
            self._is_within_line = not text.endswith("\n")
            self._is_after_gap = text.endswith("\n\n")

    def _remark(self, line: str) -> None:
        self.close()
        say(line)
        self._is_after_remark = True


def _write(text: str) -> None:
    with standard_output() as out:
        out.write(text.encode(errors="replace"))
        out.flush()
