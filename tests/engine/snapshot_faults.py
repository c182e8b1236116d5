"""
Does harm to snapshots and looks at what is left: kills writers, fills the disk, damages files.

A program of its own (`python -m tests.engine.snapshot_faults kill save_snapshot FOLDER 50 1`), since it forks
before any thread exists, and since a crash of DuckDB would otherwise end the tests. Prints counts as JSON.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from traceback import print_exc

import duckdb  # noqa: F401 - loaded before the forks, so that every child is quick
import pyarrow as pa
import pyarrow.compute

from datasources import durable
from datasources.base import Cell, Lists, RawBand
from engine.band import type_band
from engine.exceptions import SnapshotError, SnapshotNotSaved
from engine.profile import profile_bands
from engine.snapshot import Snapshot
from engine.snapshot_document import FORMAT, document_of, read_document
from engine.snapshot_file import open_snapshot, prune_snapshots, save_snapshot, verify_snapshot
from engine.snapshot_hash import snapshot_id
from engine.snapshot_write import write_snapshot
from engine.stored_band import StoredBand, open_file

pa.array([None])  # loads pandas where that is installed, before the forks as well

MUTATIONS = 200
WHOLE, TORN, REFUSED, UNEXPECTED = 0, 1, 2, 3
"""What a child found: one of the versions, a mixture, an error of ours, or something that must not happen."""


def version(number: int, rows: int = 60) -> Snapshot:
    """A snapshot of which every cell tells its version."""
    columns: tuple[list[Cell], ...] = (
        [f"cliente {number}-{row % 7}" for row in range(rows)],
        [f"{1000 * number + row},50" for row in range(rows)],
        [f"{row % 28 + 1:02d}/01/{2020 + number}" for row in range(rows)],
    )
    large = type_band(RawBand("itens", ("cliente", "valor", "data"), Lists(columns, rows), "text"))
    small = type_band(
        RawBand("header", ("empresa", "numero"), Lists(([f"Empresa {number}"], [number]), 1), "records")
    )
    return Snapshot((large, small), profile_bands([large, small]))


def rows_of(snapshot: Snapshot) -> list[object]:
    """Everything that a reader may see."""
    return [snapshot.profile, *(band.take(range(band.rows)) for band in snapshot.bands)]


# ---- writers that are right, and writers that are wrong ----


def save_and_prune(snapshot: Snapshot, pointer: Path) -> None:
    """What the product does; pruned, so that the next save has to write its version again."""
    save_snapshot(snapshot, pointer)
    prune_snapshots(pointer, keep=0)


def save_pointer_first(snapshot: Snapshot, pointer: Path) -> None:
    """Wrong: the pointer names a version that is still to be written."""
    document = document_of(snapshot, snapshot_id(snapshot))
    file = f"{pointer.stem}-{document.id[:32]}-{document.digest[:8]}.duckdb"
    durable.replace_text(pointer, json.dumps({"format": FORMAT, "id": document.id, "file": file}))
    save_and_prune(snapshot, pointer)


def save_in_place(snapshot: Snapshot, pointer: Path) -> None:
    """Wrong: every version is written to the same file."""
    write_snapshot(snapshot, pointer.with_suffix(".duckdb"))


def open_in_place(pointer: Path) -> Snapshot:
    """Open what `save_in_place` wrote."""
    file = open_file(pointer.with_suffix(".duckdb"))
    document = read_document(file.document())
    bands = [
        StoredBand(one.names, one.columns, one.rows, file, f"band_{index}")
        for index, one in enumerate(document.bands)
    ]
    return Snapshot(tuple(bands), document.profile)


Saver = Callable[[Snapshot, Path], None]
Opener = Callable[[Path], Snapshot]
VARIANTS: dict[str, tuple[Saver, Opener]] = {
    "save_snapshot": (save_and_prune, open_snapshot),
    "pointer_first": (save_pointer_first, open_snapshot),
    "in_place": (save_in_place, open_in_place),
}


# ---- harm ----


def in_child(work: Callable[[], int]) -> int:
    """The exit code of *work* in a forked process; negative for a signal."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        code = UNEXPECTED
        try:
            code = work()
        except SnapshotError:
            code = REFUSED
        except BaseException:  # noqa: BLE001 - the parent must learn of anything
            print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def look(opener: Opener, pointer: Path, versions: list[list[object]]) -> int:
    """Whether *pointer* opens as exactly one of *versions*."""
    return WHOLE if rows_of(opener(pointer)) in versions else TORN


