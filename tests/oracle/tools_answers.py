"""What the tools must answer: every question worked out row by row, in fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from tests.oracle.tools_amounts import Num, Value, moment_key, number, plain, value_of
from tests.oracle.tools_kinds import Column
from tests.oracle.tools_rows import column_of, conditions, nodes, printed, rows_of
from tests.oracle.tools_tables import Band, World
from tests.oracle.tools_values import Refused

REASONS: Mapping[str, str] = {
    "unknown": "does not exist",
    "which_band": "several bands",
    "field_needed": "needs a field",
    "meaningless": "makes no sense",
    "number_needed": "needs a number",
    "no_edge": "which have no",
    "text_needed": "needs a text",
    "no_number": "and “.*” is not one: write 1234",
    "other_unit": "give the number alone",
    "two_readings": "could mean thousands or decimals",
    "no_day": "is not one: write 2026",
    "no_order": "have no order",
    "no_boolean": "is a boolean, and",
    "same_field": "is named twice",
    "no_period": "A period needs a date",
    "two_dates": "and .* are dates",
    "no_date": "has no date",
    "which_date": "may be of several dates",
    "no_comparison": "is not a number, so there is no difference",
    "large_filter": "more than 50 conditions",
    "wrong_filter": "is not a filter",
    "too_long": "more than 100000 characters",
    "no_text": "does not exist|is not a filter|cannot be used",
}
"""Why a question is refused, and what its note says then."""

AVERAGED = ("measure", "%", "rate")
NODES_MAX = 50
GROUPS_MAX = 200


@dataclass
class Expected:
    """An answer without its facts and sentences."""

    answer: dict[str, Any]
    says: list[str]
    """What the note must say, as regular expressions."""
    is_silent: bool
    """Whether the note must be null."""


def expected(world: World, tool: str, given: Mapping[str, Any]) -> Expected | set[str]:
    """The answer to *given*, or the reasons of which its refusal gives one."""
    oracle = {"sulfite_aggregate_data": aggregate, "sulfite_group_by": group_by, "sulfite_compare": compare}
    wheres = [one for name in ("filter", "a", "b") if isinstance(one := given.get(name), dict)]
    reasons = {"no_text"} if _has_half_a_pair(given, wheres) else set()
    if any(nodes(where) > NODES_MAX for where in wheres):
        reasons |= {"large_filter", "wrong_filter"}  # too deep, or too many
    try:
        found = oracle[tool](world, given, reasons)
    except Refused as error:
        return {error.reason, *reasons}
    return reasons or found


def _has_half_a_pair(given: Mapping[str, Any], wheres: Sequence[Any]) -> bool:
    """Whether a field is called what UTF-8 cannot hold, so that no field can be."""
    by = given.get("by", [])
    names = [given.get("field"), given.get("band"), *([by] if isinstance(by, str) else by)]
    names += [one["field"] for where in wheres for one in conditions(where)]
    return any("\ud800" <= mark <= "\udfff" for name in names if name for mark in name)


# ---- which band, and what may be asked of it ----


def band_of(world: World, given: Mapping[str, Any], where: Any) -> Band:
    """The band that is meant."""
    if (name := given.get("band")) is not None:
        for band in world.bands:
            if name in (band.name, *band.names):
                return band
        raise Refused("unknown")
    if len(world.bands) == 1:
        return world.bands[0]
    field = given.get("field")
    named = [*([] if field is None else [field]), *given.get("by", [])]
    named += sorted(one["field"] for one in conditions(where))
    if not named:
        raise Refused("which_band")
    for wanted in (named, named[:1]):
        found = [band for band in world.bands if all(map(band.column, wanted))]
        if found:
            if len(found) > 1:
                raise Refused("which_band")
            return found[0]
    raise Refused("unknown")


def check_verb(verb: str, column: Column | None) -> None:
    """Raise Refused where *verb* means nothing."""
    if column is None:
        if verb not in ("COUNT", "SHARE"):
            raise Refused("field_needed")
    elif column.is_silent or verb in ("COUNT", "DISTINCT"):
        return
    elif verb in ("MIN", "MAX"):
        if column.type == "boolean":
            raise Refused("no_edge")
    elif column.type != "number":
        raise Refused("number_needed")
    elif column.role not in (("measure",) if verb in ("SUM", "SHARE") else AVERAGED):
        raise Refused("meaningless")


# ---- the tools ----


def aggregate(world: World, given: Mapping[str, Any], reasons: set[str]) -> Expected:
    """`sulfite_aggregate_data`."""
    where = given.get("filter")
    band, column, verb = _asked(world, given, where, reasons)
    rows = rows_of(band, where, reasons)
    if reasons:
        raise Refused(next(iter(reasons)))
    value = value_of(verb, column, rows, range(band.rows))
    says = _says(verb, column, rows, value, where)
    answer = {
        "verb": verb,
        "field": given.get("field"),
        "result": value.shown,
        "band": band.name,
        "filter": where,
        "rows": Num(str(len(rows))),
    }
    return Expected(answer, [*says, *_slip(band, where, rows)], not says and _has_no_slip(band, where, rows))


def _asked(
    world: World, given: Mapping[str, Any], where: Any, reasons: set[str]
) -> tuple[Band, Column | None, str]:
    band = band_of(world, given, where)
    column = None if given.get("field") is None else column_of(band, given["field"])
    verb = str(given["verb"]).upper()
    try:
        check_verb(verb, column)
    except Refused as error:
        reasons.add(error.reason)
    return band, column, verb


def _says(verb: str, column: Column | None, rows: Sequence[int], value: Value, where: Any) -> list[str]:
    if not rows:
        return ["No row matches the filter" if where else "The band has no rows"]
    nulls = 0 if column is None else sum(column.cells[row] is None for row in rows)
    if value.shown is None:
        if column is not None and nulls == len(rows):
            return [f"None of the {len(rows)} rows has a value in"]
        return ["STDDEV needs two values or more"] if verb == "STDDEV" else ["The whole is 0"]
    if nulls and verb != "COUNT":
        some = f"{nulls} of the {len(rows)} rows have" if nulls > 1 else f"One of the {len(rows)} rows has"
        return [f"{some} no value in"]
    return []


def _slip(band: Band, where: Any, rows: Sequence[int]) -> list[str]:
    """Of one condition that finds nothing, why."""
    if rows or where is None or "field" not in where or not band.rows:
        return []
    column = column_of(band, where["field"])
    if column.type == "text" and where["op"] == "=":
        return ["No row has “"]
    if column.type == "number" and column.role != "id" and where["op"] != "is_null":
        return ["goes from"] if any(cell is not None for cell in column.cells) else []
    return []


def _has_no_slip(band: Band, where: Any, rows: Sequence[int]) -> bool:
    """Whether nothing is to be said of the filter."""
    if not rows:
        return where is None
    return not any(
        one["op"] in ("=", "in") and column_of(band, one["field"]).type == "text" for one in conditions(where)
    )


def group_by(world: World, given: Mapping[str, Any], reasons: set[str]) -> Expected:
    """`sulfite_group_by`."""
    where, period, by = given.get("filter"), given.get("period"), given["by"]
    by = [by] if isinstance(by, str) else by
    if len(set(by)) < len(by):
        reasons.add("same_field")
    band, column, verb = _asked(world, {**given, "by": by}, where, reasons)
    keys = [column_of(band, name) for name in by]
    dated = [key for key in keys if key.type in ("date", "datetime")]
    if period is not None and not dated and not any(key.is_silent for key in keys):
        reasons.add("no_period")
    if period is not None and len(dated) > 1:
        reasons.add("two_dates")
    rows = rows_of(band, where, reasons)
    if reasons:
        raise Refused(next(iter(reasons)))
    groups: dict[tuple[Any, ...], list[int]] = {}
    for row in rows:
        groups.setdefault(tuple(group_key(key, row, period) for key in keys), []).append(row)
    null = groups.pop((None,), None)
    measured = [(key, found, value_of(verb, column, found, rows)) for key, found in groups.items()]
    order = given.get("order") or ("group" if period and not given.get("top") else "desc")
    measured = _ordered(measured, keys, order, period)
    top = given.get("top") or GROUPS_MAX
    named, cut = measured[:top], measured[top:]
    shown = [(_label(keys, key, period), found, value) for key, found, value in named]
    if null is not None:
        shown.append((None, null, value_of(verb, column, null, rows)))
    if cut:
        rest = [row for _, found, _ in cut for row in found]
        shown.append((f"(other {len(cut)})", rest, value_of(verb, column, rest, rows)))
    says = []
    if cut:
        says.append(
            rf"\(other {len(cut)}\) stands for the {f'{len(cut)} groups' if len(cut) > 1 else 'one group'}"
        )
        is_tie = order != "group" and named[-1][2].order == cut[0][2].order is not None
        tied = sum(value.order == cut[0][2].order for _, _, value in [*named, cut[0]])
        says.append(f"{tied} groups or more have the value" if is_tie else "^(?!.*groups or more have)")
    if null is not None:
        says.append("The group null holds the rows without")
    if not rows:
        says.append("No row matches the filter" if where else "The band has no rows")
    answer = {
        "verb": verb,
        "field": given.get("field"),
        "result": [
            {"group": label, "value": value.shown, "rows": Num(str(len(found)))}
            for label, found, value in shown
        ]
        or None,
        "by": by,
        "period": period,
        "band": band.name,
        "filter": where,
        "rows": Num(str(len(rows))),
    }
    return Expected(answer, says, is_silent=False)


def group_key(column: Column, row: int, period: str | None) -> Any:
    """What the cell is gathered into."""
    cell = column.cells[row]
    if column.is_double and cell is not None:
        return float(printed(cell))  # type: ignore[arg-type]  # a double
    if cell is None or period is None or column.type not in ("date", "datetime"):
        return cell
    year, month, day = map(int, str(cell)[:10].split("-"))
    match period:
        case "day":
            return f"{year:04d}-{month:02d}-{day:02d}"
        case "month":
            return f"{year:04d}-{month:02d}"
        case "quarter":
            return f"{year:04d}-Q{(month - 1) // 3 + 1}"
        case "year":
            return f"{year:04d}"
    # ISO 8601: a week belongs to the year that its Thursday is in.
    ordinal = date(year, month, day).toordinal()
    thursday = ordinal - (ordinal - 1) % 7 + 3
    if thursday > date.max.toordinal():
        return "9999-W52"
    year = date.fromordinal(thursday).year
    first = date(year, 1, 4)
    monday = first - timedelta(days=first.weekday()) if year > 1 else date(1, 1, 1)
    return f"{year:04d}-W{(thursday - 3 - monday.toordinal()) // 7 + 1:02d}"


def _label(keys: Sequence[Column], key: tuple[Any, ...], period: str | None) -> Any:
    labels = [_cell(column, cell) for column, cell in zip(keys, key, strict=True)]
    return labels[0] if len(labels) == 1 else labels


def _cell(column: Column, cell: Any) -> Any:
    if cell is None or column.type != "number":
        return cell
    return plain(Decimal(repr(cell)) if column.is_double else cell)


def _ordered(measured: list[Any], keys: Sequence[Column], order: str, period: str | None) -> list[Any]:
    """Groups of equal value by name; those without one last; nulls after all other names."""

    def name(one: Any) -> list[Any]:
        parts = []
        for column, cell in zip(keys, one[0], strict=True):
            parts.append((cell is None, _name_key(column, cell, order, period)))
        return parts

    measured = sorted(measured, key=name)
    if order == "group":
        return measured
    with_value = [one for one in measured if one[2].shown is not None]
    with_value.sort(key=lambda one: one[2].order, reverse=order == "desc")
    return [*with_value, *(one for one in measured if one[2].shown is None)]


def _name_key(column: Column, cell: Any, order: str, period: str | None) -> Any:
    """What a group is called or, where that is asked for, its place in time or by size."""
    if cell is None:
        return ""
    if column.is_double or (column.type == "number" and order == "group"):
        return cell
    if column.type == "datetime" and order == "group" and not period:
        return moment_key(cell)
    label = _cell(column, cell)
    return ("true" if label else "false") if isinstance(label, bool) else label


def compare(world: World, given: Mapping[str, Any], reasons: set[str]) -> Expected:
    """`sulfite_compare`."""
    filters = [given[name] for name in ("a", "b") if not isinstance(given[name], str)]
    band, column, verb = _asked(world, given, {"and": filters} if filters else None, reasons)
    sides = [_side(band, given[name], reasons) for name in ("a", "b")]
    found = [rows_of(band, where, reasons) if where is not None else [] for where in sides]
    if verb in ("MIN", "MAX") and column is not None and column.type != "number" and not column.is_silent:
        reasons.add("no_comparison")
    if reasons:
        raise Refused(next(iter(reasons)))
    values = [value_of(verb, column, rows, range(band.rows)) for rows in found]
    difference = growth = None
    says = []
    if all(one.shown is not None for one in values):
        a, b = (Fraction(Decimal(one.shown)) if one.exact is None else one.exact for one in values)
        if verb in ("AVG", "SHARE") and values[0].exact is not None:
            difference = number(b - a, 2 if verb == "SHARE" else max(2, column.scale if column else 0)).shown
        else:
            shown = [Decimal(one.shown) for one in values]
            difference = plain(Context(prec=1_000).subtract(shown[1], shown[0]))
        if a:
            growth = number((b - a) / abs(a) * 100, 2).shown
            says += ["The first value is negative"] if a < 0 else []
        else:
            says.append("The first value is 0")
    result: dict[str, Any] = {
        name: {"value": value.shown, "filter": where, "rows": Num(str(len(rows)))}
        for name, value, where, rows in zip("ab", values, sides, found, strict=True)
    }
    answer = {
        "verb": verb,
        "field": given.get("field"),
        "result": {**result, "difference": {"value": difference}, "growth": {"value": growth}},
        "band": band.name,
    }
    return Expected(answer, says, not says)


def _side(band: Band, side: Any, reasons: set[str]) -> Any:
    if not isinstance(side, str):
        return side
    dates = [column.name for column in band.columns if column.type in ("date", "datetime")]
    if len(dates) != 1:
        reasons.add("which_date" if dates else "no_date")
        return None
    return {"field": dates[0], "op": "=", "value": side}
