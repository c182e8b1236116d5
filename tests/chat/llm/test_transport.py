"""Requests are tried again where that is right, end in time, and leave no trace of the key."""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import ssl
import subprocess
import time
import traceback
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

import httpx2 as httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.exceptions import ModelBroke, ModelError, ModelRefused, ModelUnreachable
from chat.llm import answer as answers
from chat.llm import transport
from chat.llm.base import ModelRequest
from chat.llm.failures import failure_of, is_retried
from chat.llm.http_client import HttpClient
from chat.llm.openai import OpenAiDialect
from chat.llm.retry_after import read_retry_after
from chat.llm.transport import Transport
from tests.chat.llm.streams import ASKED, KEY, QUICK, answer, client, delta, fragment, sse, take

GOOD = sse(delta(content="bem"), delta("stop"))
PATIENT = replace(QUICK, stall_s=5, deadline_s=30)


@pytest.fixture(autouse=True)
def quick_retries(monkeypatch):
    monkeypatch.setattr(transport, "BACKOFF_S", 0.001)


def counting(*replies):
    """A network that answers one after the other, the last for ever; and the number of requests."""
    seen: list[httpx.Request] = []

    def handler(request):
        reply = replies[min(len(seen), len(replies) - 1)]
        seen.append(request)
        if isinstance(reply, Exception):
            raise reply
        return reply() if callable(reply) else reply

    return handler, seen


def refusal(status, said="", **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda: answer(said.encode(), status=status, headers=headers)


def failure(handler, **more):
    with pytest.raises(ModelError) as raised:
        asyncio.run(take(client(handler, **more)))
    return raised.value


def caused(error, cause):
    error.__cause__ = cause
    return error


# ---- what a status means ----


@pytest.mark.parametrize(
    ("status", "said", "kind", "code"),
    [
        (400, "", ModelRefused, "model_refused_request"),
        (400, '{"error":{"code":"content_filter"}}', ModelRefused, "model_content_filter"),
        (400, '{"error":{"code":"context_length_exceeded"}}', ModelRefused, "model_too_large"),
        (
            400,
            '{"type":"error","error":{"message":"prompt is too long: 3 > 2"}}',
            ModelRefused,
            "model_too_large",
        ),
        (400, "Your credit balance is too low", ModelRefused, "model_no_quota"),
        (401, "", ModelRefused, "model_refused_key"),
        (402, "", ModelRefused, "model_no_quota"),
        (403, "", ModelRefused, "model_refused_key"),
        (404, "", ModelRefused, "model_not_found"),
        (404, '{"error":{"code":"DeploymentNotFound"}}', ModelRefused, "model_not_found"),
        (408, "", ModelUnreachable, "model_no_answer"),
        (409, "", ModelUnreachable, "model_overloaded"),
        (410, "", ModelRefused, "model_retired"),
        (413, "", ModelRefused, "model_too_large"),
        (418, "", ModelRefused, "model_refused_request"),
        (429, "", ModelUnreachable, "model_too_many_requests"),
        (429, '{"error":{"code":"insufficient_quota"}}', ModelRefused, "model_no_quota"),
        (429, '{"error":{"code":"rate_limit_exceeded"}}', ModelUnreachable, "model_too_many_requests"),
        *((status, "", ModelUnreachable, "model_overloaded") for status in (500, 502, 503, 504, 529, 599)),
        (500, "context length", ModelUnreachable, "model_overloaded"),
        *((status, "", ModelRefused, "model_redirected") for status in (301, 302, 307, 308)),
    ],
)
def test_a_status_is_an_error(status, said, kind, code):
    error = failure(lambda _: refusal(status, said)())
    assert (type(error), error.code) == (kind, code)
    assert type(failure_of("openai", status, said)) is kind


def test_a_service_that_was_retired_is_named():
    assert failure(lambda _: refusal(410)(), provider="gh_models").code == "model_gh_models_retired"


def test_what_a_provider_wrote_is_for_debuggers_only():
    error = failure(lambda _: refusal(400, f"words of theirs with {KEY} " + "x" * 100_000)())
    assert "words of theirs" in str(error.__cause__)
    assert KEY not in str(error.__cause__)
    assert len(str(error.__cause__)) < 1_100
    assert all("words" not in error.text(language) for language in ("en", "pt", "es"))


# ---- trying again ----


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_tried_again(status):
    handler, seen = counting(refusal(status), refusal(status), lambda: answer(GOOD))
    assert asyncio.run(take(client(handler)))[0] == "bem"
    assert len(seen) == 3
    assert len({request.content for request in seen}) == 1


@pytest.mark.parametrize("status", [301, 400, 401, 402, 403, 404, 410, 413, 422])
def test_what_does_not_pass_is_not_tried_again(status):
    handler, seen = counting(refusal(status))
    failure(handler)
    assert len(seen) == 1
    assert not is_retried(status, "")


def test_a_quota_that_is_used_up_is_not_waited_for():
    handler, seen = counting(refusal(429, "insufficient_quota"))
    assert failure(handler).code == "model_no_quota"
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("error", "code", "attempts"),
    [
        (httpx.ConnectError("x"), "model_no_connection", 3),
        (httpx.ConnectTimeout("x"), "model_no_connection", 3),
        (httpx.ReadError("x"), "model_no_connection", 3),
        (
            httpx.RemoteProtocolError("Server disconnected without sending a response."),
            "model_no_connection",
            3,
        ),
        (httpx.RemoteProtocolError("illegal status line"), "model_no_http", 1),
        (caused(httpx.ConnectError("x"), ssl.SSLCertVerificationError("self-signed")), "model_no_trust", 1),
        (caused(httpx.ConnectError("x"), ssl.SSLError("wrong version number")), "model_no_http", 1),
        (caused(httpx.ConnectTimeout("x"), ssl.SSLWantReadError("x")), "model_no_connection", 3),
        (httpx.ReadTimeout("x"), "model_no_answer", 1),
        (httpx.PoolTimeout("x"), "model_no_answer", 1),
    ],
)
def test_a_connection_that_fails_is_tried_again_unless_it_may_be_at_work(error, code, attempts):
    handler, seen = counting(error)
    told = failure(handler)
    assert (type(told), told.code, len(seen)) == (ModelUnreachable, code, attempts)
    assert told.__cause__ is error
    handler, seen = counting(lambda: answer(error))
    assert failure(handler).code == code
    assert len(seen) == attempts


