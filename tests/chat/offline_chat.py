"""Asks the chat without a model, through the loop and the tools, and reads what it has answered."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from chat.llm.base import LlmClient
from chat.loop import ChatLoop
from chat.messages import UserMessage
from chat.offline.client import SEARCH, OfflineClient
from chat.tools.toolset import Toolset
from engine import Snapshot
from engine.notes import Language

_figures = re.compile(r"(-?[0-9][0-9.,/]*)%?(?: [^\s(;]+)? \((?:F[0-9]+|[0-9])").findall
_day = re.compile(r"([0-9]{2})/([0-9]{2})/([0-9]{4})").fullmatch
_is_english = re.compile(r"\brows?\)| is | of | has ").search


@dataclass(frozen=True)
class Asked:
    """What came of a question."""

    text: str
    ending: str | None
    tools: tuple[str, ...]
    arguments: Mapping[str, Any]
    """Of the last question to a tool."""
    figures: tuple[str, ...]
    """The figures of the answer in their order, as plain numbers and ISO days; empty of an abstention."""


def ask(
    snapshot: Snapshot, question: str, language: Language = "pt", client: LlmClient | None = None
) -> Asked:
    """The answer to *question* about *snapshot*."""

    async def run():
        with Toolset(snapshot, language=language) as tools:
            loop = ChatLoop(client or OfflineClient(language), tools, language=language)
            chat = loop.run("", (UserMessage(question),), profile=snapshot.profile)
            async for _ in chat:
                pass
            return chat.outcome

    outcome = asyncio.run(run())
    calls = outcome.calls
    arguments = json.loads(calls[-1].call.arguments) if calls else {}
    tools = tuple(one.call.name for one in calls)
    figures: tuple[str, ...] = ()
    if tools and tools[-1] != SEARCH:
        figures = tuple(_plain(one, outcome.answer) for one in _figures(outcome.answer))
    return Asked(outcome.answer, outcome.ending, tools, arguments, figures)


def _plain(figure: str, answer: str) -> str:
    """A figure as it is told, without the marks of its language."""
    if day := _day(figure):
        return f"{day[3]}-{day[2]}-{day[1]}"
    thousands, point = (",", ".") if _is_english(answer) else (".", ",")
    return figure.rstrip(".,").replace(thousands, "").replace(point, ".")


def verdict(asked: Asked, expected: Mapping[str, Any] | None) -> str:
    """`right`, `wrong` or `abstained`, as the README of the questions defines them."""
    if not asked.figures:
        return "abstained"
    if expected is None:
        return "wrong"
    if "groups" in expected:
        wanted = [value for _, value in expected["groups"]]
        named = [asked.text.find(name) for name, _ in expected["groups"]]
        is_ordered = -1 not in named and named == sorted(named)
        return "right" if is_ordered and _same(asked.figures, wanted) else "wrong"
    if "a" in expected:
        sides = [expected["a"], expected["b"], expected["difference"]]
        return "right" if _same(asked.figures[:3], sides) else "wrong"
    return "right" if _same(asked.figures, [expected["value"]]) else "wrong"


def _same(given: Sequence[str], wanted: Sequence[str]) -> bool:
    return len(given) == len(wanted) and all(map(_equal, given, wanted))


def _equal(a: str, b: str) -> bool:
    try:
        return Decimal(a) == Decimal(b)
    except ArithmeticError:
        return a == b
