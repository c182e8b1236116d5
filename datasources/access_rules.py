"""Turns the access rules of a report into what one viewer may see of each band."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from datasources.base import Declared
from datasources.exceptions import AccessError

if TYPE_CHECKING:
    from datasources.access import Access, AttributeValue, CompileTest, Viewer
    from datasources.access_policy import Rule, RuleCondition
    from datasources.elements import BandDefinition, ReportDefinition
    from datasources.filters import Condition, Filter
    from datasources.mask_key import MaskKey
    from datasources.mask_payloads import MaskKind

COLUMNS_MAX = 999
_UNSEEN = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_numbered = re.compile(r"(.+)_([1-9][0-9]*)", re.DOTALL).fullmatch

Treatment = Literal["hide", "show"] | tuple[Literal["mask"], "MaskKind"]
"""What becomes of a column: it goes, it stays as it is, or its cells are masked as a kind."""


@dataclass(frozen=True, slots=True)
class BandView:
    """What a viewer may see of a band."""

    band: str
    source: str
    table: str | None
    """Which array of records in the source it draws from, by its path; None for the records (or rows) themselves."""
    where: Filter | None
    treatments: Mapping[str, Treatment]
    """By folded name of the field (`fold_name`)."""
    fields: tuple[str, ...]
    """The fields that the rules, and declared personal data, are about: they must be there."""
    declared: Mapping[str, Declared]
    detects: bool
    """Whether columns of which nothing is declared are looked at for personal data."""
    compile_test: CompileTest
    key: MaskKey | None
    totals: Literal["none", "first", "last", "both"] | None = None
    """Which rows at the edges the definition says are totals."""

    def treatment_of(self, column: str, width: int, *, is_nested: bool = False) -> Treatment | None:
        """
        What becomes of *column* of a table of *width* columns; None where no rule says so.

        A rule for `cpf` is one for every column whose name looks the same, for those that were numbered because
        they repeat it and, where columns come from nested records (*is_nested*), for those below it.
        """
        name = fold_name(column)
        if name in self.treatments:
            return self.treatments[name]
        match = _numbered(name)
        # A column of a year, such as `valor_2026`, repeats nothing.
        if match is not None and int(match[2]) <= width and match[1] in self.treatments:
            return self.treatments[match[1]]
        if is_nested:
            ends = [at for at, mark in enumerate(name) if mark == "."]
            return next((self.treatments[name[:end]] for end in ends if name[:end] in self.treatments), None)
        return None

    def is_unseen(self, name: str) -> bool:
        """Whether this viewer does not see the field *name* as it is, going by the rules alone."""
        # A number behind a name may say that it repeats another: as many columns as a table can have.
        return self.treatment_of(name, COLUMNS_MAX, is_nested=True) not in (None, "show")

    def asks_for_masked(self, where: Filter) -> bool:
        """Whether *where* compares a text with personal data, which are masked inside of that text."""
        from datasources.filters import conditions_in
        from datasources.pii import find_in_text

        return any(
            isinstance(value, str) and self.masks_inside(one.field) and bool(find_in_text(value))
            for one in conditions_in(where)
            for value in (one.value if isinstance(one.value, tuple) else (one.value,))
        )

    def masks_inside(self, name: str) -> bool:
        """Whether personal data inside the texts of the field *name* are masked: nothing is said of it."""
        known = self.declared.get(name)
        is_said = known is not None and known.type is not None
        return self.detects and not is_said and self.treatment_of(name, COLUMNS_MAX, is_nested=True) is None


def fold_name(name: str) -> str:
    """
    *name* as it looks: compatible forms and cases are one, and what cannot be seen is not there.

    >>> fold_name("ＣＰＦ\u200b ") == fold_name("cpf")
    True
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(mark for mark in folded if unicodedata.category(mark) not in _UNSEEN)


def views_of(definition: ReportDefinition, access: Access) -> dict[str, BandView]:
    """
    What the viewer may see, by band that has a datasource.

    Raises AccessError for an attribute that a rule needs and the viewer lacks, or has in another shape.
    """
    policy = definition.access
    assert policy is not None
    wheres = {rule.band: resolve(rule.where, access.viewer, rule.band) for rule in policy.rows}
    tables = tables_of(definition)
    if access.key is None and _masks_something(definition):
        raise AccessError(
            f"The report {definition.id} masks personal data: give the key of the workspace's masks.",
            source=definition.id,
        )
    return {
        band.name: BandView(
            band.name,
            str(band.datasource),
            tables[band.name],
            wheres.get(band.name),
            _treatments(definition, band, access.viewer),
            _fields(definition, band),
            {one.name: Declared(one.type, one.role, one.label, one.unit) for one in band.fields},
            policy.detect_pii,
            access.compile_test,
            access.key,
            _totals(definition, str(band.datasource)),
        )
        for band in definition.bands
        if band.datasource is not None
    }


