"""Finds where in a Parquet file the flat columns of a band are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from datasources.exceptions import SourceUnreadable

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


@dataclass(frozen=True, slots=True)
class Leaf:
    """A flat column of the band in one file. Columns go by position: names may repeat or hold dots."""

    name: str
    type: pa.DataType
    """Its Arrow type in the file."""
    start: int
    """Position of its first column among those that the file stores."""
    count: int
    """More than one for a list of structs."""
    is_alone: bool
    """Whether it is a column of the file itself, with a name that no other has."""

    @property
    def indices(self) -> range:
        """The positions of its stored columns."""
        return range(self.start, self.start + self.count)

    @property
    def is_text(self) -> bool:
        """Whether its cells are stored as text."""
        import pyarrow as pa

        types = pa.types
        return bool(types.is_string(self.type) or types.is_large_string(self.type))

    @property
    def is_plain_text(self) -> bool:
        """Whether Polars reads it as text."""
        return self.is_alone and self.is_text

    @property
    def is_simple(self) -> bool:
        """Whether Polars and PyArrow read the same values from it."""
        import pyarrow as pa

        types, kind = pa.types, self.type
        return self.is_alone and bool(
            self.is_text
            or types.is_boolean(kind)
            or types.is_integer(kind)
            or types.is_float32(kind)
            or types.is_float64(kind)
            or types.is_date32(kind)
            or types.is_timestamp(kind)
        )


def leaves_of(path: Path, file: pq.ParquetFile) -> list[Leaf]:
    """
    List the flat columns of *file*, structs taken apart.

    Raises SourceUnreadable when the Arrow schema inside does not fit the columns that are stored.
    """
    schema = file.schema_arrow
    found = [leaf for leaf, _ in _walk(schema, start=0)]
    if sum(leaf.count for leaf in found) != file.metadata.num_columns:
        raise SourceUnreadable(
            f"{path.name} describes other columns than it stores: write the file again.", source=str(path)
        )
    return found


def merge_leaves(
    files: Sequence[tuple[Path, list[Leaf]]],
) -> tuple[list[tuple[Leaf, ...]], list[pa.DataType]]:
    """
    Bring the columns of all *files* into the order of the first, and find the plain type of each.

    Raises SourceUnreadable, naming the file, where the columns or their types differ too much.
    """
    import pyarrow as pa

    from datasources.arrow_types import plain_type

    first_path, first = files[0]
    types = [plain_type(leaf.type) for leaf in first]
    ordered = [tuple(first)]
    for path, leaves in files[1:]:
        own = _reordered(first_path, first, path, leaves)
        ordered.append(own)
        for i, leaf in enumerate(own):
            try:
                types[i] = _common_type(types[i], plain_type(leaf.type))
            except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
                raise SourceUnreadable(
                    f"The column {leaf.name} is {leaf.type} in {path.name} but {first[i].type} in"
                    f" {first_path.name}: give files of the same columns, or name them one by one.",
                    source=str(path),
                ) from error
    return ordered, types


def is_binary(kind: pa.DataType) -> bool:
    """Whether *kind* is bytes of any length, which may be text or not."""
    import pyarrow as pa

    types = pa.types
    return bool(types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind))


def zones_of(kinds: Iterable[pa.DataType]) -> set[str]:
    """The time zones in *kinds*, at any depth."""
    import pyarrow as pa

    found: set[str] = set()
    for kind in kinds:
        if isinstance(kind, pa.BaseExtensionType):
            found |= zones_of([kind.storage_type])
        elif pa.types.is_dictionary(kind):
            found |= zones_of([kind.value_type])
        elif pa.types.is_nested(kind):
            found |= zones_of(kind.field(i).type for i in range(kind.num_fields))
        elif pa.types.is_timestamp(kind) and kind.tz:
            found.add(kind.tz)
    return found


def _walk(fields: pa.Schema | pa.StructType, start: int, above: str = "") -> Iterator[tuple[Leaf, int]]:
    import pyarrow as pa

    names = [field.name for field in fields]
    for field in fields:
        kind = field.type
        while isinstance(kind, pa.BaseExtensionType):
            kind = kind.storage_type
        name = f"{above}{field.name}"
        if pa.types.is_struct(kind) and kind.num_fields:
            for leaf, end in _walk(kind, start, f"{name}."):
                yield leaf, end
                start = end
        else:
            count = _stored_columns(kind)
            alone = not above and names.count(name) == 1
            yield Leaf(name, kind, start, count, alone), start + count
            start += count


def _stored_columns(kind: pa.DataType) -> int:
    import pyarrow as pa

    types = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return _stored_columns(kind.storage_type)
    if types.is_struct(kind):
        return sum(_stored_columns(field.type) for field in kind)
    if types.is_map(kind):
        return _stored_columns(kind.key_type) + _stored_columns(kind.item_type)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _stored_columns(kind.value_type)
    return 1


def _reordered(
    first_path: Path, first: Sequence[Leaf], path: Path, leaves: Sequence[Leaf]
) -> tuple[Leaf, ...]:
    names, own = [leaf.name for leaf in first], [leaf.name for leaf in leaves]
    if names == own:
        return tuple(leaves)
    if sorted(names) != sorted(own) or len(set(own)) != len(own):
        missing = [name for name in names if name not in own]
        extra = [name for name in own if name not in names]
        said = [f"lacks {', '.join(missing[:3])}"] if missing else []
        said += [f"has {', '.join(extra[:3])} besides"] if extra else []
        difference = " and ".join(said) or "in another order"
        raise SourceUnreadable(
            f"{path.name} has other columns than {first_path.name} ({difference})"
            ": give files of the same columns, or name them one by one.",
            source=str(path),
        )
    by_name = {leaf.name: leaf for leaf in leaves}
    return tuple(by_name[name] for name in names)


def _common_type(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    if one == other:
        return one
    schemas = [pa.schema([("c", one)]), pa.schema([("c", other)])]
    return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
