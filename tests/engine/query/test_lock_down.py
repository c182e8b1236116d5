"""The connections that answer questions can do exactly what `lock_down.txt` says, and stop when they should."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from datasources.duckdb_lock import NO_ACCESS
from engine import materialize
from engine.band import type_band
from engine.exceptions import QueryError
from engine.profile import profile_bands
from engine.query.session import Limits, OpenBand, QuerySession
from engine.snapshot import Snapshot
from engine.snapshot_file import open_snapshot, save_snapshot
from tests.engine.small import raw_band
from tests.engine.streams import streamed

TABLE = Path(__file__).with_name("lock_down.txt")
CANARY = "CANARY-7f3a91"
UFS = ["SP", "RJ", "SP", None, "MG"]


def matrix() -> Iterator[tuple[dict[str, str], str]]:
    """What each kind of connection does with each statement."""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            read_only, memory, statement, why = (part.strip() for part in line.split("|"))
            assert why
            assert {read_only, memory} <= {"blocked", "allowed", "raises"}
            yield {"stored": read_only, "file": read_only, "memory": memory}, statement


MATRIX = list(matrix())
STATEMENTS = [pytest.param(expected, statement, id=statement[:70]) for expected, statement in MATRIX]


def snapshot_of(*raws):
    bands = tuple(type_band(raw) for raw in raws)
    return Snapshot(bands, profile_bands(bands))


RAW = raw_band({"uf": UFS, "valor": ["1,10", "2,25", "-0,05", None, "3,00"]}, "vendas", style="br")
SMALL = snapshot_of(RAW)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a canary in every kind of file."""
    path = tmp_path_factory.mktemp("canaries")
    (path / "canary.csv").write_text(f"canary\n{CANARY}\n")
    (path / "canary.json").write_text(f'{{"canary": "{CANARY}"}}\n')
    (path / "load.sql").write_text(f"CREATE TABLE other AS SELECT '{CANARY}' AS canary;\n")
    (path / "schema.sql").write_text("\n")
    pq.write_table(pa.table({"canary": [CANARY]}), path / "canary.parquet")
    with duckdb.connect(path / "canary.duckdb") as connection:
        connection.execute(f"CREATE TABLE canary AS SELECT '{CANARY}' AS canary")
    return path


@pytest.fixture(scope="module")
def read_only(tmp_path_factory):
    """A session for each kind of read-only connection; no statement can change what the next one finds."""
    stored = open_snapshot(save_snapshot(SMALL, tmp_path_factory.mktemp("stored") / "vendas"))
    with QuerySession(stored) as asked, QuerySession(snapshot_of(streamed(RAW))) as kept:
        yield {"stored": asked, "file": kept}


@contextmanager
def opened(kind: str, sessions: dict[str, QuerySession]) -> Iterator[OpenBand]:
    if kind == "memory":
        with QuerySession(SMALL) as session, session.ask(0, frozenset({0, 1})) as band:
            yield band
    else:
        with sessions[kind].ask(0, frozenset({0, 1})) as band:
            yield band


def outcome(band: OpenBand, statement: str) -> tuple[str, str]:
    """Whether a statement is blocked, and everything that it shows."""
    secret_frame = pa.table({"canary": [CANARY]})
    assert secret_frame.num_rows
    try:
        return "allowed", str(band.rows(statement))
    except duckdb.Error as error:
        return "raises" if "said by the statement" in str(error) else "blocked", str(error)


@pytest.mark.parametrize("kind", ["stored", "file", "memory"])
@pytest.mark.parametrize(("expected", "statement"), STATEMENTS)
def test_each_statement_is_blocked_or_allowed_as_listed(folder, read_only, kind, expected, statement):
    files = sorted(folder.rglob("*"))
    with opened(kind, read_only) as band:
        found, shown = outcome(band, statement.format(folder=folder, table=band.table.name))
    assert found == expected[kind], shown
    assert CANARY not in shown
    assert sorted(folder.rglob("*")) == files
    if kind != "memory":
        with opened(kind, read_only) as band:
            assert [row[0] for row in band.rows(f"SELECT c0 FROM {band.table.name}")] == UFS


