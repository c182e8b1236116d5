"""What a provider can write in answer to a request, from a good stream to none: bytes, pauses and ends."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import repeat
from typing import Any

from chat.messages import ToolCall
from tests.chat.dialects import PATHS, Answer, Dialect, events, frames, stream, whole
from tests.chat.fault_server import End, Pause, Play, Step

PROVIDERS_WORDS = "words of the provider"
"""Stands in every error text that a provider writes; a reader must never see it."""

SAID = Answer(("Em São Paulo o total ", "é 423.891,50", " — 😀 \u2028fim."))
ASKED = Answer(
    calls=(ToolCall("call-1", "sulfite_aggregate_data", '{"verb": "SUM", "field": "valor_total"}'),),
    reason="tool_calls",
)
TWO_ASKED = replace(
    ASKED,
    calls=(*ASKED.calls, ToolCall("call-2", "sulfite_group_by", '{"by": ["vendedor"], "verb": "COUNT"}')),
)

STREAM = {"content-type": "text/event-stream"}
JSON = {"content-type": "application/json"}


# ---- how HTTP is written ----


def head(status: int, headers: Mapping[str, str]) -> bytes:
    """The status line and headers."""
    lines = [f"HTTP/1.1 {status} Said", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "connection: close", "", ""]).encode()


def chunked(part: bytes) -> bytes:
    """A part of a body whose length is not known before."""
    return b"%x\r\n%s\r\n" % (len(part), part)


def streamed(parts: Iterable[bytes], headers: Mapping[str, str] = STREAM) -> Iterator[Step]:
    """An answer of 200 that arrives in *parts* and ends as it should."""
    yield from begun(parts, headers)
    yield b"0\r\n\r\n"


def begun(parts: Iterable[bytes], headers: Mapping[str, str] = STREAM) -> Iterator[Step]:
    """An answer of 200 that arrives in *parts* and does not end."""
    yield head(200, {**headers, "transfer-encoding": "chunked"})
    yield from map(chunked, parts)


def told(status: int, body: bytes, headers: Mapping[str, str] = JSON) -> Iterator[Step]:
    """An answer in one piece."""
    yield head(status, {**headers, "content-length": str(len(body))}) + body


# ---- plays ----


def says(answer: Answer) -> Play:
    """A stream as it should be."""
    return lambda dialect: streamed(stream(dialect, answer))


def says_events(
    change: Callable[[Dialect, list[dict[str, Any]]], list[dict[str, Any]]], answer: Answer
) -> Play:
    """The stream of *answer* with its events changed, and the end that its dialect has."""

    def play(dialect: Dialect) -> Iterable[Step]:
        end = [b"data: [DONE]\n\n"] if dialect == "openai" else []
        return streamed([*frames(dialect, change(dialect, events(dialect, answer))), *end])

    return play


def refuses(status: int, code: str = "some_code", **headers: str) -> Play:
    """An error with a provider's own text."""

    def play(dialect: Dialect) -> Iterable[Step]:
        error = {"message": PROVIDERS_WORDS, "type": code, "code": code}
        body = {"error": error} if dialect == "openai" else {"type": "error", "error": error}
        return told(
            status,
            json.dumps(body).encode(),
            {**JSON, **{_header(name): text for name, text in headers.items()}},
        )

    return play


def _header(name: str) -> str:
    return name.replace("_", "-")


def middle(dialect: Dialect, answer: Answer = SAID) -> list[bytes]:
    """A stream up to where some text has come."""
    return stream(dialect, answer)[: 2 if dialect == "openai" else 4]


def is_silent(_: Dialect) -> Iterable[Step]:
    """Nothing, ever."""
    return [End.HOLD]


def resets(_: Dialect) -> Iterable[Step]:
    """RST instead of an answer."""
    return [End.RESET]


def closes(_: Dialect) -> Iterable[Step]:
    """The connection ends without an answer."""
    return []


def resets_in_body(dialect: Dialect) -> Iterable[Step]:
    yield from begun(middle(dialect))
    yield Pause(0.05)  # what RST overtakes is lost
    yield End.RESET


def stalls(dialect: Dialect) -> Iterable[Step]:
    yield from begun(middle(dialect))
    yield End.HOLD


def truncates_chunk(dialect: Dialect) -> Iterable[Step]:
    yield from begun(middle(dialect))
    yield b"ffff\r\ndata: {"


def is_shorter_than_told(dialect: Dialect) -> Iterable[Step]:
    body = b"".join(middle(dialect))
    yield head(200, {**STREAM, "content-length": str(len(body) + 1000)}) + body


def ends_early(dialect: Dialect) -> Iterable[Step]:
    return streamed(middle(dialect))


