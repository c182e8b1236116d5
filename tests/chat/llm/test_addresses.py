"""A key and a report's data go over https, or stay near."""

from __future__ import annotations

import pytest

from chat.llm.addresses import address_problem


@pytest.mark.parametrize(
    "address",
    [
        *("https://api.openai.com/v1", "https://x.azure.com?api-version=1", "HTTPS://x.com", "https://10.0.0.1:8443/"),
        *("http://localhost:11434/v1", "http://127.0.0.1:8080", "http://127.9.9.9", "http://[::1]:8080/v1"),
        *("http://ollama:11434/v1", "http://llm1", "http://gateway.internal/v1", "http://nas.local", "http://x.localhost"),
        *("https://a-b.c_d.x", "https://x.com.", "https://x.com:", "https://[2001:db8::1]:8443/v1", "https://xn--e1afmkfd.x"),
        *("http://192.168.1.5:11434", "http://10.1.2.3", "http://172.16.0.1", "http://[fd00::1]", "http://[::ffff:10.0.0.1]"),
    ],
)  # fmt: skip
def test_an_address_that_may_be_asked(address):
    assert address_problem(address) is None


@pytest.mark.parametrize(
    "address",
    [
        *(
            "http://api.example.com",
            "http://8.8.8.8",
            "http://169.254.169.254",
            "http://0.0.0.0",
            "http://[::]",
        ),
        *(
            "http://172.32.0.1",
            "http://localhost.example.com",
            "http://2130706433",
            "http://0x7f000001",
            "http://127.1",
        ),
        *("http://0177.0.0.1", "http://[::ffff:8.8.8.8]", "http://[fe80::1]", "http://localx.com"),
    ],
)
def test_an_address_that_would_be_open(address):
    assert address_problem(address) == "setting_open_http"


@pytest.mark.parametrize(
    "address",
    [
        *("", "api.openai.com/v1", "ftp://x.com", "file:///etc", "https://", "https:///v1", "//x.com", "https:x.com"),
        *("https://user:pass@x.com", "https://user@x.com", "https://@x.com", "https://x.com#a", "https://x.com:99999"),
        *("https://a..b", "https://.", "https://-a-.x", "https://a%41.x", "https://a,b", "https://a<b>", "https://*.x"),
        *("https://" + "a" * 64, "https://" + "a." * 150, "https://[v1.a]", "https://[::1]x", "http://[::1%25lo]/"),
        *("https://x.com:a", "https://[::1", "https://x .com", "https://x.com/\n", "https://é.com", "https://x.com\\@y.com"),
    ],
)  # fmt: skip
def test_what_is_no_address(address):
    assert address_problem(address) == "setting_bad_address"
