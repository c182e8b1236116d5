"""
Brings the project into the state of an installation: `python -m benchmarks.installed`.

What is installed has its bytecode, and has compiled the kernels of the extra `fast` on the first large table.
"""

from __future__ import annotations

import sys
from compileall import compile_dir

from benchmarks.files import ROOT
from benchmarks.measure import run_process

PACKAGES = ("datasources", "engine", "prompts", "chat", "lastro")


def ensure_installed() -> None:
    """Do it in a process of its own, as Numba is large; raises MeasureError."""
    run_process([sys.executable, "-m", "benchmarks.installed"])


def main() -> None:
    """Compile what is not compiled yet."""
    from datasources import compiled
    from engine import compiled_numbers, compiled_sums

    for package in PACKAGES:
        compile_dir(ROOT / package, quiet=1)
    compiled.prepare(
        compiled.COMPILE_SHARE, compiled.CSV_KERNEL, compiled_numbers.KERNEL, compiled_sums.KERNEL
    )


if __name__ == "__main__":
    main()
