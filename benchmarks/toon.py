"""
Writes a table in TOON, Token-Oriented Object Notation, in its tabular form for arrays of uniform objects.

After the public specification (toon-format/spec, SPEC.md): canonical numbers (section 2), quoting (7.1 to 7.3) and
the tabular form with commas (9.3).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

Cell = str | Decimal | None

BARE_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
LIKE_A_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?|0\d+", re.IGNORECASE)
SPECIAL = re.compile(r'[:"\\\[\]{},\n\r\t]')
ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def toon_table(name: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """
    The table *name*; every row has a cell for each of *columns*.

    >>> print(toon_table("itens", ["cst", "valor"], [("060", Decimal("1.50")), ("a, b", None)]), end="")
    itens[2]{cst,valor}:
      "060",1.5
      "a, b",null
    """
    head = f"{toon_key(name)}[{len(rows)}]{{{','.join(map(toon_key, columns))}}}:"
    return "\n".join((head, *(f"  {','.join(map(toon_cell, row))}" for row in rows), ""))


def toon_key(name: str) -> str:
    """A name, quoted where it has to be."""
    return name if BARE_KEY.fullmatch(name) else _quoted(name)


def toon_cell(value: Cell) -> str:
    """
    A cell, quoted where a reader would take it for something else.

    >>> [
    ...     toon_cell(value)
    ...     for value in (None, "null", "05", "-", " a", "Pix", Decimal("-0.00"), Decimal("1E+2"))
    ... ]
    ['null', '"null"', '"05"', '"-"', '" a"', 'Pix', '0', '100']
    """
    match value:
        case None:
            return "null"
        case Decimal():
            return number_text(value)
        case str():
            return _quoted(value) if _needs_quotes(value) else value


def number_text(value: Decimal) -> str:
    """A number in full, without an exponent, zeros that say nothing, or the sign of zero."""
    return format(value.normalize(), "f") if value else "0"


def _needs_quotes(text: str) -> bool:
    return (
        text in {"", "true", "false", "null"}
        or text != text.strip()
        or text.startswith("-")
        or LIKE_A_NUMBER.fullmatch(text) is not None
        or SPECIAL.search(text) is not None
    )


def _quoted(text: str) -> str:
    return f'"{text.translate(ESCAPES)}"'
