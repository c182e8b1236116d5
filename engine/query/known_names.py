"""Finds bands and fields by what they are called: their names, the words of these, and their labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from engine.names import name_tokens
from engine.query.word_index import Needle, WordIndex

if TYPE_CHECKING:
    from engine.snapshot import Snapshot


class Named(NamedTuple):
    """A band, or one of its fields."""

    band: int
    field: int | None


@dataclass(frozen=True, slots=True)
class KnownNames:
    """Everything in a snapshot that has a name."""

    targets: tuple[Named, ...]
    """What each text of the index is a name of."""
    index: WordIndex

    @classmethod
    def of(cls, snapshot: Snapshot) -> KnownNames:
        """The names of *snapshot*; a merged band has several."""
        pairs = [(text, target) for text, target in _names_in(snapshot) if text]
        return cls(tuple(target for _, target in pairs), WordIndex.of([text for text, _ in pairs]))

    def matches(self, needle: Needle) -> dict[Named, int]:
        """What has a name like *needle*, with the score of the name most like it."""
        best: dict[Named, int] = {}
        for at, score in self.index.matches(needle).items():
            target = self.targets[at]
            best[target] = max(best.get(target, 0), score)
        return best


def _names_in(snapshot: Snapshot) -> Iterator[tuple[str, Named]]:
    for index, band in enumerate(snapshot.profile.bands):
        for name in dict.fromkeys((band.name, *band.names)):
            yield from _ways(name, Named(index, None))
        for position, field in enumerate(band.fields):
            yield from _ways(field.name, Named(index, position))
            if field.label is not None:
                yield field.label, Named(index, position)


def _ways(name: str, target: Named) -> Iterator[tuple[str, Named]]:
    """As it is written, and in words: `vlTotal` is found by both."""
    yield name, target
    yield " ".join(name_tokens(name)), target
