"""Asks one question of a report's files: the options that such commands share, and the way from words to an answer."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from engine.notes import LANGUAGES
from lastro.output import say, write_result, write_warnings
from lastro.snapshots import add_report_arguments, make_snapshot
from lastro.sources import add_source_arguments

if TYPE_CHECKING:
    from datasources.base import DataWarning
    from engine.snapshot import Snapshot
    from lastro.figures import Figures
    from lastro.labels import Labels
    from lastro.look import Look

EXIT_REFUSED = 2

View = Callable[[Mapping[str, Any], "Figures", "Labels", "Look"], str]
"""An answer as a person reads it."""


def add_command(
    commands: Any, name: str, about: str, example: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    """Add the command *name* to *commands*, whose type argparse names privately."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=about,
        description=f"{about[0].upper()}{about[1:]}.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=example,
    )
    parser.set_defaults(run=run)
    return parser


def add_question_arguments(parser: argparse.ArgumentParser) -> Any:
    """Add the files, the verb and the field; gives the group of options that say what is asked."""
    add_source_arguments(parser)
    add_report_arguments(parser)
    asking = parser.add_argument_group("asking")
    asking.add_argument(
        "--verb",
        required=True,
        help="SUM, AVG, COUNT, MIN, MAX, DISTINCT, MEDIAN, STDDEV or SHARE (percent of the whole)",
    )
    asking.add_argument("--field", help="the field to compute; COUNT and SHARE without one count rows")
    add_band_argument(asking)
    return asking


def add_band_argument(
    asking: Any, help_text: str = "the band, where the fields do not say which one is meant"
) -> None:
    """Add the band."""
    asking.add_argument("--band", help=help_text)


def add_where_argument(asking: Any) -> None:
    """Add the conditions."""
    asking.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="CONDITION",
        help=(
            "only the rows that fit, as in 'status = faturado', 'valor >= 1.234,50', 'data = 2026-04', "
            "'uf in (SP, RJ)', 'data between 05/04/2026 and 2026-04-30', 'nome contains silva', 'uf is null'; "
            "may be repeated, all must fit"
        ),
    )


def add_answer_arguments(parser: argparse.ArgumentParser) -> None:
    """Add how the answer is written."""
    writing = parser.add_argument_group("writing")
    writing.add_argument("--json", action="store_true", help="the answer object that a model gets")
    writing.add_argument("--lang", choices=LANGUAGES, default="en", help="the language of notes (default en)")


def ask(
    parsed: argparse.Namespace,
    tool: str,
    arguments: Mapping[str, object],
    view: View,
    snapshot: Snapshot | None = None,
) -> int:
    """
    Put *arguments* to the *tool* over *snapshot*, by default that of the files, and write the answer.

    Gives the exit status.
    """
    snapshot = snapshot or make_snapshot(parsed, complete=True)
    # After it, so that a file that cannot be read is refused at once.
    from chat import Toolset
    from engine import profile_snapshot

    with Toolset(snapshot, language=parsed.lang) as tools:
        reply = tools.call(tool, arguments)
        write_warnings(_relevant(profile_snapshot(snapshot).warnings, reply.answer.get("band"), arguments))
        if parsed.json:
            write_result(reply.text + "\n", None)
        elif reply.is_refused:
            say(f"lastro: {reply.answer['note']}")
        else:
            from lastro.figures import Figures
            from lastro.labels import LABELS
            from lastro.look import Look

            figures = Figures.of(tools.ledger, snapshot)
            write_result(view(reply.answer, figures, LABELS[parsed.lang], Look.of_output()), None)
    return EXIT_REFUSED if reply.is_refused else 0


def _relevant(
    warnings: Iterable[DataWarning], band: object, arguments: Mapping[str, object]
) -> list[DataWarning]:
    """The warnings that bear on the answer: those of its band, if they are of no field or of one that was named."""
    if band is None:
        return []
    named = set(_texts(arguments))
    return [one for one in warnings if one.band in (None, band) and (one.field is None or one.field in named)]


def _texts(value: object) -> Iterable[str]:
    """Every text in *value*: names of fields among them."""
    match value:
        case str():
            yield value
        case Mapping():
            for one in value.values():
                yield from _texts(one)
        case list() | tuple():
            for one in value:
                yield from _texts(one)


def given(**arguments: object) -> dict[str, object]:
    """The arguments that were given."""
    return {name: value for name, value in arguments.items() if value is not None}
