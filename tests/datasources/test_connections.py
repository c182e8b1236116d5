"""What the operator names is found, and what a file of connections must not hold is refused."""

from __future__ import annotations

import pytest

from datasources import SourceError
from datasources.connections import Connections, Secret, load_connections

SERVER = 'kind = "postgres"\nhost = "db.exemplo"\ndatabase = "vendas"\nuser = "leitor"\n'


def load(folder, text: str, secrets: str | None = None) -> Connections:
    file = folder / "connections.toml"
    file.write_text(text, encoding="utf-8")
    if secrets is not None:
        (folder / "secrets.toml").write_text(secrets, encoding="utf-8")
    return load_connections(file)


def test_without_a_file_there_are_no_connections():
    with pytest.raises(SourceError, match="there is no connection"):
        load_connections(None)["vendas"]


def test_a_server_has_the_port_of_its_kind_and_is_verified(tmp_path):
    connection = load(tmp_path, f"[vendas]\n{SERVER}")["vendas"]
    assert (connection.port, connection.tls, connection.secret) == (5432, "verify", None)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "/run/postgresql"])
def test_this_machine_needs_no_tls(tmp_path, host):
    text = f"[vendas]\n{SERVER}".replace("db.exemplo", host)
    assert load(tmp_path, text)["vendas"].tls == "off"


def test_a_file_lies_beside_the_connections(tmp_path):
    connection = load(tmp_path, '[local]\nkind = "sqlite"\npath = "dados/x.db"')["local"]
    assert connection.path == tmp_path / "dados" / "x.db"


def test_a_secret_is_read_from_the_environment_first(tmp_path, monkeypatch):
    text = f'secrets = "secrets.toml"\n[a]\n{SERVER}secret = "LASTRO_A"\n[b]\n{SERVER}secret = "LASTRO_B"'
    connections = load(tmp_path, text, 'LASTRO_A = "do arquivo"\nLASTRO_B = "do arquivo"')
    monkeypatch.setenv("LASTRO_A", "do ambiente")
    found = [connections.secret_of(connections[name]) for name in "ab"]
    assert [secret.reveal() for secret in found if secret] == ["do ambiente", "do arquivo"]


def test_a_missing_secret_is_named(tmp_path):
    connections = load(tmp_path, f'[a]\n{SERVER}secret = "LASTRO_NENHUM"')
    with pytest.raises(SourceError, match="needs the secret LASTRO_NENHUM"):
        connections.secret_of(connections["a"])


def test_no_secret_is_shown(tmp_path):
    connections = load(tmp_path, f'secrets = "secrets.toml"\n[a]\n{SERVER}secret = "S"', 'S = "canário"')
    secret = connections.secret_of(connections["a"])
    assert secret == Secret("canário")
    for text in (repr(secret), str(secret), f"{secret}", repr(connections), f"{connections}"):
        assert "canário" not in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("[a]\nkind = 'oracle'", "write postgres, mysql, sqlite or duckdb", id="unknown kind"),
        pytest.param("a = 1", r"begin it with \[a\]", id="no table"),
        pytest.param("[a]\nkind = 'sqlite'", "needs path", id="no path"),
        pytest.param("[a]\nkind = 'sqlite'\npath = ''", "needs path", id="empty path"),
        pytest.param("[a]\nkind = 'postgres'", "needs host", id="no host"),
        pytest.param(f"[a]\n{SERVER}port = 0", "from 1 to 65535", id="port"),
        pytest.param(f"[a]\n{SERVER}port = true", "from 1 to 65535", id="port that is a boolean"),
        pytest.param(f"[a]\n{SERVER}tls = 'sim'", "off, on or verify", id="tls"),
        pytest.param(f"[a]\n{SERVER}pasword = 'x'", "has the key pasword", id="unknown key"),
        pytest.param(f"[a]\n{SERVER}functions = 'x'", "functions that are not texts", id="functions"),
        pytest.param(
            "[a]\nkind = 'sqlite'\npath = 'x'\nuser = 'y'", "which a sqlite has not", id="key of a server"
        ),
        pytest.param("[a", "not valid TOML", id="no TOML"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, text, message):
    with pytest.raises(SourceError, match=message):
        load(tmp_path, text)


@pytest.mark.parametrize("key", ["password", "senha", "Password", "uri", "token"])
def test_a_secret_has_no_place_in_the_file(tmp_path, key):
    with pytest.raises(SourceError, match="a secret has no place there") as caught:
        load(tmp_path, f"[a]\n{SERVER}{key} = 'canário'")
    assert "canário" not in caught.value.message


@pytest.mark.parametrize("secrets", ["S = 'canário", "S = ['canário']", "canário"])
def test_a_broken_file_of_secrets_shows_none(tmp_path, secrets):
    with pytest.raises(SourceError) as caught:
        load(tmp_path, f'secrets = "secrets.toml"\n[a]\n{SERVER}secret = "S"', secrets)
    assert "canário" not in caught.value.message
    assert caught.value.__cause__ is None


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SourceError, match=r"no file connections\.toml"):
        load_connections(tmp_path / "connections.toml")
