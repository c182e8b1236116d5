"""Turns a value of personal data into the one form that all its writers share, and that into few bytes and back."""

from __future__ import annotations

from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Callable
from typing import Literal

from datasources.check_digits import cnpj_check_digits
from datasources.pii import PiiKind, cnpj_of, cpf_of, email_of, phone_of
from datasources.visible_text import folded

MaskKind = Literal[PiiKind, "other"]
"""What a pseudonym says that it stands for; `other` is what a column of personal data holds besides."""

CPF_BYTES = 5
CODE_BYTES = 8
"""Of a CNPJ without its check digits, or of a telephone."""
TEXT_BYTES = 11
TEXT_STEP_BYTES = 12
"""Texts fill 11 bytes, or 23, 35, …: the length of a pseudonym says little of the length of the name."""

# ---- what a value is ----

Told = tuple[MaskKind, str]
"""The kind of a value, and the one form of it that all its writers share; empty for nothing."""


def _tell_cpf(value: str) -> Told:
    cpf = cpf_of(value, known=True)
    return ("cpf", cpf) if cpf else _tell_other(value)


def _tell_cnpj(value: str) -> Told:
    cnpj = cnpj_of(value, known=True)
    return ("cnpj", cnpj) if cnpj else _tell_other(value)


def _tell_email(value: str) -> Told:
    return _tell_other(value)


def _tell_phone(value: str) -> Told:
    phone = phone_of(value, known=True)
    return ("phone", phone) if phone else _tell_other(value)


def _tell_name(value: str) -> Told:
    return "name", folded(value)


def _tell_other(value: str) -> Told:
    """What a column holds besides its own kind: what proves itself keeps its pseudonym of other columns."""
    if email := email_of(value):
        return "email", email
    if cpf := cpf_of(value):
        return "cpf", cpf
    if cnpj := cnpj_of(value):
        return "cnpj", cnpj
    return "other", folded(value)


TELLERS: dict[MaskKind, Callable[[str], Told]] = {
    "cpf": _tell_cpf,
    "cnpj": _tell_cnpj,
    "email": _tell_email,
    "phone": _tell_phone,
    "name": _tell_name,
    "other": _tell_other,
}


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
COMMON = "abcdefghijklmnopqrstuvwxyz0123456789 .-_@'&,+/áàâãéêíóôõúüçñöä".encode("latin-1")
"""The characters of nearly all names and addresses after folding; each takes six bits."""
# The first symbol of base64 is all zeros, so it fills up; its last is all ones, so it announces UTF-8.
TO_BASE64 = bytes.maketrans(COMMON, _BASE64[1:-1])
_from_base64 = bytes.maketrans(_BASE64[1:-1], COMMON)
_UTF8 = b"\xff"
_END = b"\x80"


def _pack_text(text: str) -> bytes:
    characters = text.encode("latin-1", "replace")  # "?" is none of the common ones
    if characters.translate(None, delete=COMMON):
        packed = _UTF8 + text.encode("utf-8", "surrogatepass") + _END
    else:
        symbols = characters.translate(TO_BASE64)
        packed = a2b_base64(symbols + b"A" * (-len(symbols) % 4)).rstrip(b"\0")
    steps = (len(packed) - TEXT_BYTES + TEXT_STEP_BYTES - 1) // TEXT_STEP_BYTES
    return packed.ljust(TEXT_BYTES + max(steps, 0) * TEXT_STEP_BYTES, b"\0")


def _open_text(payload: bytes) -> str:
    if payload.startswith(_UTF8):
        return payload.rstrip(b"\0")[1:-1].decode("utf-8", "surrogatepass")
    symbols = b64encode(payload + bytes(-len(payload) % 3)).rstrip(b"A")
    return symbols.translate(_from_base64).decode("latin-1")


PACKERS: dict[MaskKind, Callable[[str], bytes]] = {
    "cpf": _pack_cpf,
    "cnpj": _pack_cnpj,
    "phone": _pack_phone,
    "email": _pack_text,
    "name": _pack_text,
    "other": _pack_text,
}
OPENERS: dict[str, Callable[[bytes], str]] = {
    "cpf": _open_cpf,
    "cnpj": _open_cnpj,
    "phone": _open_phone,
    "email": _open_text,
    "name": _open_text,
    "other": _open_text,
}
