"""Gives every column a name of its own (spec 1.3)."""

from __future__ import annotations

from collections.abc import Sequence

from datasources.base import DataWarning, counted

WHITE_SPACE = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff\u200b"
)
"""Unicode White_Space and U+FEFF and U+200B: what is stripped from both ends of text."""


def unique_names(names: Sequence[str], band: str) -> tuple[tuple[str, ...], tuple[DataWarning, ...]]:
    """
    Strip *names*; name the empty ones `column_N` and the repeated ones `name_2`, `name_3`, …

    >>> unique_names(["id", "valor", "valor", ""], "b")[0]
    ('id', 'valor', 'valor_2', 'column_4')
    """
    stripped = [name.strip(WHITE_SPACE) for name in names]
    given = {name for name in stripped if name}
    taken: set[str] = set()
    result: list[str] = []
    empty: list[str] = []
    repeated: list[str] = []
    for position, name in enumerate(stripped, start=1):
        wanted = name or f"column_{position}"
        unique, number = wanted, 1
        # A name made here must not take the one that another column was given in the file.
        while unique in taken or (unique != name and unique in given):
            number += 1
            unique = f"{wanted}_{number}"
        taken.add(unique)
        result.append(unique)
        if not name:
            empty.append(unique)
        elif unique != name:
            repeated.append(unique)
    warnings: list[DataWarning] = []
    if empty:
        warnings.append(
            DataWarning(
                "empty_name",
                f"{counted(len(empty), 'column without a name was', 'columns without a name were')} named by position.",
                band,
                None,
                len(empty),
                tuple(empty[:3]),
            )
        )
    if repeated:
        warnings.append(
            DataWarning(
                "repeated_name",
                f"{counted(len(repeated), 'repeated column name', 'repeated column names')} got a number.",
                band,
                None,
                len(repeated),
                tuple(repeated[:3]),
            )
        )
    return tuple(result), tuple(warnings)
