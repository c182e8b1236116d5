"""Replaces personal data by pseudonyms that only the key of their workspace reads."""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, get_args

from datasources.check_digits import cnpj_check_digits
from datasources.exceptions import MaskError
from datasources.mask_key import MaskKey
from datasources.pii import PiiKind, Span, cnpj_of, cpf_of, email_of, find_in_text, phone_of
from datasources.visible_text import folded

MaskKind = Literal[PiiKind, "other"]
"""What a pseudonym says that it stands for; `other` is what a column of personal data holds besides."""

# A pseudonym is its kind, a hyphen, and base64url of the sealed value: `cpf-WJ2…` with 28 characters after the hyphen.
# Sealed values are 16 bytes longer than what they hold, and always a multiple of three, so that base64 ends without
# `=` and no two texts stand for the same bytes.
CPF_BYTES = 5
CODE_BYTES = 8
"""Of a CNPJ without its check digits, or of a telephone."""
TEXT_BYTES = 11
TEXT_STEP_BYTES = 12
"""Texts fill 11 bytes, or 23, 35, …: the length of a pseudonym says little of the length of the name."""

_pseudonym = re.compile(rf"({'|'.join(get_args(MaskKind))})-((?:[A-Za-z0-9_-]{{4}}){{7,}})").fullmatch


def mask_values(values: Sequence[str], kind: MaskKind, key: MaskKey) -> list[str]:
    """
    The pseudonym of each of *values*, the cells of a column of *kind*; an empty one stays empty.

    Values that differ only in punctuation (documents, telephones), case or spaces (addresses, names) share one, in
    every column and report of the workspace. What is not of *kind* is masked as a document or an address if it is
    one, else as `other`. Give distinct values: each is sealed anew.
    """
    seal = _sealer(key)
    told = _TELLERS[kind]
    return [seal(*told(value)) for value in values]


def mask_text(text: str, spans: Iterable[Span], key: MaskKey) -> str:
    """*text* with a pseudonym in place of each of *spans*, which are in order and do not overlap."""
    return _masked_text(text, spans, _sealer(key))


def mask_texts(values: Sequence[str], key: MaskKey) -> list[str]:
    """Each of *values* with pseudonyms in place of what `find_in_text` finds in it."""
    seal = _sealer(key)
    return [_masked_text(text, find_in_text(text), seal) for text in values]


def unmask(pseudonym: str, key: MaskKey) -> str:
    """
    The value behind *pseudonym*: documents as digits, telephones as `+5511987654321`, addresses and names folded.

    Raises MaskError for what is no pseudonym, was altered, or was made under another key.
    """
    from cryptography.exceptions import InvalidTag

    match = _pseudonym(pseudonym)
    if match is None:
        raise MaskError("The text is no pseudonym: give one whole, as in cpf-… with all that follows.")
    kind = match[1]
    try:
        payload = key.cipher().decrypt(urlsafe_b64decode(match[2]), _ASSOCIATED[kind])
    except InvalidTag as error:
        raise MaskError(
            "The pseudonym was altered, or made under another key: copy it whole, and use the key of its workspace."
        ) from error
    return _OPENERS[kind](payload)


# ---- what a value is ----

_Told = tuple[MaskKind, str]
"""The kind of a value, and the one form of it that all its writers share; empty for nothing."""


def _tell_cpf(value: str) -> _Told:
    cpf = cpf_of(value, known=True)
    return ("cpf", cpf) if cpf else _tell_other(value)


def _tell_cnpj(value: str) -> _Told:
    cnpj = cnpj_of(value, known=True)
    return ("cnpj", cnpj) if cnpj else _tell_other(value)


def _tell_email(value: str) -> _Told:
    return _tell_other(value)


def _tell_phone(value: str) -> _Told:
    phone = phone_of(value, known=True)
    return ("phone", phone) if phone else _tell_other(value)


def _tell_name(value: str) -> _Told:
    return "name", folded(value)


def _tell_other(value: str) -> _Told:
    """What a column holds besides its own kind: what proves itself keeps its pseudonym of other columns."""
    if email := email_of(value):
        return "email", email
    if cpf := cpf_of(value):
        return "cpf", cpf
    if cnpj := cnpj_of(value):
        return "cnpj", cnpj
    return "other", folded(value)


