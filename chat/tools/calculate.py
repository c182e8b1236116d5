"""`calculate`: exact arithmetic over facts and numbers, with nothing that is evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field, StrictInt, StrictStr, WithJsonSchema

from chat.tools.answers import sentences
from chat.tools.base import Arguments, Conversation, Tool
from chat.tools.wire import Number, Value
from engine.calculate import OPERATIONS_MAX, VALUES_MAX, Calculation, Operation, OperationName, calculate
from engine.operands import Operand

Given = Annotated[
    StrictInt | Annotated[Decimal, Field(strict=True)] | StrictStr,
    Field(union_mode="left_to_right"),
    WithJsonSchema({"type": ["string", "number"]}),
]


class OperationArguments(Arguments):
    """One operation, with the operands that it names."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    op: OperationName
    values: Annotated[tuple[Given, ...], Field(max_length=VALUES_MAX)] | None = None
    minuend: Given | None = None
    subtrahend: Given | None = None
    numerator: Given | None = None
    denominator: Given | None = None
    part: Given | None = None
    whole: Given | None = None
    initial: Given | None = None
    final: Given | None = None
    rate: Given | None = None
    periods: Given | None = None
    decimals: StrictInt | None = None

    @property
    def operation(self) -> Operation:
        """The operation for the engine; what was not given is not there."""
        given = self.model_dump(exclude={"op", "decimals"}, exclude_none=True)
        return Operation(self.op, given, self.decimals)


class CalculateArguments(Arguments):
    """What is asked."""

    operations: Annotated[tuple[OperationArguments, ...], Field(min_length=1, max_length=OPERATIONS_MAX)]


class Calculate(Tool[CalculateArguments]):
    """Sums, differences, ratios and growth of what is known already."""

    name: ClassVar[str] = "calculate"
    arguments = CalculateArguments

    def answer(self, conversation: Conversation, arguments: CalculateArguments) -> Mapping[str, Value]:
        """A result for each operation, with what its operands were taken for."""
        operations = [one.operation for one in arguments.operations]
        found = calculate(operations, conversation.ledger)
        return {"results": [_shown(one, conversation) for one in found]}

    def refusal(self, given: Mapping[str, object], note: str) -> Mapping[str, Value]:
        """Why nothing was calculated."""
        return {"results": None, "note": note}


def _shown(one: Calculation, conversation: Conversation) -> dict[str, Value]:
    fact = None if one.fact is None else conversation.ledger.add(one.fact)
    return {
        "op": one.op,
        "result": None if one.value is None else Number(one.value),
        "note": sentences(one.notes, conversation.language),
        "unit": one.unit,
        "rounded": one.rounded,
        "operands": [_operand(each) for each in one.operands],
        "fact": fact.id if fact else None,
    }


def _operand(one: Operand) -> dict[str, Value]:
    """Bound to a fact or an earlier result, open between several facts, or a number that no fact has."""
    shown: dict[str, Value] = {
        "name": one.name,
        "value": None if one.value is None else Number(one.value),
    }
    if one.fact is not None:
        shown["fact"] = one.fact
    elif one.result is not None:
        shown["result"] = f"#{one.result}"
    elif one.candidates:
        shown["candidates"] = list(one.candidates)
    if not one.is_bound and not one.candidates:
        shown["unbound"] = True
    return shown
