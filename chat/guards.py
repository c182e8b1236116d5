"""The protections of a chat: what comes next, and which calls are not run, decided from what has come so far."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal

from chat.messages import ToolCall
from chat.rounds import AnsweredCall, EndStatus, Round, Step
from chat.safe_text import for_detail, for_json, for_model
from chat.sentences import sentence
from chat.tools.arguments import read_json
from chat.tools.wire import Number, Value, write
from engine.exceptions import QueryError
from engine.notes import Language, note

NAME_CHARS_MAX = 64

_is_id = re.compile(r"[A-Za-z0-9_-]{1,40}").fullmatch
"""What the strictest provider takes for the id of a call."""
_not_of_a_name = re.compile(r"[^A-Za-z0-9_-]").sub


@dataclass(frozen=True, slots=True)
class LoopLimits:
    """How far a run may go."""

    iterations: int = 8
    """Messages that the model is asked for, the last one without tools (CHAT_MAX_ITERATIONS)."""
    silent_rounds: int = 2
    """After so many messages in a row with calls and without text, the next is without tools."""
    calls_per_message: int = 16
    answer_chars: int = 100_000
    """So long the answer of a tool may be: a report may name its groups at any length."""
    answers_chars: int = 400_000
    """And so long all of them together, which go to the model with every message."""
    seconds: float = 120.0
    """For all messages and tools together."""


# ---- what comes next ----


def next_step(rounds: Sequence[Round], limits: LoopLimits) -> Step:
    """What follows *rounds*: no tools when the model keeps silent or time is up, and no third chance."""
    if not rounds:
        return "ask" if limits.iterations > 1 else "write"
    last = rounds[-1]
    if last.text and (last.step == "write" or not last.calls):
        return "done"
    if last.step == "write":
        return "give_up"
    is_last = len(rounds) + 1 >= limits.iterations
    is_stuck = not last.calls or silent_rounds(rounds) >= limits.silent_rounds
    return "write" if is_last or is_stuck else "ask"


def silent_rounds(rounds: Sequence[Round]) -> int:
    """How many messages at the end have calls and no text."""
    count = 0
    for one in reversed(rounds):
        if one.text or not one.calls:
            break
        count += 1
    return count


# ---- one call ----


@dataclass(frozen=True, slots=True)
class Asked:
    """A call of the model, with what is needed to judge it."""

    written: ToolCall
    """As the model wrote it."""
    call: ToolCall
    """As it goes back: arguments that are no object go back as one without keys, on which no provider stumbles."""
    key: str
    """What is asked, written in the one way that equal questions share."""
    problem: QueryError | None
    """Of arguments that are no object."""
    position: int
    """Among the calls of its message."""
    offered: tuple[str, ...]
    """The names of the tools that the model was given."""
    before: tuple[AnsweredCall, ...]
    """All calls before it."""
    limits: LoopLimits
    language: Language

    @property
    def name(self) -> str:
        """As a reader may be shown it, whatever it is."""
        return for_detail(self.written.name, NAME_CHARS_MAX) or "?"

    def unanswered(self, status: EndStatus, text: str) -> AnsweredCall:
        """The answer to a call that is not run; *text* says why, and may name what the model wrote."""
        return AnsweredCall(self.call, status, for_model(text), for_detail(text), is_error=True)


def beyond_the_cap(asked: Asked) -> AnsweredCall | None:
    """Of more calls in one message than there may be, the rest is refused."""
    most = asked.limits.calls_per_message
    if asked.position < most:
        return None
    return asked.unanswered("refused", sentence("call_too_many", asked.language, most=most))


def unknown_name(asked: Asked) -> AnsweredCall | None:
    """A tool that was not offered is refused."""
    if asked.written.name in asked.offered:
        return None
    if not asked.offered:
        return asked.unanswered("refused", sentence("call_without_tools", asked.language))
    text = note("no_such_tool", asked.language, name=asked.name, names=asked.offered)
    return asked.unanswered("refused", text)


def no_object(asked: Asked) -> AnsweredCall | None:
    """Arguments that are no JSON object have failed."""
    if asked.problem is None:
        return None
    return asked.unanswered("failed", asked.problem.text(asked.language))


def repeated(asked: Asked) -> AnsweredCall | None:
    """
    A question that was answered already gets the same answer.

    One that failed may be asked again in other words, `2` for `2.0`: a tool may tell apart what a number does not.
    """
    for one in asked.before:
        if one.key == asked.key and (not one.is_error or one.call.arguments == asked.call.arguments):
            remark = sentence("call_repeated", asked.language)
            text, detail = f"{remark}\n{one.text}", for_detail(f"{remark} {one.detail}")
            return AnsweredCall(asked.call, "duplicate", text, detail, is_error=one.is_error)
    return None


def within_limits(answered: AnsweredCall, asked: Asked) -> AnsweredCall:
    """*answered*, or that it is too long to be taken, which goes to the model in its place."""
    limits = asked.limits
    left = max(limits.answers_chars - sum(len(one.text) for one in asked.before if not one.is_error), 0)
    most = min(limits.answer_chars, left)
    if answered.is_error or len(answered.text) <= most:
        return answered
    text = sentence("answer_over_limit", asked.language, count=len(answered.text), most=most)
    return replace(asked.unanswered("failed", text), key=answered.key)


PROTECTIONS = (beyond_the_cap, unknown_name, no_object, repeated)
"""Each may answer in a tool's place; the first that does is right."""


