"""The words around a value that a person reads, in the languages of the notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.notes import Language


@dataclass(frozen=True, slots=True)
class Labels:
    """The words of one language."""

    of: str
    by: str
    band: str
    rows: str
    row: str
    filter: str
    period: str
    no_value: str
    difference: str
    growth: str
    value: str
    fact: str
    field: str
    score: str
    rounded: str

    def counted_rows(self, count: object) -> str:
        """`1 row`, `2 rows`."""
        return f"{count} {self.row if count == 1 else self.rows}"


LABELS: Mapping[Language, Labels] = {
    "en": Labels(
        of="of",
        by="by",
        band="band",
        rows="rows",
        row="row",
        filter="filter",
        period="period",
        no_value="no value",
        difference="difference",
        growth="growth",
        value="value",
        fact="fact",
        field="field",
        score="score",
        rounded="rounded",
    ),
    "pt": Labels(
        of="de",
        by="por",
        band="banda",
        rows="linhas",
        row="linha",
        filter="filtro",
        period="período",
        no_value="sem valor",
        difference="diferença",
        growth="crescimento",
        value="valor",
        fact="fato",
        field="campo",
        score="semelhança",
        rounded="arredondado",
    ),
    "es": Labels(
        of="de",
        by="por",
        band="banda",
        rows="filas",
        row="fila",
        filter="filtro",
        period="período",
        no_value="sin valor",
        difference="diferencia",
        growth="crecimiento",
        value="valor",
        fact="hecho",
        field="campo",
        score="semejanza",
        rounded="redondeado",
    ),
}
