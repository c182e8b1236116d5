"""What callers may use is imported by name in each package, listed in `__all__`, and there."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("datasources", "engine", "prompts", "chat", "lastro")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_listed_name_is_there(package):
    module = importlib.import_module(package)
    missing = [name for name in module.__all__ if not hasattr(module, name)]
    assert missing == []


@pytest.mark.parametrize("package", PACKAGES)
def test_every_imported_name_is_listed_once(package):
    module = importlib.import_module(package)
    tree = ast.parse((ROOT / package / "__init__.py").read_text(encoding="utf-8"))
    imported = [
        alias.asname or alias.name
        for node in ast.walk(tree)  # what is imported later stands below `if TYPE_CHECKING`
        if isinstance(node, ast.ImportFrom) and node.module not in ("typing", "datasources.later")
        for alias in node.names
    ]
    public = {name for name in imported if not name.startswith("_")}
    assert public <= set(module.__all__)
    assert len(module.__all__) == len(set(module.__all__))


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_function_and_class_is_explained(package):
    module = importlib.import_module(package)
    values = {name: getattr(module, name) for name in module.__all__}
    silent = [name for name, value in values.items() if callable(value) and not value.__doc__]
    assert silent == []