def kill_writers(variant: str, folder: Path, kills: int, seed: int) -> Counter[int]:
    """
    Kill a process that saves two versions in turn, *kills* times, each at another moment of its work.

    A wrong variant is given up as soon as it is caught.
    """
    saver, opener = VARIANTS[variant]
    random = Random(seed)
    pointer = folder / "vendas.json"
    snapshots = [version(1), version(2)]
    versions = [rows_of(one) for one in snapshots]
    started = time.perf_counter()
    assert in_child(lambda: save_forever(saver, snapshots, pointer, rounds=1)) == WHOLE
    cycle_s = time.perf_counter() - started
    assert in_child(lambda: look(opener, pointer, versions)) == WHOLE
    found: Counter[int] = Counter()
    for _ in range(kills):
        ready, begun = os.pipe()
        child = os.fork()
        if not child:
            os.write(begun, b".")
            os._exit(save_forever(saver, snapshots, pointer))
        os.read(ready, 1)
        time.sleep(random.random() * cycle_s)
        os.kill(child, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        os.close(ready)
        os.close(begun)
        found[in_child(lambda: look(opener, pointer, versions))] += 1
        if variant != "save_snapshot" and found.keys() - {WHOLE}:
            break
    return found


def save_forever(saver: Saver, snapshots: list[Snapshot], pointer: Path, rounds: int | None = None) -> int:
    """Save the versions in turn until killed."""
    while rounds != 0:
        for one in snapshots:
            saver(one, pointer)
        rounds = None if rounds is None else rounds - 1
    return WHOLE


def fill_disk(folder: Path) -> Counter[int]:
    """Save a second version under a limit to the size of files: the first or the second must be left."""
    pointer = folder / "vendas.json"
    first, second = version(1), version(2, rows=5_000)
    versions = [rows_of(first), rows_of(second)]
    assert in_child(lambda: save_forever(save_and_prune, [first], pointer, rounds=1)) == WHOLE
    found: Counter[int] = Counter()
    for limit in (0, 100, 4_096, 20_000, 40_000, 70_000, 100_000, 150_000, 1 << 30):
        saved = in_child(partial(save_limited, second, pointer, limit))
        allowed = versions[1:] if saved == WHOLE else versions[:1]
        looked = in_child(partial(look, open_snapshot, pointer, allowed))
        found[saved if looked == WHOLE else UNEXPECTED] += 1
        found[UNEXPECTED] += len(list(folder.glob("*.lastro-tmp*")))
    return found


def save_limited(snapshot: Snapshot, pointer: Path, limit: int) -> int:
    """Save while no file may pass *limit* bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        save_snapshot(snapshot, pointer)
    except SnapshotNotSaved:
        return REFUSED
    return WHOLE


def damage(data: bytes, random: Random) -> bytes:
    """*data* with one bit flipped, cut off, with a stretch of zeros, or with a byte more."""
    position = random.randrange(len(data) if random.random() < 0.6 else 16_384)
    match random.randrange(4):
        case 0:
            return data[:position] + bytes([data[position] ^ 1 << random.randrange(8)]) + data[position + 1 :]
        case 1:
            return data[:position]
        case 2:
            return data[:position] + bytes(len(data[position : position + 64])) + data[position + 64 :]
        case _:
            return data[:position] + bytes([random.randrange(256)]) + data[position:]


def damage_files(folder: Path, mutations: int = MUTATIONS, seed: int = 0) -> Counter[int]:
    """Damage a version in *mutations* ways: either an error of ours, or exactly what was saved."""
    random = Random(seed)
    snapshot = version(1, rows=400)
    expected = [rows_of(snapshot)]
    path = save_snapshot(snapshot, folder / "vendas.json")
    data = path.read_bytes()
    found: Counter[int] = Counter()
    for number in range(mutations):
        damaged = folder / str(number) / path.name
        damaged.parent.mkdir()
        damaged.write_bytes(damage(data, random))
        try:
            verify_snapshot(damaged)
            found[look(open_snapshot, damaged, expected)] += 1
        except SnapshotError:
            found[REFUSED] += 1
    return found


def main(harm: str, *arguments: str) -> None:
    """Do one *harm*."""
    match harm:
        case "kill":
            found = kill_writers(arguments[0], Path(arguments[1]), int(arguments[2]), int(arguments[3]))
        case "fill":
            found = fill_disk(Path(arguments[0]))
        case _:
            found = damage_files(Path(arguments[0]))
    print(json.dumps({str(key): count for key, count in found.items() if count}))


if __name__ == "__main__":
    main(*sys.argv[1:])
