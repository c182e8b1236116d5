"""Answers are of the version that was opened: from a copy of it, from the file as it was, or there are none."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from chat import Toolset
from datasources import ReadOptions, SourceChanged
from engine import materialize, open_snapshot, save_snapshot, take_excerpt
from engine.exceptions import QueryError
from engine.query.aggregate import aggregate
from engine.query.questions import Aggregate
from engine.query.session import QuerySession

ROWS = 20_000


def write(path: Path, add: int = 0) -> Path:
    """With *add* others of the same size and sum: what one half of the rows gets is taken from the other."""
    values = [row + (add if row % 2 else -add) for row in range(ROWS)]
    path.write_text(
        "nome;outro;valor\n" + "".join(f"n{row % 90};{row + 200_000};{row + 100_000}\n" for row in values)
    )
    return path


@pytest.fixture
def streamed(tmp_path):
    path = write(tmp_path / "vendas.csv")
    return path, materialize(path, options=ReadOptions(small_bytes=1))


def median(session: QuerySession) -> str | None:
    fact = aggregate(session, Aggregate(None, "MEDIAN", "valor")).fact
    return None if fact is None else fact.value


def test_rows_that_were_copied_before_are_answered_from(streamed):
    path, snapshot = streamed
    with QuerySession(snapshot) as session:
        found = median(session)
        write(path, 2)
        assert median(session) == found
        with pytest.raises(QueryError, match="has changed since it was opened") as raised:
            aggregate(session, Aggregate(None, "DISTINCT", "outro"))  # which is not among them
        assert raised.value.code == "source_changed"
        assert median(session) == found


@pytest.mark.parametrize(
    ("language", "note"),
    [
        ("en", "The source of “vendas” has changed since it was opened, so there is no answer from it: "),
        ("pt", "A fonte de “vendas” mudou depois de aberta, e por isso não há resposta: "),
        ("es", "La fuente de “vendas” cambió después de abrirse, y por eso no hay respuesta: "),
    ],
)
def test_a_tool_says_that_the_file_has_changed(streamed, language, note):
    path, snapshot = streamed
    with Toolset(snapshot, language=language) as tools:
        write(path, 2)
        reply = tools.call("sulfite_aggregate_data", {"verb": "MEDIAN", "field": "valor"})
        assert reply.is_refused
        assert str(reply.answer["note"]).startswith(note)


def test_what_the_facts_know_is_of_the_version_that_was_opened(streamed):
    path, snapshot = streamed
    path.unlink()
    with QuerySession(snapshot) as session:
        fact = aggregate(session, Aggregate(None, "MAX", "valor")).fact
    assert fact is not None
    assert fact.value == str(ROWS + 99_999)


def test_no_sample_and_no_snapshot_are_made_of_two_versions(streamed, tmp_path):
    path, snapshot = streamed
    write(path, 2)
    with pytest.raises(SourceChanged):
        take_excerpt(snapshot)
    with pytest.raises(SourceChanged):
        save_snapshot(snapshot, tmp_path / "vendas")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_that_is_rewritten_all_the_time_gives_answers_of_one_version_or_none(tmp_path, kind):
    path = write(tmp_path / "vendas.csv")
    if kind == "parquet":
        path = write_parquet(tmp_path / "vendas.parquet")
    rewrite = write if kind == "csv" else write_parquet
    done = Event()

    def rewrite_on() -> None:
        while not done.wait(0.01):
            rewrite(path, 2)

    found = []
    with ThreadPoolExecutor(1) as pool:
        snapshot = materialize(path, options=ReadOptions(small_bytes=1))
        rewriting = None
        try:
            for _ in range(6):
                with QuerySession(snapshot) as session:
                    try:
                        found.append(median(session))
                    except QueryError as error:
                        found.append(error.code)
                rewriting = rewriting or pool.submit(rewrite_on)
        finally:
            done.set()
        assert rewriting is not None
        rewriting.result()
    assert found[0] == str(ROWS // 2 + 99_999) + ".5"
    assert set(found) == {found[0], "source_changed"}


def write_parquet(path: Path, add: int = 0) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    values = [row + (add if row % 2 else -add) + 100_000 for row in range(ROWS)]
    columns = {f"c{index}": values for index in range(9)}  # more cells than are read at once
    with path.open("wb") as file:
        pq.write_table(pa.table({"valor": values, **columns}), file, row_group_size=ROWS // 5)
    return path


@pytest.fixture
def stored(tmp_path):
    rows = [{"nome": f"n{row % 7}", "valor": row} for row in range(5_000)]
    others = [{"nome": f"n{row % 7}", "valor": row + 1} for row in range(5_000)]
    one = save_snapshot(materialize({"vendas": rows}), tmp_path / "one")
    other = save_snapshot(materialize({"vendas": others}), tmp_path / "other")
    return one, other


def test_a_stored_snapshot_that_is_written_over_gives_no_answer(stored):
    one, other = stored
    snapshot = open_snapshot(one)
    with QuerySession(snapshot) as session:
        assert median(session) == "2499.5"
        shutil.copyfile(other, one)
        with pytest.raises(QueryError, match="has changed since it was opened"):
            median(session)


def test_a_stored_snapshot_that_is_cut_gives_no_answer(stored):
    one, _ = stored
    snapshot = open_snapshot(one)
    with QuerySession(snapshot) as session:
        os.truncate(one, one.stat().st_size // 2)
        with pytest.raises(QueryError, match="has changed since it was opened"):
            median(session)


def test_a_stored_snapshot_that_is_replaced_removed_or_saved_again_is_read_as_it_was(stored):
    one, other = stored
    snapshot = open_snapshot(one)
    with QuerySession(snapshot) as session:
        os.utime(one)  # as saving the same again does
        assert median(session) == "2499.5"
        other.replace(one)
        assert median(session) == "2499.5"
        one.unlink()
        assert median(session) == "2499.5"
