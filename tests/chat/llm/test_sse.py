"""Bytes in, events out, however the bytes are cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.llm.sse import LINE_BYTES_MAX, MalformedStream, ServerEvent, SseReader


def read(*pieces: bytes) -> list[ServerEvent]:
    reader = SseReader()
    return [event for piece in pieces for event in reader.feed(piece)]


def message(data: str, kind: str = "message") -> ServerEvent:
    return ServerEvent(kind, data)


@pytest.mark.parametrize(
    ("content", "events"),
    [
        pytest.param(b"data: a\n\n", [message("a")], id="LF"),
        pytest.param(b"data: a\r\n\r\n", [message("a")], id="CRLF"),
        pytest.param(b"data: a\r\rdata: b\r\r", [message("a"), message("b")], id="CR"),
        pytest.param(b"data: a\r\n\ndata: b\n\r\n", [message("a"), message("b")], id="mixed"),
        pytest.param(b"\xef\xbb\xbfdata: a\n\n", [message("a")], id="BOM"),
        pytest.param(b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\n", [], id="a second BOM is part of a name"),
        pytest.param(b": ping\n\n:\n\ndata: a\n\n", [message("a")], id="comments"),
        pytest.param(b"data: a\ndata: b\n\n", [message("a\nb")], id="several lines"),
        pytest.param(b"data\n\n", [message("")], id="no colon"),
        pytest.param(b"data:\n\n", [message("")], id="empty"),
        pytest.param(b"data:a\n\ndata:  a\n\n", [message("a"), message(" a")], id="one space is taken off"),
        pytest.param(b"data: a: b\n\n", [message("a: b")], id="further colons"),
        pytest.param(b"event: error\ndata: a\n\n", [message("a", "error")], id="type"),
        pytest.param(b"event: x\n\ndata: a\n\n", [message("a")], id="a type without data is forgotten"),
        pytest.param(b"id: 1\nretry: 5\nnew: x\ndata: a\n\n", [message("a")], id="other fields"),
        pytest.param(b"data: a\n", [], id="not ended"),
        pytest.param(
            "data: a\u2028b\u0085c\x0bd\n\n".encode(), [message("a\u2028b\u0085c\x0bd")], id="no line ends"
        ),
    ],
)
def test_events_are_read_as_the_standard_has_them(content, events):
    assert read(content) == events


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([b"data: \xff\n\n"], id="no UTF-8"),
        pytest.param([b"data: \xc3\n\n"], id="half a character"),
        pytest.param([b"data: ", *[b"x" * 65_536] * 17], id="a line without end"),
        pytest.param([b"data: " + b"x" * 1_000 + b"\n"] * 1_100, id="an event without end"),
    ],
)
def test_what_are_no_events_is_refused(pieces):
    with pytest.raises(MalformedStream):
        read(*pieces)


def test_a_line_of_the_greatest_length_is_read():
    (event,) = read(b"data:" + b"x" * (LINE_BYTES_MAX - 5), b"\n\n")
    assert len(event.data) == LINE_BYTES_MAX - 5


LINES = st.sampled_from(
    [
        *("data: olá 😀".encode(), b"data: a\xe2\x80\xa8b", b"data:", b"data", b": ping", b"event: delta"),
        *(b"", b"id: 1", b"\xef\xbb\xbfdata: x", b"data: 1", b"data:  two"),
    ]
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


@given(lines=st.lists(st.tuples(LINES, ENDS), max_size=20), cuts=st.lists(st.integers(0, 400), max_size=12))
def test_however_bytes_are_cut_the_events_are_the_same(lines, cuts):
    content = b"".join(line + end for line, end in lines)
    edges = [0, *sorted(cut for cut in cuts if cut < len(content)), len(content)]
    pieces = [content[start:stop] for start, stop in pairwise(edges)]
    assert read(*pieces) == read(content) == read(*(bytes([byte]) for byte in content))
