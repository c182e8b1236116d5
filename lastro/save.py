"""`lastro save`: stores the typed data of a report's files as a snapshot, for questions later."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

from lastro.output import STANDARD_OUTPUT, OutputError, refuse_source, write_result, write_warnings
from lastro.question import add_command
from lastro.snapshots import add_report_arguments, make_snapshot
from lastro.sources import add_source_arguments

EXAMPLE = """examples:
  lastro save vendas.csv pagamentos.csv -o financeiro.snapshot
  lastro aggregate financeiro.snapshot --verb SUM --field valor_total
  lastro context financeiro.snapshot"""


def add_parser(commands: Any) -> None:  # argparse names the type of its subparsers privately
    """Add the command to *commands*."""
    parser = add_command(commands, "save", "store the typed data of files, for questions later", EXAMPLE, run)
    add_source_arguments(parser)
    add_report_arguments(parser)
    writing = parser.add_argument_group("writing")
    writing.add_argument(
        "-o",
        "--out",
        required=True,
        metavar="FILE",
        help="the pointer, which names the version that is stored beside it; older versions stay",
    )
    writing.add_argument("--json", action="store_true", help="the same for programs")


def run(parsed: argparse.Namespace) -> int:
    """Store the snapshot, and say what it is called."""
    from engine import open_snapshot, save_snapshot

    if parsed.out == STANDARD_OUTPUT:
        raise OutputError("A snapshot is a file beside its pointer: name one after -o.")
    refuse_source(parsed.out, parsed.files)
    out = Path(os.path.realpath(parsed.out))  # a link stays one
    if not out.parent.is_dir():
        # As for every other file that is written: a folder by a slip of the hand would hide what was saved.
        raise OutputError(f"There is no folder {Path(parsed.out).parent}: make it first, or correct -o.")
    snapshot = make_snapshot(parsed, complete=True)
    version = save_snapshot(snapshot, out)
    write_warnings(snapshot.profile.warnings)
    stored = open_snapshot(version)
    bands = [{"name": band.name, "rows": band.rows} for band in stored.bands]
    if parsed.json:
        saved = {"id": stored.id, "pointer": parsed.out, "file": str(version), "bands": bands}
        write_result(json.dumps(saved, ensure_ascii=False) + "\n", None)
        return 0
    from lastro.look import Look, plain, whole

    counted = ", ".join(f"{band['name']} ({band['rows']} {_rows(band['rows'])})" for band in bands)
    parts = {"snapshot": parsed.out, "version": version.name, "id": str(stored.id)}
    lines = [whole((f"{label.ljust(10)}", "dim"), (text, "")) for label, text in parts.items()]
    write_result(Look.of_output().render([*lines, plain(f"{'bands'.ljust(10)}{counted}")]), None)
    return 0


def _rows(count: object) -> str:
    return "row" if count == 1 else "rows"
