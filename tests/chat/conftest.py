"""What the tests of the chat share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.profile import Profile
from tests.chat.questions.reports import process


@pytest.fixture(scope="session")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Profile]:
    """The profile of an example by its name, made once."""
    made: dict[str, Profile] = {}

    def profile(name: str) -> Profile:
        if name not in made:
            made[name] = process(name, tmp_path_factory.mktemp(name)).profile
        return made[name]

    return profile
