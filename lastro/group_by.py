"""`lastro group-by`: one exact value for each group of rows, as a table and, in a terminal, as bars."""

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
  lastro group-by vendas.csv --by vendedor --verb SUM --field valor_total --top 5
  lastro group-by vendas.csv --by status --by regiao --verb COUNT
  lastro group-by vendas.csv --by data --period month --verb SUM --field valor_total --where 'status = faturado'"""


def add_parser(commands: Any) -> None:  # argparse names the type of its subparsers privately
    """Add the command to *commands*."""
    parser = add_command(commands, "group-by", "compute one exact value for each group of rows", EXAMPLE, run)
    asking = add_question_arguments(parser)
    asking.add_argument(
        "--by",
        action="append",
        required=True,
        metavar="FIELD",
        help="the field to group by; may be given twice",
    )
    asking.add_argument(
        "--period", help="gather the days of a date in --by: day, week, month, quarter or year"
    )
    asking.add_argument("--top", type=int, metavar="N", help="name N groups; the rest is one more, (other n)")
    order = asking.add_mutually_exclusive_group()
    order.add_argument(
        "--order",
        help="desc or asc by value, or group, by name (default: desc, and by time with --period)",
    )
    order.add_argument("--asc", dest="order", action="store_const", const="asc", help="short for --order asc")
    add_where_argument(asking)
    add_answer_arguments(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print the groups."""
    from lastro.answer_view import group_by_text
    from lastro.where import read_all

    arguments = given(
        by=parsed.by,
        verb=parsed.verb,
        field=parsed.field,
        band=parsed.band,
        top=parsed.top,
        order=parsed.order,
        period=parsed.period,
        filter=read_all(parsed.where, parsed.lang),
    )
    return ask(parsed, "sulfite_group_by", arguments, group_by_text)