def test_nothing_is_tried_again_after_the_first_byte():
    handler, seen = counting(lambda: answer(b": ping\n\n", httpx.ReadError("x")))
    assert failure(handler).code == "model_cut_off"
    assert len(seen) == 1


def test_a_connection_that_breaks_after_the_reason_has_broken_nothing():
    handler, _ = counting(lambda: answer(GOOD.removesuffix(b"data: [DONE]\n\n"), httpx.ReadError("x")))
    assert asyncio.run(take(client(handler)))[0] == "bem"


@pytest.mark.parametrize(
    ("headers", "attempts"),
    [
        ({}, 3),
        ({"retry_after": "0"}, 3),
        ({"retry_after": "soon"}, 3),
        ({"retry_after": "-3"}, 3),
        ({"retry_after": "Fri, 31 Dec 1999 23:59:59 GMT"}, 3),
        ({"retry_after_ms": "1", "retry_after": "999"}, 3),
        ({"retry_after": "2"}, 1),
        ({"retry_after": "999999999"}, 1),
        ({"retry_after": "9" * 5_000}, 1),
        ({"retry_after": "Fri, 31 Dec 2199 23:59:59 GMT"}, 1),
    ],
)
def test_a_wait_is_honoured_up_to_the_deadline_and_not_begun_beyond_it(headers, attempts):
    handler, seen = counting(refusal(429, **headers))
    begun = time.monotonic()
    assert failure(handler).code == "model_too_many_requests"
    assert len(seen) == attempts
    assert time.monotonic() - begun < 1.5


def test_a_wait_is_as_long_as_was_asked():
    handler, _ = counting(refusal(503, retry_after="0.3"), lambda: answer(GOOD))
    begun = time.monotonic()
    asyncio.run(take(client(handler, patience=PATIENT)))
    assert time.monotonic() - begun >= 0.3


NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("20", 20),
        (" 1.5 ", 1.5),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30),
        ("Mon, 30 Nov 2026 12:00:30", 30),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0),
        *((said, None) for said in ("", "soon", "-1", "1e3", "nan", "inf", "０", "Mon, 99 Nov 2026")),
    ],
)
def test_retry_after_is_a_number_or_a_date(said, seconds):
    assert read_retry_after({"retry-after": said}, NOW) == seconds


@given(st.text(max_size=40))
def test_whatever_is_said_of_a_wait_it_is_none_or_a_span(said):
    seconds = read_retry_after({"retry-after": said, "retry-after-ms": said})
    assert seconds is None or seconds >= 0


# ---- size ----


def test_an_answer_has_an_end(monkeypatch):
    monkeypatch.setattr(answers, "ANSWER_BYTES_MAX", 10_000)
    piece = sse(delta(content="x" * 1_000), end="")
    error = failure(lambda _: answer(*[piece] * 20))
    assert (type(error), error.code) == (ModelBroke, "model_answer_too_long")