def ends_before_text(_: Dialect) -> Iterable[Step]:
    return streamed([])


def only_done(_: Dialect) -> Iterable[Step]:
    return streamed([b"data: [DONE]\n\n"])


def garbage_body(_: Dialect) -> Iterable[Step]:
    return streamed([random.Random(7).randbytes(5000)])


def garbage_events(_: Dialect) -> Iterable[Step]:
    return streamed(
        [b"data: " + text + b"\n\n" for text in (b"{]", b"nothing", b"\xff\xfe", b'"text"', b"[1, 2]")]
    )


def no_http(_: Dialect) -> Iterable[Step]:
    return [b"\x16\x03\x01SSH-2.0-what\r\n\r\n" + random.Random(7).randbytes(300)]


def long_header(_: Dialect) -> Iterable[Step]:
    yield b"HTTP/1.1 200 OK\r\n"
    yield b"x-filler: "
    yield from repeat(b"x" * 65536, 160)
    yield b"\r\n\r\n"


def slow_header(_: Dialect) -> Iterable[Step]:
    yield b"HTTP/1.1 200 OK\r\nx-slow: "
    yield from _dripped(repeat(b"x"))


def endless_interim(_: Dialect) -> Iterable[Step]:
    yield from _dripped(repeat(b"HTTP/1.1 103 Early Hints\r\n\r\n"), 0.002)


def long_line(dialect: Dialect) -> Iterable[Step]:
    yield from begun(middle(dialect))
    yield chunked(b"data: ")
    yield from repeat(chunked(b"x" * 65536), 3200)


def long_answer(dialect: Dialect) -> Iterable[Step]:
    """200 MB of good text."""
    *start, piece = middle(dialect, Answer(("a" * 8000,)))
    yield from begun(start)
    yield from repeat(chunked(piece), 25_000)


def zip_bomb(dialect: Dialect) -> Iterable[Step]:
    """20 MB of one line, in 20 kB."""
    return told(200, _bomb(), {**STREAM, "content-encoding": "gzip"})


@cache
def _bomb() -> bytes:
    return gzip.compress(b"data: " + b"x" * 20_000_000, 1)


def split_anywhere(dialect: Dialect) -> Iterable[Step]:
    """A byte a packet."""
    whole_body = b"".join(stream(dialect, SAID))
    yield head(200, {**STREAM, "content-length": str(len(whole_body))})
    for at in range(len(whole_body)):
        yield whole_body[at : at + 1]
        yield Pause(0)


def pings_for_ever(dialect: Dialect) -> Iterable[Step]:
    yield from begun(middle(dialect))
    ping = b": ping\n\n" if dialect == "openai" else b'event: ping\ndata: {"type": "ping"}\n\n'
    yield from _dripped(repeat(chunked(ping)), 0.02)


def drips(dialect: Dialect) -> Iterable[Step]:
    """Good text, too slowly ever to end in time."""
    *start, piece = middle(dialect, Answer(("a",)))
    yield from begun(start)
    yield from _dripped(repeat(chunked(piece)))


def _dripped(parts: Iterable[bytes], seconds: float = 0.05) -> Iterator[Step]:
    for part in parts:
        yield part
        yield Pause(seconds)


# ---- no stream ----


def json_instead(dialect: Dialect) -> Iterable[Step]:
    return told(200, json.dumps(whole(dialect, SAID)).encode())


def json_calls_instead(dialect: Dialect) -> Iterable[Step]:
    return told(200, json.dumps(whole(dialect, ASKED)).encode())


def error_with_200(_: Dialect) -> Iterable[Step]:
    return told(200, json.dumps({"error": {"message": PROVIDERS_WORDS, "code": 500}}).encode())


def page_instead(_: Dialect) -> Iterable[Step]:
    page = f"<html><h1>Log in</h1>{PROVIDERS_WORDS}</html>".encode()
    return told(200, page, {"content-type": "text/html; charset=utf-8"})


def page_as_error(_: Dialect) -> Iterable[Step]:
    return told(502, f"<html>{PROVIDERS_WORDS}</html>".encode() * 50_000, {"content-type": "text/html"})


def odd_content_type(dialect: Dialect) -> Iterable[Step]:
    """A good stream that says to be text."""
    return streamed(stream(dialect, SAID), {"content-type": "text/plain"})


def no_content_type(dialect: Dialect) -> Iterable[Step]:
    return streamed(stream(dialect, SAID), {})


def redirects_to(mark: str) -> Play:
    """To where neither the key nor the question must go."""
    return lambda dialect: told(307, b"", {"location": f"/elsewhere{PATHS[dialect]}?{mark}"})
