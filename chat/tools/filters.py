"""The filter on the wire: the one model of `datasources.filters`, with errors that a model can act on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, get_args

from pydantic import PlainValidator, ValidationError, WithJsonSchema

from chat.tools.wire import Number, Value
from datasources.filters import NODES_MAX, AllOf, AnyOf, Condition, Filter, FilterOp
from engine.exceptions import QueryError

OPS: tuple[str, ...] = get_args(FilterOp)
EXAMPLE = '{"field": "status", "op": "=", "value": "faturado"}'
KEYS = ("field", "op", "value")

_VALUE: dict[str, Any] = {"type": ["string", "number", "boolean"]}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "field": {"type": "string"},
        "op": {"enum": list(OPS)},
        "value": {"anyOf": [_VALUE, {"type": "array", "items": _VALUE}]},
        "and": {"type": "array", "items": {"type": "object"}},
        "or": {"type": "array", "items": {"type": "object"}},
    },
    "additionalProperties": False,
}
"""One condition, or `and`/`or` with a list of the same: a schema that refers to itself is read by few providers."""


def read_filter(given: object, path: str = "filter") -> Filter:
    """The filter that *given* is; raises QueryError that names the place at fault."""
    return _read(given, path, depth=1)


def _read(given: object, path: str, depth: int) -> Filter:
    if not isinstance(given, Mapping):
        raise QueryError("wrong_filter", path=path, example=EXAMPLE)
    if depth > NODES_MAX:
        raise QueryError("large_filter", most=NODES_MAX)
    for key, kind in (("and", AllOf), ("or", AnyOf)):
        if key in given:
            parts = given[key]
            if len(given) > 1 or not isinstance(parts, list | tuple) or not parts:
                raise QueryError("wrong_group", path=path, key=key, example=EXAMPLE)
            inner = tuple(_read(one, f"{path}.{key}[{at}]", depth + 1) for at, one in enumerate(parts))
            return kind(**{key: inner})
    return _read_condition(given, path)


def _read_condition(given: Mapping[Any, object], path: str) -> Condition:
    for key in given:
        if key not in KEYS:
            raise QueryError("wrong_filter", path=path, example=EXAMPLE)
    for key in ("field", "op"):
        if key not in given:
            raise QueryError("missing_argument", path=f"{path}.{key}")
    if given["op"] not in OPS:
        raise QueryError("one_of", path=f"{path}.op", names=OPS)
    try:
        return Condition.model_validate(dict(given))
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        if found["type"].startswith("filter_"):
            raise QueryError(found["type"], path=path, **found.get("ctx", {})) from None
        raise QueryError("wrong_filter", path=path, example=EXAMPLE) from None


WireFilter = Annotated[Any, PlainValidator(read_filter), WithJsonSchema(SCHEMA)]
"""A `Filter`; what is none raises QueryError at once, which says more than a list of what each shape lacks."""


def filter_value(where: Filter | None) -> Value:
    """*where* as the wire has it; null where there is none."""
    match where:
        case None:
            return None
        case AllOf():
            return {"and": [filter_value(one) for one in where.all_of]}
        case AnyOf():
            return {"or": [filter_value(one) for one in where.any_of]}
    shown: dict[str, Value] = {"field": where.field, "op": where.op}
    if where.value is not None:
        value = where.value
        shown["value"] = [_plain(one) for one in value] if isinstance(value, tuple) else _plain(value)
    return shown


def _plain(value: Any) -> Value:
    if isinstance(value, bool | int | str):
        return value
    return Number(format(value, "f"))
