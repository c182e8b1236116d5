"""Imports go from left to right between the folders, and never in a circle within one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LAYERS = ("datasources", "engine", "prompts", "chat", "service", "lastro")
"""Each folder may import itself and those before it."""
OUTSIDE = ("tests", "benchmarks", "examples")
"""What is not shipped, so that nothing shipped may import it."""


def read_sources(root: Path) -> dict[str, ast.Module]:
    """Every module of the layers by its dotted name; a package goes by its own name."""
    return {
        _module_name(path.relative_to(root)): ast.parse(path.read_text(encoding="utf-8"), str(path))
        for layer in LAYERS
        for path in sorted((root / layer).rglob("*.py"))
    }


def _module_name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def packages_of(root: Path) -> set[str]:
    """The dotted names that are folders, against which relative imports count differently."""
    return {
        ".".join(path.parent.relative_to(root).parts)
        for layer in LAYERS
        for path in (root / layer).rglob("__init__.py")
    }


def imported_names(module: str, tree: ast.AST, packages: set[str]) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of every import below *tree*: `from a import b` gives `a.b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            start = _relative_start(module, node.level, packages)
            for alias in node.names:
                yield node.lineno, ".".join(part for part in (start, node.module, alias.name) if part)


def _relative_start(module: str, level: int, packages: set[str]) -> str:
    if level == 0:
        return ""
    up = level - 1 if module in packages else level
    parts = module.split(".")
    return ".".join(parts[: len(parts) - up])


def wrong_turns(root: Path) -> list[str]:
    """Imports against the order of the layers, or of what is not shipped."""
    packages = packages_of(root)
    found = []
    for module, tree in read_sources(root).items():
        layer = module.split(".")[0]
        allowed = LAYERS[: LAYERS.index(layer) + 1]
        for line, name in imported_names(module, tree, packages):
            top = name.split(".")[0]
            if top in (*LAYERS, *OUTSIDE) and top not in allowed:
                found.append(f"{module}:{line} imports {name}")
    return found


def circle(root: Path) -> list[str]:
    """The modules of one circle of imports that run when a module is loaded; empty if there is none."""
    sources, packages = read_sources(root), packages_of(root)
    graph = {
        module: {
            target
            for part in _run_on_load(tree)
            for _, name in imported_names(module, part, packages)
            if (target := _module_of(name, sources)) and target != module
        }
        for module, tree in sources.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def _run_on_load(tree: ast.Module) -> Iterator[ast.stmt]:
    """The imports that run when a module is loaded: none in functions, none for type checkers only."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        statement = waiting.pop()
        match statement:
            case ast.Import() | ast.ImportFrom():
                yield statement
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                continue
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                waiting += statement.orelse
            case _:
                waiting += _statements_in(statement)


def _statements_in(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements directly below *node*, those of `except` and `case` among them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from _statements_in(child)


def _module_of(name: str, sources: dict[str, ast.Module]) -> str | None:
    """`engine.facts.Fact` is of the module `engine.facts`; names of elsewhere are of none."""
    while name and name not in sources:
        name = name.rpartition(".")[0]
    return name or None


def test_a_folder_imports_only_those_before_it():
    assert wrong_turns(ROOT) == []


def test_no_circle_of_imports():
    assert circle(ROOT) == []


def test_every_module_was_looked_at():
    found = read_sources(ROOT)
    assert {name.split(".")[0] for name in found} >= {"datasources"}
    assert "datasources.base" in found


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("file", "line"),
    [
        pytest.param("datasources/csv.py", "import engine.facts", id="import"),
        pytest.param("datasources/csv.py", "from engine import facts", id="from"),
        pytest.param("engine/__init__.py", "from prompts.render import x", id="package"),
        pytest.param("engine/query/filters.py", "def f():\n    import lastro", id="in a function"),
        pytest.param("prompts/render.py", "from tests import conftest", id="of tests"),
    ],
)
def test_an_import_to_the_right_is_found(tmp_path, file, line):
    assert len(wrong_turns(write(tmp_path, {file: line}))) == 1


@pytest.mark.parametrize(
    ("file", "line"),
    [
        pytest.param("lastro/cli.py", "import datasources, engine", id="to the left"),
        pytest.param("engine/facts.py", "from .prompts import x", id="a module named as a folder"),
        pytest.param("datasources/csv.py", "import csv, polars.lazyframe", id="of elsewhere"),
    ],
)
def test_other_imports_are_let_through(tmp_path, file, line):
    assert wrong_turns(write(tmp_path, {file: line})) == []


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(
            {"engine/a.py": "from engine.b import x", "engine/b.py": "import engine.a"},
            True,
            id="two modules",
        ),
        pytest.param(
            {"engine/__init__.py": "from .a import x", "engine/a.py": "from engine import y"},
            True,
            id="by the package",
        ),
        pytest.param(
            {
                "engine/a.py": "try:\n    from .b import x\nexcept ImportError:\n    pass",
                "engine/b.py": "from . import a",
            },
            True,
            id="relative, in a try",
        ),
        pytest.param(
            {"engine/a.py": "def f():\n    from engine import b", "engine/b.py": "from engine import a"},
            False,
            id="in a function",
        ),
        pytest.param(
            {
                "engine/a.py": "import typing\nif typing.TYPE_CHECKING:\n    from engine import b",
                "engine/b.py": "from engine import a",
            },
            False,
            id="for type checkers",
        ),
        pytest.param(
            {
                "engine/__init__.py": "from engine.a import x",
                "engine/a.py": "from engine import b",
                "engine/b.py": "",
            },
            False,
            id="a module by its package",
        ),
    ],
)
def test_a_circle_is_found(tmp_path, files, expected):
    assert bool(circle(write(tmp_path, files))) is expected
