"""Recognises CPFs, CNPJs, e-mail addresses and telephone numbers: in a cell, in a column, inside longer text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from datasources.check_digits import has_cnpj_digits, has_cpf_digits
from datasources.visible_text import folded, plain, plain_with_origins

PiiKind = Literal["cpf", "cnpj", "email", "phone", "name"]
"""What personal data can be; names are declared, never detected."""

SHARE_MIN = 0.5
"""A column is personal when at least so many of its distinct values have the form of personal data,"""
PROVEN_DOCUMENTS_MIN = 0.25
"""and of those that look like documents at least so many prove it (1 % of all numbers have fitting check digits),"""
PROVEN_PHONES_MIN = 0.1
"""or of those that look like telephones: ten digits are a moment in seconds or an order number as well."""

SAMPLE_ROWS = 2_000
"""Of a longer column so many evenly spaced values are looked at first,"""
SAMPLE_SHARE_MIN = 0.1
"""and all of them unless fewer of those are personal, far below what would make the column so,"""
SAMPLE_SHARE_CLEAR = 0.75
"""or so many are of one kind, far above it."""


# ---- one value ----

_AREA = r"(?:1[1-9]|2[12478]|3[1-578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9])"
AREAS = frozenset(number for number in range(100) if re.fullmatch(_AREA, f"{number:02}"))
"""The area codes of Brazil."""
_GAP = r"[ ./-]{0,3}"
_CODE = "[0-9A-Z]"
_CPF = rf"([0-9]{{3}}){_GAP}([0-9]{{3}}){_GAP}([0-9]{{3}}){_GAP}([0-9]{{2}})"
# With letters no space may separate the parts alone: "de uma rua alta 35" has the lengths of a CNPJ.
_CNPJ = (
    rf"(?:[0-9]{{2}}{_GAP}[0-9]{{3}}{_GAP}[0-9]{{3}}{_GAP}[0-9]{{4}}{_GAP}[0-9]{{2}}"
    rf"|{_CODE}{{2}}\.?{_CODE}{{3}}\.?{_CODE}{{3}}(?: ?/ ?)?{_CODE}{{4}}(?: ?- ?)?[0-9]{{2}})"
)
# What cannot match is never tried twice: the local part is possessive, all else is bounded.
_EMAIL = r"[\w.%+'&*=~#$!/^-]++@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}"
_PHONE = (
    rf"(?:\(?(?:\+|00)?55\)?[ .-]{{0,2}})?(?:\(0?(?:xx)?({_AREA})\)|(?:0 ?)?({_AREA}))[ .-]{{0,3}}"
    r"(9[ .-]?[0-9]{4}|[2-9][0-9]{3})[ .-]{0,3}([0-9]{4})"
)
_LOCAL = r"(9[ .-]?[0-9]{4}|[2-9][0-9]{3})[ .-]([0-9]{4})"
_ABROAD = r"\+([1-9](?:[ ()-]{0,2}[0-9]){9,14})"

_cpf = re.compile(_CPF).fullmatch
_cnpj = re.compile(_CNPJ, re.IGNORECASE | re.ASCII).fullmatch
_email = re.compile(_EMAIL).fullmatch
_phone = re.compile(_PHONE, re.IGNORECASE | re.ASCII).fullmatch
_local = re.compile(_LOCAL).fullmatch
_abroad = re.compile(_ABROAD).fullmatch
_bare_local = re.compile(r"9?[2-9][0-9]{7}").fullmatch
_years = re.compile(r"(?:19|20)[0-9]{2}.(?:19|20)[0-9]{2}").fullmatch
_bare_area = re.compile(r"0?[0-9]{10}").fullmatch
_written_cpf = re.compile(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}").fullmatch
_written_cnpj = re.compile(
    r"[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}/[0-9A-Z]{4}-[0-9]{2}", re.IGNORECASE
).fullmatch
_number = re.compile(r"([1-9][0-9]{8,13})(?:\.0)?").fullmatch
_no_gaps = str.maketrans("", "", " ./-")
_not_digits = re.compile(r"[^0-9]+")
_around_at = re.compile(r" {0,3}@ {0,3}")


def is_cpf(text: str) -> bool:
    """Whether *text* is a CPF, however punctuated, with its check digits."""
    return cpf_of(text) is not None


def is_cnpj(text: str) -> bool:
    """Whether *text* is a CNPJ, of digits or with letters (since 2026), with its check digits."""
    return cnpj_of(text) is not None


def is_email(text: str) -> bool:
    """Whether *text* is one e-mail address."""
    return email_of(text) is not None


def is_phone(text: str) -> bool:
    """Whether *text* is a telephone number: Brazilian with or without +55 and area code, or of another country by +."""
    return phone_of(text) is not None


def cpf_of(text: str, *, known: bool = False) -> str | None:
    """
    The eleven digits of the CPF that *text* is, or None.

    In a column *known* for its CPFs also what was stored as a number: leading zeros lost, `.0` at the end.
    """
    value = plain(text).strip()
    if match := _cpf(value):
        digits = "".join(match.groups())
    else:
        digits = _zero_filled(value, 11) if known else ""
    return digits if digits and has_cpf_digits(digits) else None


def cnpj_of(text: str, *, known: bool = False) -> str | None:
    """
    The fourteen digits and capital letters of the CNPJ that *text* is, or None.

    In a column *known* for its CNPJs also what was stored as a number: leading zeros lost, `.0` at the end.
    """
    value = plain(text).strip()
    if _cnpj(value):
        code = value.translate(_no_gaps).upper()
    else:
        code = _zero_filled(value, 14) if known else ""
    return code if code and has_cnpj_digits(code) else None


def _zero_filled(value: str, length: int) -> str:
    """The *length* digits that became the number *value*, of which at most two were zeros in front; else nothing."""
    match = _number(value)
    return match[1].zfill(length) if match and length - 2 <= len(match[1]) <= length else ""


def email_of(text: str) -> str | None:
    """The e-mail address that *text* is, folded (see `folded`), or None."""
    if "@" not in text and text.isascii():
        return None
    address = folded(text)
    if " " in address:
        address = _around_at.sub("@", address)
    return address if _email(plain(address)) else None


def is_folded_email(text: str) -> bool:
    """Whether *text*, which is folded and has no unusual characters, is an address without spaces (as `email_of`)."""
    return _email(text) is not None


def phone_of(text: str, *, known: bool = False) -> str | None:
    """
    The number that *text* is, as `+5511987654321`, without area code `987654321`; else None.

    In a column *known* for its telephones also eight or nine digits without any mark.
    """
    value = plain(text).strip()
    match = _phone(value)
    if match:
        return "+55" + _not_digits.sub("", "".join(filter(None, match.groups())))
    match = _abroad(value)
    if match:
        return "+" + _not_digits.sub("", match[1])
    if (_local(value) and not _years(value)) or (known and _bare_local(value)):
        return _not_digits.sub("", value)
    return None


# ---- a column ----


def detect(values: Sequence[str], name: str = "") -> PiiKind | None:
    """
    The kind of personal data that a column of these distinct *values* holds, or None; the order does not matter.

    At least half of the values that are not empty have the form of personal data, and enough of them prove it by
    check digits, punctuation or a mobile's length: some cells may be dirty, and ordinary numbers are not personal.
    The *name* of the column proves as much (`cpf`, `telefone`), and then telephones need no area code.
    A column of several kinds (CPF or CNPJ, e-mail or telephone) is of the commonest.
    """
    named = _named(name)
    if len(values) > 2 * SAMPLE_ROWS:
        shares = _shares(values[:: len(values) // SAMPLE_ROWS], named)
        if sum(shares.values()) < SAMPLE_SHARE_MIN:
            return None
        if max(shares.values()) >= SAMPLE_SHARE_CLEAR:
            return _commonest(shares)
    shares = _shares(values, named)
    return _commonest(shares) if sum(shares.values()) >= SHARE_MIN else None


def _commonest(shares: Mapping[PiiKind, float]) -> PiiKind:
    return max(_FORM_KINDS, key=lambda kind: shares[kind])


def _named(name: str) -> Literal["document", "phone"] | None:
    """What the *name* of a column says of its values."""
    said = plain(name)
    return "document" if _document_name(said) else "phone" if _phone_name(said) else None


def _shares(values: Sequence[str], named: Literal["document", "phone"] | None) -> dict[PiiKind, float]:
    """The share of each kind among those of *values* that are not empty, where enough of them or the name prove it."""
    forms = Counter(_form(value, named == "phone") for value in filter(str.strip, values))
    counts = {kind: forms[kind, True] + forms[kind, False] for kind in _FORM_KINDS}
    documents = counts["cpf"] + counts["cnpj"]
    proven = forms["cpf", True] + forms["cnpj", True]
    if named != "document" and proven < PROVEN_DOCUMENTS_MIN * documents:
        counts["cpf"] = counts["cnpj"] = 0
    if named != "phone" and forms["phone", True] < PROVEN_PHONES_MIN * counts["phone"]:
        counts["phone"] = 0
    return {kind: count / max(forms.total(), 1) for kind, count in counts.items()}


_document_name = re.compile(r"cpf|cnpj", re.IGNORECASE).search
_phone_name = re.compile(
    r"telefone|fone|celular|whats|phone|(?<![a-z])(?:tel|cel|fax)(?![a-z])", re.IGNORECASE
).search
_FORM_KINDS: tuple[PiiKind, ...] = ("cpf", "cnpj", "email", "phone")
LABEL_CHARS = 16
"""A cell may say so much beside its personal data: `CPF: …`, or two telephones with a slash."""


def _form(text: str, phones: bool) -> tuple[PiiKind | None, bool]:
    """What *text* looks like, and whether it alone proves that."""
    value = plain(text).strip()
    if cpf_of(value, known=True):
        return "cpf", True
    if cnpj_of(value, known=True):
        return "cnpj", True
    if "@" in value and email_of(value):
        return "email", True
    if phone_of(value, known=phones):
        return "phone", not (_bare_area(value) or _local(value))
    if _cpf(value):
        return "cpf", bool(_written_cpf(value))
    if _cnpj(value):
        return "cnpj", bool(_written_cnpj(value))
    spans = find_in_text(value)
    beside = len(value) - sum(span.end - span.start for span in spans)
    return (spans[0].kind, True) if spans and beside <= LABEL_CHARS else (None, False)


# ---- longer text ----


@dataclass(frozen=True, slots=True)
class Span:
    """Where personal data stand in a text: the characters from `start` up to `end`."""

    start: int
    end: int
    kind: PiiKind


_LABEL = r"(?<![A-Z])(?:tel(?:efone)?s?|fones?|cel(?:ular)?|whats(?:app)?|zap|contato|fax)[^0-9A-Z]{1,4}"
_Match = re.Match[str]
_Check = Callable[[_Match], object]


def _phone_proves_itself(match: _Match) -> bool:
    found = match[1]
    return not _bare_area(found) and not _years(found[-9:])


_BEFORE = r"(?<![0-9A-Z])(?<![0-9][.,])"
_AFTER = r"(?![0-9]|[.,][0-9])"  # 38929353900,57 is money


def _finder(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


_FINDERS: tuple[tuple[PiiKind, int, re.Pattern[str], _Check], ...] = (
    ("email", 0, re.compile(rf"(?<![\w.%+'&*=~#$!/^-])({_EMAIL})"), bool),
    ("cnpj", 2, _finder(rf"(?:{_BEFORE}|(?<=cnpj))({_CNPJ}){_AFTER}"), lambda match: is_cnpj(match[1])),
    ("cpf", 11, _finder(rf"(?<![0-9])(?<![0-9][.,])({_CPF}){_AFTER}"), lambda match: is_cpf(match[1])),
    ("phone", 10, _finder(rf"{_BEFORE}({_PHONE}){_AFTER}"), _phone_proves_itself),
    ("phone", 10, _finder(rf"{_BEFORE}({_ABROAD}){_AFTER}"), bool),
    ("phone", 9, _finder(rf"{_BEFORE}(?<![/-])(9[0-9]{{4}}-[0-9]{{4}}){_AFTER}"), bool),
    ("phone", 8, _finder(rf"{_LABEL}({_PHONE}|{_LOCAL}|9?[2-9][0-9]{{7}}){_AFTER}"), bool),
)
"""Kind, digits that it has at least, pattern of which group 1 is the finding, and check; the first to claim wins."""

_SHAPES = "|".join((_CPF, _CNPJ, _PHONE, _ABROAD, "9[0-9]{4}-[0-9]{4}"))
_LABELLED = rf"[A-Z][^0-9A-Z]{{1,4}}(?:{_LOCAL}|9?[2-9][0-9]{{7}})"
CANDIDATE = rf"(?i)@|(?:^|[^0-9])(?:{_SHAPES})(?:[^0-9]|$)|{_LABELLED}(?:[^0-9]|$)|[^ -~\t\n\r\xc0-\xff]"
"""
What every text has in which `find_in_text` finds something: a shape without its checks, or an unusual character.