_TELLERS: dict[MaskKind, Callable[[str], _Told]] = {
    "cpf": _tell_cpf,
    "cnpj": _tell_cnpj,
    "email": _tell_email,
    "phone": _tell_phone,
    "name": _tell_name,
    "other": _tell_other,
}


# ---- sealing ----


def _sealer(key: MaskKey) -> Callable[[MaskKind, str], str]:
    encrypt = key.cipher().encrypt

    def seal(kind: MaskKind, told: str) -> str:
        if not told:
            return ""
        sealed = encrypt(_PACKERS[kind](told), _ASSOCIATED[kind])
        return f"{kind}-{urlsafe_b64encode(sealed).decode()}"

    return seal


_ASSOCIATED: dict[str, list[bytes | bytearray | memoryview]] = {
    kind: [kind.encode()] for kind in get_args(MaskKind)
}
"""The kind is sealed with the value: a CPF's pseudonym does not pass for a telephone's."""


def _masked_text(text: str, spans: Iterable[Span], seal: Callable[[MaskKind, str], str]) -> str:
    parts, position = [], 0
    for span in spans:
        parts += [text[position : span.start], seal(*_TELLERS[span.kind](text[span.start : span.end]))]
        position = span.end
    return "".join((*parts, text[position:])) if parts else text


# ---- short bytes for each kind, and back ----


def _pack_cpf(digits: str) -> bytes:
    return int(digits).to_bytes(CPF_BYTES)


def _open_cpf(payload: bytes) -> str:
    return f"{int.from_bytes(payload):011}"


def _pack_cnpj(code: str) -> bytes:
    return int(code[:12], 36).to_bytes(CODE_BYTES)


def _open_cnpj(payload: bytes) -> str:
    number, characters = int.from_bytes(payload), []
    for _ in range(12):
        number, digit = divmod(number, 36)
        characters.append("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[digit])
    root = "".join(reversed(characters))
    return root + cnpj_check_digits(root)


def _pack_phone(number: str) -> bytes:
    return int(number).to_bytes(CODE_BYTES)


def _open_phone(payload: bytes) -> str:
    number = str(int.from_bytes(payload))
    return f"+{number}" if len(number) > 9 else number  # without area code there are eight or nine


_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_COMMON = "abcdefghijklmnopqrstuvwxyz0123456789 .-_@'&,+/áàâãéêíóôõúüçñöä".encode("latin-1")
"""The characters of nearly all names and addresses after folding; each takes six bits."""
# The first symbol of base64 is all zeros, so it fills up; its last is all ones, so it announces UTF-8.
_to_base64 = bytes.maketrans(_COMMON, _BASE64[1:-1])
_from_base64 = bytes.maketrans(_BASE64[1:-1], _COMMON)
_UTF8 = b"\xff"
_END = b"\x80"


def _pack_text(text: str) -> bytes:
    characters = text.encode("latin-1", "replace")  # "?" is none of the common ones
    if characters.translate(None, delete=_COMMON):
        packed = _UTF8 + text.encode("utf-8", "surrogatepass") + _END
    else:
        symbols = characters.translate(_to_base64)
        packed = a2b_base64(symbols + b"A" * (-len(symbols) % 4)).rstrip(b"\0")
    steps = (len(packed) - TEXT_BYTES + TEXT_STEP_BYTES - 1) // TEXT_STEP_BYTES
    return packed.ljust(TEXT_BYTES + max(steps, 0) * TEXT_STEP_BYTES, b"\0")


def _open_text(payload: bytes) -> str:
    if payload.startswith(_UTF8):
        return payload.rstrip(b"\0")[1:-1].decode("utf-8", "surrogatepass")
    symbols = b64encode(payload + bytes(-len(payload) % 3)).rstrip(b"A")
    return symbols.translate(_from_base64).decode("latin-1")


_PACKERS: dict[MaskKind, Callable[[str], bytes]] = {
    "cpf": _pack_cpf,
    "cnpj": _pack_cnpj,
    "phone": _pack_phone,
    "email": _pack_text,
    "name": _pack_text,
    "other": _pack_text,
}
_OPENERS: dict[str, Callable[[bytes], str]] = {
    "cpf": _open_cpf,
    "cnpj": _open_cnpj,
    "phone": _open_phone,
    "email": _open_text,
    "name": _open_text,
    "other": _open_text,
}
