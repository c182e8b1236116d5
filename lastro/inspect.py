"""`lastro inspect`: shows a person what is in a report's files and how it was read."""

from __future__ import annotations

import argparse
import sys
from shutil import get_terminal_size
from typing import Any

from lastro.output import refuse_source, write_result, write_warnings
from lastro.snapshots import add_report_arguments, make_snapshot
from lastro.sources import add_source_arguments

COLUMNS_SHOWN = 30

EXAMPLE = """examples:
  lastro inspect examples/financeiro/vendas.csv
  lastro inspect vendas=vendas.csv pagamentos=pagamentos.parquet --html report.html
  lastro inspect financeiro.report.json --param regiao=Sul"""


def add_parser(commands: Any) -> None:  # argparse names the type of its subparsers privately
    """Add the command to *commands*."""
    parser = commands.add_parser(
        "inspect",
        help="show people what is in files: columns, how they were read, warnings, token costs",
        description=(
            "Show what is in a report's files: each column with its type, nulls, distinct values and shape; "
            "how it was read and what spoke for it; what was assumed; and what the data cost in tokens."
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=EXAMPLE,
    )
    add_source_arguments(parser)
    add_report_arguments(parser)
    showing = parser.add_argument_group("showing")
    showing.add_argument(
        "--columns",
        type=_columns,
        default=COLUMNS_SHOWN,
        metavar="N|all",
        help=f"columns shown of each band (default {COLUMNS_SHOWN})",
    )
    showing.add_argument(
        "--html", metavar="FILE", help="write a page with charts to FILE (- for standard output) instead"
    )
    parser.set_defaults(run=run)


def _columns(text: str) -> int | None:
    """The number of columns to show; None for all."""
    if text == "all":
        return None
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is neither a whole number of 1 or more nor 'all'")
    return int(text)


def run(parsed: argparse.Namespace) -> int:
    """Show the inspection, in the terminal or as a page."""
    from engine.snapshot import refuse_rows
    from lastro.inspect_report import inspect_snapshot

    refuse_source(parsed.html, parsed.files)
    snapshot = make_snapshot(parsed, complete=True)
    refuse_rows(snapshot, "inspected")
    inspection = inspect_snapshot(snapshot, parsed.columns)
    if parsed.html is not None:
        from lastro.inspect_html import render_page

        # The page has the warnings too, but whoever runs the command may not look at it now.
        write_warnings(snapshot.profile.warnings)
        write_result(render_page(inspection), parsed.html)
        return 0
    from lastro.inspect_view import WIDTH, render_text

    terminal = sys.stdout is not None and sys.stdout.isatty()
    width = get_terminal_size((WIDTH, 24)).columns if terminal else WIDTH
    write_result(render_text(inspection, terminal=terminal, width=width), None)
    return 0
