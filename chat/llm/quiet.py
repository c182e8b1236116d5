"""Keeps addresses of requests, which may hold secrets in their query, out of what libraries log."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

_is_quiet: ContextVar[bool] = ContextVar("is_quiet", default=False)
_LOGGERS = ("httpx2", "httpcore2.connection", "httpcore2.http11", "httpcore2.http2", "httpcore2.proxy")


@contextmanager
def quietly() -> Iterator[None]:
    """Within this context, and this task, the HTTP libraries log nothing; what others ask of them is logged as ever."""
    _attach()
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


@cache
def _attach() -> None:
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_may_log)


def _may_log(record: logging.LogRecord) -> bool:
    return not _is_quiet.get()
