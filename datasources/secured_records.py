"""Takes out of records what a viewer may not see, before anything is made of them: their keys, too, are gone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from datasources.access_rules import BandView
from datasources.base import Cell
from datasources.exceptions import AccessError
from datasources.records import VALUE, Digits, compact_json, holds_object, mend
from datasources.row_rules import RowRule, RuleColumn, compile_rule, fitting_rows

if TYPE_CHECKING:
    import pyarrow as pa

_NOTHING = object()
Record = Mapping[str, Any]  # Any: what a JSON text or a caller holds is only known cell by cell


@dataclass(frozen=True, slots=True)
class _Rule:
    """A compiled rule, and the field that stands at each of its positions."""

    rule: RowRule
    fields: tuple[str, ...]


class VisibleRecords:
    """The records of one datasource, and the rows of one query, that a viewer may see."""

    def __init__(
        self, views: Sequence[BandView], locale: str | None, null_values: tuple[str, ...] = ()
    ) -> None:
        self._views = views
        self._locale = locale
        self._null_values = null_values
        self._rules: dict[str | None, _Rule] | None = None

    def __call__(self, elements: Sequence[object]) -> list[object]:
        """
        *elements* without those that do not fit, and without nested ones that do not; nothing is changed in place.

        Raises AccessError for bands that draw the same records with different rules, and for what no rule can mean.
        """
        rules = self._compiled()
        kept = _fitting(elements, rules.get(None), is_root=True)
        nested = {path: rule for path, rule in rules.items() if path is not None}
        return [_pruned_root(element, nested) for element in kept] if nested else kept

    def rows(self, names: Sequence[str], rows: Sequence[Sequence[object]]) -> Sequence[Sequence[object]]:
        """The *rows* of a query with columns *names* that fit; each has a cell for each column."""
        from datasources.memory import plain_cell

        rule = self._table_rule(names)
        if rule is None or not rows:
            return rows
        cells = {at: [plain_cell(row[at]) for row in rows] for at in rule[1]}
        fits = fitting_rows(rule[0], cells)
        return [row for row, is_visible in zip(rows, fits, strict=True) if is_visible]

    def part(self, table: pa.Table, numerics: Collection[int] = ()) -> pa.Table:
        """The rows of *table*, a part of what a query gave, that fit; *numerics* are columns of decimals as text."""
        from datasources.distinct import array_from
        from datasources.row_rules import fitting_table_rows

        rule = self._table_rule(table.column_names)
        if rule is None:
            return table
        places = {position: position for position in rule[1]}
        fits = fitting_table_rows(rule[0], _stored(table), places, numerics)
        return table.filter(array_from(fits))

    def _table_rule(self, names: Sequence[str]) -> tuple[RowRule, frozenset[int]] | None:
        from datasources.names import unique_names
        from datasources.row_rules import positions_of

        view = self._view_of(None)
        if view is None or view.where is None:
            return None
        unique, _ = unique_names(names, view.band)
        rule = rule_of(view, unique, self._locale, null_values=self._null_values)
        return rule, positions_of(rule)

    def _compiled(self) -> dict[str | None, _Rule]:
        if self._rules is None:
            tables = dict.fromkeys(view.table for view in self._views)
            self._rules = {
                table: _record_rule(view, self._locale, self._null_values)
                for table in tables
                if (view := self._view_of(table)) is not None and view.where is not None
            }
        return self._rules

    def _view_of(self, table: str | None) -> BandView | None:
        """The view of the bands that draw from *table*, which all have the same rule."""
        views = [view for view in self._views if view.table == table]
        other = next((view for view in views if view.where != views[0].where), None)
        if other is not None:
            raise AccessError(
                f"The bands {views[0].band} and {other.band} draw the same records of {other.source} under different"
                " row rules: declare a datasource for each.",
                source=other.source,
            )
        return views[0] if views else None


def _stored(table: pa.Table) -> pa.Table:
    """The columns of *table* without types that are their database's own."""
    import pyarrow as pa

    columns = [
        column.cast(column.type.storage_type) if isinstance(column.type, pa.BaseExtensionType) else column
        for column in table.columns
    ]
    return pa.table(columns, names=[str(at) for at in range(len(columns))])


def rule_of(view: BandView, columns: Sequence[str], locale: str | None, **known: Any) -> RowRule:
    """The compiled row rule of *view* over *columns*; *known* is what else is known of all of them."""
    assert view.where is not None
    return _compile(
        view, {name: (at, _column(view, name, locale, **known)) for at, name in enumerate(columns)}
    )


