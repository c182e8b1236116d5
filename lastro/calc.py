"""`lastro calc`: exact arithmetic with numbers, and with the facts of a report's files."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lastro.exceptions import WordsError
from lastro.output import say, write_result, write_warnings
from lastro.question import EXIT_REFUSED, add_answer_arguments, add_command, ask
from lastro.snapshots import add_report_arguments, make_snapshot
from lastro.sources import add_reading_arguments

if TYPE_CHECKING:
    from engine.fact import Fact
    from engine.snapshot import Snapshot
    from lastro.figures import Figures
    from lastro.labels import Labels
    from lastro.look import Look

OPERATIONS = """operations:
  sum, average, product   values                        sum 10,5 20 'R$ 30'
  difference              minuend subtrahend            difference 120 100
  ratio                   numerator denominator         ratio 1 3 decimals=4
  percentage              part whole                    percentage part=12 whole=48
  growth                  initial final                 growth initial=100 final=120
  compound                initial rate periods          compound 1000 1,5% 12

An operand is a number (1234.5 or 1.234,50), the result of an earlier operation ('#1') or, with --from, a fact (F12).

examples:
  lastro calc sum 1.234,50 'R$ 5,15'
  lastro calc sum 10 20 percentage '#1' 300
  lastro calc --from vendas.csv                       the facts, each with its id
  lastro calc --from vendas.csv percentage F7 F2
  lastro calc '{"operations": [{"op": "sum", "values": [1.5, 2]}]}' --json"""


def add_parser(commands: Any) -> None:  # argparse names the type of its subparsers privately
    """Add the command to *commands*."""
    parser = add_command(
        commands, "calc", "calculate exactly with numbers, and with the facts of files", OPERATIONS, run
    )
    # What looks like a negative number is one, however it is written: -5,15 or -R$5.
    parser._negative_number_matcher = re.compile(r"-[^A-Za-z-]|-R\$|-US\$")
    parser.add_argument("words", nargs="*", metavar="WORD", help="an operation and what it takes, see below")
    parser.add_argument(
        "--from",
        dest="files",
        action="append",
        default=[],
        metavar="FILE",
        help="files as other commands take them, whose facts may be used; without an operation they are listed",
    )
    add_reading_arguments(parser)
    add_report_arguments(parser)
    add_answer_arguments(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print the results, or the facts that there are."""
    from engine.exceptions import QueryError

    if not parsed.words:
        return _list_facts(parsed)
    try:
        arguments = _arguments(parsed.words, parsed.locale)
    except QueryError as error:
        say(f"lastro: {error.text(parsed.lang)}")
        return EXIT_REFUSED
    return ask(parsed, "calculate", arguments, calculations_text, snapshot=_snapshot(parsed))


def _arguments(words: Sequence[str], locale: str | None) -> Mapping[str, object]:
    from lastro.calc_words import read_operations

    if len(words) == 1 and words[0].lstrip().startswith("{"):
        from chat.tools.arguments import read_json

        return read_json(words[0])
    return {"operations": read_operations(words, locale)}


def _snapshot(parsed: argparse.Namespace) -> Snapshot:
    """That of the files; an empty one without any."""
    if parsed.files:
        return make_snapshot(parsed, complete=True)
    from engine import Profile, Snapshot

    return Snapshot((), Profile(()))


def _list_facts(parsed: argparse.Namespace) -> int:
    if not parsed.files:
        raise WordsError("There is nothing to calculate: give an operation, as in lastro calc sum 1 2")
    from engine import profile_snapshot
    from engine.fact_ledger import FactLedger
    from lastro.figures import Figures
    from lastro.labels import LABELS
    from lastro.look import Look

    snapshot = make_snapshot(parsed, complete=True)
    profile = profile_snapshot(snapshot)
    write_warnings(profile.warnings)
    ledger = FactLedger.of_profile(profile, snapshot.id)
    if parsed.json:
        write_result(ledger.to_json() + "\n", None)
    else:
        figures = Figures.of(ledger, snapshot)
        write_result(facts_text(tuple(ledger), figures, LABELS[parsed.lang], Look.of_output()), None)
    return 0


def facts_text(facts: Sequence[Fact], figures: Figures, labels: Labels, look: Look) -> str:
    """A line for each fact: its id, its value, and what it is a value of."""
    from lastro.answer_view import title_of
    from lastro.lined_table import Column, LinedTable

    columns = [
        Column(labels.fact, [fact.id for fact in facts], "number", ("dim",) * len(facts)),
        Column(labels.value, [figures.fact_text(fact) for fact in facts], "text", ("bold",) * len(facts)),
        Column("", [title_of(fact, labels) for fact in facts]),
        Column(labels.band, [fact.band or "" for fact in facts], "name", ("dim",) * len(facts)),
    ]
    return look.render(LinedTable(columns).lines(look))


def calculations_text(answer: Mapping[str, Any], figures: Figures, labels: Labels, look: Look) -> str:
    """The result of each operation, with what it was calculated from."""
    from engine.shown_figures import own_decimals
    from lastro.figures import value_text
    from lastro.look import plain, whole

    results = answer["results"]
    shown = [
        value_text(one["result"], one["unit"], own_decimals(one["op"], one["unit"], 0)) or labels.no_value
        for one in results
    ]
    lines = []
    for number, (one, text) in enumerate(zip(results, shown, strict=True), start=1):
        mark = f"#{number}  ".ljust(len(f"#{len(results)}  ")) if len(results) > 1 else ""
        about = f"  ({labels.rounded})" if one["rounded"] else ""
        lines.append(whole((mark, "dim"), (text, "bold"), (about, "dim")))
        lines.append(plain(" " * len(mark) + f"{one['op']}: {_operands_text(one['operands'])}", "dim"))
        if one["note"]:
            lines.append(plain(" " * len(mark) + one["note"], "dim"))
    return look.render(lines)


def _operands_text(operands: Sequence[Mapping[str, Any]]) -> str:
    is_list = operands[0]["name"] == "values"
    return ", ".join(
        _operand_text(one) if is_list else f"{one['name']} {_operand_text(one)}" for one in operands
    )


def _operand_text(one: Mapping[str, Any]) -> str:
    """The number, and the fact or the earlier result that it is."""
    value = str(one["value"]) if one["value"] is not None else "-"
    origin = one.get("fact") or one.get("result") or "/".join(one.get("candidates", ()))
    return f"{value} ({origin})" if origin else value
