"""Builds the environment of each tool in `peer_tools.toml`, once for each list of packages."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

TOOLS_FILE = Path(__file__).with_name("peer_tools.toml")
INSTALL_TIMEOUT_S = 900.0
REASON_CHARACTERS = 160


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as `peer_tools.toml` lists it."""

    name: str
    label: str
    packages: tuple[str, ...]
    """Each with its version; the first is the tool itself."""

    @property
    def version(self) -> str:
        """The version of the tool itself."""
        return self.packages[0].partition("==")[2]


@dataclass(frozen=True, slots=True)
class Environment:
    """Where a tool is installed."""

    tool: Tool
    folder: Path

    @property
    def python(self) -> Path:
        """The interpreter that sees the packages of the tool, and no others."""
        return self.script("python")

    def script(self, name: str) -> Path:
        """A command that the tool brings."""
        return self.folder / ("Scripts" if os.name == "nt" else "bin") / name


@dataclass(frozen=True, slots=True)
class NotInstalled:
    """A tool that this machine could not be given, with the reason."""

    tool: Tool
    reason: str


def listed_tools() -> Mapping[str, Tool]:
    """The tools of the table file by their names, in its order."""
    tables = tomllib.loads(TOOLS_FILE.read_text(encoding="utf-8"))
    return {name: Tool(name, table["label"], tuple(table["packages"])) for name, table in tables.items()}


def ensure_environments(tools: Iterable[Tool], folder: Path) -> Mapping[str, Environment | NotInstalled]:
    """The environments of *tools* below *folder*; those that are missing, or of other packages, are built."""
    return {tool.name: _ensure(Environment(tool, folder / "environments" / tool.name)) for tool in tools}


def _ensure(environment: Environment) -> Environment | NotInstalled:
    tool, mark = environment.tool, environment.folder / "packages.txt"
    wanted = "\n".join((sys.version, *tool.packages))
    if mark.exists() and mark.read_text(encoding="utf-8") == wanted:
        return environment
    print(f"installing {tool.label} …", file=sys.stderr, flush=True)
    try:
        _run(sys.executable, "-m", "venv", "--clear", str(environment.folder))
        install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input")
        _run(str(environment.python), *install, *tool.packages)
    except subprocess.TimeoutExpired:
        return NotInstalled(tool, f"the installation took more than {INSTALL_TIMEOUT_S:.0f} s")
    except subprocess.CalledProcessError as error:
        return NotInstalled(tool, install_reason(error.stderr))
    mark.write_text(wanted, encoding="utf-8")
    return environment


def install_reason(messages: str) -> str:
    """
    What the installer gave as its reason, without the addresses that it names.

    >>> install_reason("WARNING: slow\\nERROR: No matching distribution found for nada==1 (https://a.b/c)")
    'No matching distribution found for nada==1 ( … )'
    """
    lines = [line.strip() for line in messages.splitlines() if line.strip()]
    errors = [line.partition("ERROR: ")[2] for line in lines if "ERROR: " in line]
    reason = (errors or lines or ["the installer gave no reason"])[-1]
    return re.sub(r"[a-z+]+://[^\s)]*", " … ", reason)[:REASON_CHARACTERS]


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S)
