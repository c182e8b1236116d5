"""A request ends when its time is over or nobody waits for it, whatever it is doing then; the next one is answered."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Timer

import pytest

from datasources.filters import Condition
from engine import materialize
from engine.exceptions import QueryError
from engine.query import deadline
from engine.query.aggregate import aggregate
from engine.query.compare import compare
from engine.query.deadline import Stop, one_request, under
from engine.query.group_by import group_by
from engine.query.questions import Aggregate, Compare, GroupBy
from engine.query.search import search
from engine.query.session import Limits, QuerySession
from engine.query.word_index import Needle, WordIndex

ROWS = 120_000
SLACK_S = 1.5
"""Between two looks, on a machine that others use as well."""


@pytest.fixture(scope="module")
def doubles():
    """Every row is a group of its own, and its numbers are added by Python."""
    pa = pytest.importorskip("pyarrow")
    np = pytest.importorskip("numpy")
    numbers = np.random.default_rng(7).standard_normal(ROWS)
    names = [f"cliente {row:06d}" for row in range(ROWS)]
    table = pa.table({"cliente": names, "x": numbers, "y": np.where(numbers > 0, "sim", "não")})
    return materialize({"medidas": table})


QUESTIONS: dict[str, Callable[[QuerySession], object]] = {
    "sums of doubles": lambda session: group_by(session, GroupBy(None, ("cliente",), "SUM", "x", top=5)),
    "squares of doubles": lambda session: group_by(
        session, GroupBy(None, ("cliente",), "STDDEV", "x", top=5)
    ),
    "both sides of a comparison": lambda session: compare(
        session,
        Compare(
            None,
            "STDDEV",
            "x",
            Condition(field="y", op="=", value="sim"),
            Condition(field="y", op="=", value="não"),
        ),
    ),
    "a search of all values": lambda session: search(session, "clinte 000123"),
}


@pytest.mark.parametrize("question", [pytest.param(one, id=name) for name, one in QUESTIONS.items()])
def test_work_in_python_ends_with_the_time_and_the_next_question_is_answered(doubles, question):
    with QuerySession(doubles) as session:
        assert aggregate(session, Aggregate(None, "SUM", "x")).rows == ROWS  # it is open
        session.limits = Limits(time_s=0.02)
        began = time.perf_counter()
        with pytest.raises(QueryError) as raised:
            question(session)
        assert raised.value.code == "stopped_by_time"
        assert time.perf_counter() - began < SLACK_S
        session.limits = Limits()
        assert aggregate(session, Aggregate(None, "COUNT")).rows == ROWS


@pytest.mark.parametrize("question", [pytest.param(one, id=name) for name, one in QUESTIONS.items()])
def test_what_nobody_waits_for_is_stopped_from_another_thread(doubles, question):
    with QuerySession(doubles, Limits(time_s=None)) as session, ThreadPoolExecutor(1) as pool:
        aggregate(session, Aggregate(None, "SUM", "x"))
        running, stop = Event(), Stop()

        def ask() -> None:
            with under(stop):
                running.set()
                while True:  # however quick the machine is
                    question(session)

        asked = pool.submit(ask)
        running.wait()
        Timer(0.02, stop.set).start()
        with pytest.raises(QueryError) as raised:
            asked.result(timeout=30)
        assert raised.value.code == "stopped"
        assert aggregate(session, Aggregate(None, "COUNT")).rows == ROWS


def test_interrupting_a_session_ends_what_runs_and_not_what_comes(doubles):
    with QuerySession(doubles, Limits(time_s=None)) as session, ThreadPoolExecutor(1) as pool:
        with session.ask(0, frozenset({1})):
            pass
        running = Event()

        def ask() -> None:
            with session.ask(0, frozenset({1})) as opened:
                running.set()
                opened.rows(
                    "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range = b.range % 7"
                )

        asked = pool.submit(ask)
        running.wait()
        session.interrupt()
        with pytest.raises(QueryError) as raised:
            asked.result(timeout=30)
        assert raised.value.code == "stopped"
        assert aggregate(session, Aggregate(None, "COUNT")).rows == ROWS


def test_a_band_that_is_being_opened_is_let_go(tmp_path):
    path = tmp_path / "grande.csv"
    path.write_text("nome;valor\n" + "".join(f"n{row};{row},5\n" for row in range(300_000)))
    from datasources.options import ReadOptions

    snapshot = materialize(path, options=ReadOptions(small_bytes=1))
    with QuerySession(snapshot, Limits(time_s=0.001)) as session:
        stop = Stop()
        Timer(0.01, stop.set).start()
        with under(stop), pytest.raises(QueryError) as raised:
            session.ask(0, frozenset({0, 1})).__enter__()
        assert raised.value.code == "stopped"
        session.limits = Limits()
        assert aggregate(session, Aggregate(None, "MEDIAN", "valor")).rows == 300_000


def test_opening_a_band_does_not_count():
    with one_request(0.05, Stop()) as limit:
        with limit.paused():
            time.sleep(0.1)
        limit.check()
        time.sleep(0.06)
        with pytest.raises(QueryError, match=r"took longer than 0\.05 s"):
            deadline.check()


def test_a_request_within_another_is_a_part_of_it():
    with one_request(60, Stop()) as outer, one_request(0, Stop()) as inner:
        assert inner is outer
        deadline.check()
    deadline.check()  # and without one there is none


def test_a_request_that_begins_when_nobody_waits_any_more_is_not_begun():
    stop = Stop()
    stop.set()
    with under(stop), pytest.raises(QueryError) as raised, one_request(None, Stop()):
        raise AssertionError
    assert raised.value.code == "stopped"
    with one_request(None, Stop()) as limit:
        limit.check()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The question was stopped, since nobody waits for its answer any more."),
        ("pt", "A consulta foi interrompida, pois ninguém mais espera pela resposta."),
        ("es", "La pregunta se interrumpió, porque ya nadie espera su respuesta."),
    ],
)
def test_it_says_so(language, text):
    assert QueryError("stopped").text(language) == text


def test_an_index_in_pieces_finds_what_one_piece_finds(monkeypatch):
    texts = [f"nome {number} do cliente {number % 7}" for number in range(500)]
    whole = WordIndex.of(texts).matches(Needle.of("clinte 49"))
    monkeypatch.setattr("engine.query.word_index.TEXTS_AT_ONCE", 13)
    assert WordIndex.of(texts).matches(Needle.of("clinte 49")) == whole != {}
