"""An option that prints a text in place of everything else, as `--version` does."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from lastro.output import write_result


class PrintText(argparse.Action):
    """Prints what the function `schema_text` of *module* gives; the module is imported only then."""

    def __init__(self, option_strings: Sequence[str], dest: str, *, module: str, **settings: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **settings)
        self._module = module

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print, and leave."""
        write_result(import_module(self._module).schema_text(), None)
        parser.exit()
