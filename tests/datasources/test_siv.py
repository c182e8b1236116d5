from __future__ import annotations

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from hypothesis import given
from hypothesis import strategies as st

from datasources.siv import seal_rows

KEY = bytes(range(64))
# RFC 5297, A.1: deterministic authenticated encryption.
RFC_KEY = bytes.fromhex("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
RFC_ASSOCIATED = bytes.fromhex("101112131415161718191a1b1c1d1e1f2021222324252627")
RFC_PLAIN = bytes.fromhex("112233445566778899aabbccddee")
RFC_SEALED = bytes.fromhex("85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c")


def rows(*payloads):
    return np.frombuffer(b"".join(payloads), np.uint8).reshape(len(payloads), -1)


def test_the_example_of_the_rfc():
    assert seal_rows(rows(RFC_PLAIN), RFC_ASSOCIATED, RFC_KEY).tobytes() == RFC_SEALED


@pytest.mark.parametrize("width", [1, 5, 8, 11, 15, 16, 17, 23, 31, 32, 33, 47, 48, 95, 131])
def test_each_row_is_sealed_as_it_would_be_alone(width):
    payloads = [np.random.default_rng(seed).bytes(width) for seed in range(40)]
    alone = [AESSIV(KEY).encrypt(one, [b"name"]) for one in payloads]
    assert [row.tobytes() for row in seal_rows(rows(*payloads), b"name", KEY)] == alone


@given(st.binary(min_size=64, max_size=64), st.binary(min_size=1, max_size=70), st.binary(max_size=40))
def test_the_library_opens_what_was_sealed(key, payload, associated):
    sealed = seal_rows(rows(payload), associated, key).tobytes()
    assert AESSIV(key).decrypt(sealed, [associated]) == payload
