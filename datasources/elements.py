"""What a report is made of: its definition as one JSON document, checked strictly when it is read."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from datasources.access_policy import AccessPolicy
from datasources.filters import NODES_MAX, Filter, count_nodes
from datasources.pii import PiiKind
from datasources.strict_model import Identifier, Name, Strict

ReportId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$")]
"""A name that is safe as a file's name too."""
Colour = Annotated[str, StringConstraints(pattern=r"^#[0-9A-Fa-f]{6}$")]


ParameterType = Literal["text", "number", "date", "datetime", "boolean", "select", "multiselect"]
ParameterValue = str | int | Decimal | bool | tuple[str, ...] | None


class Parameter(Strict):
    """A value that the reader of a report chooses."""

    id: Identifier
    label: Name | None = None
    type: ParameterType
    required: bool = False
    default_value: Any = Field(default=None, alias="defaultValue")  # checked as its type by `parameters`
    options: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _options_fit_the_type(self) -> Self:
        if (self.type in ("select", "multiselect")) != bool(self.options):
            needed = "needs" if self.type in ("select", "multiselect") else "takes no"
            raise ValueError(f"a parameter of type {self.type} {needed} options")
        return self


class FileSource(Strict):
    """A file under one of the operator's named roots."""

    kind: Literal["file"]
    root: Identifier
    path: str = Field(min_length=1)
    """Relative, with `/`; a `{{parameter}}` may be a whole segment if it has options. No `..`."""
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    """Whether the first record names the columns; None lets the table be looked for among all records."""
    columns: tuple[Name, ...] = ()
    """The names of the columns of a file without a header."""
    totals: Literal["none", "first", "last", "both"] | None = None
    """Which rows at the edges of the table are totals, for reports with access rules."""
    null_values: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _names_stand_in_for_a_header(self) -> Self:
        if self.columns and self.header is not False:
            raise ValueError("columns are the names for a file without a header: say header false too")
        return self


class InlineSource(Strict):
    """Records that stand in the definition itself."""

    kind: Literal["inline"]
    records: tuple[dict[str, Any], ...]


class MemorySource(Strict):
    """A frame that the calling program hands over under this name."""

    kind: Literal["memory"]
    name: Identifier


class SqlSource(Strict):
    """One SELECT over a connection that the operator has named; `{{parameter}}`s are bound, never pasted."""

    kind: Literal["sql"]
    connection: Identifier
    query: str = Field(min_length=1, max_length=100_000)


Source = Annotated[FileSource | InlineSource | MemorySource | SqlSource, Field(discriminator="kind")]


class DeclaredField(Strict):
    """What the author says of a field; what is declared wins over what the cells suggest."""

    name: Name
    type: Literal["text", "number", "date", "datetime", "boolean"] | None = None
    role: Literal["measure", "%", "rate", "year", "part", "id"] | None = None
    label: Name | None = None
    unit: str | None = None
    format: str | None = None
    pii: PiiKind | None = None
    """What its cells tell of a person: they are masked for whoever is not excepted."""


class _Element(Strict):
    """Something that is drawn: position and size in millimetres from the band's top left."""

    x: float = Field(default=0, ge=0)
    y: float = Field(default=0, ge=0)
    width: float = Field(default=40, gt=0)
    height: float = Field(default=6, gt=0)
    color: Colour | None = None
    background: Colour | None = None


class TextElement(_Element):
    """A fixed text."""

    type: Literal["text"]
    text: str
    bold: bool = False


class FieldElement(_Element):
    """The value of a field."""

    type: Literal["field"]
    field: Name
    label: Name | None = None
    format: str | None = None


class TableElement(_Element):
    """The rows of the band as a table."""

    type: Literal["table"]
    columns: tuple[Name, ...] = Field(min_length=1)


class BarcodeElement(_Element):
    """The value of a field as a bar code."""

    type: Literal["barcode"]
    field: Name
    symbology: Literal["code128", "ean13", "qr", "itf"] = "code128"


class ChartElement(_Element):
    """A measure by a field, drawn."""

    type: Literal["chart"]
    kind: Literal["bar", "line", "pie"] = "bar"
    by: Name
    value: Name


Element = Annotated[
    TextElement | FieldElement | TableElement | BarcodeElement | ChartElement, Field(discriminator="type")
]


class BandDefinition(Strict):
    """A part of the report that is drawn from one datasource."""

    name: Name
    kind: Literal["header", "detail", "group", "footer"] = "detail"
    datasource: Identifier | None = None
    """None for a band that only draws fixed elements."""
    fields: tuple[DeclaredField, ...] = ()
    elements: tuple[Element, ...] = ()


class AggregateElement(Strict):
    """A value that the report itself states: computed over the full data, and authoritative."""

    id: Name
    band: Name
    verb: Literal["SUM", "AVG", "COUNT", "MIN", "MAX"]
    field: Name | None = None
    where: Filter | None = None
    decimals: int | None = Field(default=None, ge=0, le=18)

    @model_validator(mode="after")
    def _needs_a_field(self) -> Self:
        if self.field is None and self.verb != "COUNT":
            raise ValueError(f"{self.verb} needs a field")
        if self.where is not None and count_nodes(self.where) > NODES_MAX:
            raise ValueError(f"a filter has at most {NODES_MAX} conditions")
        return self


class Page(Strict):
    """The paper: A4, with margins in millimetres."""

    size: Literal["A4"] = "A4"
    orientation: Literal["portrait", "landscape"] = "portrait"
    margin_top: float = Field(default=15, ge=0, le=100)
    margin_right: float = Field(default=15, ge=0, le=100)
    margin_bottom: float = Field(default=15, ge=0, le=100)
    margin_left: float = Field(default=15, ge=0, le=100)


class ReportDefinition(Strict):
    """A report: its data, its parameters, its bands and what it states; one JSON document."""

    format: Literal[1] = 1
    """The version of this shape."""
    id: ReportId
    name: Name
    description: str | None = None
    locale: str | None = None
    public: bool = False
    page: Page = Page()
    parameters: tuple[Parameter, ...] = ()
    datasources: dict[Identifier, Source]
    bands: tuple[BandDefinition, ...] = Field(min_length=1)
    aggregates: tuple[AggregateElement, ...] = ()
    access: AccessPolicy | None = None
    """Who may see what; without it, whoever runs the program sees all."""


PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}")
"""The only thing that templates know: the name of a declared parameter."""

__all__ = ["PLACEHOLDER", "AggregateElement", "BandDefinition", "Parameter", "ReportDefinition"]
