"""`lastro compare`: the same exact value of two sets of rows, with the difference and the growth."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from engine.notes import Language
from lastro.exceptions import WordsError
from lastro.question import add_answer_arguments, add_command, add_question_arguments, ask, given

EXAMPLE = """examples:
  lastro compare vendas.csv --verb SUM --field valor_total --a 2026-03 --b 2026-04
  lastro compare vendas.csv --verb AVG --field valor_total --a 'regiao = Sul' --b 'regiao = Norte'
  lastro compare vendas.csv --verb COUNT --a 'data = 2026-03' --a 'uf = SP' --b 'data = 2026-04' --b 'uf = SP'"""


def add_parser(commands: Any) -> None:  # argparse names the type of its subparsers privately
    """Add the command to *commands*."""
    parser = add_command(commands, "compare", "compute one exact value of two sets of rows", EXAMPLE, run)
    asking = add_question_arguments(parser)
    for side, what in (("a", "the first rows"), ("b", "the second rows")):
        asking.add_argument(
            f"--{side}",
            action="append",
            required=True,
            metavar="ROWS",
            help=f"{what}: a day, month or year such as 2026-04, or a condition; conditions may be repeated",
        )
    add_answer_arguments(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print both values, and by how much they differ."""
    from lastro.answer_view import compare_text

    arguments = given(
        verb=parsed.verb,
        field=parsed.field,
        band=parsed.band,
        a=_side(parsed.a, parsed.lang),
        b=_side(parsed.b, parsed.lang),
    )
    return ask(parsed, "sulfite_compare", arguments, compare_text)


def _side(texts: Sequence[str], language: Language) -> str | Mapping[str, object] | None:
    """A period alone, or the filter that the conditions are together."""
    from chat.sentences import sentence
    from lastro.where import is_where, read_all

    periods = [text for text in texts if not is_where(text)]
    if periods and len(texts) > 1:
        raise WordsError(sentence("where_period_alone", language, text=periods[0]))
    return periods[0] if periods else read_all(texts, language)
