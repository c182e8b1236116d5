"""`lastro search`: finds the bands, fields and values of a report's files that are called something like a text."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lastro.exceptions import WordsError
from lastro.question import add_answer_arguments, add_band_argument, add_command, ask, given
from lastro.snapshots import add_report_arguments
from lastro.sources import add_source_arguments

if TYPE_CHECKING:
    from lastro.figures import Figures
    from lastro.labels import Labels
    from lastro.look import Look

EXAMPLE = """examples:
  lastro search ilheus vendas.csv
  lastro search 'sao sebastiao' vendas.csv clientes.csv --field cidade
  lastro search 0001234 vendas.snapshot --json"""


def add_parser(commands: Any) -> None:  # argparse names the type of its subparsers privately
    """Add the command to *commands*."""
    parser = add_command(
        commands,
        "search",
        "find names and values that are like a text, whatever its accents and case",
        EXAMPLE,
        run,
    )
    parser.add_argument("query", metavar="TEXT", help="what to look for; several words stand in quotes")
    add_source_arguments(parser)
    add_report_arguments(parser)
    looking = parser.add_argument_group("asking")
    add_band_argument(looking, "look in this band only")
    looking.add_argument("--field", help="look among the values of this field only")
    add_answer_arguments(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print what was found, the most alike first."""
    if not os.path.exists(parsed.files[0]) and os.path.isfile(parsed.query):
        raise WordsError(
            f"There is no file {parsed.files[0]}: what to look for comes first, as in "
            f"lastro search {parsed.files[0]} {parsed.query}"
        )
    arguments = given(query=parsed.query, band=parsed.band, field=parsed.field)
    return ask(parsed, "sulfite_search_values", arguments, search_text)


def search_text(answer: Mapping[str, Any], figures: Figures, labels: Labels, look: Look) -> str:
    """A line for each hit."""
    from lastro.answer_view import name_text
    from lastro.lined_table import Column, LinedTable
    from lastro.look import plain

    hits = answer["result"]
    lines = []
    if hits:
        values = [name_text(hit["value"]) if hit["kind"] == "value" else "" for hit in hits]
        columns = [
            Column(labels.value, values, "name", ("bold",) * len(hits)),
            Column(labels.field, [hit["field"] or "" for hit in hits], "name"),
            Column(labels.band, [hit["band"] for hit in hits], "name"),
            Column(labels.rows, [str(hit["rows"]) for hit in hits], "number"),
            Column(labels.score, [str(hit["score"]) for hit in hits], "number", ("dim",) * len(hits)),
        ]
        lines += LinedTable(columns).lines(look)
    if answer["note"]:
        lines += [plain(""), plain(answer["note"], "dim")]
    return look.render(lines)