def test_every_item_of_the_matrix_is_there():
    assert len(MATRIX) >= 86
    assert len({statement for _, statement in MATRIX}) == len(MATRIX)


@pytest.mark.parametrize(
    "statement", ["SELECT * FROM read_csv('{folder}/canary.csv')", "SELECT * FROM secret_frame"]
)
def test_an_open_connection_would_show_the_canaries(folder, statement):
    secret_frame = pa.table({"canary": [CANARY]})
    assert secret_frame.num_rows
    with duckdb.connect() as connection:
        assert CANARY in str(connection.execute(statement.format(folder=folder)).fetchall())


@pytest.mark.parametrize("kind", ["stored", "file", "memory"])
def test_the_settings_are_those_of_the_lock(read_only, kind):
    with opened(kind, read_only) as band:
        found = dict(band.rows("SELECT name, value FROM duckdb_settings()"))
    wanted = {**NO_ACCESS, "lock_configuration": "true", "max_temp_directory_size": "0 bytes"}
    assert {name: found[name] for name in wanted} == wanted
    assert found["memory_limit"] == "1.0 GiB"


# ---- an upgrade of DuckDB ----

REVIEW = """DuckDB {version} has other {what} than the list in tests/golden/duckdb/{what}.txt.
New: {new}
Gone: {gone}
Look up what each new one does: whether it reads or writes files, addresses or variables, takes a text as SQL, or
loosens the lock. Put a statement with it into tests/engine/query/lock_down.txt, and close it in
datasources/duckdb_lock.py if it is open. Then run this test with --update-golden and commit the list."""


@pytest.mark.parametrize(
    ("what", "query"),
    [
        pytest.param("settings", "SELECT DISTINCT name FROM duckdb_settings()", id="settings"),
        pytest.param("functions", "SELECT DISTINCT function_name FROM duckdb_functions()", id="functions"),
    ],
)
def test_duckdb_has_the_settings_and_functions_that_were_reviewed(golden, pytestconfig, what, query):
    with opened("memory", {}) as band:
        found = {str(name) for (name,) in band.rows(query)}
    file = Path(__file__).parents[2] / "golden" / "duckdb" / f"{what}.txt"
    known = set(file.read_text(encoding="utf-8").splitlines()) if file.exists() else set()
    if found != known and not pytestconfig.getoption("--update-golden"):
        new, gone = (", ".join(sorted(names)) or "none" for names in (found - known, known - found))
        pytest.fail(REVIEW.format(version=duckdb.__version__, what=what, new=new, gone=gone), pytrace=False)
    golden(f"duckdb/{what}.txt", "".join(f"{name}\n" for name in sorted(found)))


# ---- limits ----

ROWS = 300_000
AGAIN_S = 0.5
"""A tenth of it is usual; a machine may be busy."""


