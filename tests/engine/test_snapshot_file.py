"""A stored snapshot is the snapshot: the same rows, facts and context, from any kind of source."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from random import Random
from threading import Event, Thread

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasources.base import Lists, RawBand
from datasources.exceptions import SourceUnreadable
from engine import (
    SnapshotCorrupt,
    SnapshotError,
    SnapshotFormatError,
    SnapshotNotFound,
    SnapshotNotSaved,
    open_snapshot,
    prune_snapshots,
    save_snapshot,
    snapshot_id,
    take_excerpt,
    verify_snapshot,
)
from engine.band import type_band
from engine.columns import ColumnType
from engine.dedup import merge_duplicates
from engine.profile import FieldProfile, profile_bands
from engine.snapshot import Snapshot
from engine.stored_band import StoredBand
from prompts.context import render_data_context
from tests.engine.random_bands import KINDS, random_band, random_column, random_cuts
from tests.engine.snapshot_faults import rows_of, version
from tests.engine.streams import CutStream, streamed

SEEDS = st.integers(0, 2**32)


def snapshot(*raw: RawBand) -> Snapshot:
    bands = merge_duplicates([type_band(one) for one in raw])
    return Snapshot(bands, profile_bands(bands))


def context(one: Snapshot) -> str:
    return render_data_context(one.profile, take_excerpt(one, 20))


def kinds_of(rows: Sequence[tuple[object, ...]]) -> list[list[type]]:
    return [[type(cell) for cell in row] for row in rows]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("snapshots")


@settings(max_examples=15)
@given(SEEDS)
def test_round_trip(folder, seed):
    random = Random(seed)
    raws = [random_band(random, name) for name in ("canhoto", "header", "itens")[: random.randrange(1, 4)]]
    bands = [
        type_band(raw if random.random() < 0.5 else streamed(raw, random_cuts(random, raw.rows)))
        for raw in raws
    ]
    one = Snapshot(tuple(bands), profile_bands(bands))
    path = save_snapshot(one, folder / f"{seed}.json")
    opened = open_snapshot(folder / f"{seed}.json")
    assert opened.profile == one.profile
    assert opened.id == snapshot_id(one) == verify_snapshot(path)
    for stored, band in zip(opened.bands, bands, strict=True):
        assert (stored.names, stored.name, stored.rows, stored.columns) == (
            band.names, band.name, band.rows, band.columns,
        )  # fmt: skip
        found = stored.take(range(band.rows))
        assert found == band.take(range(band.rows))
        assert kinds_of(found) == kinds_of(band.take(range(band.rows)))
    assert context(opened) == context(one)
    path.unlink()


@pytest.mark.parametrize("as_stream", [False, True], ids=["lists", "stream"])
def test_every_kind_of_column(tmp_path, as_stream):
    columns = tuple(random_column(Random(kind), 3_000, kind) for kind in KINDS)
    raw = RawBand("b", tuple(KINDS), Lists(columns, 3_000), "records")
    one = snapshot(streamed(raw, (0, 1_000, 1_001)) if as_stream else raw)
    opened = open_snapshot(save_snapshot(one, tmp_path / "b.json"))
    assert rows_of(opened) == rows_of(one)
    assert verify_snapshot(tmp_path / "b.json") == opened.id


def test_merged_bands_stay_merged(tmp_path):
    one = RawBand("canhoto", ("a",), Lists((["x", "y"],), 2), "text")
    opened = open_snapshot(save_snapshot(snapshot(one, replace(one, name="header")), tmp_path / "b.json"))
    assert opened.bands[0].names == ("canhoto", "header")
    assert opened.profile.band("header").rows == 2


@pytest.mark.parametrize("size", [0, 1, 2])
def test_a_band_without_columns(tmp_path, size):
    one = snapshot(RawBand("b", (), Lists((), size), "records"))
    opened = open_snapshot(save_snapshot(one, tmp_path / "b.json"))
    assert opened.bands[0].take(range(size)) == [()] * size
    assert verify_snapshot(tmp_path / "b.json") == opened.id


def test_a_stored_snapshot_can_be_stored_elsewhere(tmp_path):
    first = save_snapshot(version(1), tmp_path / "a.json")
    second = save_snapshot(open_snapshot(first), tmp_path / "other" / "a.json")
    assert second.name == first.name
    assert rows_of(open_snapshot(second)) == rows_of(version(1))


@pytest.mark.parametrize("positions", [[], [0], [59], [0, 59], [3, 4, 5], [1, 30, 31, 58], list(range(60))])
def test_rows_by_position(tmp_path, positions):
    band, stored = version(1).bands[0], open_snapshot(save_snapshot(version(1), tmp_path / "a.json")).bands[0]
    assert stored.take(positions) == band.take(positions)


@pytest.mark.parametrize("positions", [[-1], [60], [0, 60]])
def test_no_rows_past_the_ends(tmp_path, positions):
    stored = open_snapshot(save_snapshot(version(1), tmp_path / "a.json")).bands[0]
    with pytest.raises(IndexError):
        stored.take(positions)


# ---- the stored tables and the facts ----


def sql_facts(connection: duckdb.DuckDBPyConnection, table: str, cell: str) -> tuple[object, ...]:
    found = connection.execute(
        f"SELECT count(*) - count({cell}), min({cell}), max({cell}), count(DISTINCT {cell}) FROM {table}"
    ).fetchone()
    assert found is not None
    return found


def stated(value: str | None, column: ColumnType) -> object:
    return None if value is None else value if column.type != "number" else Decimal(value)


@settings(max_examples=15)
@given(SEEDS)
def test_sql_over_the_stored_tables_gives_the_facts(folder, seed):
    random = Random(seed)
    raw = random_band(random, sizes=(1, 5, 200))
    one = snapshot(streamed(raw, random_cuts(random, raw.rows)))
    path = save_snapshot(one, folder / f"sql{seed}.json")
    with duckdb.connect(path, read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM band_0").fetchone() == (one.bands[0].rows,)
        for index, column in enumerate(one.bands[0].columns):
            field = one.profile.bands[0].fields[index]
            nulls, low, high, distinct = sql_facts(connection, "band_0", f"c{index}")
            assert nulls == field.nulls
            if field.distinct is not None:
                assert distinct == field.distinct
            if column.type == "number" and not column.double:
                check_decimals(connection, f"c{index}", column, field, low, high)
            elif column.type == "date" and field.min is not None:
                assert (str(low), str(high)) == (field.min, field.max)
    path.unlink()


def check_decimals(
    connection: duckdb.DuckDBPyConnection,
    cell: str,
    column: ColumnType,
    field: FieldProfile,
    low: object,
    high: object,
) -> None:
    if field.min is not None:
        assert (low, high) == (stated(field.min, column), stated(field.max, column))
    if field.sum is not None:
        assert connection.execute(f"SELECT sum({cell}) FROM band_0").fetchone() == (Decimal(field.sum),)


# ---- versions ----


def test_the_same_content_is_not_written_again(tmp_path):
    pointer = tmp_path / "a.json"
    first = save_snapshot(version(1), pointer)
    before = [(path.stat().st_ino, path.stat().st_size) for path in (first, pointer)]
    streamed_again = open_snapshot(first)
    assert save_snapshot(version(1), pointer) == save_snapshot(streamed_again, pointer) == first
    assert [(path.stat().st_ino, path.stat().st_size) for path in (first, pointer)] == before


def test_a_stream_that_is_there_already_is_not_replaced(tmp_path):
    raw = random_band(Random(3), sizes=(200,))
    first = save_snapshot(snapshot(streamed(raw)), tmp_path / "a.json")
    inode = first.stat().st_ino
    assert save_snapshot(snapshot(streamed(raw, (50,))), tmp_path / "a.json") == first
    assert first.stat().st_ino == inode


def test_equal_rows_with_other_warnings_are_another_version(tmp_path):
    one = version(1)
    other = replace(one, profile=replace(one.profile, aggregates=(), warnings=type_band(AMBIGUOUS).warnings))
    first, second = save_snapshot(one, tmp_path / "a.json"), save_snapshot(other, tmp_path / "a.json")
    assert first != second
    assert open_snapshot(first).id == open_snapshot(second).id
    assert open_snapshot(tmp_path / "a.json").profile == other.profile


AMBIGUOUS = RawBand("b", ("a",), Lists((["1,234", "5,678"],), 2), "text")


def test_a_damaged_version_is_written_anew(tmp_path):
    path = save_snapshot(version(1), tmp_path / "a.json")
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(SnapshotCorrupt):
        open_snapshot(path)
    assert save_snapshot(version(1), tmp_path / "a.json") == path
    assert rows_of(open_snapshot(path)) == rows_of(version(1))


def test_pruning_keeps_the_newest_and_what_pointers_name(tmp_path):
    pointer = tmp_path / "a.json"
    paths = [save_snapshot(version(number), pointer) for number in range(5)]
    for age, path in enumerate(paths):
        os.utime(path, ns=(age, age))
    save_snapshot(version(0), tmp_path / "a.other")
    os.utime(paths[0], ns=(0, 0))
    stranger = save_snapshot(version(7), tmp_path / "a-b.json")
    pointer.write_text(pointer.read_text().replace(paths[4].name, paths[1].name))
    assert prune_snapshots(pointer, keep=1) == (paths[3], paths[2])
    assert [path.exists() for path in paths] == [True, True, False, False, True]
    assert stranger.exists()


def test_nothing_is_pruned_without_a_pointer(tmp_path):
    path = save_snapshot(version(1), tmp_path / "a.json")
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(SnapshotFormatError):
        prune_snapshots(tmp_path / "a.json", keep=0)
    assert path.exists()


def test_readers_see_whole_versions_while_a_writer_replaces_them(tmp_path):
    pointer = tmp_path / "a.json"
    versions = [version(number) for number in range(8)]
    whole = [rows_of(one) for one in versions]
    save_snapshot(versions[0], pointer)
    seen: set[int] = set()
    failed: list[Exception] = []
    done = Event()

    def read() -> None:
        try:
            while not done.is_set():
                seen.add(whole.index(rows_of(open_snapshot(pointer))))
        except Exception as error:  # noqa: BLE001 - the test must learn of anything
            failed.append(error)

    readers = [Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for one in versions:
        save_snapshot(one, pointer)
        prune_snapshots(pointer, keep=1)
    done.set()
    for reader in readers:
        reader.join()
    assert failed == []
    assert len(seen) > 1
    assert len(list(tmp_path.glob("*.duckdb"))) == 1


def test_an_open_snapshot_outlives_its_version(tmp_path):
    pointer = tmp_path / "a.json"
    save_snapshot(version(1), pointer)
    opened = open_snapshot(pointer)
    save_snapshot(version(2), pointer)
    assert len(prune_snapshots(pointer, keep=1)) == 1
    assert rows_of(opened) == rows_of(version(1))


# ---- what is refused ----


def valid_name(path: Path) -> Path:
    return path / f"a-{'0' * 32}-{'0' * 8}.duckdb"


def foreign_database(path: Path) -> Path:
    with duckdb.connect(valid_name(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1")
    return valid_name(path)


def foreign_name(path: Path) -> Path:
    duckdb.connect(path / "sales.duckdb").close()
    return path / "sales.duckdb"


def renamed(path: Path) -> Path:
    return save_snapshot(version(1), path / "b.json").rename(valid_name(path))


def with_journal(path: Path) -> Path:
    saved = save_snapshot(version(1), path / "b.json")
    saved.with_name(f"{saved.name}.wal").write_bytes(b"")
    return saved


def text(content: str, name: str = "a.json") -> Callable[[Path], Path]:
    def make(path: Path) -> Path:
        (path / name).write_text(content)
        return path / name

    return make


def pointing(**changes: object) -> Callable[[Path], Path]:
    def make(path: Path) -> Path:
        save_snapshot(version(1), path / "a.json")
        (path / "a.json").write_text(json.dumps(json.loads((path / "a.json").read_text()) | changes))
        return path / "a.json"

    return make


def newer(path: Path) -> Path:
    saved = save_snapshot(version(1), path / "a.json")
    with duckdb.connect(saved) as connection:
        connection.execute(
            "UPDATE lastro_meta SET document = replace(document, '\"format\":3', '\"format\":99')"
        )
    return saved


def without_document(path: Path) -> Path:
    saved = save_snapshot(version(1), path / "a.json")
    with duckdb.connect(saved) as connection:
        connection.execute("DELETE FROM lastro_meta")
    return saved


def other_document(path: Path) -> Path:
    saved = save_snapshot(version(1), path / "a.json")
    with duckdb.connect(saved) as connection:
        connection.execute(
            "UPDATE lastro_meta SET document = replace(document, '\"nulls\":0', '\"nulls\":1')"
        )
    return saved


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        pytest.param(lambda path: path / "a.json", SnapshotNotFound, "save one first", id="no pointer"),
        pytest.param(valid_name, SnapshotNotFound, "save one first", id="no version"),
        pytest.param(lambda path: path / "a.duckdb", SnapshotNotFound, "save one first", id="no file"),
        pytest.param(lambda path: path, SnapshotError, "give the path of a pointer", id="folder"),
        pytest.param(text(""), SnapshotFormatError, "not a pointer to a snapshot", id="empty pointer"),
        pytest.param(text('{"format": 1, "id'), SnapshotFormatError, "not a pointer", id="torn pointer"),
        pytest.param(text("[1, 2]"), SnapshotFormatError, "not a pointer", id="other JSON"),
        pytest.param(text("\0" * 10_000), SnapshotFormatError, "not a pointer", id="binary pointer"),
        pytest.param(pointing(format=99), SnapshotFormatError, "this Lastro reads 3", id="newer pointer"),
        pytest.param(
            pointing(file="../a.duckdb"), SnapshotFormatError, "names no version", id="path in pointer"
        ),
        pytest.param(
            pointing(file=f"../a-{'0' * 32}-{'0' * 8}.duckdb"),
            SnapshotFormatError,
            "names no version",
            id="elsewhere",
        ),
        pytest.param(
            pointing(file=f"a-{'0' * 32}-{'0' * 8}.duckdb"),
            SnapshotNotFound,
            "which is not there",
            id="version gone",
        ),
        pytest.param(pointing(id="0" * 64), SnapshotCorrupt, "the id in it", id="other id in pointer"),
        pytest.param(
            text("a", f"a-{'0' * 32}-{'0' * 8}.duckdb"), SnapshotCorrupt, "is damaged", id="no database"
        ),
        pytest.param(foreign_database, SnapshotCorrupt, "is damaged", id="foreign database"),
        pytest.param(foreign_name, SnapshotFormatError, "is not a snapshot", id="foreign name"),
        pytest.param(renamed, SnapshotCorrupt, "not what its name says", id="renamed"),
        pytest.param(with_journal, SnapshotCorrupt, "a journal", id="journal"),
        pytest.param(newer, SnapshotFormatError, "use the Lastro that wrote it", id="newer version"),
        pytest.param(without_document, SnapshotCorrupt, "0 documents", id="no document"),
        pytest.param(other_document, SnapshotCorrupt, "not what its name says", id="other facts"),
    ],
)
def test_what_cannot_be_opened(tmp_path, make, error, message):
    path = make(tmp_path)
    with pytest.raises(error, match=message) as raised:
        open_snapshot(path)
    assert type(raised.value) is error
    assert raised.value.path


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE band_0 SET c1 = c1 + 1 WHERE rowid = 3",
        "UPDATE band_0 SET c0 = NULL WHERE rowid = 3",
        "DELETE FROM band_0 WHERE rowid = 3",
        "INSERT INTO band_0 SELECT * FROM band_0 LIMIT 1",
    ],
)
def test_changed_rows_are_found_by_verify(tmp_path, change):
    path = save_snapshot(version(1), tmp_path / "a.json")
    with duckdb.connect(path) as connection:
        connection.execute(change)
    with pytest.raises(SnapshotCorrupt):
        verify_snapshot(path)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_text('{outside}')",
        "SELECT * FROM '{outside}'",
        "COPY band_0 TO '{outside}'",
        "ATTACH '{outside}.db'",
        "SET enable_external_access = true",
        "SET memory_limit = '1TB'",
        "SELECT * FROM outside_frame",
        "DELETE FROM band_0",
        "CREATE TABLE t (a INTEGER)",
        "INSTALL httpfs",
    ],
)
def test_an_open_snapshot_is_locked_down(tmp_path, statement):
    outside_frame = pa.table({"secret": [1]})
    outside = tmp_path / "outside.csv"
    outside.write_text("secret")
    band = open_snapshot(save_snapshot(version(1), tmp_path / "a.json")).bands[0]
    assert isinstance(band, StoredBand)
    with pytest.raises(duckdb.Error):
        band.file.cursor().execute(statement.format(outside=outside)).fetchall()
    assert outside.read_text() == "secret"
    assert outside_frame.num_rows == 1


def test_a_pointer_cannot_be_named_like_a_version(tmp_path):
    with pytest.raises(SnapshotNotSaved, match="choose another one"):
        save_snapshot(version(1), tmp_path / "a.duckdb")


# ---- sources that change or fail ----


@dataclass(frozen=True)
class FailingStream(CutStream):
    """Its source has changed: a later reading gives other rows, or none."""

    after: tuple[Callable[[pa.Table], pa.Table], ...] = ()
    """What that reading makes of the rows."""

    def parts(
        self, columns: Sequence[int], encoded: Collection[int] = ()
    ) -> Iterator[Callable[[], pa.Table]]:
        for read in super().parts(columns, encoded):
            yield partial(self._later, read)

    def _later(self, read: Callable[[], pa.Table]) -> pa.Table:
        return self.after[0](read()) if self.after else read()


def fail(table: pa.Table) -> pa.Table:
    raise SourceUnreadable("The file has vanished: give it back.")


def first_number_changed(table: pa.Table) -> pa.Table:
    return table.set_column(1, "1", pa.array([*table.column(1).to_pylist()[:-1], 5]))


@pytest.mark.parametrize(
    ("later", "error", "message"),
    [
        pytest.param(fail, SourceUnreadable, "has vanished", id="source error"),
        pytest.param(
            lambda table: table.slice(1), SnapshotNotSaved, "has 99 rows now instead of 100", id="row lost"
        ),
        pytest.param(
            first_number_changed, SnapshotNotSaved, "has changed since its facts", id="number changed"
        ),
    ],
)
def test_a_source_that_is_another_now(tmp_path, later, error, message):
    table = pa.table({"0": [f"n{row % 5}" for row in range(100)], "1": [row * row for row in range(100)]})
    stream = FailingStream(table)
    band = type_band(RawBand("b", ("nome", "valor"), stream, "typed"))
    changed = replace(band, raw=replace(band.raw, cells=replace(stream, after=(later,))))
    save_snapshot(version(1), tmp_path / "a.json")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(error, match=message):
        save_snapshot(Snapshot((changed,), profile_bands([band])), tmp_path / "a.json")
    assert sorted(tmp_path.iterdir()) == before
    assert rows_of(open_snapshot(tmp_path / "a.json")) == rows_of(version(1))


@pytest.mark.parametrize("held", [b"numero;valor\n1;2\n", b'{"id": "vendas", "name": "Vendas"}', b"\0"])
def test_a_file_that_is_no_pointer_is_not_replaced(tmp_path, held):
    path = tmp_path / "relatorio.json"
    path.write_bytes(held)
    with pytest.raises(SnapshotNotSaved, match=r"^relatorio\.json is there already, and is not a snapshot"):
        save_snapshot(version(1), path)
    assert path.read_bytes() == held


@pytest.mark.parametrize("torn", [b"", b"{", b'{\n  "format": 2, "id'])
def test_a_torn_pointer_is_replaced(tmp_path, torn):
    path = tmp_path / "relatorio.json"
    path.write_bytes(torn)
    save_snapshot(version(1), path)
    assert verify_snapshot(path) == open_snapshot(path).id


def test_what_a_snapshot_shows_of_itself_is_no_cell():
    shown = repr(version(1))
    assert shown.startswith("Snapshot(")
    assert "rows" in shown
    assert len(shown) < 200
