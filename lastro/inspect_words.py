"""Says in plain words how a column was read, and what spoke for it."""

from __future__ import annotations

from collections.abc import Mapping

from engine.columns import Coercion

_STYLES = {"br": "decimal comma (br)", "point": "decimal point (point)", "plain": "plain digits"}
_OTHER_STYLE = {"br": "point", "point": "br"}

_DECIDERS = {
    "cells": "its unambiguous cells",
    "locale": "the declared locale",
    "plain": "its cells of four digits or more without a mark",
    "neighbours": "the other columns",
    "groups": "its shorter cells without a mark",
    "source": "the kind of file",
}
"""The rules that settle the cells which fit both styles (spec 2, numbers, 1)."""

_TEXT_REASONS = {
    "leading_zero": "a zero leads in {leading_zero}, so these are codes",
    "long_digits": "more than 15 digits, so these are keys",
    "document": "document numbers, by name and length",
    "two_styles": "decimal commas and decimal points are mixed",
    "two_currencies": "currencies are mixed",
    "mixed_percent": "percentages and other numbers are mixed",
}

_KINDS = frozenset({"plain", "br", "point", "dot", "comma", "spaced", "native"})
_NOT_UNITS = _KINDS | {"decided_by", "null_tokens", "leading_zero"}


def coercion_words(coercion: Coercion) -> str:
    """
    The verdict on a column that came as text, with its evidence, in plain words.

    >>> coercion_words(Coercion("br", {"br": 175, "R$": 175}))
    'decimal comma (br), proved by 175 cells; R$ in 175 cells'
    """
    style, evidence = coercion.style, coercion.evidence
    if style == "text":
        parts = [_text_words(evidence)]
    elif style in _STYLES:
        parts = _number_words(style, evidence, coercion.assumed)
    elif style == "boolean":
        parts = [f"true or false in {_cells(evidence.get(style, 0))}"]
    elif style == "native":
        parts = ["typed by the source"]
    else:
        parts = _date_words(style, evidence, coercion.assumed)
    tokens = _count(evidence, "null_tokens")
    if tokens:
        parts.append(f"{_cells(tokens)} such as “-” or “N/A” {'counts' if tokens == 1 else 'count'} as null")
    return "; ".join(parts)


def _text_words(evidence: Mapping[str, int | str]) -> str:
    reason = _TEXT_REASONS.get(str(evidence.get("decided_by", "")))
    if reason is not None:
        return "kept as text: " + reason.format(leading_zero=_cells(evidence.get("leading_zero", 0)))
    for kind in ("numbers", "dates"):
        if kind in evidence:
            misses = _count(evidence, f"not_{kind}")
            others = "1 cell does" if misses == 1 else f"{misses} cells do"
            reads = "reads" if evidence[kind] == 1 else "read"
            return f"kept as text: {_cells(evidence[kind])} {reads} as {kind}, {others} not"
    return "kept as text"


def _number_words(style: str, evidence: Mapping[str, int | str], assumed: bool) -> list[str]:
    proof = _count(evidence, style)
    spaced = _count(evidence, "spaced")
    ambiguous = {mark: count for mark in ("dot", "comma") if (count := _count(evidence, mark))}
    first = _STYLES[style]
    if style != "plain" and proof:
        first += f", proved by {_cells(proof)}"
    parts = [first]
    if ambiguous:
        parts.append(_ambiguous_words(ambiguous, style, str(evidence.get("decided_by", "cells")), assumed))
    if style != "plain" and _count(evidence, "plain"):
        parts.append(f"{_count(evidence, 'plain')} without a mark")
    if spaced:
        parts.append(f"thousands set apart by spaces in {_cells(spaced)}")
    parts += [f"{unit} in {_cells(count)}" for unit, count in evidence.items() if unit not in _NOT_UNITS]
    return parts


def _ambiguous_words(ambiguous: Mapping[str, int], style: str, decider: str, assumed: bool) -> str:
    samples = {"dot": "1.234", "comma": "1,234"}
    count = sum(ambiguous.values())
    shown = " or ".join(samples[mark] for mark in ambiguous)
    rule = _DECIDERS.get(decider, decider)
    verdict = f"assumed from {rule}, not proved" if assumed else f"decided by {rule}"
    return f"{count} ambiguous (like {shown}: could be {_OTHER_STYLE.get(style, 'either')}), {verdict}"


def _date_words(style: str, evidence: Mapping[str, int | str], assumed: bool) -> list[str]:
    parts = [f"dates as {style}"]
    if "day_over_12" in evidence:
        order = "month first" if style.startswith("MM") else "day first"
        proof = _count(evidence, "day_over_12")
        if assumed:
            parts.append(f"{order} is assumed: no cell rules out the other order")
        elif proof:
            parts.append(f"{order}, proved by {_cells(proof)}")
        else:
            parts.append(f"{order}, by the declared locale")
    timed = _count(evidence, "not_midnight")
    if timed:
        parts.append(f"{_cells(timed)} with a time")
    return parts


def _count(evidence: Mapping[str, int | str], key: str) -> int:
    value = evidence.get(key, 0)
    return value if isinstance(value, int) else 0


def _cells(count: int | str) -> str:
    return "1 cell" if count == 1 else f"{count} cells"
