"""Writes the system prompts of the assistants: fixed rules, then the data in a fence, then what a deployment adds."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from prompts import unseen
from prompts.exceptions import ForgedFence
from prompts.formats import escape_character

if TYPE_CHECKING:
    from jinja2 import Environment

OPENING, CLOSING = "<dados>", "</dados>"
"""The fence around everything that comes from data (spec 9); no byte of data can write one."""

# What the data still have when they are rendered: control and format were escaped there (`formats.py`), and so was `<`.
# Here go those that only look like nothing, or like `<`; selectors as well, which can spell out what nobody sees.
_mistakable = re.compile(
    f"[{unseen.FILLERS}{unseen.SELECTORS}{unseen.FILLERS_ABOVE}{unseen.BLANK}{unseen.PAINTED}]"
).sub
_fence = re.compile(r"<\s*/?\s*dados\s*>", re.IGNORECASE).search


def fence_in(text: str) -> str | None:
    """
    The first fence that *text* writes, for which no prompt would take it.

    >>> fence_in("a < b"), fence_in("x < / DADOS > y")
    (None, '< / DADOS >')
    """
    found = _fence(text)
    return found.group() if found else None


class SulfiteSystemPrompts:
    """The prompts, one function an assistant (seed 000)."""

    @staticmethod
    def consumer(data_context: str, extra_instructions: str = "") -> str:
        """
        The prompt of the analyst who answers questions about one report.

        *data_context* is what `render_data_context` gives; *extra_instructions* are the deployment's own and go last.
        The same arguments give the same bytes, whatever is asked. Raises `ForgedFence` where either holds a fence.
        """
        extra_instructions = extra_instructions.strip()
        for text in (data_context, extra_instructions):
            if fence := fence_in(text):
                raise ForgedFence.by(fence)
        template = _environment().get_template("consumer.jinja")
        return template.render(
            data_context=_mistakable(escape_character, data_context).rstrip("\n"),
            extra_instructions=extra_instructions,
        )


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    # The texts are no HTML; what goes into them is never read as a template.
    return Environment(loader=PackageLoader("prompts"), undefined=StrictUndefined, autoescape=False)
