"""What a value that stands in a filter means to a column: read plainly, by the spec's grammar of numbers and days."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from decimal import Decimal

from tests.oracle.tools_kinds import Column

WHITE = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff\u200b" + "".join(
    map(chr, range(0x2000, 0x200B))
)

Json = str | int | bool | Decimal | None | list["Json"] | dict[str, "Json"]


class Refused(Exception):
    """A question that has no answer; the reason is a key of `REASONS`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Span:
    """The first and last day that a value stands for, or one moment."""

    first: str
    last: str
    is_moment: bool = False


Meaning = str | Decimal | bool | Span


def meaning_of(value: Json, column: Column) -> Meaning:
    """What *value* means to *column*; raises Refused where it means nothing."""
    match column.type:
        case "number":
            return number_of(value, column)
        case "date" | "datetime":
            return span_of(value, column)
        case "boolean":
            return boolean_of(value)
    return text_of(value).strip(WHITE)


def text_of(value: Json) -> str:
    """A JSON value as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def boolean_of(value: Json) -> bool:
    """Whether *value* says yes."""
    word = text_of(value).strip(WHITE).lower()
    if word in ("true", "1", "s", "sim", "y", "yes", "verdadeiro"):
        return True
    if word in ("false", "0", "n", "não", "nao", "no", "falso"):
        return False
    raise Refused("no_boolean")


CORE = re.compile(
    r"(?P<plain>\d+)|(?P<dot>[1-9]\d{0,2}\.\d{3})|(?P<comma>[1-9]\d{0,2},\d{3})"
    r"|(?P<br>[1-9]\d{0,2}(?:\.\d{3})+,\d+|[1-9]\d{0,2}(?:\.\d{3}){2,}|\d*,\d+)"
    r"|(?P<point>[1-9]\d{0,2}(?:,\d{3})+\.\d+|[1-9]\d{0,2}(?:,\d{3}){2,}|\d*\.\d+)"
    r"|(?P<spaced>[1-9]\d{0,2}(?: \d{3})+(?:[.,]\d+)?)",
    re.ASCII,
)
DRESSED = re.compile(r"(\(|-|\+|−)?(?:(R\$|US\$|\$|€|£) *)?(-)?([\d., ]*\d)(-)?( ?%)?(\))?", re.ASCII)


def number_of(value: Json, column: Column) -> Decimal:
    """The number that *value* is to a column of numbers."""
    if isinstance(value, bool) or value is None:
        raise Refused("no_number")
    if isinstance(value, int | Decimal):
        return Decimal(value)
    dressed = DRESSED.fullmatch(str(value).strip(WHITE))
    core = CORE.fullmatch(dressed[4]) if dressed else None
    if dressed is None or core is None or (dressed[1] == "(") != bool(dressed[7]):
        raise Refused("no_number")
    signs = [one for one in (dressed[1], dressed[3], dressed[5]) if one]
    if len(signs) > 1 or (dressed[5] and dressed[6]) or (dressed[3] and dressed[6]):
        raise Refused("no_number")
    unit = "%" if dressed[6] else dressed[2]
    if dressed[2] and dressed[6]:
        raise Refused("no_number")
    if unit and unit != column.unit and (column.unit is not None or unit == "%"):
        raise Refused("other_unit")
    size = Decimal(_digits(core, column))
    return -size if signs and signs[0] != "+" else size


def _digits(core: re.Match[str], column: Column) -> str:
    text = core.group()
    kind = core.lastgroup
    if kind in ("dot", "comma"):
        if column.style not in ("br", "point"):
            raise Refused("two_readings")
        kind = column.style
    if kind == "spaced":
        return text.replace(" ", "").replace(",", ".")
    if kind == "br":
        return text.replace(".", "").replace(",", ".")
    return text.replace(",", "")


YEAR = re.compile(r"\d{4}", re.ASCII)
MONTH = re.compile(r"(?P<y>\d{4})-(?P<m>\d\d)|(?P<m2>\d\d)/(?P<y2>\d{4})", re.ASCII)
DAY = re.compile(
    r"(?:(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)|(?P<a>\d\d?)(?P<mark>[-/.])(?P<b>\d\d?)(?P=mark)(?P<y2>\d{4})"
    r"|(?P<compact>\d{8}))"
    r"(?:(?:T| +)(?P<clock>\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?) *(?:Z|[-+]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)


def span_of(value: Json, column: Column) -> Span:
    """The days, or the moment, that *value* is to a column of dates."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise Refused("no_day")
    text = str(value).strip(WHITE)
    if YEAR.fullmatch(text) and text != "0000":
        return Span(f"{text}-01-01", f"{text}-12-31")
    if match := MONTH.fullmatch(text):
        year, month = match["y"] or match["y2"], match["m"] or match["m2"]
        last = _last_day(year, month)
        return Span(f"{year}-{month}-01", f"{year}-{month}-{last:02d}")
    match = DAY.fullmatch(text)
    if match is None or (match["compact"] and match["clock"]):
        raise Refused("no_day")
    day = _day_of(match, column)
    if not match["clock"]:
        return Span(day, day)
    clock = _clock(match["clock"])
    if column.type == "date":
        if clock != "00:00:00":
            raise Refused("no_day")
        return Span(day, day)
    return Span(f"{day}T{clock}", f"{day}T{clock}", is_moment=True)


def _last_day(year: str, month: str) -> int:
    if int(year) < 1 or not 1 <= int(month) <= 12:
        raise Refused("no_day")
    return monthrange(int(year), int(month))[1]


def _day_of(match: re.Match[str], column: Column) -> str:
    if compact := match["compact"]:
        year, month, day = compact[:4], compact[4:6], compact[6:]
    elif match["y"]:
        year, month, day = match["y"], match["m"], match["d"]
    else:
        year, day, month = match["y2"], match["a"], match["b"]
        if not column.day_first:
            day, month = month, day
    if not 1 <= int(day) <= _last_day(year, month):
        raise Refused("no_day")
    return f"{year}-{int(month):02d}-{int(day):02d}"


def _clock(text: str) -> str:
    hour, minute, *rest = text.replace(",", ".").split(":")
    second, _, fraction = (rest[0] if rest else "00").partition(".")
    if int(hour) > 23 or int(minute) > 59 or int(second) > 59:
        raise Refused("no_day")
    fraction = fraction.rstrip("0")
    return f"{int(hour):02d}:{minute}:{second}" + (f".{fraction}" if fraction else "")
