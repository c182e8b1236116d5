"""The facts that wait for a later kind of source, and those on which the rules give another value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.real_facts.access import Folder

LATER = {
    "nfe-41-itens": "XML is read by a later source",
    "nfe-exportacao": "XML is read by a later source",
    "nfe-pneus-41-itens": "XML is read by a later source",
    "nfe-310-50-itens": "XML is read by a later source",
    "nfce-consumidor": "XML is read by a later source",
    "nfe-cnpj-alfanumerico": "XML is read by a later source",
    "nfe-reforma-tributaria": "XML is read by a later source",
    "nfe-valor-limite": "XML is read by a later source",
    "jasper-northwind": "XML is read by a later source",
    "municipios-sql": "SQL is read by a later source",
    "sped-efd-icms-ipi": "a SPED file is text: what its fields mean is known to a later source",
    "cnab400-itau": "a CNAB file is text: what its columns mean is known to a later source",
}
"""Folder → why those of its facts wait that no function finds yet."""


@dataclass(frozen=True)
class Different:
    """A fact that does not hold, what is given instead, and by which rule."""

    folder: str
    fact: str
    ours: Any
    why: str
    compute: Callable[[Folder], Any]


DIFFERENT = (
    Different(
        "cvm-balancete-fundo",
        "records before the real header, accounts",
        [0, 124],
        "The first record of the table's width is the header (spec 0.3), and this file begins with one: the "
        "three title records and the second header below it have that width too, so they are rows.",
        lambda f: [len(f["*.csv"].document.notes), f["*.csv"].rows],
    ),
)
