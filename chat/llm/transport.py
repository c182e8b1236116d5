"""Carries a request to a provider and the bytes of its answer back, within limits of time and size."""

from __future__ import annotations

import asyncio
import logging
import random
import ssl
from collections.abc import AsyncIterator, Generator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx2 as httpx  # the maintained continuation of httpx
from pydantic import SecretStr

from chat.exceptions import ModelBroke, ModelError, ModelUnreachable
from chat.llm.answer import Answer
from chat.llm.failures import failure_of, is_retried
from chat.llm.quiet import quietly
from chat.llm.retry_after import read_retry_after

if TYPE_CHECKING:
    from chat.settings import ChatSettings

ERROR_BYTES_MAX = 64_000
"""Of what a provider says with an error, so much is read; none of it is shown to a reader."""
ERROR_GRACE_S = 2.0
"""And so long is waited for it."""
BACKOFF_S = 0.5
BACKOFF_MAX_S = 8.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is waited for what, and how often it is tried again."""

    connect_s: float = 5
    stall_s: float = 30
    deadline_s: float = 120
    retries: int = 2

    @classmethod
    def of(cls, settings: ChatSettings) -> Patience:
        """As *settings* have it."""
        return cls(
            settings.connect_seconds, settings.stall_seconds, settings.deadline_seconds, settings.retries
        )


class KeyAuth(httpx.Auth):
    """Puts the key into the one header where it belongs, at the last moment: until then nothing can show it."""

    def __init__(self, key: SecretStr, header: str, scheme: str) -> None:
        self._key, self._header, self._scheme = key, header, scheme

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """The request with its key."""
        request.headers[self._header] = self._scheme + self._key.get_secret_value()
        yield request


class Transport:
    """
    The connections to one provider.

    Neither proxies nor credentials are taken from the environment, which would send a key to where nobody said; a
    trust store that it names (SSL_CERT_FILE) is used, and certificates are always checked. Redirects are refused.
    """

    def __init__(
        self,
        provider: str,
        url: str,
        *,
        key: SecretStr | None = None,
        key_header: str = "",
        key_scheme: str = "",
        patience: Patience | None = None,
        wire: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """*wire* stands in for the network."""
        self.provider = provider
        self.patience = patience or Patience()
        self._url = url
        self._key = key
        self._shown = urlsplit(url)._replace(query="").geturl()
        patient = self.patience
        self._http = httpx.AsyncClient(
            auth=KeyAuth(key, key_header, key_scheme) if key and key_header else None,
            # Compressed bytes could swell without measure.
            headers={"Accept-Encoding": "identity", "User-Agent": "lastro"},
            timeout=httpx.Timeout(patient.stall_s, connect=patient.connect_s, pool=patient.deadline_s),
            limits=httpx.Limits(max_connections=1_000, max_keepalive_connections=20, keepalive_expiry=30),
            verify=_trust(url),
            transport=wire,
            trust_env=False,
            follow_redirects=False,
        )

    async def aclose(self) -> None:
        """Let go of all connections."""
        await self._http.aclose()

    @asynccontextmanager
    async def post(self, body: bytes, headers: Mapping[str, str]) -> AsyncIterator[Answer]:
        """
        The answer to *body*, from its first bytes on; leaving the context closes what is still open.

        What fails before the first byte is tried again, as long as there is time. Raises ModelError.
        """
        deadline = _now() + self.patience.deadline_s
        headers = {"Content-Type": "application/json", **headers}
        attempt = 0
        while not isinstance(answer := await self._attempt(body, headers, deadline), Answer):
            wait = answer.wait_s if answer.wait_s is not None else _jitter(attempt)
            if not answer.may_retry or attempt >= self.patience.retries or _now() + wait >= deadline:
                raise answer.error from answer.cause
            attempt += 1
            _log.debug("%s: %s, tried again in %.2f s", self.provider, answer.error.code, wait)
            await asyncio.sleep(wait)
        try:
            yield answer
        finally:
            await answer.aclose()

    async def _attempt(self, body: bytes, headers: Mapping[str, str], deadline: float) -> Answer | Miss:
        """One request: an answer whose first bytes are there, or why there is none."""
        patience = self.patience
        try:
            request = self._http.build_request("POST", self._url, content=body, headers=headers)
            # The libraries' own limit begins anew with every byte, and a header may come byte by byte.
            async with asyncio.timeout_at(min(deadline, _now() + patience.connect_s + patience.stall_s)):
                with quietly():
                    response = await self._http.send(request, stream=True)
        except (httpx.RequestError, httpx.InvalidURL, TimeoutError, UnicodeError) as error:
            return self._miss(error)
        _log.debug("POST %s %d", self._shown, response.status_code)
        answer = Answer(response, self.provider, self.patience.stall_s, deadline)
        try:
            if not response.is_success:
                return await self._refused(response, answer)
            if response.headers.get("content-encoding", "").strip().lower() not in ("", "identity"):
                raise ModelBroke("model_not_understood", provider=self.provider)
            await answer.begin()
        except BaseException as error:
            await answer.aclose()
            if isinstance(error, (httpx.RequestError, TimeoutError)):
                return self._miss(error)
            raise
        return answer

    def _miss(self, error: Exception) -> Miss:
        """What *error*, which came before the first byte, means."""
        match _tls_error(error) or error:
            case ssl.SSLCertVerificationError():
                code, may_retry = "model_no_trust", False
            case ssl.SSLError():
                code, may_retry = "model_no_http", False
            case httpx.ConnectTimeout():
                code, may_retry = "model_no_connection", True
            case httpx.TimeoutException() | TimeoutError():
                # It may be at work on an answer, and would begin a second one.
                code, may_retry = "model_no_answer", False
            case httpx.RemoteProtocolError() if not str(error).startswith(_DROPPED):
                code, may_retry = "model_no_http", False
            case _:
                code, may_retry = "model_no_connection", isinstance(error, httpx.TransportError)
        return Miss(ModelUnreachable(code, provider=self.provider), error, may_retry)

    async def _refused(self, response: httpx.Response, answer: Answer) -> Miss:
        """What an answer that is none means; its words go to the log, without the key."""
        answer.settle(ERROR_GRACE_S)
        said = (await answer.read_some(ERROR_BYTES_MAX)).decode("utf-8", "replace")
        await answer.aclose()
        status = response.status_code
        cause = ProviderSaid(f"{status}: {self._redacted(said)[:1_000]!r}")
        _log.debug("%s said %s", self.provider, cause)
        return Miss(
            failure_of(self.provider, status, said),
            cause,
            may_retry=is_retried(status, said),
            wait_s=read_retry_after(response.headers),
        )

    def _redacted(self, text: str) -> str:
        key = self._key.get_secret_value() if self._key else ""
        return text.replace(key, "…") if key else text


def _tls_error(error: BaseException | None) -> ssl.SSLError | None:
    """What went wrong with encryption, if that is why *error* came; it is no matter of time."""
    if isinstance(error, (httpx.TimeoutException, TimeoutError)):
        return None
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return error


_DROPPED = ("Server disconnected", "peer closed connection")


class ProviderSaid(Exception):
    """What a provider wrote of a failure, cut, and without the key; for debuggers."""


@dataclass(frozen=True, slots=True)
class Miss:
    """An attempt without an answer."""

    error: ModelError
    cause: BaseException
    may_retry: bool
    wait_s: float | None = None
    """So long the provider asks to wait."""


def _now() -> float:
    return asyncio.get_running_loop().time()


def _jitter(attempt: int) -> float:
    """Anything up to a span that doubles, so that those who failed together do not come back together."""
    return random.uniform(0, min(BACKOFF_MAX_S, BACKOFF_S * 2**attempt))


def _trust(url: str) -> ssl.SSLContext:
    # Not `create_default_context`, which would write the keys of all connections where SSLKEYLOGFILE says.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # checks certificates and names
    if urlsplit(url).scheme == "https":
        context.load_default_certs()
    return context  # for http it trusts nobody, and is quickly made
