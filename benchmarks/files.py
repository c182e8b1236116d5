"""Names the files of the sales table, and has those written that are missing."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, get_args

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "benchmarks" / ".data"
"""Where tables are kept from run to run; git ignores it."""
SEED = 7
GRACE_S = 2.0
"""So long a process that writes for us may take to clear away."""

Kind = Literal["csv", "parquet"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class NotWritten(Exception):
    """A process that was to write a file failed, and said why."""


class TableFiles(NamedTuple):
    """One table, written twice."""

    csv: Path
    """Separated by semicolons, as a report engine exports it."""
    parquet: Path
    """Numbers native where a database would have them; dates and money are text here too."""


def table_files(folder: Path, rows: int) -> TableFiles:
    """Where the table of *rows* rows is kept."""
    return TableFiles(folder / f"vendas_{rows}.csv", folder / f"vendas_{rows}.parquet")


def ensure_table(folder: Path, rows: int) -> TableFiles:
    """The files of the table of *rows* rows, which are written unless they are there."""
    files = table_files(folder, rows)
    if not all(path.exists() for path in files):
        write_table(folder, rows)
    return files


def write_table(folder: Path, rows: int, only: Kind | None = None) -> None:
    """Write the table of *rows* rows, as both kinds of file or as *only* one; nothing unfinished stays."""
    print(f"writing {rows:,} rows …", file=sys.stderr, flush=True)
    # In a process of its own: see `measure.run_process` about the memory of this one.
    command = [sys.executable, "-m", "benchmarks.data", f"--rows={rows}", f"--folder={folder.absolute()}"]
    try:
        _have_written([*command, *([f"--only={only}"] if only else [])], f"The table of {rows:,} rows")
    finally:
        # Where we are interrupted the other process may be killed, and cannot clear away.
        for file in table_files(folder, rows):
            with suppress(OSError):
                unfinished(file).unlink(missing_ok=True)


def _have_written(command: Sequence[str], what: str) -> None:
    """Run *command*, which an interrupt reaches by way of us, as a polite kill; raises NotWritten."""
    # One that comes while the process is started waits until it is known.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    try:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            preexec_fn=partial(_ignore_interrupts, mask),  # noqa: PLW1509 - it takes no lock
        )
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            status = process.wait()
        except BaseException:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_S)
            process.kill()
            process.wait()
            raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    if status:
        raise NotWritten(f"{what} could not be written: see above.")


def _ignore_interrupts(mask: Iterable[int]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def unfinished(file: Path) -> Path:
    """What *file* is called until it is whole."""
    return file.with_name(f"{file.name}.part")


def ensure_snapshot(folder: Path, rows: int) -> Path:
    """The stored snapshot of the table of *rows* rows, which is saved anew where another Lastro saved it."""
    from engine import SnapshotError, open_snapshot

    pointer = folder / f"vendas_{rows}.snapshot"
    try:
        open_snapshot(pointer)
    except SnapshotError:
        print(f"saving {rows:,} rows …", file=sys.stderr)
        file = ensure_table(folder, rows).parquet
        command = [sys.executable, "-m", "benchmarks.snapshot_write", "--keep", str(pointer), str(file)]
        _have_written(command, f"The snapshot of {rows:,} rows")
    return pointer
