"""The base of every part of a definition: unknown keys are refused, and nothing is converted silently."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints, model_validator

Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
"""Names of parameters and datasources: what may stand in `{{…}}`."""
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Strict(BaseModel):
    """A part of a definition: unknown keys are refused, and nothing is converted silently."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, populate_by_name=True, allow_inf_nan=False
    )

    @model_validator(mode="before")
    @classmethod
    def _lists_are_tuples(cls, data: Any) -> Any:
        """JSON has lists where the frozen models have tuples."""
        if not isinstance(data, dict):
            return data
        return {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
