"""The table of a text file or sheet of which the report says where it begins: nothing is guessed from its rows."""

from __future__ import annotations

from collections.abc import Sequence

from datasources.delimiter import Record, is_blank
from datasources.exceptions import AccessError
from datasources.extent import Header, Raggedness, Table
from datasources.options import ReadOptions


def declared_table(records: Sequence[Record], options: ReadOptions) -> Table | None:
    """The table that *records* are: a header, unless there is none, and rows; nothing if no cell is filled."""
    header = declared_header(records, options)
    if header is None:
        return None
    raggedness = Raggedness()
    rows = [
        index
        for index in range(header.first_row, len(records))
        # What a viewer may not see of a row does not decide whether it is one.
        if (records[index] if options.visible else not is_blank(records[index]))
    ]
    for index in rows:
        raggedness.add(len(records[index]), len(header.names))
    return Table(header, rows, (), raggedness, 0)


def declared_header(records: Sequence[Record], options: ReadOptions) -> Header | None:
    """The header among the first *records*, or the names that stand in for it; nothing if no cell is filled."""
    if options.visible and not options.header and options.column_names:
        # Every record is a row, whatever a viewer may not see of it.
        return Header(options.column_names, 0, 0)
    first = next((index for index, record in enumerate(records) if not is_blank(record)), None)
    if first is None:
        return None
    if options.header:
        return Header(tuple(records[first]), first, first + 1)
    width = len(records[first])
    names = options.column_names or tuple(f"column_{number}" for number in range(1, width + 1))
    return Header(names, first, first, is_row=not options.column_names)


def check_declared(name: str, options: ReadOptions, **further: object) -> None:
    """
    Raise AccessError where reading the file *name* for a viewer would have to guess from rows they may not see.

    *further* are other options that must be given, by name.
    """
    if options.visible is None:
        return
    needed = {**further, "header": options.header}
    if options.header is False:
        needed["columns"] = options.column_names or None
        if "delimiter" not in further:
            raise AccessError(
                f"With access rules a workbook needs a header, and {name} has none.", source=name
            )
    missing = [option for option, value in needed.items() if value is None]
    if missing:
        raise AccessError(
            f"With access rules nothing is guessed from the rows of {name}: declare its {', '.join(missing)}.",
            source=name,
        )
