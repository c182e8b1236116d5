"""`lastro context`: prints the data context of a report's files, for a model or, as JSON, for programs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from engine.excerpt import ROWS_MAX
from lastro.output import refuse_source, write_result, write_warnings
from lastro.print_action import PrintText
from lastro.snapshots import add_report_arguments, make_snapshot
from lastro.sources import add_source_arguments

EXAMPLE = """examples:
  lastro context vendas=vendas.csv pagamentos=pagamentos.parquet --rows 100
  lastro context 'partes/*.parquet' --section schema --max-tokens 2000
  cat vendas.csv | lastro context vendas=- --json
  lastro context financeiro.report.json --param regiao=Sul"""


def add_parser(commands: Any) -> None:  # argparse names the type of its subparsers privately
    """Add the command to *commands*."""
    parser = commands.add_parser(
        "context",
        help="print the data context of files: schema, exact facts, and a sample of rows",
        description="Print the data context of a report's files: its schema, exact facts, and a sample of rows.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=EXAMPLE,
    )
    add_source_arguments(parser)
    add_report_arguments(parser)
    writing = parser.add_argument_group("writing")
    writing.add_argument("--rows", type=_count, default=ROWS_MAX, help=f"rows in all (default {ROWS_MAX})")
    writing.add_argument("--max-tokens", type=_count, help="leave out what matters least until it fits")
    writing.add_argument("--section", choices=("schema", "data", "all"), default="all")
    writing.add_argument(
        "--json", action="store_true", help="the same facts for programs, numbers as exact text"
    )
    writing.add_argument(
        "--json-schema",
        action=PrintText,
        module="lastro.document",
        help="print the JSON Schema of --json and leave",
    )
    writing.add_argument("--out", metavar="FILE", help="write to FILE (- for standard output)")
    writing.add_argument(
        "--snapshot", metavar="FILE", help="also keep the typed data beside FILE, for later questions"
    )
    parser.set_defaults(run=run)


def _count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return number


def run(parsed: argparse.Namespace) -> int:
    """Print the context; what was assumed goes to standard error."""
    from engine import profile_snapshot, take_excerpt
    from prompts import render_data_context

    for written in (parsed.out, parsed.snapshot):
        refuse_source(written, parsed.files)
    keeps = parsed.snapshot is not None
    snapshot = make_snapshot(parsed, complete=parsed.json or keeps)
    profile = profile_snapshot(snapshot)
    if parsed.json:
        from lastro.document import document_of

        text = document_of(profile).model_dump_json() + "\n"
    else:
        rows = 0 if parsed.section == "schema" else parsed.rows
        text = render_data_context(
            profile, take_excerpt(snapshot, rows), section=parsed.section, max_tokens=parsed.max_tokens
        )
    if keeps:
        from engine import save_snapshot

        save_snapshot(snapshot, Path(parsed.snapshot))
    write_warnings(profile.warnings)
    write_result(text, parsed.out)
    return 0