def _totals(definition: ReportDefinition, source: str) -> Literal["none", "first", "last", "both"] | None:
    found = definition.datasources.get(source)
    return found.totals if found is not None and found.kind == "file" else None


def _masks_something(definition: ReportDefinition) -> bool:
    policy = definition.access
    assert policy is not None
    declared = any(field.pii for band in definition.bands for field in band.fields)
    return policy.detect_pii or declared or any(rule.action == "mask" for rule in policy.columns)


def tables_of(definition: ReportDefinition) -> dict[str, str | None]:
    """
    Which nested array of its datasource each band draws from, None for the records themselves.

    By its name alone: `pedidos.itens` is the array `itens` of the datasource, or band, `pedidos`.
    """
    plain: dict[str, list[str]] = {}
    for band in definition.bands:
        if band.datasource is not None:
            plain.setdefault(band.datasource, [band.datasource]).append(band.name)
    found: dict[str, str | None] = {}
    for band in definition.bands:
        if band.datasource is None:
            continue
        above = [one for one in plain[band.datasource] if band.name.startswith(f"{one}.")]
        # The shortest one is the root: what follows it is the whole path.
        found[band.name] = band.name[len(min(above, key=len)) + 1 :] if above else None
    return found


# ---- rows ----


def resolve(where: Rule, viewer: Viewer, band: str) -> Filter:
    """The filter that *where* is for *viewer*; raises AccessError, which names the attribute that does not fit."""
    from datasources.access_policy import RuleAll, RuleAny
    from datasources.filters import AllOf, AnyOf

    match where:
        case RuleAll():
            return AllOf(**{"and": tuple(resolve(one, viewer, band) for one in where.all_of)})
        case RuleAny():
            return AnyOf(**{"or": tuple(resolve(one, viewer, band) for one in where.any_of)})
    return _resolve_condition(where, viewer, band)


def _resolve_condition(condition: RuleCondition, viewer: Viewer, band: str) -> Condition:
    from pydantic import ValidationError

    from datasources.access_policy import ViewerAttribute
    from datasources.filters import Condition

    value = condition.value
    if not isinstance(value, ViewerAttribute):
        return Condition(field=condition.field, op=condition.op, value=value)
    needs = f"The row rule of the band {band} needs the viewer's attribute “{value.viewer}”"
    if value.viewer not in viewer.attributes:
        raise AccessError(f"{needs}, which the viewer does not have.", source=band)
    found: AttributeValue | tuple[AttributeValue, ...] = viewer.attributes[value.viewer]
    if condition.op in ("contains", "starts_with") and isinstance(found, str) and not found.strip():
        # Every text contains the empty one: who has no word is shown nothing, rather than all.
        raise AccessError(
            f"{needs} in another shape: {condition.op} takes a text that is not empty.", source=band
        )
    try:
        return Condition(field=condition.field, op=condition.op, value=found)
    except ValidationError as error:
        said = error.errors(include_url=False)[0]["msg"]
        raise AccessError(f"{needs} in another shape: {said}.", source=band) from error


# ---- columns ----


def _treatments(definition: ReportDefinition, band: BandDefinition, viewer: Viewer) -> dict[str, Treatment]:
    assert definition.access is not None
    found: dict[str, Treatment] = {
        fold_name(field.name): ("mask", field.pii) for field in band.fields if field.pii is not None
    }
    declared = dict(found)
    for rule in definition.access.columns:
        if rule.band != band.name:
            continue
        name = fold_name(rule.field)
        if viewer.roles.intersection(rule.except_roles):
            found[name] = "show"
        elif rule.action == "hide":
            found[name] = "hide"
        else:
            kind: MaskKind | None = rule.mask
            found[name] = ("mask", kind) if kind else declared.get(name, ("mask", "other"))
    return found


def _fields(definition: ReportDefinition, band: BandDefinition) -> tuple[str, ...]:
    assert definition.access is not None
    ruled = [rule.field for rule in definition.access.columns if rule.band == band.name]
    return tuple(dict.fromkeys([*ruled, *(field.name for field in band.fields if field.pii is not None)]))


def missing_fields(fields: Iterable[str], columns: Sequence[str], *, is_nested: bool) -> list[str]:
    """Those of *fields* that no column looks like."""
    known = {fold_name(column) for column in columns}
    if is_nested:
        known |= {name[:at] for name in known for at, mark in enumerate(name) if mark == "."}
    return [field for field in fields if fold_name(field) not in known]