def test_what_is_compressed_is_not_read():
    headers = {"content-type": "text/event-stream", "content-encoding": "gzip"}
    assert failure(lambda _: answer(GOOD, headers=headers)).code == "model_not_understood"
    for encoding in ("identity", "Identity", ""):
        headers["content-encoding"] = encoding
        assert asyncio.run(take(client([answer(GOOD, headers=headers)])))[0] == "bem"


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([sse(delta(content="x" * 9_000), end="")] * 120, id="text"),
        pytest.param(
            [sse(delta(tool_calls=[fragment(index=0, name="soma", arguments="x" * 9_000)]), end="")] * 120,
            id="arguments",
        ),
        pytest.param(
            [sse(delta(tool_calls=[fragment(id=f"c{n}") for n in range(20_000)]), end="")], id="calls"
        ),
        pytest.param([b'{"choices":[', *[b"[]," * 20_000] * 80], id="a message in one piece"),
    ],
)
def test_a_message_has_an_end_before_it_takes_long(pieces):
    begun = time.process_time()
    error = failure(lambda _: answer(*pieces))
    assert (type(error), error.code) == (ModelBroke, "model_answer_too_long")
    assert time.process_time() - begun < 2


def test_who_is_not_known_gets_nothing(tmp_path, monkeypatch):
    """A server with a certificate of its own: refused, unless it is named as trusted."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs openssl to make a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*made, *names], check=True, capture_output=True)
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(certificate, key)
    asked: list[bytes] = []

    async def handle(reader, writer):
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(HEAD + GOOD)
        await writer.drain()
        writer.close()

    async def ask():
        # What a server says of a client that leaves in the middle of a handshake is of no matter here.
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
        async with await asyncio.start_server(handle, "localhost", 0, ssl=own) as server:
            port = server.sockets[0].getsockname()[1]
            return await take(real_client(f"https://localhost:{port}/v1", connect_s=2))

    with pytest.raises(ModelUnreachable) as refused:
        asyncio.run(ask())
    assert refused.value.code == "model_no_trust"
    assert asked == []
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert asyncio.run(ask())[0] == "bem"


def test_the_environment_gets_no_keys_of_connections(tmp_path, monkeypatch):
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "no folder" / "keys"))
    assert Transport("openai", "https://x.example/v1").provider == "openai"


def test_nobody_is_followed_to_another_address():
    handler, seen = counting(refusal(307, location="http://elsewhere/"), lambda: answer(GOOD))
    assert failure(handler).code == "model_redirected"
    assert [request.url.host for request in seen] == ["llm"]


def test_the_environment_sends_no_request_elsewhere(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")

    async def ask():
        async with serving(GOOD_HTTP) as (url, _):
            return await take(real_client(url))

    assert asyncio.run(ask())[0] == "bem"


# ---- a real server: time, and who leaves ----

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
GOOD_HTTP = [HEAD, GOOD]
FIRST = sse(delta(content="bem"), end="")


def real_client(url, **patience):
    return HttpClient(Transport("openai", url, patience=replace(QUICK, **patience)), OpenAiDialect("m"))


@asynccontextmanager
async def serving(script):
    """A server that writes *script*, where a number is a pause and None waits until the client leaves."""
    left = asyncio.Event()

    async def handle(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
        try:
            for step in script:
                if isinstance(step, bytes):
                    writer.write(step)
                    await writer.drain()
                elif step is None:
                    await asyncio.wait_for(reader.read(), 5)
                    left.set()
                else:
                    await asyncio.sleep(step)
        except ConnectionError:
            left.set()
        finally:
            writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/v1/chat/completions", left


@pytest.mark.parametrize(
    ("script", "code"),
    [
        pytest.param([None], "model_no_answer", id="nothing"),
        pytest.param([HEAD[:17], *[b"x-a: b\r\n", 0.05] * 60], "model_no_answer", id="a header line by line"),
        pytest.param([HEAD, None], "model_no_answer", id="only a header"),
        pytest.param([HEAD, FIRST, None], "model_stalled", id="a stall"),
        pytest.param([HEAD, FIRST, *[b": ping\n\n", 0.05] * 60], "model_deadline", id="pings"),
        pytest.param([HEAD, *[FIRST, 0.05] * 60], "model_deadline", id="drops"),
    ],
)  # fmt: skip
def test_an_answer_that_does_not_come_is_not_waited_for(script, code):
    async def ask():
        async with serving(script) as (url, _):
            begun = time.monotonic()
            with pytest.raises(ModelError) as raised:
                await take(real_client(url, stall_s=0.3, deadline_s=0.8, connect_s=0.3))
            return raised.value.code, time.monotonic() - begun

    found, seconds = asyncio.run(ask())
    assert found == code
    assert seconds < 1.8


def test_after_the_reason_nobody_waits_for_long(monkeypatch):
    monkeypatch.setattr("chat.llm.http_client.USAGE_GRACE_S", 0.1)

    async def ask():
        async with serving([HEAD, sse(delta(content="bem"), delta("stop"), end=""), None]) as (url, _):
            begun = time.monotonic()
            text, last = await take(real_client(url, stall_s=5, deadline_s=5))
            return text, last.usage.is_estimated, time.monotonic() - begun

    text, is_estimated, seconds = asyncio.run(ask())
    assert (text, is_estimated) == ("bem", True)
    assert seconds < 2


@pytest.mark.parametrize("way", ["aclose", "cancel", "cancel before the first byte"])
def test_whoever_leaves_closes_the_connection_at_once(way):
    async def leave():
        script = [None] if "before" in way else [HEAD, FIRST, None]
        async with serving(script) as (url, left):
            asked = real_client(url, stall_s=5, deadline_s=5)
            if way == "aclose":
                pieces = asked.stream(ASKED)
                assert (await anext(pieces)).text == "bem"
                await pieces.aclose()
            else:
                task = asyncio.create_task(take(asked))
                await asyncio.sleep(0.1)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            await asyncio.wait_for(left.wait(), 2)
            await asked.aclose()

    asyncio.run(leave())


def test_a_connection_serves_again():
    connections = []

    async def handle(reader, writer):
        connections.append(writer)
        for _ in range(2):
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0]))
            writer.write(
                b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(GOOD), GOOD)
            )
            await asyncio.sleep(0.02)
            writer.write(b"0\r\n\r\n")
        writer.close()

    async def ask():
        async with await asyncio.start_server(handle, "127.0.0.1", 0) as server:
            asked = real_client(
                f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", stall_s=5, deadline_s=5
            )
            for _ in range(2):
                await take(asked)
            await asked.aclose()

    asyncio.run(ask())
    assert len(connections) == 1


# ---- the key ----


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(lambda: answer(GOOD), id="well"),
        pytest.param(refusal(401, f"Incorrect key: {KEY}"), id="refused"),
        pytest.param(httpx.ConnectError("no route"), id="unreachable"),
        pytest.param(lambda: answer(b"data: {]\n\n"), id="not understood"),
    ],
)
def test_neither_key_nor_query_is_shown_anywhere(reply, caplog):
    caplog.set_level(logging.DEBUG)
    handler, seen = counting(reply)
    asked = client(handler, url="http://llm/v1/chat/completions?code=sk-canary-in-query")
    shown = [repr(asked), repr(vars(asked)), repr(vars(asked._transport))]
    try:
        asyncio.run(take(asked))
    except ModelError as error:
        shown += [repr(error), str(error), *traceback.format_exception(error)]
        shown += [repr(vars(one)) for one in (error, error.__cause__) if hasattr(one, "__dict__")]
    assert seen[0].headers["authorization"] == f"Bearer {KEY}"
    told = caplog.text + "".join(repr(record.__dict__) for record in caplog.records)
    assert KEY not in told + "".join(shown)
    assert "canary-in-query" not in told
    assert "chat.llm.transport" in told or isinstance(reply, Exception)


def test_over_a_real_connection_too(caplog):
    caplog.set_level(logging.DEBUG)

    async def ask():
        async with serving(GOOD_HTTP) as (url, _):
            from pydantic import SecretStr

            for header, scheme in (("x-api-key", ""), ("api-key", ""), ("Authorization", "Bearer ")):
                one = Transport(
                    "openai",
                    f"{url}?q=canary-in-query",
                    key=SecretStr(KEY),
                    key_header=header,
                    key_scheme=scheme,
                )
                await take(HttpClient(one, OpenAiDialect("m")), ModelRequest("", ASKED.messages))

    asyncio.run(ask())
    told = caplog.text + "".join(repr(record.__dict__) for record in caplog.records)
    assert "chat.llm.transport" in told
    assert KEY not in told
    assert "canary-in-query" not in told


def test_what_others_ask_of_the_library_is_logged_as_ever(caplog):
    caplog.set_level(logging.DEBUG)

    async def ask():
        await take(client([answer(GOOD)]))
        async with httpx.AsyncClient(transport=httpx.MockTransport(lambda _: httpx.Response(204))) as other:
            await other.get("http://elsewhere/")

    asyncio.run(ask())
    assert [record.name for record in caplog.records if "elsewhere" in record.getMessage()] == ["httpx2"]
    assert not [
        record for record in caplog.records if record.name == "httpx2" and "llm" in record.getMessage()
    ]


def test_bodies_are_the_same_bytes_every_time():
    first, second = (OpenAiDialect("m").body(ASKED) for _ in range(2))
    assert first == second
    assert json.loads(first)["messages"][0]["content"] == "Você analisa."
    assert "Você".encode() in first
