"""The databases that the operator has named: where they are, and which secret opens them, never the secret itself."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal, cast, get_args

from datasources.exceptions import SourceForbidden, SourceNotFound, SourceOptionError
from datasources.suggestion import listed, remedy

ConnectionKind = Literal["postgres", "mysql", "sqlite", "duckdb"]
"""MariaDB is a `mysql`."""
Tls = Literal["off", "on", "verify"]

SERVER_KINDS = frozenset({"postgres", "mysql"})
PORTS = {"postgres": 5432, "mysql": 3306}
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
SECRET_WORDS = frozenset({"password", "passwd", "senha", "token", "pwd", "url", "uri", "dsn"})
"""Keys that would hold a secret itself, or an address that may hold one."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A text that no message, repr or log shows."""

    _text: str = field(repr=False)

    def reveal(self) -> str:
        """The text itself, for the driver alone."""
        return self._text


@dataclass(frozen=True, slots=True)
class Connection:
    """One database: the parts of its address, and the name of its secret."""

    name: str
    kind: ConnectionKind
    host: str = ""
    """A name or address, or the folder of a Unix socket (PostgreSQL) or its path (MySQL)."""
    port: int = 0
    database: str = ""
    user: str = ""
    secret: str | None = None
    """The name under which the password is found in the environment or the secrets file."""
    tls: Tls = "off"
    """`on` encrypts, `verify` also proves who answers; `verify` unless the host is this machine."""
    ca: Path | None = None
    """The certificates that `verify` trusts, where they are not the system's."""
    path: Path | None = None
    """The file of an SQLite or DuckDB database."""
    functions: tuple[str, ...] = ()
    """Functions of this database that queries may call besides the known ones; they must only compute."""


@dataclass(frozen=True, slots=True)
class Connections:
    """What a report may read from, by the names that the operator gave."""

    named: Mapping[str, Connection]
    _secrets: Mapping[str, Secret] = field(default_factory=dict, repr=False)

    def __getitem__(self, name: str) -> Connection:
        """The connection *name*; raises SourceNotFound with the name that was probably meant."""
        try:
            return self.named[name]
        except KeyError:
            raise SourceNotFound(
                f"There is no connection {name} in connections.toml: {remedy(name, self.named, noun='connection')}",
                source=name,
            ) from None

    def secret_of(self, connection: Connection) -> Secret | None:
        """The password of *connection*, read now; None if it needs none. Raises SourceForbidden if it is missing."""
        if connection.secret is None:
            return None
        text = os.environ.get(connection.secret)
        if text is not None:
            return Secret(text)
        found = self._secrets.get(connection.secret)
        if found is None:
            raise SourceForbidden(
                f"The connection {connection.name} needs the secret {connection.secret}: set it in the environment"
                " or in the secrets file.",
                source=connection.name,
            )
        return found


def load_connections(path: Path | str | None) -> Connections:
    """
    Read the operator's connections.toml; without a *path* there are no connections.

    Each table is one connection; at the top `secrets = "secrets.toml"` may name a file of `NAME = "secret"`.
    Relative paths begin at the folder of *path*. Raises SourceNotFound, SourceForbidden, SourceOptionError.
    """
    if path is None:
        return Connections(MappingProxyType({}))
    path = Path(path)
    document = _read_toml(path)
    secrets_file = document.pop("secrets", None)
    secrets: dict[str, Secret] = {}
    if secrets_file is not None:
        secrets = _read_secrets(path.parent / _text(secrets_file, "secrets", path.name))
    named = {name: _connection(name, table, path) for name, table in document.items()}
    return Connections(MappingProxyType(named), MappingProxyType(secrets))


def _read_toml(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SourceNotFound(f"There is no file {path.name}: check the path.", source=path.name) from error
    except PermissionError as error:
        raise SourceForbidden(
            f"{path.name} may not be read: ask for the permission.", source=path.name
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        # The reason could quote a secret, and so could its traceback: only the place is told.
        reason = str(error).rpartition("(")[2].rstrip(")") if "(at " in str(error) else "not UTF-8 text"
        raise SourceOptionError(
            f"{path.name} is not valid TOML ({reason}): correct it.", source=path.name
        ) from None


def _read_secrets(path: Path) -> dict[str, Secret]:
    secrets = {}
    for name, value in _read_toml(path).items():
        if not isinstance(value, str):
            raise SourceOptionError(
                f'{path.name} has {name}, which is not a text: write {name} = "…".', source=path.name
            )
        secrets[name] = Secret(value)
    return secrets


def _connection(name: str, table: object, path: Path) -> Connection:
    where = f"The connection {name} of {path.name}"
    if not isinstance(table, dict):
        raise SourceOptionError(f"{where} is not a table: begin it with [{name}].", source=name)
    keys = cast("dict[str, object]", table)
    for key in keys:
        if key.lower() in SECRET_WORDS:
            raise SourceOptionError(
                f'{where} has the key {key}, and a secret has no place there: write secret = "NAME", and set NAME in'
                " the environment or the secrets file.",
                source=name,
            )
    kind = keys.get("kind")
    if kind not in get_args(ConnectionKind):
        raise SourceOptionError(
            f"{where} has no known kind: write {listed(get_args(ConnectionKind), 'or')}.", source=name
        )
    kind = cast("ConnectionKind", kind)
    allowed = _KEYS[kind]
    for key in keys:
        if key not in allowed:
            raise SourceOptionError(
                f"{where} has the key {key}, which a {kind} has not: {remedy(key, allowed, noun='key')}",
                source=name,
            )
    if kind in SERVER_KINDS:
        return _server(name, kind, keys, where, path.parent)
    file = path.parent / _text(keys.get("path"), "path", where)
    return Connection(name, kind, path=file, functions=_texts(keys.get("functions", []), where))


_SERVER_KEYS = ("kind", "host", "port", "database", "user", "secret", "tls", "ca", "functions")
_FILE_KEYS = ("kind", "path", "functions")
_KEYS: Mapping[ConnectionKind, tuple[str, ...]] = {
    "postgres": _SERVER_KEYS, "mysql": _SERVER_KEYS, "sqlite": _FILE_KEYS, "duckdb": _FILE_KEYS
}  # fmt: skip


def _server(
    name: str, kind: ConnectionKind, keys: Mapping[str, object], where: str, folder: Path
) -> Connection:
    host = _text(keys.get("host"), "host", where)
    port = keys.get("port", PORTS[kind])
    if type(port) is not int or not 0 < port < 65536:
        raise SourceOptionError(
            f"{where} has a port that is none: write a number from 1 to 65535.", source=name
        )
    tls = keys.get("tls", "off" if host in LOOPBACK or host.startswith("/") else "verify")
    if tls not in get_args(Tls):
        raise SourceOptionError(
            f"{where} has an unknown tls: write {listed(get_args(Tls), 'or')}.", source=name
        )
    secret = keys.get("secret")
    ca = keys.get("ca")
    return Connection(
        name,
        kind,
        host=host,
        port=port,
        database=_text(keys.get("database"), "database", where),
        user=_text(keys.get("user"), "user", where),
        secret=None if secret is None else _text(secret, "secret", where),
        tls=cast("Tls", tls),
        ca=None if ca is None else folder / _text(ca, "ca", where),
        functions=_texts(keys.get("functions", []), where),
    )


def _text(value: object, key: str, where: str) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise SourceOptionError(f'{where} needs {key}, a text: write {key} = "…".', source=where)
    return value


def _texts(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise SourceOptionError(
            f'{where} has functions that are not texts: write functions = ["name"].', source=where
        )
    return tuple(one.lower() for one in value)