def _record_rule(view: BandView, locale: str | None, null_values: tuple[str, ...]) -> _Rule:
    from datasources.filters import fields_of

    assert view.where is not None
    fields = tuple(sorted(fields_of(view.where)))
    undeclared = [field for field in fields if field not in view.declared]
    if undeclared:
        raise AccessError(
            f"The row rule of the band {view.band} asks for “{undeclared[0]}”, and records name no columns: declare"
            " the field.",
            source=view.source,
        )
    columns = {
        name: (at, _column(view, name, locale, null_values=null_values)) for at, name in enumerate(fields)
    }
    return _Rule(_compile(view, columns), fields)


def _compile(view: BandView, columns: Mapping[str, tuple[int, RuleColumn]]) -> RowRule:
    assert view.where is not None
    try:
        return compile_rule(view.where, columns, view.compile_test)
    except KeyError as error:
        raise AccessError(
            f"The row rule of the band {view.band} asks for “{error.args[0]}”, which the data do not have: correct"
            " the rule, or the source.",
            source=view.source,
        ) from error


def _column(view: BandView, name: str, locale: str | None, **known: Any) -> RuleColumn:
    return RuleColumn(name, view.declared.get(name), locale=locale, **known)


# ---- records ----


def _fitting(elements: Sequence[object], found: _Rule | None, *, is_root: bool) -> list[object]:
    if found is None or not elements:
        return list(elements)
    columns = {
        at: [_cell_of(element, name, is_root) for element in elements] for at, name in enumerate(found.fields)
    }
    fits = fitting_rows(found.rule, columns)
    return [element for element, is_visible in zip(elements, fits, strict=True) if is_visible]


def _cell_of(element: object, name: str, is_root: bool) -> Cell:
    """What the column *name* of a band of records has for *element*."""
    if isinstance(element, Mapping):
        value = element[name] if name in element else _below(element, name)
    elif is_root and isinstance(element, list | tuple):
        place = name.removeprefix("column_")
        value = element[int(place) - 1] if place.isdecimal() and 0 < int(place) <= len(element) else None
    else:
        value = element if name == VALUE else None
    return _plain(value)


def _below(record: Record, name: str) -> Any:
    """The value at the path that *name* is, `parent.child`; a key may have points of its own."""
    for at, mark in enumerate(name):
        inner = record.get(name[:at]) if mark == "." else None
        if isinstance(inner, Mapping):
            rest = name[at + 1 :]
            found = inner[rest] if rest in inner else _below(inner, rest)
            if found is not None:
                return found
    return None


def _plain(value: Any) -> Cell:
    if isinstance(value, list | tuple):
        return None if holds_object(value) else compact_json(value)
    if isinstance(value, Mapping):
        return None
    if isinstance(value, Digits):
        return str(value)
    return mend(value) if isinstance(value, str) else value


def _pruned_root(element: object, rules: Mapping[str, _Rule]) -> object:
    """A record (or, of a grid, a row) with the arrays in it cut to what fits."""
    if isinstance(element, list | tuple):
        cells = [_pruned(cell, (f"column_{at}",), rules) for at, cell in enumerate(element, start=1)]
        return [None if cell is _NOTHING else cell for cell in cells]
    return _pruned(element, (), rules)


def _pruned(value: Any, path: tuple[str, ...], rules: Mapping[str, _Rule]) -> Any:
    """*value* with the arrays in it cut to what fits; what has none is handed on as it is."""
    if isinstance(value, Mapping):
        changed = {key: _pruned(inner, (*path, key), rules) for key, inner in value.items()}
        if all(changed[key] is value[key] for key in value):
            return value
        return {key: inner for key, inner in changed.items() if inner is not _NOTHING}
    if isinstance(value, list | tuple):
        rule = rules.get(mend(".".join(path)))
        if rule is None and not holds_object(value):
            return value
        kept = _fitting(value, rule, is_root=False)
        if rule is not None and not kept:
            return _NOTHING  # an array of nothing but hidden rows is none
        # What is no object there stands in a column of its own.
        elements = [
            _pruned(element, path if isinstance(element, Mapping) else (*path, VALUE), rules)
            for element in kept
        ]
        return [None if element is _NOTHING else element for element in elements]
    return value
