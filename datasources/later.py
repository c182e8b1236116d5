"""Has a package import each of its names when it is first asked for: no process needs what all of them need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def later(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of *package* (PEP 562), whose names live in the modules *homes*."""

    def found(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return found
