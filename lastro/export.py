"""`lastro export`: writes every row of a report's files, typed, as JSON Lines."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from lastro.output import STANDARD_OUTPUT, refuse_source, say, standard_output, write_warnings
from lastro.question import add_band_argument, add_command
from lastro.snapshots import add_report_arguments, make_snapshot
from lastro.sources import add_source_arguments

EXAMPLE = """examples:
  lastro export vendas.csv > vendas.jsonl
  lastro export financeiro.snapshot --band pagamentos -o pagamentos.jsonl"""


def add_parser(commands: Any) -> None:  # argparse names the type of its subparsers privately
    """Add the command to *commands*."""
    parser = add_command(commands, "export", "write every row, typed, as JSON Lines", EXAMPLE, run)
    add_source_arguments(parser)
    add_report_arguments(parser)
    add_band_argument(parser.add_argument_group("asking"), "write this band only (default: all)")
    writing = parser.add_argument_group("writing")
    writing.add_argument(
        "-o", "--out", metavar="FILE", help="write to FILE (default, and with -, standard output)"
    )


def run(parsed: argparse.Namespace) -> int:
    """Write the rows; of several bands each line begins with the name of its own."""
    from datasources.work import watched_by
    from engine.json_lines import export_json_lines
    from engine.snapshot import refuse_rows

    refuse_source(parsed.out, parsed.files)
    snapshot = make_snapshot(parsed, complete=True)
    refuse_rows(snapshot, "exported")
    write_warnings(snapshot.profile.warnings)
    if parsed.out in (None, STANDARD_OUTPUT):
        # A bar would stand among the rows where both go to one terminal.
        with watched_by(None), standard_output() as out:
            export_json_lines(snapshot, out, band=parsed.band)
        return 0
    rows = export_json_lines(snapshot, Path(os.path.realpath(parsed.out)), band=parsed.band)
    say(f"{parsed.out}: {rows} {'row' if rows == 1 else 'rows'}")
    return 0
