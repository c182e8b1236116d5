"""Replaces personal data by pseudonyms that only the key of their workspace reads."""

from __future__ import annotations

import re
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Sequence
from typing import get_args

from datasources.exceptions import MaskError
from datasources.mask_key import MaskKey
from datasources.mask_payloads import OPENERS, PACKERS, TELLERS, MaskKind
from datasources.pii import Span

# A pseudonym is its kind, a hyphen, and base64url of the sealed value: `cpf-WJ2…` with 28 characters after the hyphen.
# Sealed values are 16 bytes longer than what they hold, and always a multiple of three, so that base64 ends without
# `=` and no two texts stand for the same bytes.

COLUMN_VALUES_MIN = 256
"""From so many on, values are sealed as a column,"""
LOADING_VALUES_MIN = 20_000
"""and from so many on also where NumPy is not loaded yet, which takes as long as sealing them one by one."""

_pseudonym = re.compile(rf"({'|'.join(get_args(MaskKind))})-((?:[A-Za-z0-9_-]{{4}}){{7,}})").fullmatch


def mask_values(values: Sequence[str], kind: MaskKind, key: MaskKey) -> list[str]:
    """
    The pseudonym of each of *values*, the cells of a column of *kind*; an empty one stays empty.

    Values that differ only in punctuation (documents, telephones), case or spaces (addresses, names) share one, in
    every column and report of the workspace. What is not of *kind* is masked as a document or an address if it is
    one, else as `other`. Give distinct values: each is sealed anew.
    """
    if len(values) >= (COLUMN_VALUES_MIN if "numpy" in sys.modules else LOADING_VALUES_MIN):
        from datasources.mask_columns import mask_column

        return mask_column(values, kind, key)
    seal = _sealer(key)
    told = TELLERS[kind]
    return [seal(*told(value)) for value in values]


def mask_text(text: str, spans: Iterable[Span], key: MaskKey) -> str:
    """*text* with a pseudonym in place of each of *spans*, which are in order and do not overlap."""
    seal = _sealer(key)
    parts, position = [], 0
    for span in spans:
        parts += [text[position : span.start], seal(*TELLERS[span.kind](text[span.start : span.end]))]
        position = span.end
    return "".join((*parts, text[position:])) if parts else text


def unmask(pseudonym: str, key: MaskKey) -> str:
    """
    The value behind *pseudonym*: documents as digits, telephones as `+5511987654321`, addresses and names folded.

    Raises MaskError for what is no pseudonym, was altered, or was made under another key.
    """
    from cryptography.exceptions import InvalidTag

    match = _pseudonym(pseudonym)
    if match is None:
        raise MaskError("The text is not a pseudonym: give a whole one, as in cpf-… with all that follows.")
    kind = match[1]
    try:
        payload = key.cipher().decrypt(urlsafe_b64decode(match[2]), [kind.encode()])
    except InvalidTag as error:
        raise MaskError(
            "The pseudonym was altered, or made under another key: copy it whole, and use the key of its workspace."
        ) from error
    return OPENERS[kind](payload)


def _sealer(key: MaskKey) -> Callable[[MaskKind, str], str]:
    encrypt = key.cipher().encrypt

    def seal(kind: MaskKind, told: str) -> str:
        if not told:
            return ""
        sealed = encrypt(PACKERS[kind](told), _ASSOCIATED[kind])
        return f"{kind}-{urlsafe_b64encode(sealed).decode()}"

    return seal


_ASSOCIATED: dict[str, list[bytes | bytearray | memoryview]] = {
    kind: [kind.encode()] for kind in get_args(MaskKind)
}
"""The kind is sealed with the value: a CPF's pseudonym does not pass for a telephone's."""
