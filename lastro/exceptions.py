"""What the words of a command can be wrong about."""

from __future__ import annotations


class WordsError(Exception):
    """Words of a command that cannot be read; the message says where, and how to write them."""
