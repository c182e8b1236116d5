"""Says what a failure of a provider means: one table from statuses and from what providers call their errors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from chat.exceptions import ModelBroke, ModelError, ModelRefused, ModelUnreachable

RETRIED = frozenset({408, 409, 425, 429})
"""Beside 5xx the statuses after which the same request may be answered."""


class Failure(NamedTuple):
    """A class of error with its sentence."""

    kind: type[ModelError]
    code: str


_BY_STATUS: Mapping[int, Failure] = {
    400: Failure(ModelRefused, "model_refused_request"),
    401: Failure(ModelRefused, "model_refused_key"),
    402: Failure(ModelRefused, "model_no_quota"),
    403: Failure(ModelRefused, "model_refused_key"),
    404: Failure(ModelRefused, "model_not_found"),
    408: Failure(ModelUnreachable, "model_no_answer"),
    409: Failure(ModelUnreachable, "model_overloaded"),
    410: Failure(ModelRefused, "model_retired"),
    413: Failure(ModelRefused, "model_too_large"),
    425: Failure(ModelUnreachable, "model_overloaded"),
    429: Failure(ModelUnreachable, "model_too_many_requests"),
}

_BY_WORD: tuple[tuple[re.Pattern[str], Failure], ...] = tuple(
    (re.compile(pattern), failure)
    for pattern, failure in (
        # Codes and types that providers give their errors. The longest-lived part of each is enough.
        (
            r"insufficient_quota|billing_|credit balance|exceeded your current quota",
            Failure(ModelRefused, "model_no_quota"),
        ),
        (
            r"content_filter|content_policy|responsibleai|content management policy",
            Failure(ModelRefused, "model_content_filter"),
        ),
        (
            r"context_length|context length|context window|prompt is too long|too many tokens|request_too_large"
            r"|maximum context|exceed_context_size|string_above_max_length|tokens_limit_reached",
            Failure(ModelRefused, "model_too_large"),
        ),
        (
            r"invalid_api_key|authentication_error|permission_error",
            Failure(ModelRefused, "model_refused_key"),
        ),
        (r"model_not_found|deploymentnotfound|not_found_error", Failure(ModelRefused, "model_not_found")),
        (r"rate_limit|too_many_requests", Failure(ModelUnreachable, "model_too_many_requests")),
        (
            r"overloaded|server_error|api_error|timeout_error|unavailable",
            Failure(ModelUnreachable, "model_overloaded"),
        ),
    )
)
_NARROWED = frozenset({400, 403, 404, 413, 422, 429})
"""The statuses that are sent for several reasons; of the others the status is enough."""


def is_retried(status: int, said: str) -> bool:
    """Whether a request that was answered with *status* may be made again."""
    failure = _by_word(said)
    return (status in RETRIED or 500 <= status < 600) and not (failure and failure.code == "model_no_quota")


def failure_of(provider: str, status: int, said: str = "") -> ModelError:
    """
    The error that an answer with *status* is; *said*, the provider's own words, only narrows it.

    >>> failure_of("azure", 400, '{"error": {"code": "content_filter"}}').code
    'model_content_filter'
    """
    kind, code = _BY_STATUS.get(status) or _by_class(status)
    narrower = _by_word(said)
    if status in _NARROWED and narrower and narrower.kind is ModelRefused:
        kind, code = narrower
    if code == "model_retired" and provider == "gh_models":
        code = "model_gh_models_retired"
    return kind(code, provider=provider, status=status)


def failure_midway(provider: str, said: str, *, has_begun: bool) -> ModelError:
    """The error that a provider reports inside of an answer, which *has_begun* if a reader has seen some of it."""
    if has_begun:
        return ModelBroke("model_error_midway", provider=provider)
    kind, code = _by_word(said) or Failure(ModelUnreachable, "model_overloaded")
    return kind(code, provider=provider)


def words_of(error: Any) -> str:
    """What an error object of a provider says, for these tables: its code, type and message."""
    if isinstance(error, dict):
        return " ".join(str(error[key]) for key in ("code", "type", "message") if error.get(key))[:2_000]
    return str(error)[:2_000]


def _by_class(status: int) -> Failure:
    if 300 <= status < 400:
        return Failure(ModelRefused, "model_redirected")
    if 500 <= status < 600:
        return Failure(ModelUnreachable, "model_overloaded")
    return Failure(ModelRefused, "model_refused_request")


def _by_word(said: str) -> Failure | None:
    lowered = said[:4_000].lower()
    return next((failure for pattern, failure in _BY_WORD if pattern.search(lowered)), None)
