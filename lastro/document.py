"""The shape of `lastro context --json`: every fact of a report for programs, numbers as exact text."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from engine.profile import AppliedFilter, BandProfile, FieldProfile, GroupProfile, Profile
from engine.statistics import DISTINCT_MAX
from engine.withheld import WithheldBand, WithheldField, WithheldGroup, WithheldProfile


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _is_absent(value: object) -> bool:
    return value is None


def _is_nothing(value: object) -> bool:
    return not value


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
    nulls: int | None = Field(description="null where small groups withhold their number")
    distinct: int | None = Field(
        description=f"exact up to {DISTINCT_MAX}, else null; null under small groups"
    )
    distinct_over: int | None = Field(
        default=None, exclude_if=_is_absent, description="present where distinct is null: there are more"
    )
    values: list[ValueModel] | None = Field(description="of a column of up to 20 values that name something")
    sum: str | None
    avg: str | None
    min: str | None
    max: str | None
    coercion: CoercionModel | None
    masked: bool = Field(
        default=False,
        exclude_if=_is_nothing,
        description="present where the cells are pseudonyms: equal for equal values, and never listed",
    )
    values_withheld: int | None = Field(
        default=None,
        exclude_if=_is_absent,
        description="under small groups, the rows of the values that are not named; present where there are some",
    )
    withheld: list[str] = Field(
        default=[],
        exclude_if=_is_nothing,
        description="under small groups, what is not told: SUM, AVG, MIN, MAX, NULLS, or COUNT for the values",
    )


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
    rest: RestModel | None = Field(default=None, exclude_if=_is_absent, description="only where kind is top")
    sum_withheld: str | None = Field(
        default=None,
        exclude_if=_is_absent,
        description="under small groups, the sum of all groups that are not named; present where there are some",
    )


class WithheldListModel(_Model):
    """Sums by group of which small groups leave nothing."""

    measure: str
    by: str
    kind: Literal["enum", "period", "top"]


class BandModel(_Model):
    """A band of the report."""

    name: str
    rows: int | None = Field(description="null where there are fewer than small_groups says")
    notes: list[str]
    fields: list[FieldModel]
    groups: list[GroupModel]
    groups_withheld: list[WithheldListModel] = Field(
        default=[], exclude_if=_is_nothing, description="lists that small groups withhold as a whole"
    )


class AggregateModel(_Model):
    """A value that the report itself states."""

    id: str
    value: str | None = Field(description="null where there was nothing to compute it from")
    withheld: bool = Field(
        default=False, exclude_if=_is_nothing, description="present where small groups withhold the value"
    )


class InfoModel(_Model):
    """What the report is called."""

    name: str
    id: str
    description: str | None


class FilterModel(_Model):
    """A parameter of the report, and what was chosen for it."""

    id: str
    label: str | None
    type: Literal["text", "number", "date", "datetime", "boolean", "select", "multiselect"]
    values: list[str] = Field(description="canonical texts; empty where nothing was chosen")
    default: bool = Field(description="whether the values are the report's own")


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

    report: InfoModel | None = Field(
        default=None, exclude_if=_is_absent, description="only of a report with a definition"
    )
    filters: list[FilterModel] | None = Field(
        default=None, exclude_if=_is_absent, description="likewise, one for each parameter"
    )
    small_groups: int | None = Field(
        default=None,
        exclude_if=_is_absent,
        description="present where groups of fewer rows are withheld: counts, sums and values are then what is left",
    )
    bands: list[BandModel]
    aggregates: list[AggregateModel]
    warnings: list[WarningModel]


def schema_text() -> str:
    """The JSON Schema of the document, indented, ending in a line break."""
    import json

    return json.dumps(ContextDocument.model_json_schema(mode="serialization"), indent=2) + "\n"


def document_of(profile: Profile) -> ContextDocument:
    """The document of a complete profile, or of what small groups leave of one."""
    info = profile.info
    k = profile.k if isinstance(profile, WithheldProfile) else None
    unstated = profile.unstated if isinstance(profile, WithheldProfile) else frozenset()
    return ContextDocument(
        report=None if info is None else InfoModel(name=info.name, id=info.id, description=info.description),
        filters=None if info is None else [_filter(one) for one in profile.filters],
        small_groups=k,
        bands=[_band(band) for band in profile.bands],
        aggregates=[
            AggregateModel(id=one.id, value=one.value, withheld=one.id in unstated)
            for one in profile.aggregates
        ],
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


def _filter(one: AppliedFilter) -> FilterModel:
    return FilterModel(
        id=one.id,
        label=one.label,
        type=one.type,  # type: ignore[arg-type]  # of the definition, which knows no other
        values=list(one.values),
        default=one.note == "default",
    )


def _band(band: BandProfile) -> BandModel:
    return BandModel(
        name=band.name,
        rows=None if _is_few(band) else band.rows,
        notes=list(band.notes),
        fields=[_field(one, is_few=_is_few(band)) for one in band.fields],
        groups=[_group(one) for one in band.groups],
        groups_withheld=[
            WithheldListModel(measure=one.measure, by=one.by, kind=one.kind)
            for one in (band.lists if isinstance(band, WithheldBand) else ())
        ],
    )


def _is_few(band: BandProfile) -> bool:
    return isinstance(band, WithheldBand) and band.is_few


def _field(one: FieldProfile, *, is_few: bool) -> FieldModel:
    left = one if isinstance(one, WithheldField) else None
    # How single cells were read is nothing that small groups leave.
    coercion = None if left else one.coercion
    withheld = () if left is None else left.withheld
    return FieldModel(
        name=one.name,
        type=one.type,
        role=one.role,
        unit=one.unit,
        nulls=None if is_few or "NULLS" in withheld else one.nulls,
        distinct=one.distinct,
        distinct_over=DISTINCT_MAX if one.distinct is None and left is None else None,
        values=None if one.values is None else [ValueModel(value=v.value, count=v.count) for v in one.values],
        sum=one.sum,
        avg=one.avg,
        min=one.min,
        max=one.max,
        coercion=None
        if coercion is None
        else CoercionModel(style=coercion.style, evidence=dict(coercion.evidence), assumed=coercion.assumed),
        masked=one.masked,
        values_withheld=None if left is None else left.rest,
        withheld=list(withheld),
    )


def _group(one: GroupProfile) -> GroupModel:
    return GroupModel(
        measure=one.measure,
        by=one.by,
        kind=one.kind,
        parts=[PartModel(value=part.value, sum=part.sum) for part in one.parts],
        rest=None if one.rest is None else RestModel(values=one.rest.values, sum=one.rest.sum),
        sum_withheld=one.unnamed if isinstance(one, WithheldGroup) else None,
    )
