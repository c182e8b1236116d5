"""Knows which mark a declared locale writes before decimals, and whether it writes the month first."""

from __future__ import annotations

from datasources.base import DecimalStyle

# From Unicode CLDR's decimal symbols, the languages that reports here are likely to come in.
_COMMA_LANGUAGES = frozenset(
    [
        "pt",
        "es",
        "de",
        "fr",
        "it",
        "nl",
        "pl",
        "ru",
        "tr",
        "da",
        "sv",
        "nb",
        "fi",
        "cs",
        "ro",
        "hu",
        "el",
        "uk",
        "ca",
        "gl",
        "id",
        "vi",
    ]
)
_POINT_LANGUAGES = frozenset(["en", "zh", "ja", "ko", "hi", "he", "th", "ms"])


def style_of_locale(locale: str | None) -> DecimalStyle | None:
    """`br` for a language that writes a decimal comma, `point` for one that writes a point."""
    if not locale:
        return None
    language = locale.replace("_", "-").split("-")[0].lower()
    if language in _COMMA_LANGUAGES:
        return "br"
    return "point" if language in _POINT_LANGUAGES else None


def is_month_first(locale: str | None) -> bool:
    """Whether `03/04/2026` is the fourth of March (spec 2)."""
    return (locale or "").replace("_", "-").lower() == "en-us"
