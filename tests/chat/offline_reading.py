"""How the tests of the offline grammar read a question, and how they write what they expect of several conditions."""

from __future__ import annotations

from chat.offline.read import language_of_question, read
from chat.offline.reading import Doubt, Reading, Search
from engine.profile import Profile


def understood(question: str, profile: Profile) -> Reading | Search | Doubt:
    """What *question* is to a report, in its own language."""
    return read(question, profile, language_of_question(question) or "pt")


def both(*conditions: object) -> dict[str, object]:
    """A filter that all of *conditions* are together."""
    return {"and": list(conditions)}
