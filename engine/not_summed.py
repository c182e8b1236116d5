"""Says of a very wide band which lists of sums are not computed beforehand, so that nothing is silently missing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from datasources.base import DataWarning
from engine.statistics import BandStatistics, all_axes, axes_of, may_leave_out, measures_in

if TYPE_CHECKING:
    from engine.profile import BandProfile, Profile

CODE = "lists_not_summed"
NAMES_MAX = 3


def not_summed_warnings(statistics: BandStatistics, band: str) -> Iterable[DataWarning]:
    """A warning with the number of lists that `statistics.axes_of` has no place for, and the first fields of them."""
    measures = measures_in(statistics.fields)
    if not may_leave_out(len(statistics.fields), measures):
        return
    axes = all_axes(statistics.fields, statistics.rows)
    summed = set(axes_of(statistics.fields, statistics.rows))
    left_out = [axis for axis in axes if axis not in summed]
    if not left_out:
        return
    names = [statistics.fields[axis.field].column.name for axis in left_out[:NAMES_MAX]]
    listed = ", ".join(f"“{name}”" for name in names)
    message = (
        f"So wide a table is not summed by everything beforehand: by {len(summed)} of {len(axes)} fields only,"
        f" not by {listed}{', …' if len(left_out) > NAMES_MAX else ''}. Ask for the sums by those."
    )
    yield DataWarning(CODE, message, band, count=len(left_out) * measures, sample=tuple(names))


def lists_not_summed(profile: Profile, band: BandProfile) -> int | None:
    """How many lists of *band* were not computed; None where small groups withhold their number."""
    if band.rows <= 1:
        return 0  # a single row has no summary
    for one in profile.warnings:
        if one.code == CODE and (one.band == band.name or one.band in band.names):
            return one.count
    return 0
