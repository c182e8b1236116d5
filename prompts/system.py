"""Writes the system prompts of the assistants: fixed rules, then the data in a fence, then what a deployment adds."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from prompts.exceptions import ForgedFence
from prompts.formats import escape_character

if TYPE_CHECKING:
    from jinja2 import Environment

OPENING, CLOSING = "<dados>", "</dados>"
"""The fence around everything that comes from data (spec 9); no byte of data can write one."""

# What is drawn as nothing, or as a part of another character, though Unicode counts it as a letter or a mark: Hangul
# and Khmer fillers, the grapheme joiner, Mongolian and other variation selectors, an empty Braille cell. What Unicode
# itself calls control or format is escaped wherever data are rendered (`formats.py`), and so is `<`; here go the two
# that look like it, with which a fence could be painted.
_mistakable = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2065\u2800\u3164\ufe00-\ufe0f\ufe64\uff1c\uffa0"
    "\ufff0-\ufff8\U000e0000\U000e0002-\U000e001f\U000e0080-\U000e0fff]"
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
