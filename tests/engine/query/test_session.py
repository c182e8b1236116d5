"""A session may be closed at any moment, from any thread: whoever asks gets an answer or an error of ours."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, Event
from time import sleep

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.band import type_band
from engine.exceptions import QueryError
from engine.profile import profile_bands
from engine.query.aggregate import aggregate
from engine.query.group_by import group_by
from engine.query.questions import Aggregate, GroupBy
from engine.query.search import search
from engine.query.session import Limits, QuerySession
from engine.snapshot import Snapshot
from engine.snapshot_file import open_snapshot, save_snapshot
from engine.stored_band import StoredBand
from tests.engine.small import raw_band
from tests.engine.streams import streamed

ROWS = 2_000
RAW = raw_band(
    {"nome": [f"n{row % 700}" for row in range(ROWS)], "valor": [f"{row},25" for row in range(ROWS)]},
    "vendas",
    style="br",
)
LONG = "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range = b.range % 7"
QUESTIONS = (
    lambda session: aggregate(session, Aggregate(None, "MEDIAN", "valor")),
    lambda session: group_by(session, GroupBy(None, ("nome",), "SUM", "valor", top=3)),
    lambda session: search(session, "n12"),
)


def snapshot_of(raw):
    bands = (type_band(raw),)
    return Snapshot(bands, profile_bands(bands))


@pytest.fixture(scope="module", params=["memory", "stream", "stored"])
def snapshot(request, tmp_path_factory):
    """The same band as each kind that is opened in a way of its own."""
    if request.param == "stored":
        return open_snapshot(save_snapshot(snapshot_of(RAW), tmp_path_factory.mktemp("stored") / "vendas"))
    return snapshot_of(streamed(RAW, (700,)) if request.param == "stream" else RAW)


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder in which streams are kept for asking."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


@settings(max_examples=6, deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.001, 0.004, 0.02]), min_size=1, max_size=3), st.integers(1, 3))
def test_whoever_asks_while_others_close_gets_an_answer_or_an_error_of_ours(snapshot, pauses, askers):
    session = QuerySession(snapshot, Limits(time_s=None))
    begun = Barrier(askers + len(pauses))

    def ask(number):
        begun.wait()
        for turn in range(1_000):
            try:
                QUESTIONS[(number + turn) % len(QUESTIONS)](session)
            except QueryError as error:
                return error.code
        return "answered"

    def close(pause):
        begun.wait()
        sleep(pause)
        session.close()

    with ThreadPoolExecutor(askers + len(pauses)) as pool:
        asked = [pool.submit(ask, number) for number in range(askers)]
        for closing in [pool.submit(close, pause) for pause in pauses]:
            closing.result(timeout=30)
        assert {one.result(timeout=30) for one in asked} <= {"stopped", "session_closed"}


def test_a_long_question_ends_and_the_last_one_out_lets_go(snapshot, temporary):
    session = QuerySession(snapshot, Limits(time_s=None))
    running, may_end = Event(), Event()

    def ask_long():
        with session.ask(0, frozenset({1})) as opened:
            running.set()
            try:
                opened.rows(LONG)
            finally:
                may_end.wait(30)

    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask_long)
        running.wait(30)
        kept = list(temporary.iterdir())
        session.close()
        assert list(temporary.iterdir()) == kept  # nothing is taken from under the question
        may_end.set()
        with pytest.raises(QueryError) as raised:
            asked.result(timeout=30)
    assert raised.value.code == "stopped"
    assert list(temporary.iterdir()) == []


def test_closing_is_for_good_and_may_be_repeated(snapshot, temporary):
    session = QuerySession(snapshot)
    QUESTIONS[0](session)
    for _ in range(2):
        session.close()
        assert list(temporary.iterdir()) == []
        for question in QUESTIONS:
            with pytest.raises(QueryError) as raised:
                question(session)
            assert raised.value.code == "session_closed"
    session.interrupt()
    with pytest.raises(QueryError), session.ask(0, frozenset({1})):
        pass


def test_a_question_may_close_its_own_session(snapshot, temporary):
    session = QuerySession(snapshot)
    with suppress(QueryError), session.ask(0, frozenset({1})) as opened:
        session.close()
        opened.rows(LONG)
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("is_open", [False, True], ids=["before the first question", "between two questions"])
def test_a_file_that_somebody_else_closed_is_told_in_our_words(tmp_path, is_open):
    stored = open_snapshot(save_snapshot(snapshot_of(RAW), tmp_path / "vendas"))
    (band,) = stored.bands
    assert isinstance(band, StoredBand)
    with QuerySession(stored) as session:
        if is_open:
            QUESTIONS[0](session)
        band.file.close()
        for question in QUESTIONS:
            with pytest.raises(QueryError, match="open the report again") as raised:
                question(session)
            assert raised.value.code == "session_closed"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The question was asked of a session that is closed: open the report again."),
        ("pt", "A consulta foi feita a uma sessão já encerrada: abra o relatório de novo."),
        ("es", "La pregunta se hizo a una sesión ya cerrada: abra el informe de nuevo."),
    ],
)
def test_it_says_so(language, text):
    assert QueryError("session_closed").text(language) == text
