"""Masks the values of a long column together: the pseudonyms are those of `masks` for each alone."""

from __future__ import annotations

import operator
import re
import unicodedata
from base64 import urlsafe_b64encode
from binascii import a2b_base64
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, compress, islice, repeat
from typing import TYPE_CHECKING, NamedTuple

from datasources.mask_payloads import (
    CODE_BYTES,
    COMMON,
    CPF_BYTES,
    PACKERS,
    TELLERS,
    TEXT_BYTES,
    TEXT_STEP_BYTES,
    TO_BASE64,
    MaskKind,
)
from datasources.pii import AREAS, is_folded_email
from datasources.siv import seal_rows
from datasources.visible_text import folded, is_plain_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from datasources.mask_key import MaskKey

    Digits = NDArray[np.int64]
    """A row for each value, a column for each of its digits."""

TEXT_KINDS: tuple[MaskKind, ...] = ("email", "name", "other")
_spaces = re.compile(" {2,}")
_may_be_document = re.compile(
    r" *[0-9A-Za-z](?:[ ./-]{0,3}[0-9A-Za-z]){8}(?:(?:[ ./-]{0,3}[0-9A-Za-z]){3})?[ ./-]{0,3}[0-9]{2} *"
).fullmatch


class _Payloads(NamedTuple):
    """What is sealed of some of the values: equally long rows, each with the place of its value."""

    kind: MaskKind
    places: Sequence[int]
    rows: NDArray[np.uint8]


def mask_column(values: Sequence[str], kind: MaskKind, key: MaskKey) -> list[str]:
    """The pseudonym of each of *values*, as `masks.mask_values` gives them; a shape of writing is read at once."""
    found = [""] * len(values)
    written = [] if kind == "name" else _written(values, kind)
    rest: Sequence[int] = range(len(values))
    if written:
        known = set(chain.from_iterable(one.places for one in written))
        rest = [place for place in rest if place not in known]
    told = _told(rest, [values[place] for place in rest], kind)
    for one in chain(written, _packed(told)):
        sealed = seal_rows(one.rows, one.kind.encode(), key.raw())
        _name_all(found, one.kind, one.places, sealed)
    return found


def _name_all(found: list[str], kind: MaskKind, places: Sequence[int], sealed: NDArray[np.uint8]) -> None:
    # Each row is a multiple of three bytes, so that base64 of all is base64 of each.
    text = urlsafe_b64encode(sealed.tobytes()).decode()
    width = sealed.shape[1] * 4 // 3
    for place, start in zip(places, range(0, len(text), width), strict=True):
        found[place] = f"{kind}-{text[start : start + width]}"


# ---- documents and telephones as most write them ----


class _Shape(NamedTuple):
    """A way of writing numbers: `0` stands for any digit."""

    pattern: bytes
    kind: MaskKind
    payloads: Callable[[Digits], tuple[NDArray[np.bool_], NDArray[np.uint8]]]
    """Which of the rows are of the kind, and the bytes to be sealed of all."""


def _written(values: Sequence[str], kind: MaskKind) -> list[_Payloads]:
    import numpy as np

    encoded = [value.encode("ascii", "replace") for value in values]
    lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
    found = []
    for shape in _SHAPES:
        if (shape.kind == "phone") != (kind == "phone"):
            continue
        places = np.flatnonzero(lengths == len(shape.pattern))
        if not len(places):
            continue
        cells = np.frombuffer(b"".join([encoded[place] for place in places.tolist()]), np.uint8)
        pattern = np.frombuffer(shape.pattern, np.uint8)
        digits = cells.reshape(-1, len(pattern))[:, pattern == ord("0")].astype(np.int64) - ord("0")
        marks = cells.reshape(-1, len(pattern))[:, pattern != ord("0")]
        fits = ((digits >= 0) & (digits <= 9)).all(axis=1) & (marks == pattern[pattern != ord("0")]).all(
            axis=1
        )
        is_one, rows = shape.payloads(digits[fits])
        found.append(_Payloads(shape.kind, places[fits][is_one].tolist(), rows[is_one]))
    return found


