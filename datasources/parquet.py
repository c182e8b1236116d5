"""Reads Parquet files, one or many as one band."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from datasources.arrow import check_width, is_small
from datasources.base import Lists, RawBand
from datasources.exceptions import SourceTooLarge
from datasources.file_version import FileVersion
from datasources.names import unique_names
from datasources.parquet_file import ParquetFile, translated
from datasources.parquet_schema import is_binary, leaves_of, merge_leaves
from datasources.parquet_stream import ParquetStream

if TYPE_CHECKING:
    import pyarrow.parquet as pq

    from datasources.options import ReadOptions


def read_parquet(paths: Sequence[Path], name: str, options: ReadOptions) -> RawBand:
    """
    Read Parquet files of the same columns as one band, in the order given.

    Raises SourceUnreadable for what is no whole Parquet file or has other columns than the first,
    SourceTooLarge past a limit, SourceNotFound and SourceForbidden.
    """
    from datasources.arrow_types import native_type

    stream, names = _open_stream(paths, name, options)
    columns, warnings = unique_names(names, name)
    kinds = tuple(native_type(kind) for kind in stream.schema.types)
    as_lists = is_small(stream.rows, len(columns)) and options.visible is None
    cells = _lists(stream) if as_lists else stream
    return RawBand(name, columns, cells, "typed", native_types=kinds, warnings=warnings)


def _lists(stream: ParquetStream) -> Lists:
    import pyarrow as pa

    from datasources.arrow_types import python_values

    everything = range(len(stream.schema))
    tables = [stream.nothing()]
    for file in stream.files:
        with file.reading(), file.open() as opened:
            groups = list(range(file.metadata.num_row_groups))
            table = opened.reader.read_row_groups(groups, column_indices=file.indices(everything))
            tables.append(stream.table(file.pick(table, everything), everything, ()))
    if not stream.schema.names:
        return Lists((), stream.rows)
    whole = pa.concat_tables(tables)
    return Lists(tuple(python_values(column) for column in whole.columns), stream.rows)


def _open_stream(paths: Sequence[Path], name: str, options: ReadOptions) -> tuple[ParquetStream, list[str]]:
    import pyarrow as pa

    # Before they are opened, or what is written in between would pass.
    versions = [_version(path) for path in paths]
    opened = [_open(path) for path in paths]
    size = sum(path.stat().st_size for path in paths)
    if size > options.bytes_max:
        raise SourceTooLarge(
            f"{paths[0].name} has {size:,} bytes, more than the limit of {options.bytes_max:,} (bytes_max).",
            source=str(paths[0]),
        )
    first_row = 0
    files: list[ParquetFile] = []
    leaves, types = merge_leaves(
        [(path, leaves_of(path, file)) for path, file in zip(paths, opened, strict=True)]
    )
    check_width(len(types), paths[0].name, options)
    for path, file, own, version in zip(paths, opened, leaves, versions, strict=True):
        files.append(ParquetFile(path, file.metadata, own, first_row, version))
        first_row += file.metadata.num_rows
        file.close()
    names = [leaf.name for leaf in leaves[0]]
    schema = pa.schema([(name, kind) for name, kind in zip(names, types, strict=True)])
    hexadecimal = _all_bytes(files) if options.visible is not None else _hexadecimal(files)
    return ParquetStream(tuple(files), schema, hexadecimal, name), names


def _version(path: Path) -> FileVersion:
    with translated(path):
        return FileVersion(path)


def _open(path: Path) -> pq.ParquetFile:
    import pyarrow.parquet as pq

    with translated(path):
        return pq.ParquetFile(path)


def _all_bytes(files: Sequence[ParquetFile]) -> frozenset[int]:
    """The columns of bytes, whatever they hold: for a viewer no cell decides how another one reads."""
    return frozenset(i for file in files for i, leaf in enumerate(file.leaves) if is_binary(leaf.type))


def _hexadecimal(files: Sequence[ParquetFile]) -> frozenset[int]:
    """The columns of bytes of which any cell is no UTF-8: they are read whole once, here, to be sure."""
    from datasources.arrow_types import is_utf8

    found = set()
    for file in files:
        for i, leaf in enumerate(file.leaves):
            if i in found or not is_binary(leaf.type):
                continue
            with file.reading(), file.open() as opened:
                for group in range(file.metadata.num_row_groups):
                    table = opened.reader.read_row_groups([group], column_indices=file.indices([i]))
                    if not is_utf8(file.pick(table, [i])[i]):
                        found.add(i)
                        break
    return frozenset(found)
