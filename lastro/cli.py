"""The command `lastro`: reads the words, calls the command's module, and turns errors into one sentence."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from difflib import get_close_matches
from typing import NoReturn

from datasources.exceptions import SourceError
from engine.exceptions import EngineError
from lastro import (
    aggregate,
    ask,
    calc,
    compare,
    context,
    export,
    group_by,
    inspect,
    report,
    save,
    search,
)
from lastro.exceptions import WordsError
from lastro.output import OutputError, discard_output, say
from lastro.version import VERSION
from prompts.exceptions import PromptError

COMMANDS = (context, inspect, ask, aggregate, group_by, compare, search, calc, save, export, report)
"""One module a command: each adds its parser and runs it."""

MISSING = "the following arguments are required"
"""How argparse begins what it says of them."""

EXIT_REFUSED = 2
EXIT_INTERRUPTED = 130
EXIT_PIPE = 141


class Parser(argparse.ArgumentParser):
    """A parser that suggests the option or command that was probably meant."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one sentence, and where help is; exit status 2."""
        unknown = [word for word in _quoted(message) if word] or message.rsplit(": ", maxsplit=1)[-1].split()
        if message.startswith(MISSING):
            unknown = []  # these are words that it knows
        near = get_close_matches(unknown[0].split("=")[0], self._known_words(), n=1) if unknown else []
        hint = f" Did you mean {near[0]}?" if near else ""
        say(f"lastro: {message}.{hint} See '{self.prog} --help'.")
        self.exit(EXIT_REFUSED)

    def _known_words(self) -> list[str]:
        words: list[str] = []
        for action in self._actions:
            words += action.option_strings
            if isinstance(action, argparse._SubParsersAction):
                words += action.choices
                for command in action.choices.values():
                    words += command._option_string_actions
        return words


def _quoted(message: str) -> list[str]:
    parts = message.split("'")
    return parts[1:2] if len(parts) > 2 and "invalid choice" in message else []


def build_parser() -> Parser:
    """The parser with all commands."""
    parser = Parser(
        prog="lastro",
        description="From a report's files to a data context that a language model can trust.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example:\n  lastro context vendas=vendas.csv pagamentos=pagamentos.parquet --rows 100",
    )
    parser.add_argument("--version", action="version", version=f"lastro {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser, required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 0, 2 when something was refused, 130 when interrupted."""
    try:
        parsed = build_parser().parse_args(arguments)
        with _progress():
            status: int = parsed.run(parsed)
        return status
    except SourceError as error:
        report.say_refusal(error)
        return EXIT_REFUSED
    except (EngineError, PromptError, OutputError, WordsError) as error:
        say(f"lastro: {error}")
        return EXIT_REFUSED
    except MemoryError:
        say("lastro: The memory does not suffice for this: give fewer or smaller files, or more memory.")
        return EXIT_REFUSED
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough: no error, but nothing more may be written either.
        discard_output()
        return EXIT_PIPE
    except KeyboardInterrupt:
        say("lastro: interrupted.")
        return EXIT_INTERRUPTED


def _progress() -> AbstractContextManager[None]:
    """What whoever sits at a terminal sees of long work; pipes and logs get nothing."""
    if sys.stderr is None or not sys.stderr.isatty():
        return nullcontext()
    from lastro.progress import progress_shown

    return progress_shown(sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