def _cpf_payloads(digits: Digits) -> tuple[NDArray[np.bool_], NDArray[np.uint8]]:
    first = _check_digit(digits[:, :9], range(10, 1, -1))
    second = _check_digit(digits[:, :10], range(11, 1, -1))
    fits = (first == digits[:, 9]) & (second == digits[:, 10]) & (digits != digits[:, :1]).any(axis=1)
    return fits, _big_endian(_number(digits), CPF_BYTES)


def _cnpj_payloads(digits: Digits) -> tuple[NDArray[np.bool_], NDArray[np.uint8]]:
    weights = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)
    first = _check_digit(digits[:, :12], weights[1:])
    second = _check_digit(digits[:, :13], weights)
    fits = (first == digits[:, 12]) & (second == digits[:, 13]) & (digits != digits[:, :1]).any(axis=1)
    return fits, _big_endian(_number(digits[:, :12], base=36), CODE_BYTES)


def _mobile_payloads(digits: Digits) -> tuple[NDArray[np.bool_], NDArray[np.uint8]]:
    """Area code and nine digits, of which the first is a nine."""
    import numpy as np

    areas = np.zeros(100, np.bool_)
    areas[sorted(AREAS)] = True
    fits = areas[digits[:, 0] * 10 + digits[:, 1]] & (digits[:, 2] == 9)
    return fits, _big_endian(_number(digits) + 55 * 10**11, CODE_BYTES)


_SHAPES = (
    _Shape(b"000.000.000-00", "cpf", _cpf_payloads),
    _Shape(b"00000000000", "cpf", _cpf_payloads),
    _Shape(b"00.000.000/0000-00", "cnpj", _cnpj_payloads),
    _Shape(b"00000000000000", "cnpj", _cnpj_payloads),
    _Shape(b"(00) 00000-0000", "phone", _mobile_payloads),
    _Shape(b"(00)00000-0000", "phone", _mobile_payloads),
    _Shape(b"00 00000-0000", "phone", _mobile_payloads),
    _Shape(b"00000000000", "phone", _mobile_payloads),
)


def _check_digit(digits: Digits, weights: Sequence[int]) -> NDArray[np.int64]:
    import numpy as np

    found: NDArray[np.int64] = -(digits @ np.array(weights, np.int64)) % 11 % 10
    return found


def _number(digits: Digits, base: int = 10) -> NDArray[np.int64]:
    import numpy as np

    found: NDArray[np.int64] = digits @ (base ** np.arange(digits.shape[1] - 1, -1, -1, dtype=np.int64))
    return found


def _big_endian(numbers: NDArray[np.int64], size: int) -> NDArray[np.uint8]:
    return numbers.astype(">i8").view("u1").reshape(-1, 8)[:, 8 - size :]


# ---- texts ----

_Groups = dict[MaskKind, tuple[list[int], list[str]]]
"""What values are, by kind: their places, and the common form of each."""


def _told(places: Sequence[int], values: Sequence[str], kind: MaskKind) -> _Groups:
    """What each of *values* is, as its teller says; of texts the common form is taken of all at once."""
    if kind == "name":
        return {kind: (list(places), list(_folded_all(values)))}
    found: _Groups = {}
    if kind in TEXT_KINDS and values:
        common = _folded_all(values)
        is_email, is_other = _proven(values, common)
        found["email"] = [*compress(places, is_email)], [*compress(common, is_email)]
        found["other"] = [*compress(places, is_other)], [*compress(common, is_other)]
        is_open = list(map(operator.not_, map(operator.or_, is_email, is_other)))
        places, values = [*compress(places, is_open)], [*compress(values, is_open)]
    tell = TELLERS[kind]
    for place, value in zip(places, values, strict=True):
        one, text = tell(value)
        known = found.setdefault(one, ([], []))
        known[0].append(place)
        known[1].append(text)
    return found


