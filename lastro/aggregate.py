"""`lastro aggregate`: one exact value of a report's files, over all rows or those that fit."""

from __future__ import annotations

import argparse
from typing import Any

from lastro.question import (
    add_answer_arguments,
    add_command,
    add_question_arguments,
    add_where_argument,
    ask,
    given,
)

EXAMPLE = """examples:
  lastro aggregate vendas.csv --verb SUM --field valor_total
  lastro aggregate vendas.csv --verb AVG --field valor_total --where 'status = faturado' --where 'data = 2026-04'
  lastro aggregate vendas.snapshot --verb COUNT --band vendas --json"""


def add_parser(commands: Any) -> None:  # argparse names the type of its subparsers privately
    """Add the command to *commands*."""
    parser = add_command(
        commands, "aggregate", "compute one exact value: a sum, an average, a count", EXAMPLE, run
    )
    add_where_argument(add_question_arguments(parser))
    add_answer_arguments(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print the value and what it is a value of."""
    from lastro.answer_view import aggregate_text
    from lastro.where import read_all

    arguments = given(
        verb=parsed.verb, field=parsed.field, band=parsed.band, filter=read_all(parsed.where, parsed.lang)
    )
    return ask(parsed, "sulfite_aggregate_data", arguments, aggregate_text)
