"""A moment may have nanoseconds, of which nothing is lost on its way."""

from __future__ import annotations

import copy
import datetime as dt
import pickle
from datetime import datetime

import pytest

from datasources.fine_moment import FineMoment

NAIVE = datetime.fromisoformat("2026-01-02T03:04:05.000006")
ZONED = NAIVE.replace(tzinfo=dt.timezone(dt.timedelta(hours=-3)))


@pytest.mark.parametrize(
    ("moment", "nanosecond", "expected"),
    [
        (NAIVE, 7, "2026-01-02T03:04:05.000006007"),
        (ZONED, 7, "2026-01-02T03:04:05.000006007-03:00"),
        (NAIVE.replace(microsecond=0), 700, "2026-01-02T03:04:05.000000700"),
        (NAIVE, 0, "2026-01-02T03:04:05.000006"),
    ],
    ids=["naive", "zoned", "whole second", "none"],
)
def test_it_is_written_with_nine_digits(moment, nanosecond, expected):
    fine = FineMoment.of(moment, nanosecond)
    assert fine.isoformat() == expected
    assert str(fine) == expected.replace("T", " ")
    assert (type(fine) is datetime) == (nanosecond == 0)


def test_it_equals_no_other_moment():
    fine = FineMoment.of(NAIVE, 7)
    assert fine == FineMoment.of(NAIVE, 7)
    assert len({fine, FineMoment.of(NAIVE, 7), FineMoment.of(NAIVE, 8), NAIVE}) == 3
    assert fine != NAIVE
    assert fine != NAIVE
    assert fine != str(fine)


@pytest.mark.parametrize(
    "passed_on", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))], ids=["copy", "pickle"]
)
def test_it_is_passed_on_whole(passed_on):
    fine = FineMoment.of(ZONED, 7)
    assert passed_on(fine) == fine
    assert passed_on(fine).isoformat() == fine.isoformat()
