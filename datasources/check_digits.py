"""Computes the check digits of CPFs and CNPJs."""

from __future__ import annotations

from operator import mul

_CPF_WEIGHTS = (10, 9, 8, 7, 6, 5, 4, 3, 2)
"""Of the first check digit; for the second each is one more, and the first digit itself has 2."""
_CNPJ_WEIGHTS = (5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2), (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)
# A character counts by its code less that of "0", the letters of a CNPJ as well; 48 is taken off the sums as a whole.
_CPF_OFFSET, _CPF_PLAIN_OFFSET = 48 * sum(_CPF_WEIGHTS), 48 * len(_CPF_WEIGHTS)
_CNPJ_OFFSETS = 48 * sum(_CNPJ_WEIGHTS[0]), 48 * sum(_CNPJ_WEIGHTS[1])


def has_cpf_digits(digits: str) -> bool:
    """Whether the last two of eleven *digits* fit the others, which are not all the same."""
    return digits[9:] == cpf_check_digits(digits[:9]) and digits != digits[0] * 11


def has_cnpj_digits(code: str) -> bool:
    """Whether the last two of the fourteen characters of *code* fit the others, which are not all the same."""
    return code[12:] == cnpj_check_digits(code[:12]) and code != code[0] * 14


def cpf_check_digits(root: str) -> str:
    """
    The two digits that follow *root*, the nine digits of a CPF.

    >>> cpf_check_digits("111444777")
    '35'
    """
    code = root.encode()
    weighted = sum(map(mul, code, _CPF_WEIGHTS)) - _CPF_OFFSET
    first = _check_digit(weighted)
    return f"{first}{_check_digit(weighted + sum(code) - _CPF_PLAIN_OFFSET + 2 * first)}"


def cnpj_check_digits(root: str) -> str:
    """
    The two digits that follow *root*, the twelve digits and capital letters of a CNPJ.

    >>> cnpj_check_digits("12ABC34501DE")
    '35'
    """
    code = root.encode()
    first = _check_digit(sum(map(mul, code, _CNPJ_WEIGHTS[0])) - _CNPJ_OFFSETS[0])
    weighted = sum(map(mul, code, _CNPJ_WEIGHTS[1])) + (48 + first) * _CNPJ_WEIGHTS[1][-1]
    return f"{first}{_check_digit(weighted - _CNPJ_OFFSETS[1])}"


def _check_digit(weighted: int) -> int:
    """What is missing from *weighted* to a multiple of eleven; ten, which is no digit, counts as zero."""
    return -weighted % 11 % 10