Without look-around, so that the regular expressions of Polars read it as well: a whole column in one go.
"""
CANDIDATE_BYTES_MIN = 6
"""No shorter text has one of significance: the shortest address is `a@b.co`."""


def find_in_text(text: str) -> tuple[Span, ...]:
    """
    The CPFs, CNPJs, e-mail addresses and telephone numbers inside *text*, in order, none overlapping another.

    Documents have fitting check digits; a telephone has an area code or a mobile's nine digits, or follows its label.
    The time is linear in the length of *text*.

    >>> find_in_text("Fale com ana@exemplo.com.br")
    (Span(start=9, end=27, kind='email'),)
    """
    searched, origins = plain_with_origins(text)
    digits = len(_digit.findall(searched))
    claimed = bytearray(len(searched))
    found = []
    for kind, digits_min, pattern, check in _FINDERS:
        if digits < digits_min or (kind == "email" and "@" not in searched):
            continue
        for start, end in _matches(pattern, check, searched):
            if claimed.find(1, start, end) < 0:
                claimed[start:end] = b"\1" * (end - start)
                found.append((start, end, kind))
    if origins:
        found = [(origins[start], origins[end - 1] + 1, kind) for start, end, kind in found]
    return tuple(Span(*each) for each in sorted(found))


_digit = re.compile("[0-9]")


def _matches(pattern: re.Pattern[str], check: _Check, text: str) -> Iterator[tuple[int, int]]:
    position = 0
    while match := pattern.search(text, position):
        if check(match):
            yield match.span(1)
            position = match.end()
        else:  # what begins inside it may be what is looked for
            position = match.start() + 1
