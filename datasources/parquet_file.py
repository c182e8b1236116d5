"""Opens one Parquet file as often as its parts are read, and says in our words what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from datasources.exceptions import SourceForbidden, SourceNotFound, SourceUnreadable, cause_of
from datasources.file_version import FileVersion
from datasources.parquet_schema import Leaf, zones_of

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

BUFFER_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True, eq=False)
class ParquetFile:
    """One file of a band: where its rows and its columns are."""

    path: Path
    metadata: pq.FileMetaData
    leaves: tuple[Leaf, ...]
    """In the order of the band's columns."""
    first_row: int
    """Position of its first row in the band."""
    version: FileVersion

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Around whatever reads rows: the file is the one whose columns are known, and errors are ours."""
        with translated(self.path), self.version.held():
            yield

    @property
    def rows(self) -> int:
        """How many rows the file has."""
        return int(self.metadata.num_rows)

    @property
    def group_starts(self) -> list[int]:
        """Position of the first row of each row group in the file, and of the end."""
        starts = [0]
        for group in range(self.metadata.num_row_groups):
            starts.append(starts[-1] + self.metadata.row_group(group).num_rows)
        return starts

    @property
    def is_for_polars(self) -> bool:
        """Whether Polars knows every time zone in the file: at another it panics, whatever column is read."""
        return all(map(_polars_knows, zones_of([leaf.type for leaf in self.leaves])))

    def open(self, encoded: Sequence[int] = ()) -> pq.ParquetFile:
        """Open the file anew (a handle is not shared by threads), with *encoded* columns as dictionaries."""
        import pyarrow.parquet as pq

        dictionary = [self.metadata.schema.column(self.leaves[i].start).path for i in encoded]
        # Without the buffer a row group's whole column would be read for its first rows.
        return pq.ParquetFile(
            self.path,
            metadata=self.metadata,
            read_dictionary=dictionary,
            pre_buffer=False,
            buffer_size=BUFFER_BYTES,
        )

    def pick(self, table: pa.Table, columns: Sequence[int]) -> dict[int, pa.ChunkedArray]:
        """Give the flattened *columns* of a *table* that was read with `indices(columns)`, none of them views."""
        from datasources.arrow_types import flatten_structs

        in_file_order = sorted(columns, key=lambda i: self.leaves[i].start)
        return dict(zip(in_file_order, flatten_structs(table).columns, strict=True))

    def size(self, group: int, columns: Sequence[int]) -> int:
        """Bytes of *columns* in a row group, as they are stored."""
        stored = self.metadata.row_group(group)
        return sum(int(stored.column(i).total_compressed_size) for i in self.indices(columns))

    def indices(self, columns: Sequence[int]) -> list[int]:
        """The positions of the leaf columns that hold *columns*."""
        return sorted(i for column in columns for i in self.leaves[column].indices)


@cache
def _polars_knows(zone: str) -> bool:
    import polars as pl

    try:
        pl.Series([], dtype=pl.Datetime("us", zone))
    except pl.exceptions.PolarsError:
        return False
    return True


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what Arrow says about a broken file into our words."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError as error:
        raise SourceNotFound(f"There is no file {path.name}: check the path.", source=str(path)) from error
    except PermissionError as error:
        message = f"{path.name} may not be read: ask for the permission."
        raise SourceForbidden(message, source=str(path)) from error
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if "encrypt" in str(error).partition("\n")[0].lower():
            message = f"{path.name} is an encrypted Parquet file: decrypt it first."
        else:
            message = f"{path.name} is not a whole Parquet file ({cause_of(error)}): write or copy it again."
        raise SourceUnreadable(message, source=str(path)) from error