def _proven(values: Sequence[str], common: Sequence[str]) -> tuple[list[bool], list[bool]]:
    """Which of *values* are addresses without further ado, and which neither an address nor a document."""
    joined = "".join(values)
    is_plain = repeat(True) if is_plain_text(joined) else map(bool, map(is_plain_text, values))
    usual = list(islice(is_plain, len(values)))
    if "@" in joined:
        is_email = [one and is_folded_email(text) for one, text in zip(usual, common, strict=True)]
    else:
        is_email = [False] * len(values)
    is_other = [
        one and "@" not in value and not _may_be_document(value)
        for one, value in zip(usual, values, strict=True)
    ]
    return is_email, is_other


def _folded_all(values: Sequence[str]) -> Sequence[str]:
    """`visible_text.folded` of each of *values*: what is done to characters is done to all of them together."""
    joined = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", "\n".join(values)).casefold())
    if joined.count("\n") != len(values) - 1 or not joined.replace("\n", "").isprintable():
        return list(map(folded, values))
    joined = _spaces.sub(" ", joined)
    return joined.replace(" \n", "\n").replace("\n ", "\n").strip(" ").split("\n")


def _packed(told: _Groups) -> Iterator[_Payloads]:
    for kind, (places, texts) in told.items():
        if kind not in TEXT_KINDS:
            yield from _packed_alone(kind, places, texts)
            continue
        characters = [text.encode("latin-1", "replace") for text in texts]
        is_common = _are_common(characters)
        yield from _packed_texts(kind, [*compress(places, is_common)], [*compress(characters, is_common)])
        is_rare = list(map(operator.not_, is_common))
        yield from _packed_alone(kind, compress(places, is_rare), compress(texts, is_rare))


def _packed_alone(kind: MaskKind, places: Iterable[int], texts: Iterable[str]) -> Iterator[_Payloads]:
    import numpy as np

    by_size: dict[int, list[tuple[int, bytes]]] = defaultdict(list)
    for place, text in zip(places, texts, strict=True):
        if text:
            payload = PACKERS[kind](text)
            by_size[len(payload)].append((place, payload))
    for size, group in by_size.items():
        rows = np.frombuffer(b"".join([payload for _, payload in group]), np.uint8).reshape(-1, size)
        yield _Payloads(kind, [place for place, _ in group], rows)


def _are_common(texts: Sequence[bytes]) -> list[bool]:
    """Whether each of *texts* is of the characters that take six bits."""
    if not b"".join(texts).translate(None, delete=COMMON):
        return [True] * len(texts)
    return [not text.translate(None, delete=COMMON) for text in texts]


def _packed_texts(kind: MaskKind, places: Sequence[int], texts: Sequence[bytes]) -> Iterator[_Payloads]:
    """Six bits a character, in steps of 16 characters, which are 12 bytes: the last of them is rarely filled."""
    import numpy as np

    steps = -(-np.fromiter(map(len, texts), np.int64, len(texts)) // 16)
    for step in sorted(set(steps.tolist()) - {0}):
        which = np.flatnonzero(steps == step).tolist()
        symbols = np.array([texts[at] for at in which], f"S{16 * step}").tobytes().translate(_symbols)
        rows = np.frombuffer(a2b_base64(symbols), np.uint8).reshape(-1, 12 * step)
        is_full = rows[:, -1] != 0
        short = TEXT_BYTES + (step - 1) * TEXT_STEP_BYTES
        yield _Payloads(kind, [places[at] for at in compress(which, ~is_full)], rows[~is_full, :short])
        if is_full.any():
            longer = np.zeros((int(is_full.sum()), short + TEXT_STEP_BYTES), np.uint8)
            longer[:, : 12 * step] = rows[is_full]
            yield _Payloads(kind, [places[at] for at in compress(which, is_full)], longer)


_symbols = bytes([b"A"[0], *TO_BASE64[1:]])
"""NumPy fills up with zeros what base64 fills up with its first symbol."""
