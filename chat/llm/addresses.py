"""Decides to which addresses a request with a key and a report's data may go."""

from __future__ import annotations

import re
from ipaddress import IPv6Address, ip_address
from urllib.parse import SplitResult, urlsplit

LOCAL_SUFFIXES = (".localhost", ".local", ".internal", ".lan", ".home.arpa")
"""Names that are never public."""

_is_name = re.compile(
    r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?"
).fullmatch
_is_odd_address = re.compile(r"(?:.*\.)?(?:\d+|0x[0-9a-f]*)\.?").fullmatch
"""Numbers that some libraries read as an address, and others as another one or none."""


def address_problem(address: str) -> str | None:
    """
    The sentence that says why *address* cannot be a provider's, or None if it can.

    Secrets have no place in an address, which is logged. http is for this computer and for one's own network: a
    name without a dot, a name that is never public, or a private address.

    >>> address_problem("http://ollama:11434/v1"), address_problem("http://api.example.com/v1")
    (None, 'setting_open_http')
    """
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return "setting_bad_address"
    if parts.scheme not in ("http", "https") or not _is_plain(parts, host, address):
        return "setting_bad_address"
    return "setting_open_http" if parts.scheme == "http" and not _is_near(host) else None


def _is_plain(parts: SplitResult, host: str, address: str) -> bool:
    is_text = address.isascii() and address.isprintable() and " " not in address and "\\" not in address
    return _is_host(parts, host) and is_text and "@" not in parts.netloc and not parts.fragment


def _is_host(parts: SplitResult, host: str) -> bool:
    if "[" not in parts.netloc:
        return len(host) <= 253 and _is_name(host) is not None
    try:
        address = IPv6Address(host)
    except ValueError:
        return False
    # The libraries do not reach an address that is of one network card.
    return address.scope_id is None and parts.netloc.rpartition("]")[2][:1] in ("", ":")


def _is_near(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return not _is_odd_address(host) and ("." not in host or host.endswith(LOCAL_SUFFIXES))
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or (
        address.is_private and not address.is_link_local and not address.is_unspecified
    )
