"""
The characters that nobody sees, or takes for others, by kind: ranges to stand between the brackets of a pattern.

Unicode 16, spelt out, so that the same text gives the same bytes whatever Unicode version Python has. Who escapes says
which kinds, and why; ranges above U+FFFF stand apart, since they make a pattern slow.
"""

CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
"""Category Cc, without the two of `LINES`."""
LINES = "\t\n"
"""Tab and line feed: controls that a text is laid out with."""
SEPARATORS = "\u2028\u2029"
"""Categories Zl and Zp, at which some programs begin a new line."""
SURROGATES = "\ud800-\udfff"
"""Category Cs, which UTF-8 cannot hold."""

FORMATS = (
    "\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufeff\ufff9-\ufffb"
)
"""Category Cf: of no width, or what turns the direction of writing; without `JOINERS`."""
JOINERS = "\u200c\u200d"
"""Category Cf too: scripts and emoji are written with them."""
FORMATS_ABOVE = (
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001"
    "\U000e0020-\U000e007f"
)
"""Category Cf above U+FFFF; the last are tags, which can spell out a text."""

FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2065\u3164\uffa0\ufff0-\ufff8"
"""
Drawn as nothing, or as a part of another character, though Unicode counts them as letters or marks, or as nothing yet:
Hangul and Khmer fillers, Mongolian selectors, the grapheme joiner. All that it calls ignorable and that is not of the
kinds above, without `SELECTORS`.
"""
SELECTORS = "\ufe00-\ufe0f"
"""Ignorable too: they choose between two drawings of a character, such as those of an emoji."""
FILLERS_ABOVE = "\U000e0000\U000e0002-\U000e001f\U000e0080-\U000e0fff"
"""Ignorable above U+FFFF, more selectors among them."""
BLANK = "\u2800"
"""An empty cell of Braille: a sign to Unicode, but drawn as nothing."""

PAINTED = "\ufe64\uff1c"
"""Seen, but taken for `<`, with which a fence could be painted."""
