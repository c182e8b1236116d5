"""What is known of real files holds: through `--json`, and on the snapshot for what that cannot express."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from datasources.exceptions import SourceUnreadable
from datasources.load import read_bands
from datasources.options import ReadOptions
from engine import materialize, take_excerpt
from lastro.document import document_of
from prompts import render_data_context
from tests.datasources.real_data import ROOT, real_file
from tests.real_facts import DIFFERENT, FACTS, LATER, Folder, tables_of

ROOT_OF_PROJECT = Path(__file__).parents[1]


@lru_cache
def known_facts() -> dict[tuple[str, str], Any]:
    """The facts of the real files by folder and wording."""
    text = real_file("facts.json").read_text(encoding="utf-8")
    return {
        (folder, one["fact"]): one["value"] for folder, facts in json.loads(text).items() for one in facts
    }


@pytest.mark.parametrize("fact", FACTS, ids=lambda one: f"{one.folder}: {one.fact} ({one.where})")
def test_a_known_fact_holds(fact):
    assert fact.compute(Folder(fact.folder)) == known_facts()[fact.folder, fact.fact]


@pytest.mark.parametrize("fact", DIFFERENT, ids=lambda one: f"{one.folder}: {one.fact}")
def test_a_fact_that_does_not_hold_is_given_as_the_rule_says(fact):
    assert fact.compute(Folder(fact.folder)) == fact.ours != known_facts()[fact.folder, fact.fact]


def test_every_known_fact_has_an_entry_and_only_one():
    entries = Counter(
        [(one.folder, one.fact) for one in FACTS] + [(one.folder, one.fact) for one in DIFFERENT]
    )
    assert [key for key, count in entries.items() if count > 1] == []
    assert [key for key in entries if key not in known_facts()] == []
    assert [key for key in known_facts() if key not in entries and key[0] not in LATER] == []


@pytest.mark.parametrize(
    "file",
    [
        "tse-bens-candidatos/bem_candidato_2022_BR.csv",
        "jasper-northwind/northwind.json",
        "bcb-taxas-parquet/taxas_imobiliario_ipca.parquet",
    ],
)
def test_the_command_prints_the_same_document(file):
    command = [sys.executable, "-m", "lastro", "context", str(real_file(file)), "--json"]
    printed = subprocess.run(command, capture_output=True, check=True, cwd=ROOT_OF_PROJECT).stdout
    assert json.loads(printed) == json.loads(tables_of(file)[0].whole.model_dump_json())


TEXT_FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in ROOT.glob("*/*")
    if path.suffix in {".csv", ".txt", ".ret", ".sql"}
)


@pytest.mark.parametrize("file", TEXT_FILES)
def test_a_streamed_file_gives_the_same_bytes(file):
    """Past `small_bytes` a text file is streamed, by other code: facts and context are the same."""
    written = []
    for options in (ReadOptions(), ReadOptions(small_bytes=0)):
        snapshot = materialize(read_bands([str(real_file(file))], options))
        text = render_data_context(snapshot.profile, take_excerpt(snapshot, 50))
        written.append((text, document_of(snapshot.profile).model_dump_json()))
    assert written[0] == written[1]


XML_FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("*/*.xml"))


@pytest.mark.parametrize("file", XML_FILES)
def test_an_xml_document_is_refused_in_one_sentence(file):
    with pytest.raises(SourceUnreadable, match=r"^\S+ is an XML document: [^.]+\.$"):
        read_bands([str(real_file(file))], ReadOptions())


OTHER_TEXTS = [
    "sped-efd-icms-ipi/EFD_ICMS_IPI_2020.txt",
    "municipios-sql/municipios.sql",
    "municipios-sql/estados.sql",
]


@pytest.mark.parametrize("file", OTHER_TEXTS)
def test_a_text_of_another_format_gives_no_number_but_the_sum_of_its_cells(file):
    """Each column is what stands between the delimiters; its sum is that of exactly these cells."""
    (table,) = tables_of(file)
    for field in table.document.fields:
        if field.sum is not None:
            assert field.coercion is not None
            cells = (str(cell or "").strip() for cell in table.source(field.name))
            added = sum((decimal(cell, field.coercion.style) for cell in cells if cell), Decimal(0))
            assert Decimal(field.sum) == added


def decimal(cell: str, style: str) -> Decimal:
    """A number as written, its thousands marks taken out."""
    return Decimal(cell.replace(".", "").replace(",", ".") if style == "br" else cell.replace(",", ""))


def test_a_sped_file_keeps_every_record():
    (table,) = tables_of("sped-efd-icms-ipi/EFD_ICMS_IPI_2020.txt")
    kinds = Counter(table.cells("column_2"))
    known = known_facts()
    assert [table.rows, len(kinds)] == known["sped-efd-icms-ipi", "lines, record kinds"]
    assert dict(kinds.most_common(6)) == known["sped-efd-icms-ipi", "records by kind, top 6"]
    assert table.field("column_10").type == "text", "keys of 44 digits"


def test_a_cnab_file_is_text_without_any_number():
    (table,) = tables_of("cnab400-itau/itau.ret")
    assert table.shape == [5, 1]
    assert {field.type for field in table.document.fields} == {"text"}
    assert {len(cell) for cell in table.all_source()} == {400}
