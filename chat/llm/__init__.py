"""Talks to language models: one client a dialect, chosen by settings."""
