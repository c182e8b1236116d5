"""Decides the type of every column from what all of its cells say (spec 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from datasources.base import DataWarning, DecimalStyle, Declared, FieldType, RawBand, counted
from datasources.locales import style_of_locale
from engine import dates, declared, numbers
from engine.columns import Coercion, ColumnType
from engine.evidence import NEAR_MISS_TENTHS, ColumnEvidence
from engine.names import name_tokens

DOCUMENT_LENGTHS: Mapping[str, frozenset[int]] = {
    "cpf": frozenset({11}),
    "cnpj": frozenset({14}),
    "cep": frozenset({8}),
    "chave": frozenset({44}),
    "gtin": frozenset({8, 12, 13, 14}),
    "ean": frozenset({8, 12, 13, 14}),
}
"""Brazilian documents that look like numbers: name token → digits (spec 2, numbers, 5)."""


def decide_types(
    raw: RawBand, evidence: Sequence[ColumnEvidence]
) -> tuple[tuple[ColumnType, ...], tuple[DataWarning, ...]]:
    """
    The type of every column of *raw*, in order, with the warnings about what was assumed.

    Each column is decided from its own cells; where those leave the decimal mark open, the locale, the
    plain cells and then the other columns speak (spec 2, numbers, 1).
    """
    warnings: list[DataWarning] = []
    kinds = [declared.kind_of(raw, position) for position in range(len(evidence))]
    proven = [
        _proven_style(one) if kind is None else _declared_style(one, kind)
        for one, kind in zip(evidence, kinds, strict=True)
    ]
    proofs: dict[DecimalStyle, int] = {style: proven.count(style) for style in ("br", "point")}
    natives = raw.native_types or (None,) * len(evidence)
    columns: list[ColumnType] = []
    for own, name, native, one, kind in zip(proven, raw.columns, natives, evidence, kinds, strict=True):
        neighbours = _neighbours(own, proofs) if one.numbers.ambiguous else None
        if kind is None:
            column, found = _decide(name, one, raw, neighbours, native or "text")
        else:
            column, found = _decide_declared(name, kind, one, raw, neighbours)
        if name in raw.declared:
            column = _with_declared(column, raw.declared[name], is_typed=kind is not None)
        columns.append(replace(column, null_values=raw.null_values) if raw.null_values else column)
        warnings += found
    return tuple(columns), tuple(warnings)


def _neighbours(own: DecimalStyle | None, proofs: Mapping[DecimalStyle, int]) -> DecimalStyle | None:
    """The one style that columns other than the one of style *own* prove, if they do."""
    others = [style for style, count in proofs.items() if count > (style == own)]
    return others[0] if len(others) == 1 else None


def _proven_style(evidence: ColumnEvidence) -> DecimalStyle | None:
    """The one style that the unambiguous cells of a number column prove, if they do."""
    if evidence.hopeless or not evidence.numbers.cells:
        return None
    styles = evidence.numbers.own_styles
    if len(styles) != 1 or evidence.cells - evidence.tokens != evidence.numbers.cells:
        return None
    return None if numbers.obstacle(evidence.numbers) else next(iter(styles))


def _declared_style(evidence: ColumnEvidence, kind: FieldType) -> DecimalStyle | None:
    """The one style that the cells of a declared number column prove, if they do."""
    styles = evidence.numbers.own_styles if kind == "number" else ()
    return next(iter(styles)) if len(styles) == 1 else None


def _with_declared(column: ColumnType, said: Declared, *, is_typed: bool) -> ColumnType:
    return replace(
        column,
        declared=is_typed,
        role=said.role,
        declared_unit=said.unit,
        label=said.label,
        masked=said.masked,
    )


def _decide_declared(
    name: str, kind: FieldType, evidence: ColumnEvidence, raw: RawBand, neighbours: DecimalStyle | None
) -> tuple[ColumnType, list[DataWarning]]:
    """A column whose type is declared: how its cells are written is decided from those that fit."""
    warnings = _not_finite(name, evidence, raw.name)
    match kind:
        case "number" if evidence.numbers.cells:
            return _decide_number(name, evidence, raw, neighbours, warnings, is_declared=True), warnings
        case "date" | "datetime" if evidence.dates.cells:
            first, assumed = declared.settle_order(evidence.dates, raw.locale)
            column = _date_column(name, kind, evidence, raw.name, first, assumed, warnings)
            return replace(column, compact=True), warnings
        case "boolean":
            return ColumnType(name, kind, coercion=_coercion("boolean", evidence, {})), warnings
    return ColumnType(name, kind, compact=kind in declared.DATES), warnings


def _not_finite(name: str, evidence: ColumnEvidence, band: str) -> list[DataWarning]:
    if not evidence.not_finite:
        return []
    count = evidence.not_finite
    message = (
        f"{counted(count, 'cell', 'cells')} of “{name}” {'is' if count == 1 else 'are'} NaN or infinite and "
        f"{'counts' if count == 1 else 'count'} as null."
    )
    return [DataWarning("not_finite", message, band, name, evidence.not_finite)]


def _decide(
    name: str, evidence: ColumnEvidence, raw: RawBand, neighbours: DecimalStyle | None, native: FieldType
) -> tuple[ColumnType, list[DataWarning]]:
    band = raw.name
    warnings = _not_finite(name, evidence, band)
    if evidence.hopeless:
        return _text_column(name), warnings
    if not evidence.cells - evidence.tokens:
        return ColumnType(name, native), warnings
    speaking = evidence.cells - evidence.tokens
    if evidence.booleans == speaking:
        style = "native" if evidence.natives == {"boolean"} else "boolean"
        return ColumnType(name, "boolean", coercion=_coercion(style, evidence, {style: speaking})), warnings
    if evidence.dates.cells and evidence.dates.cells == speaking - evidence.date_tokens:
        column = _decide_date(name, evidence, band, raw.locale, warnings)
        if column is not None:
            return column, warnings
    if evidence.numbers.cells == speaking:
        column = _decide_number(name, evidence, raw, neighbours, warnings)
        if column.type == "number":
            return column, warnings
        # Compact dates are plain digits too: what keeps them from being numbers may be one odd cell among them.
        near = _near_miss(name, evidence, speaking, band)
    else:
        near = _near_miss(name, evidence, speaking, band)
        column = _text_column(name) if near is None else ColumnType(name, "text", coercion=near[0])
    return column, warnings + ([near[1]] if near else [])


@lru_cache(maxsize=4096)
def _text_column(name: str) -> ColumnType:
    """A text column of which there is nothing to tell: many reports have the same."""
    return ColumnType(name, "text")


def _decide_date(
    name: str, evidence: ColumnEvidence, band: str, locale: str | None, warnings: list[DataWarning]
) -> ColumnType | None:
    verdict = dates.settle_dates(evidence.dates, locale)
    if verdict == "day_and_month":
        warnings.append(
            DataWarning(
                "day_and_month",
                f"“{name}” has dates that prove day first and others that prove month first, so it stays text.",
                band,
                name,
                evidence.dates.cells,
            )
        )
    if isinstance(verdict, str):
        return None
    first, assumed = verdict
    kind: FieldType = "datetime" if evidence.dates.timed else "date"
    return _date_column(name, kind, evidence, band, first, assumed, warnings)


_SEPARATED_STYLES = {"D/M/Y": "DD/MM/YYYY", "D-M-Y": "DD-MM-YYYY", "D.M.Y": "DD.MM.YYYY"}


def _date_column(
    name: str,
    kind: FieldType,
    evidence: ColumnEvidence,
    band: str,
    first: Literal["day", "month"],
    assumed: bool,
    warnings: list[DataWarning],
) -> ColumnType:
    # The commonest one, the first by name among equals: a declared column may have several.
    pattern = min(evidence.dates.formats, key=lambda one: (-evidence.dates.formats[one], one))
    style = _SEPARATED_STYLES.get(pattern, pattern)
    if first == "month" and "Y" in pattern[4:]:  # a separated one
        style = "MM" + style[2] + "DD" + style[5:]
    facts: dict[str, int | str] = {style: evidence.dates.cells}
    if evidence.dates.separated:
        facts["day_over_12"] = (
            evidence.dates.first_over_12 if first == "day" else evidence.dates.second_over_12
        )
    if evidence.dates.timed:
        facts["not_midnight"] = evidence.dates.timed
    if assumed:
        warnings.append(
            DataWarning(
                "assumed_day_first",
                f"The dates of “{name}” were read day first ({style}); no cell rules out month first.",
                band,
                name,
                evidence.dates.cells,
            )
        )
    return ColumnType(
        name,
        kind,
        style=style,
        day_first=first == "day",
        compact=pattern == "YYYYMMDD",
        coercion=_coercion(style, evidence, facts, assumed),
    )


_OBSTACLES: Mapping[str, str] = {
    "two_styles": "“{name}” mixes decimal commas and decimal points, so it stays text.",
    "two_currencies": "“{name}” mixes currencies, so it stays text.",
    "mixed_percent": "“{name}” has percentages and other numbers, so it stays text.",
}


def _decide_number(
    name: str,
    evidence: ColumnEvidence,
    raw: RawBand,
    neighbours: DecimalStyle | None,
    warnings: list[DataWarning],
    *,
    is_declared: bool = False,
) -> ColumnType:
    found, band = evidence.numbers, raw.name
    facts: dict[str, int | str] = {
        kind: found.kinds[kind] for kind in sorted(found.kinds, key=numbers.KINDS.index)
    }
    for unit_seen in sorted(found.units):
        facts[unit_seen] = found.units[unit_seen]
    obstacle = None if is_declared else numbers.obstacle(found)
    if is_declared:
        obstacle_name: str | None = None
    elif obstacle is None and is_document(name, found):
        obstacle_name = "document"
    else:
        obstacle_name = obstacle
    if obstacle_name is not None:
        if obstacle_name in _OBSTACLES:
            warnings.append(
                DataWarning(
                    obstacle_name, _OBSTACLES[obstacle_name].format(name=name), band, name, found.cells
                )
            )
        if found.leading_zero:
            facts["leading_zero"] = found.leading_zero
        facts["decided_by"] = obstacle_name
        return ColumnType(name, "text", coercion=_coercion("text", evidence, facts))
    locale = style_of_locale(raw.locale)
    style, decider = numbers.settle(found, locale, neighbours, raw.decimal_style)
    unit = next(iter(found.units), None)
    if is_declared:
        said = raw.declared[name]
        unit = declared.settle_unit(found, said.unit)
        if len(found.own_styles) > 1:
            style = declared.settle_style(found, locale, raw.decimal_style)
    if found.ambiguous:
        facts["decided_by"] = decider
    assumed = decider in ("plain", "neighbours", "groups", "source")
    if assumed:
        other = "point" if style == "br" else "br"
        mark = "." if found.kinds.get("dot") else ","
        meaning = "thousands" if (mark == ".") == (style == "br") else "decimals"
        warnings.append(
            DataWarning(
                "assumed_style",
                f"In “{name}” the “{mark}” was read as {meaning} (style {style}); "
                f"{counted(found.ambiguous, 'cell', 'cells')} could also be read in style {other}. "
                "Declare the locale to settle it.",
                band,
                name,
                found.ambiguous,
            )
        )
    scale = declared.scale_in(found, style) if is_declared else numbers.scale_of(found, style)
    native = found.kinds.get("native", 0) == found.cells
    # Native decimals keep theirs, however many; floating point has no more than nine (spec 2, numbers, 7).
    double = found.floats > 0 and found.decimals.get("native", 0) > numbers.DECIMALS_NATIVE_MAX
    if found.integer_digits + (0 if double else scale) > numbers.DECIMAL_DIGITS_MAX:
        double = True
        warnings.append(
            DataWarning(
                "not_decimal",
                f"“{name}” has more than {numbers.DECIMAL_DIGITS_MAX} digits and is kept in floating point.",
                band,
                name,
                found.cells,
            )
        )
    return ColumnType(
        name,
        "number",
        unit=unit,
        scale=0 if double else scale,
        double=double,
        style=style,
        coercion=_coercion("native" if native else style, evidence, facts, assumed),
    )


def is_document(name: str, evidence: numbers.NumberEvidence) -> bool:
    """Whether a column of plain digits is a document by its name and the length of its cells (spec 2, numbers, 5)."""
    if evidence.cells != evidence.kinds.get("plain", 0) or evidence.signed_plain:
        return False
    tokens = name_tokens(name)
    return any(token in tokens and evidence.lengths <= lengths for token, lengths in DOCUMENT_LENGTHS.items())


def _near_miss(
    name: str, evidence: ColumnEvidence, speaking: int, band: str
) -> tuple[Coercion, DataWarning] | None:
    for code, kind, fitting, misses in (
        ("almost_date", "dates", evidence.dates.cells, evidence.not_date),
        ("almost_number", "numbers", evidence.numbers.cells, evidence.not_number),
    ):
        if kind == "numbers" and numbers.obstacle(evidence.numbers) is not None:
            continue  # codes and keys with an odd one among them were never going to be numbers
        if fitting < speaking and fitting * 10 >= NEAR_MISS_TENTHS * speaking:
            count = speaking - fitting
            warning = DataWarning(
                code,
                f"{fitting} of {speaking} cells of “{name}” read as {kind}, but {count} do not, so it stays text.",
                band,
                name,
                count,
                tuple(misses),
            )
            return _coercion("text", evidence, {kind: fitting, f"not_{kind}": count}), warning
    return None


def _coercion(
    style: str, evidence: ColumnEvidence, facts: Mapping[str, int | str], assumed: bool = False
) -> Coercion:
    shown = dict(facts)
    if evidence.tokens:
        shown["null_tokens"] = evidence.tokens
    return Coercion(style, shown, assumed)
