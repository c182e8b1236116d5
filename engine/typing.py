"""Decides the type of every column from all of its cells (spec 2), and reads single cells accordingly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Literal

from datasources.base import Cell, DataWarning, DecimalStyle
from engine import dates, numbers
from engine.cleaning import DATE_NULL_TOKENS, is_null_token, strip
from engine.names import name_tokens

FieldType = Literal["text", "number", "date", "datetime", "boolean"]
Typed = str | int | float | bool | None
"""A typed cell: text, an integer at the column's scale (or a float in a DOUBLE column), a date's text, a boolean."""

NEAR_MISS_TENTHS = 9
"""A text column of which these tenths read as one type get a warning (spec 2, numbers, 8)."""
SAMPLE_SIZE = 3

DOCUMENT_LENGTHS: Mapping[str, frozenset[int]] = {
    "cpf": frozenset({11}),
    "cnpj": frozenset({14}),
    "cep": frozenset({8}),
    "chave": frozenset({44}),
    "gtin": frozenset({8, 12, 13, 14}),
    "ean": frozenset({8, 12, 13, 14}),
}
"""Brazilian documents that look like numbers: name token → digits (spec 2, numbers, 5)."""

_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Coercion:
    """How a column's cells were read, and what spoke for it."""

    style: str
    """`br`, `point`, `plain`, `native`, a date format, `boolean`, or `text` where something kept it text."""
    evidence: Mapping[str, int | str]
    """Cells for and against, by kind; `decided_by` names the rule that decided."""
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The verdict on a column: everything that is needed to read one of its cells."""

    name: str
    type: FieldType
    unit: str | None = None
    scale: int = 0
    """Digits behind the decimal mark: a typed number is `value * 10**scale`."""
    double: bool = False
    """Whether the numbers are binary floating point, since DECIMAL cannot hold them."""
    style: str = "plain"
    day_first: bool = True
    compact: bool = False
    coercion: Coercion | None = None
    null_values: tuple[str, ...] = ()


@dataclass(slots=True)
class ColumnEvidence:
    """What the cells of one column say: a state with `add` and `merge`; order does not matter."""

    cells: int = 0
    """Cells that hold something, null tokens included."""
    tokens: int = 0
    date_tokens: int = 0
    booleans: int = 0
    numbers: numbers.NumberEvidence = field(default_factory=numbers.NumberEvidence)
    dates: dates.DateEvidence = field(default_factory=dates.DateEvidence)
    natives: set[str] = field(default_factory=set)
    """Kinds of cells that came typed: `number`, `date`, `boolean`; `text` for the rest."""
    not_finite: int = 0
    not_number: list[str] = field(default_factory=list)
    """A few texts that are no numbers; likewise no dates."""
    not_date: list[str] = field(default_factory=list)
    hopeless: bool = False
    """So much speaks against every type but text that the search was ended."""

    def add(self, value: Cell, count: int, *, compact: bool) -> None:
        """Count *value*, which is stripped text or a native cell, seen *count* times."""
        self.cells += count
        if isinstance(value, str):
            self.natives.add("text")
            self._add_text(value, count, compact)
        elif isinstance(value, bool):
            self.natives.add("boolean")
            self.booleans += count
        elif isinstance(value, date):
            self.natives.add("date")
            self.dates.add(dates.read_native_date(value), count)
        elif value is not None:
            self.natives.add("number")
            cell = numbers.read_native(value)
            if cell is None:
                self.not_finite += count
                self.cells -= count
            else:
                self.numbers.add(cell, count)

    def _add_text(self, text: str, count: int, compact: bool) -> None:
        if text[0] not in numbers.STARTS:
            # No number or date begins like this, so neither grammar needs to be asked.
            self._add_word(text, count)
            return
        number = numbers.read_number(text)
        if number is not None:
            self.numbers.add(number, count)
        moment = dates.read_date(text, compact=compact)
        if moment is not None:
            self.dates.add(moment, count)
        if number is None and moment is None:
            self._add_word(text, count)
        elif moment is None:
            if text in DATE_NULL_TOKENS:
                self.date_tokens += count
            else:
                _keep(self.not_date, text)
        elif number is None:
            _keep(self.not_number, text)

    def _add_word(self, text: str, count: int) -> None:
        """Count a text that is neither number nor date."""
        if is_null_token(text):
            self.tokens += count
        elif text in DATE_NULL_TOKENS:
            self.date_tokens += count
        elif text.lower() in _BOOLEANS:
            self.booleans += count
        else:
            _keep(self.not_number, text)
            _keep(self.not_date, text)

    def merge(self, other: ColumnEvidence) -> None:
        """Take in what *other* saw in other rows of the same column."""
        self.cells += other.cells
        self.tokens += other.tokens
        self.date_tokens += other.date_tokens
        self.booleans += other.booleans
        self.numbers.merge(other.numbers)
        self.dates.merge(other.dates)
        self.natives |= other.natives
        self.not_finite += other.not_finite
        self.not_number = sorted({*self.not_number, *other.not_number})[:SAMPLE_SIZE]
        self.not_date = sorted({*self.not_date, *other.not_date})[:SAMPLE_SIZE]
        self.hopeless |= other.hopeless


def _keep(sample: list[str], text: str) -> None:
    """Keep the first few texts by value, whatever order the cells come in."""
    if len(sample) < SAMPLE_SIZE:
        sample.append(text)
        sample.sort()
    elif text < sample[-1] and text not in sample:
        sample[-1] = text
        sample.sort()


def observe(counts: Mapping[Cell, int], name: str, *, patient: bool = True) -> ColumnEvidence:
    """
    The evidence of the distinct cells *counts* (stripped text or native, no nulls) of the column *name*.

    Unless *patient*, the search ends as soon as more than a tenth of the cells fit neither number nor
    date: the column is text then, whatever the rest holds.
    """
    evidence = ColumnEvidence()
    compact = allows_compact(name)
    total = sum(counts.values())
    misses_max = total if patient else total * (10 - NEAR_MISS_TENTHS) // 10
    seen = 0
    for value, count in counts.items():
        evidence.add(value, count, compact=compact)
        seen += count
        if not patient:
            fitting = max(evidence.numbers.cells, evidence.dates.cells) + evidence.tokens + evidence.date_tokens
            if seen - fitting - evidence.booleans - evidence.not_finite > misses_max:
                evidence.hopeless = True
                evidence.cells = total
                break
    return evidence


def allows_compact(name: str) -> bool:
    """Whether a column of this name may hold dates as `YYYYMMDD`."""
    return not dates.COMPACT_TOKENS.isdisjoint(name_tokens(name))


def decide_types(
    names: Sequence[str],
    evidence: Sequence[ColumnEvidence],
    *,
    band: str,
    locale: str | None,
    source: DecimalStyle,
    null_values: tuple[str, ...] = (),
) -> tuple[tuple[ColumnType, ...], tuple[DataWarning, ...]]:
    """
    The type of every column of a band, in order, with the warnings about what was assumed.

    Each column is decided from its own cells; where those leave the decimal mark open, the locale, the
    plain cells and then the other columns speak (spec 2, numbers, 1).
    """
    warnings: list[DataWarning] = []
    declared = numbers.style_of_locale(locale)
    proven = [_proven_style(one) for one in evidence]
    proofs: dict[DecimalStyle, int] = {style: proven.count(style) for style in ("br", "point")}
    columns: list[ColumnType] = []
    for own, name, one in zip(proven, names, evidence, strict=True):
        others: list[DecimalStyle] = [style for style, count in proofs.items() if count > (style == own)]
        neighbours = others[0] if len(others) == 1 else None
        column, found = _decide(name, one, band, locale, declared, neighbours, source)
        columns.append(replace(column, null_values=null_values) if null_values else column)
        warnings += found
    return tuple(columns), tuple(warnings)


def _proven_style(evidence: ColumnEvidence) -> DecimalStyle | None:
    """The one style that the unambiguous cells of a number column prove, if they do."""
    if evidence.hopeless or not evidence.numbers.cells:
        return None
    if evidence.cells - evidence.tokens != evidence.numbers.cells or numbers.obstacle(evidence.numbers):
        return None
    styles = evidence.numbers.own_styles
    return next(iter(styles)) if len(styles) == 1 else None


def _decide(
    name: str,
    evidence: ColumnEvidence,
    band: str,
    locale: str | None,
    declared: DecimalStyle | None,
    neighbours: DecimalStyle | None,
    source: DecimalStyle,
) -> tuple[ColumnType, list[DataWarning]]:
    warnings: list[DataWarning] = []
    if evidence.not_finite:
        warnings.append(
            DataWarning(
                "not_finite",
                f"{evidence.not_finite} cell(s) of “{name}” are NaN or infinite and count as null.",
                band,
                name,
                evidence.not_finite,
            )
        )
    if evidence.hopeless or not evidence.cells - evidence.tokens:
        return ColumnType(name, "text"), warnings
    speaking = evidence.cells - evidence.tokens
    if evidence.booleans == speaking:
        style = "native" if evidence.natives == {"boolean"} else "boolean"
        return ColumnType(name, "boolean", coercion=_coercion(style, evidence, {style: speaking})), warnings
    if evidence.dates.cells and evidence.dates.cells == speaking - evidence.date_tokens:
        column = _decide_date(name, evidence, band, locale, warnings)
        if column is not None:
            return column, warnings
    if evidence.numbers.cells == speaking:
        return _decide_number(name, evidence, band, declared, neighbours, source, warnings), warnings
    near = _near_miss(name, evidence, speaking, band)
    return ColumnType(name, "text", coercion=near and near[0]), warnings + ([near[1]] if near else [])


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
    pattern = next(iter(evidence.dates.formats))
    style = pattern.replace("D", "DD").replace("M", "MM").replace("Y", "YYYY") if "/Y" in pattern else pattern
    style = {"D-M-Y": "DD-MM-YYYY", "D.M.Y": "DD.MM.YYYY"}.get(pattern, style)
    if first == "month":
        style = "MM" + style[2] + "DD" + style[5:]
    facts: dict[str, int | str] = {style: evidence.dates.cells}
    if evidence.dates.separated:
        facts["day_over_12"] = evidence.dates.first_over_12 if first == "day" else evidence.dates.second_over_12
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
    kind: FieldType = "datetime" if evidence.dates.timed else "date"
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
    band: str,
    declared: DecimalStyle | None,
    neighbours: DecimalStyle | None,
    source: DecimalStyle,
    warnings: list[DataWarning],
) -> ColumnType:
    found = evidence.numbers
    facts: dict[str, int | str] = {
        **{kind: found.kinds[kind] for kind in numbers.KINDS if kind in found.kinds},
        **{unit: found.units[unit] for unit in sorted(found.units)},
    }
    obstacle = numbers.obstacle(found)
    if obstacle is None and is_document(name, found):
        obstacle_name: str | None = "document"
    else:
        obstacle_name = obstacle
    if obstacle_name is not None:
        if obstacle_name in _OBSTACLES:
            warnings.append(
                DataWarning(obstacle_name, _OBSTACLES[obstacle_name].format(name=name), band, name, found.cells)
            )
        if found.leading_zero:
            facts["leading_zero"] = found.leading_zero
        facts["decided_by"] = obstacle_name
        return ColumnType(name, "text", coercion=_coercion("text", evidence, facts))
    style, decider = numbers.settle(found, declared, neighbours, source)
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
                f"In “{name}” the “{mark}” was read as {meaning} (style {style}); {found.ambiguous} cell(s) could "
                f"also be read in style {other}. Declare the locale to settle it.",
                band,
                name,
                found.ambiguous,
            )
        )
    scale = numbers.scale_of(found, style)
    native = found.kinds.get("native", 0) == found.cells
    double = found.decimals.get("native", 0) > numbers.DECIMALS_NATIVE_MAX and "number" in evidence.natives
    if found.integer_digits + scale > numbers.DECIMAL_DIGITS_MAX:
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
        unit=next(iter(found.units), None),
        scale=0 if double else scale,
        double=double,
        style=style,
        coercion=_coercion("native" if native else style, evidence, facts, assumed),
    )


def is_document(name: str, evidence: numbers.NumberEvidence) -> bool:
    """Whether a column of plain digits is a document by its name and the length of its cells (spec 2, numbers, 5)."""
    low, high = evidence.lengths
    if evidence.cells != evidence.kinds.get("plain", 0) or evidence.signed_plain:
        return False
    tokens = name_tokens(name)
    return any(token in tokens and {low, high} <= lengths for token, lengths in DOCUMENT_LENGTHS.items())


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


def read_cell(value: Cell, column: ColumnType) -> Typed:
    """
    One cell of *column*, as its type reads it; null tokens and empty text become None.

    Works for any cell that was among the column's evidence; for others, what does not fit is None.
    """
    if isinstance(value, str):
        value = strip(value)
        if not value or value in column.null_values:
            return None
    elif value is None:
        return None
    match column.type:
        case "text":
            return text_of(value)
        case "number":
            return _read_number(value, column)
        case "boolean":
            return value if isinstance(value, bool) else _BOOLEANS.get(str(value).lower())
        case _:
            return _read_date(value, column)


def _read_number(value: Cell, column: ColumnType) -> int | float | None:
    if isinstance(value, str):
        cell = numbers.read_number(value)
    elif isinstance(value, bool | date) or value is None:
        return None
    else:
        if column.double:
            number = float(value)
            return number if number - number == 0 else None
        cell = numbers.read_native(value)
    if cell is None:
        return None
    decimals = numbers.decimals_in(cell, column.style)
    if column.double:
        # A quotient of integers is rounded once, so this is the double nearest to what was written.
        return cell.digits / 10**decimals
    return cell.digits * 10 ** (column.scale - decimals)  # type: ignore[no-any-return]


def _read_date(value: Cell, column: ColumnType) -> str | None:
    if isinstance(value, date):
        cell: dates.DateCell | None = dates.read_native_date(value)
    elif isinstance(value, str):
        cell = dates.read_date(value, compact=column.compact)
    else:
        return None
    if cell is None:
        return None
    first: Literal["day", "month"] = "day" if column.day_first else "month"
    return dates.day_text(cell, first) if column.type == "date" else dates.moment_text(cell, first)


def text_of(value: Cell) -> str:
    """The text of a cell in a column that stays text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    return repr(value) if isinstance(value, float) else str(value)
