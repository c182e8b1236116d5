"""Whoever watches is told of all work of a context, whichever thread does it; nobody else is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from threading import Event

import pyarrow as pa
import pytest

from datasources.concurrently import run_all, threads
from datasources.temporary import remove_all, removed_at_end, temporary_folder
from datasources.work import Stage, Tally, one_pass, stage, tell, watched_by


def passed(pieces: list[int]) -> Iterator[Callable[[], pa.Table]]:
    def describe() -> Stage:
        return Stage("reading", "vendas", 10 * sum(pieces), sum(pieces), (0,))

    return one_pass(describe, pieces, lambda rows: pa.table({"0": range(rows)}), lambda rows: 10 * rows)


def test_a_pass_is_told_as_its_parts_are_read():
    with watched_by(tally := Tally()):
        first, second = passed([3, 4])
        assert tally.done == {}
        assert second().num_rows == 4
    assert tally.stages == [Stage("reading", "vendas", 70, 7, (0,))]
    first()  # also by those who read on later
    assert tally.done == {"rows": 7, "bytes": 70}


def test_where_nobody_watches_nothing_is_described():
    def never(*_: object):
        raise AssertionError("nobody asked")

    (read,) = one_pass(never, [1], lambda rows: pa.table({"0": range(rows)}), never)
    assert read().num_rows == 1
    tell("rows", 5)


def test_a_pass_that_is_given_up_ends():
    ended: list[Stage] = []

    class Watcher(Tally):
        def end(self, stage: Stage) -> None:
            ended.append(stage)

    with watched_by(Watcher()):
        parts = passed([3, 4])
        next(parts)
        assert ended == []
        del parts
    assert [one.name for one in ended] == ["vendas"]


def test_sources_that_are_read_by_other_threads_tell_the_same_watcher():
    def job() -> None:
        with stage("splitting", "vendas", 8):
            tell("bytes", 8)

    with watched_by(tally := Tally()):
        run_all({"a": job, "b": job}, timeout_s=10)
    assert tally.done == {"bytes": 16}
    assert len(tally.stages) == 2


def test_an_inner_watcher_hides_an_outer_one():
    with watched_by(outer := Tally()):
        with watched_by(inner := Tally()):
            tell("taken", 2)
        with watched_by(None):
            tell("taken", 3)
        tell("taken", 4)
    assert (outer.done["taken"], inner.done["taken"]) == (4, 2)


def test_an_error_leaves_undone_what_has_not_begun_and_does_not_wait():
    go, done = Event(), []

    def part(number: int) -> None:
        go.wait(10)
        done.append(number)

    began = time.monotonic()
    futures: list[Future[None]] = []

    def interrupted() -> None:
        with threads(1) as pool:
            futures.extend(pool.submit(part, number) for number in range(3))
            while not futures[0].running():
                time.sleep(0.001)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert time.monotonic() - began < 5
    go.set()
    futures[0].result(10)
    assert all(future.cancelled() for future in futures[1:])
    assert done == [0]


def test_what_is_temporary_goes_at_the_end_or_before(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    file = tmp_path / "named"
    with temporary_folder() as folder, removed_at_end(file):
        (folder / "inside").write_text("x")
        file.write_text("x")
        remove_all()
        assert list(tmp_path.iterdir()) == []
        file.write_text("again")
    assert list(tmp_path.iterdir()) == []