def settle(asked: Asked) -> AnsweredCall | None:
    """The answer to a call that is not to be run; None for one that is."""
    for protection in PROTECTIONS:
        answered = protection(asked)
        if answered is not None:
            return answered
    return None


# ---- how a call is written ----


def ask(
    written: ToolCall,
    position: int,
    *,
    offered: tuple[str, ...],
    before: tuple[AnsweredCall, ...],
    limits: LoopLimits,
    language: Language,
) -> Asked:
    """The call *written* at *position* of its message, in the form in which it is judged."""
    (text, question), problem = _read(written.arguments)
    name = _not_of_a_name("_", written.name)[:NAME_CHARS_MAX] or "_"
    call = ToolCall(_own_id(written.id, [one.call.id for one in before]), name, text)
    key = f"{name} {question}"
    return Asked(written, call, key, problem, position, offered, before, limits, language)


def _read(arguments: str) -> tuple[tuple[str, str], QueryError | None]:
    """What *arguments* say, as it goes back and as equal questions have it; or that they cannot be read."""
    try:
        given = {key: _value(one) for key, one in read_json(arguments).items()}
        return (for_json(write(given)), canonical(given)), None
    except QueryError as error:
        return ("{}", "{}"), error
    except ArithmeticError:  # an exponent of twenty digits
        return ("{}", "{}"), QueryError("no_json")


def _value(given: object) -> Value:
    """What JSON had, each number with its digits."""
    match given:
        case Mapping():
            return {key: _value(one) for key, one in given.items()}
        case list():
            return [_value(one) for one in given]
        case Decimal():
            return Number(given)
        case None | bool() | int() | str():
            return given
        case _:
            raise TypeError(f"JSON has no {type(given).__name__}")


def canonical(arguments: Mapping[str, Value]) -> str:
    """
    *arguments* with sorted keys and each number written in one way; texts stay as they are, to the letter.

    >>> canonical({"b": Number("1.50"), "a": [100, Number("1E+2")]})
    '{"a":[1E+2,1E+2],"b":1.5}'
    """
    return write(_canonical(arguments))


def _canonical(value: Value) -> Value:
    match value:
        case Mapping():
            return {key: _canonical(value[key]) for key in sorted(value)}
        case bool() | None:
            return value
        case int() | Number():
            number = _exact.normalize(Decimal(value))
            return Number(number or 0)  # there is one nought
        case str():
            return value
        case _:
            return [_canonical(one) for one in value]


_exact = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


def _own_id(given: str, taken: Iterable[str]) -> str:
    """*given* if every provider takes it and no other call has it, else the next number that is free."""
    used = set(taken)
    if _is_id(given) and given not in used:
        return given
    number = len(used) + 1
    while f"call_{number}" in used:
        number += 1
    return f"call_{number}"