@pytest.fixture(scope="module")
def large():
    """Every cell of `chave` another one."""
    return materialize(
        {
            "vendas": pa.table(
                {
                    "chave": pa.array([f"NF-{row:09d}-{row * 7919 % 1_000_003:07d}" for row in range(ROWS)]),
                    "uf": pa.array(["SP", "RJ", "MG"] * (ROWS // 3)),
                    "valor": pa.array([row % 1000 for row in range(ROWS)]),
                }
            )
        }
    )


@pytest.fixture(scope="module")
def stored(large, tmp_path_factory):
    return save_snapshot(large, tmp_path_factory.mktemp("large") / "vendas")


HEAVY = "SELECT c0, list(c1), sum(c2) FROM {table} GROUP BY c0 ORDER BY c0 DESC"
TOTAL = sum(row % 1000 for row in range(ROWS))


def ask(session: QuerySession, query: str) -> list[tuple[object, ...]]:
    with session.ask(0, frozenset({0, 1, 2})) as band:
        return band.rows(query.format(table=band.table.name))


def assert_answers_at_once(session: QuerySession) -> None:
    start = time.perf_counter()
    assert ask(session, "SELECT count(*), sum(c2) FROM {table}") == [(ROWS, TOTAL)]
    assert time.perf_counter() - start < AGAIN_S


@pytest.mark.parametrize("kind", ["stored", "file"])
def test_a_question_that_takes_too_long_is_stopped_and_the_next_one_answered(large, stored, kind):
    with QuerySession(open_snapshot(stored) if kind == "stored" else large) as session:
        assert_answers_at_once_when_open(session)
        for _ in range(5):
            session.limits = Limits(time_s=0.001)
            with pytest.raises(QueryError) as raised:
                ask(session, HEAVY)
            assert raised.value.code == "stopped_by_time"
            assert raised.value.message.startswith("The question took longer than 0.001 s")
            session.limits = Limits()
            assert_answers_at_once(session)


def assert_answers_at_once_when_open(session: QuerySession) -> None:
    """A stream is read and kept by its first question."""
    ask(session, "SELECT 1")
    assert_answers_at_once(session)


@pytest.mark.parametrize("kind", ["stored", "file"])
def test_a_question_that_needs_too_much_is_stopped_and_the_next_one_answered(large, tmp_path, kind):
    if kind == "stored":
        snapshot = open_snapshot(save_snapshot(large, tmp_path / "vendas"), memory_mib=32)
    else:
        snapshot = large
    with QuerySession(snapshot, Limits(memory_mib=32)) as session:
        assert_answers_at_once_when_open(session)
        for _ in range(3):
            with pytest.raises(QueryError) as raised:
                ask(session, HEAVY)
            assert raised.value.code == "stopped_by_memory"
            assert raised.value.values == {"mebibytes": 32}
            assert_answers_at_once(session)


def test_a_band_in_memory_is_stopped_by_the_same_limits():
    session = QuerySession(SMALL, Limits(time_s=0.05))
    with session, pytest.raises(QueryError) as raised:
        ask_small(
            session,
            "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range % 7 = b.range % 11",
        )
    assert raised.value.code == "stopped_by_time"
    with QuerySession(SMALL, Limits(memory_mib=32)) as session:
        with pytest.raises(QueryError) as raised:
            ask_small(session, "SELECT count(*) FROM (SELECT DISTINCT range FROM range(10000000))")
        assert raised.value.code == "stopped_by_memory"
        assert ask_small(session, "SELECT count(*) FROM {table}") == [(5,)]


def ask_small(session: QuerySession, query: str) -> list[tuple[object, ...]]:
    with session.ask(0, frozenset({0})) as band:
        return band.rows(query.format(table=band.table.name))


THREADS, QUESTIONS = 8, 50


def test_many_threads_get_right_answers_while_other_questions_are_interrupted(stored):
    snapshot = open_snapshot(stored)
    done = Event()

    def interrupted(session: QuerySession) -> int:
        stopped = 0
        while not done.is_set():
            with pytest.raises(QueryError, match="took longer"):
                ask(session, HEAVY)
            stopped += 1
        return stopped

    def answered(session: QuerySession, thread: int) -> int:
        right = 0
        for number in range(QUESTIONS):
            value = (thread * QUESTIONS + number) % 1000
            with session.ask(0, frozenset({0, 1, 2})) as band:
                rows = band.rows(f"SELECT count(*), sum(c2) FROM {band.table.name} WHERE c2 = ?", [value])
            right += rows == [(ROWS // 1000, value * (ROWS // 1000))]
        return right

    with (
        QuerySession(snapshot) as session,
        QuerySession(snapshot, Limits(time_s=0.005)) as hurried,
        ThreadPoolExecutor(THREADS + 1) as pool,
    ):
        others = pool.submit(interrupted, hurried)
        try:
            right = list(pool.map(lambda thread: answered(session, thread), range(THREADS)))
        finally:
            done.set()
        assert right == [QUESTIONS] * THREADS
        assert others.result() >= 3
