"""Draws `docs/inspect.svg`: what `lastro inspect` shows of the example report in a terminal."""

import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).parents[1]
COLUMNS = 80
LINES = 31
"""As much as fits on a page of the README."""
FRAME = """<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>lastro inspect vendas.csv</title>
<style>
.{unique_id}-matrix {{ font: {char_height}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }}
{styles}
</style>
<defs>{lines}</defs>
<rect width="100%" height="100%" rx="8" fill="#0c0c0c"/>
<g transform="translate(16, 12)">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""
"""The frame that rich gives by default loads a font from elsewhere; this one takes the reader's own."""


def picture() -> str:
    """The drawing as SVG."""
    command = [sys.executable, "-c", _IN_A_TERMINAL, "examples/financeiro/vendas.csv"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    console = Console(record=True, width=COLUMNS, file=StringIO())
    console.print(Text("$ lastro inspect vendas.csv\n", style="green"))
    console.print(Text.from_ansi("\n".join(shown.split("\n")[:LINES])))
    return console.export_svg(theme=MONOKAI, code_format=FRAME, unique_id="lastro")


_IN_A_TERMINAL = """
import sys
from datasources import ReadOptions
from engine import materialize
from lastro.inspect_report import inspect_snapshot
from lastro.inspect_view import render_text
snapshot = materialize(sys.argv[1:], options=ReadOptions())
print(render_text(inspect_snapshot(snapshot, None), terminal=True))
"""

if __name__ == "__main__":
    (ROOT / "docs" / "inspect.svg").write_text(picture(), encoding="utf-8")
