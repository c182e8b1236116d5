"""What a viewer may not see changes nothing that they are shown: not a byte of context, document, answer or error."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

from chat import Toolset
from datasources import secured
from datasources.exceptions import SourceError
from datasources.mask_key import MaskKey
from datasources.parameters import resolve
from datasources.report import load_report
from engine import EngineError, Snapshot, materialize, process_report, take_excerpt
from lastro.document import document_of
from prompts import render_data_context
from tests.access.cases import CLEAR, FIELDS, Case, changed, make, materials, renamed
from tests.oracle.tools_calls import call
from tests.oracle.tools_kinds import Column
from tests.oracle.tools_tables import Band, World

CASES = int(os.environ.get("LASTRO_ACCESS_CASES", "120"))
"""How many random reports, each with a change of what is hidden, and one of what is masked."""
TOGETHER = 20
QUESTIONS = 4
"""What each report is asked, beside six searches."""

KEY = MaskKey.derive(b"0123456789abcdef0123456789abcdef", "w1")
PSEUDONYM = re.compile(r"(cpf|cnpj|email|phone|name|other)-[A-Za-z0-9_-]{28,}")

ANSWERS = "---- answers ----"
"""What follows repeats what was asked, and so may name anything."""

Capture = Callable[[Case, Path, int], str]


def snapshot_of(case: Case, folder: Path) -> Snapshot:
    return process_report(case.definition, viewer=case.viewer, key=KEY, **materials(case, folder))


def capture(case: Case, folder: Path, asked: int) -> str:
    """Everything that leaves: context, document, warnings, answers to *asked* questions, or the error."""
    try:
        snapshot = snapshot_of(case, folder)
    except (SourceError, EngineError) as error:
        return f"{type(error).__name__}: {error}"
    profile = snapshot.profile
    said = [
        render_data_context(profile, take_excerpt(snapshot)),
        document_of(profile).model_dump_json(),
        *map(repr, profile.warnings),
    ]
    return "\n".join([*said, ANSWERS, *_answers(case, snapshot, asked)])


def _answers(case: Case, snapshot: Snapshot, count: int) -> list[str]:
    if not count:
        return []
    random = Random(f"questions {case.document}")
    with Toolset(snapshot) as tools:
        found = []
        for _ in range(count):
            band = random.choice(case.tables)
            columns = tuple(_column(case, band.name, name) for name in FIELDS)
            asked = call(random, World({}, (Band((band.name,), columns, 1),)))
            found.append(tools.call(asked.tool, asked.text).text)
        for text in (CLEAR, "Sul", "Norte", "Centr", "111444", "Ana"):
            found.append(tools.call("sulfite_search_values", f'{{"text": "{text}"}}').text)
    return found


def _column(case: Case, band: str, name: str) -> Column:
    """A column to ask about, the same for equal reports: questions name visible and hidden values alike."""
    kinds: dict[str, Any] = {"valor": ("number", "measure"), "dia": ("date", None)}
    kind, role = kinds.get(name, ("text", None))
    cells: tuple[Any, ...] = ("Sul", "Norte", "A1", CLEAR, f"{CLEAR}0001", "111.444.777-35", "ok")
    if kind != "text":
        cells = ()
    return Column(name, kind, role, cells=cells)


def faults(seed: int, folder: Path, seen: Capture, asked: int = 0) -> list[str]:
    """What the report of *seed* shows of what its viewer may not see."""
    case = make(seed)
    first = seen(case, folder, asked)
    found = []
    other = seen(changed(case, seed), folder, asked)
    if other != first:
        found.append(f"report {seed}: {difference(first, other)}")
    stated = first.partition(ANSWERS)[0]
    secrets = (CLEAR, *case.inside_texts)
    found += [
        f"report {seed} shows {stated[max(0, stated.index(one) - 200) :][:300]}"
        for one in secrets
        if one in stated
    ]
    # Questions may ask for parts of a pseudonym, so that none are asked.
    other = seen(renamed(case, seed), folder, 0)
    one, two = (PSEUDONYM.sub("~", text.partition(ANSWERS)[0]) for text in (first, other))
    if one != two:
        found.append(f"report {seed}, masked: {difference(one, two)}")
    return found


def difference(one: str, other: str) -> str:
    at = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    return f"\n  {one[max(0, at - 150) : at + 150]!r}\n  {other[max(0, at - 150) : at + 150]!r}"


@pytest.mark.parametrize("start", range(0, CASES, TOGETHER))
def test_what_a_viewer_may_not_see_changes_nothing(start, tmp_path, monkeypatch):
    found = []
    for seed in range(start, min(start + TOGETHER, CASES)):
        # Small bands become lists: every other report is held to streams.
        monkeypatch.setattr(secured, "TYPED_CELLS_MAX", -1 if seed % 2 else 40_000)
        monkeypatch.setattr(secured, "LISTS_CELLS_MAX", -1 if seed % 4 == 3 else 400_000)
        found += faults(seed, tmp_path, capture, QUESTIONS)
    assert not found, "\n".join(found)


# ---- the same harness catches who does it wrong ----


def rule_as_view(case: Case, folder: Path, asked: int) -> str:
    """The rows of a rule as a view over all of them, asked for its statistics."""
    table = case.tables[0]
    rows = [(row.cells["regiao"], str(row.cells["loja"]), row.is_visible) for row in table.rows]
    with duckdb.connect() as database:
        database.execute("CREATE TABLE t (regiao VARCHAR, loja VARCHAR, visible BOOLEAN)")
        if rows:
            database.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        database.execute("CREATE VIEW v AS SELECT regiao, loja FROM t WHERE visible")
        return str(database.execute("SELECT DISTINCT stats(loja) FROM v").fetchall())


def enumerated_before(case: Case, folder: Path, asked: int) -> str:
    """The values that a field takes, listed before anything was cut or masked."""
    definition = case.definition
    open_to_all = definition.model_copy(update={"access": None})
    values = resolve(definition, {})
    profile = materialize(load_report(open_to_all, values, **materials(case, folder))).profile
    return "\n".join(str((field.name, field.values)) for band in profile.bands for field in band.fields)


@pytest.mark.parametrize("wrong", [rule_as_view, enumerated_before])
def test_the_harness_catches_it(wrong, tmp_path):
    caught = sum(bool(faults(seed, tmp_path, wrong)) for seed in range(30))
    assert caught >= 5
