"""The shape of `lastro context --json`: every fact of a report for programs, numbers as exact text."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from engine.profile import BandProfile, FieldProfile, GroupProfile, Profile
from engine.statistics import DISTINCT_MAX


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ValueModel(_Model):
    """A value and the rows it stands in."""

    value: str | None = Field(description="null for the null group")
    count: int


class CoercionModel(_Model):
    """How the cells of a column were read."""

    style: str = Field(description="br, point, plain, native, a date format, boolean, or text if kept so")
    evidence: dict[str, int | str] = Field(description="cells for and against, by kind")
    assumed: bool = Field(description="whether the cells themselves leave another reading open")


class FieldModel(_Model):
    """The facts of a column; what does not apply is null."""

    name: str
    type: Literal["text", "number", "date", "datetime", "boolean"]
    role: Literal["measure", "%", "rate", "year", "part", "id"] | None
    unit: str | None
    nulls: int
    distinct: int | None = Field(description=f"exact up to {DISTINCT_MAX}, else null")
    distinct_over: int | None = Field(
        default=None, description="present where distinct is null: there are more"
    )
    values: list[ValueModel] | None = Field(description="of a column of up to 20 values that name something")
    sum: str | None
    avg: str | None
    min: str | None
    max: str | None
    coercion: CoercionModel | None

    @model_serializer(mode="wrap")
    def _without_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _without(handler(self), "distinct_over")


class PartModel(_Model):
    """The sum of one group."""

    value: str | None = Field(description="null for the null group")
    sum: str


class RestModel(_Model):
    """What a leader list does not name."""

    values: int
    sum: str


class GroupModel(_Model):
    """The sums of a measure by a field; parts and rest add up to the measure's sum."""

    measure: str
    by: str
    kind: Literal["enum", "period", "top"]
    parts: list[PartModel]
    rest: RestModel | None = Field(default=None, description="only where kind is top")

    @model_serializer(mode="wrap")
    def _without_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _without(handler(self), "rest")


class BandModel(_Model):
    """A band of the report."""

    name: str
    rows: int
    notes: list[str]
    fields: list[FieldModel]
    groups: list[GroupModel]


class AggregateModel(_Model):
    """A value that the report itself states."""

    id: str
    value: str


class WarningModel(_Model):
    """Something that was assumed, skipped or repaired."""

    code: str
    band: str | None
    field: str | None
    message: str
    count: int | None
    sample: list[str]


class ContextDocument(_Model):
    """Every precomputed fact of a report."""

    bands: list[BandModel]
    aggregates: list[AggregateModel]
    warnings: list[WarningModel]


def _without(data: dict[str, Any], key: str) -> dict[str, Any]:
    if data[key] is None:
        del data[key]
    return data


def schema_text() -> str:
    """The JSON Schema of the document, indented, ending in a line break."""
    import json

    return json.dumps(ContextDocument.model_json_schema(mode="serialization"), indent=2) + "\n"


def document_of(profile: Profile) -> ContextDocument:
    """The document of a complete profile."""
    return ContextDocument(
        bands=[_band(band) for band in profile.bands],
        aggregates=[AggregateModel(id=one.id, value=one.value) for one in profile.aggregates],
        warnings=[
            WarningModel(
                code=one.code,
                band=one.band,
                field=one.field,
                message=one.message,
                count=one.count,
                sample=list(one.sample),
            )
            for one in profile.warnings
        ],
    )


def _band(band: BandProfile) -> BandModel:
    return BandModel(
        name=band.name,
        rows=band.rows,
        notes=list(band.notes),
        fields=[_field(one) for one in band.fields],
        groups=[_group(one) for one in band.groups],
    )


def _field(one: FieldProfile) -> FieldModel:
    coercion = one.coercion
    return FieldModel(
        name=one.name,
        type=one.type,
        role=one.role,
        unit=one.unit,
        nulls=one.nulls,
        distinct=one.distinct,
        distinct_over=DISTINCT_MAX if one.distinct is None else None,
        values=None if one.values is None else [ValueModel(value=v.value, count=v.count) for v in one.values],
        sum=one.sum,
        avg=one.avg,
        min=one.min,
        max=one.max,
        coercion=None
        if coercion is None
        else CoercionModel(style=coercion.style, evidence=dict(coercion.evidence), assumed=coercion.assumed),
    )


def _group(one: GroupProfile) -> GroupModel:
    return GroupModel(
        measure=one.measure,
        by=one.by,
        kind=one.kind,
        parts=[PartModel(value=part.value, sum=part.sum) for part in one.parts],
        rest=None if one.rest is None else RestModel(values=one.rest.values, sum=one.rest.sum),
    )
