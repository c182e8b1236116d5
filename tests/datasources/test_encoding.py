"""The bytes of a text file become text as spec 0.1 says."""

from __future__ import annotations

import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources.encoding import decode, to_utf8, utf8_text
from datasources.exceptions import SourceOptionError, SourceUnreadable

HOLES = "".join(chr(byte) for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D))

CASES = [
    pytest.param("ação".encode(), None, "ação", 0, id="utf-8"),
    pytest.param("\ufeffação".encode(), None, "ação", 0, id="mark of utf-8"),
    pytest.param(b"\xff\xfe" + "ação".encode("utf-16-le"), None, "ação", 0, id="mark of utf-16 le"),
    pytest.param(b"\xfe\xff" + "ação".encode("utf-16-be"), None, "ação", 0, id="mark of utf-16 be"),
    pytest.param("ação".encode("latin-1"), None, "ação", 0, id="windows-1252"),
    pytest.param(b"\x80 \x93x\x94", None, "€ “x”", 0, id="what latin-1 has not"),
    pytest.param(HOLES.encode("latin-1"), None, HOLES, 0, id="holes of windows-1252"),
    pytest.param("çãé".encode() + b"\xff;\xc3", None, "çãé\ufffd;\ufffd", 2, id="mostly utf-8"),
    pytest.param("ç".encode() + b"\xe7", None, "Ã§ç", 0, id="as many invalid as valid"),
    pytest.param("\ufffd çã".encode() + b"\xff", None, "\ufffd çã\ufffd", 1, id="a U+FFFD of its own"),
    pytest.param("ação".encode(), "latin-1", "aÃ§Ã£o", 0, id="declared"),
    pytest.param("ação".encode("utf-16-le"), "utf-16-le", "ação", 0, id="declared utf-16 without mark"),
    pytest.param(b"\xff\xfe" + "ação".encode("utf-16-le"), "utf-16", "ação", 0, id="declared, with mark"),
    pytest.param("\ufeffação".encode(), "utf-8", "ação", 0, id="declared utf-8 with mark"),
    pytest.param(b"a\xff", "utf-8", "a\ufffd", 1, id="declared, yet invalid"),
    pytest.param(b"a\x90", "cp1252", "a\x90", 0, id="declared windows-1252 with a hole"),
    pytest.param(b"a;b\n\0", None, "a;b\n", 0, id="NUL as padding"),
    pytest.param(b"a;b\n" + b"\0\x1a" * 1_200_000, None, "a;b\n", 0, id="megabytes of padding"),
]


def read_large(data: bytes, declared: str | None) -> tuple[str, tuple[str, ...]]:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        text = to_utf8(file, declared, "b")
        content = text.read(text.start, text.size).decode()
        if text.file is not file:
            text.file.close()
        return content, tuple(warning.code for warning in text.warnings)


@pytest.mark.parametrize(("data", "declared", "text", "replaced"), CASES)
def test_text_is_decoded(data, declared, text, replaced):
    decoded, warnings = decode(data, declared, "b")
    assert decoded == text
    assert sum(w.count or 0 for w in warnings if w.code == "invalid_encoding") == replaced
    assert read_large(data, declared) == (text, tuple(warning.code for warning in warnings))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"a;b\n1;\0\n2;3\n", id="NUL inside"),
        pytest.param("a;b\n".encode("utf-16-le"), id="utf-16 without mark"),
        pytest.param(bytes(range(1, 32)) * 9, id="control characters"),
    ],
)
def test_binary_is_refused(data):
    with pytest.raises(SourceUnreadable, match="looks binary"):
        decode(data, None, "b")
    with pytest.raises(SourceUnreadable, match="looks binary"):
        read_large(data, None)


@pytest.mark.parametrize("name", ["klingon", "base64", "rot13", "", "a\0b", "punycode", "undefined"])
def test_an_unknown_encoding_is_an_option_error(name):
    with pytest.raises(SourceOptionError, match="no text encoding"):
        decode(b"a", name, "b")


@given(st.binary(max_size=60))
def test_both_paths_decode_alike(data):
    try:
        expected = decode(data, None, "b")
    except SourceUnreadable:
        with pytest.raises(SourceUnreadable):
            read_large(data, None)
    else:
        assert read_large(data, None) == (expected[0], tuple(warning.code for warning in expected[1]))


@pytest.mark.parametrize("position", [2**20 - shift for shift in range(-1, 5)])
def test_characters_over_the_edge_of_a_block_are_valid(position):
    text = "x" * position + "€ç" + "y" * 10
    assert read_large(text.encode(), None) == (text, ())


def test_a_file_that_changes_while_it_is_read_is_refused():
    assert utf8_text("ação".encode()) == "ação"
    with pytest.raises(SourceUnreadable, match="changed while it was read"):
        utf8_text(b"\xff")
