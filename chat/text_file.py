"""Reads a text that a setting names by its path."""

from __future__ import annotations

from pathlib import Path

from chat.exceptions import SettingsError

FILE_BYTES_MAX = 1_000_000
"""A longer file of instructions would leave a model no room for the report."""


def read_text_file(setting: str, path: Path) -> str:
    """What is in *path*, its lines ended by LF; raises SettingsError, which names the *setting*."""
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except (OSError, ValueError) as error:  # a NUL in the path among them
        raise SettingsError("setting_no_file", name=setting, path=path) from error
    if len(content) > FILE_BYTES_MAX:
        raise SettingsError("setting_long_file", name=setting, path=path, most=FILE_BYTES_MAX)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SettingsError("setting_no_text", name=setting, path=path) from error
    if "\0" in text:  # of UTF-16, or of no text at all
        raise SettingsError("setting_no_text", name=setting, path=path)
    return text.replace("\r\n", "\n").replace("\r", "\n")
