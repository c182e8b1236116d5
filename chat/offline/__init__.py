"""Answers questions about a report without a language model: a small grammar, and the same tools."""
