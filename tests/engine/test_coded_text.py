"""A column of codes reads as the texts that it stands for, whoever asks, and is made only of values."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest

from datasources.filters import Condition
from engine import SnapshotNotSaved, coded_text, materialize, open_snapshot, save_snapshot, verify_snapshot
from engine.query.group_by import group_by
from engine.query.questions import Aggregate, GroupBy
from engine.query.session import QuerySession
from engine.snapshot_hash import snapshot_id
from tests.engine.streams import CutStream, streamed

ROWS = 400
FEW = ["b", "a", "é", "e", "'); DROP TABLE band_0; --", "\U0001f600", "z\0z", " ", "10", "9", None]


@pytest.fixture
def table(monkeypatch):
    """A table that is large enough for codes: few values, some hundred, and one a row."""
    monkeypatch.setattr(coded_text, "ROWS_MIN", 100)
    monkeypatch.setattr(coded_text, "ROWS_A_VALUE_MIN", 2)
    random = Random(1)
    return pa.table(
        {
            "few": [random.choice(FEW) for _ in range(ROWS)],
            "some": [f"n{random.randrange(150)}" for _ in range(ROWS)],
            "each": [f"row {index}" for index in range(ROWS)],
            "valor": pa.array(range(ROWS), pa.int64()),
        }
    )


def kinds(snapshot):
    cursor = snapshot.bands[0].file.cursor()
    return [row[1][:4] for row in cursor.execute("DESCRIBE band_0").fetchall()]


def test_columns_of_few_values_are_codes_and_read_as_before(table, tmp_path):
    made = materialize({"vendas": table})
    opened = open_snapshot(save_snapshot(made, tmp_path / "vendas"))
    assert kinds(opened) == ["ENUM", "ENUM", "VARC", "DECI"]
    assert verify_snapshot(tmp_path / "vendas") == snapshot_id(made) == opened.id
    assert opened.bands[0].take([0, 5, 399]) == made.bands[0].take([0, 5, 399])
    # A stored snapshot may be stored again, elsewhere.
    again = open_snapshot(save_snapshot(opened, tmp_path / "copy" / "vendas"))
    assert again.id == opened.id
    assert kinds(again)[0] == "ENUM"


@pytest.mark.parametrize("op", ["=", "!=", "<", "<=", ">", ">=", "contains", "starts_with"])
def test_every_filter_finds_what_it_finds_among_texts(table, tmp_path, op):
    made = materialize({"vendas": table})
    opened = open_snapshot(save_snapshot(made, tmp_path / "vendas"))
    cells = [None if cell is None else cell.strip() or None for cell in table["few"].to_pylist()]
    compare = {
        "=": str.__eq__,
        "!=": str.__ne__,
        "<": str.__lt__,
        "<=": str.__le__,
        ">": str.__gt__,
        ">=": str.__ge__,
        "contains": str.__contains__,
        "starts_with": str.startswith,
    }[op]
    from engine.query.aggregate import measure_all

    for value in [*(cell for cell in FEW if cell), "none of them", "", "d"]:
        question = Aggregate("vendas", "COUNT", None, Condition(field="few", op=op, value=value))
        (found,) = measure_all(opened, [question])
        # What is compared is stripped as cells are; what is looked for in them is not.
        sought = value if op in ("contains", "starts_with") else value.strip()
        assert found.cells == sum(cell is not None and compare(cell, sought) for cell in cells)


def test_groups_and_edges_are_in_order_of_code_points(table, tmp_path):
    made = materialize({"vendas": table})
    opened = open_snapshot(save_snapshot(made, tmp_path / "vendas"))
    for question in (
        GroupBy(None, ("few",), "COUNT", order="group"),
        GroupBy(None, ("some",), "MAX", "few", top=10),
        GroupBy(None, ("few", "some"), "SUM", "valor", top=7),
    ):
        with QuerySession(made) as before, QuerySession(opened) as after:
            expected = [(one.keys, one.fact and one.fact.value) for one in group_by(before, question).groups]
            assert [
                (one.keys, one.fact and one.fact.value) for one in group_by(after, question).groups
            ] == expected


def test_rows_that_have_become_others_are_refused(monkeypatch, tmp_path):
    from tests.engine.small import raw_band

    monkeypatch.setattr(coded_text, "ROWS_MIN", 4)
    monkeypatch.setattr(coded_text, "ROWS_A_VALUE_MIN", 2)
    cells = {"uf": ["SP", "RJ", "SP", "RJ"] * 3}
    stream = streamed(raw_band(cells, "vendas"), (5,), 12)
    snapshot = materialize([stream])
    after = streamed(raw_band({"uf": ["SP", "AC", "SP", "RJ"] * 3}, "vendas"), (5,), 12).cells
    assert isinstance(after, CutStream)
    parts = CutStream.parts
    monkeypatch.setattr(CutStream, "parts", lambda _, *args: parts(after, *args))
    with pytest.raises(SnapshotNotSaved, match="it has other texts now"):
        save_snapshot(snapshot, tmp_path / "vendas")
