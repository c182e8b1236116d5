"""The databases that the tests of queries share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.datasources.databases import Databases, fill, make_files, write_connections
from tests.datasources.servers import Server, mariadb_server, postgres_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with postgres_server() as server:
        fill(server, "postgres")
        yield server


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Server]:
    with mariadb_server() as server:
        fill(server, "mysql")
        yield server


@pytest.fixture(scope="session")
def databases(postgres: Server, mariadb: Server, tmp_path_factory: pytest.TempPathFactory) -> Databases:
    """All four, with the same tables."""
    folder = tmp_path_factory.mktemp("databases")
    make_files(folder)
    servers = {"postgres": postgres, "mysql": mariadb}
    return Databases(write_connections(folder, servers), servers, folder)
