"""Real database servers for the tests: on loopback, in temporary folders, and ended by their own process id."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

START_SECONDS = 60
STOP_SECONDS = 10
ADMIN_PASSWORD = "administrador-só-de-teste"


@dataclass(frozen=True, slots=True)
class Server:
    """Where a server listens, and who may do everything there."""

    port: int
    admin: str
    password: str = ADMIN_PASSWORD
    host: str = "127.0.0.1"


@contextmanager
def postgres_server() -> Iterator[Server]:
    """Start a PostgreSQL of Debian's package; its database is `postgres`."""
    programs = _found("PostgreSQL", "postgres", "initdb", folders=_debian_folders("/usr/lib/postgresql"))
    with _folder("postgres") as folder:
        data, password = folder / "data", folder / "password"
        password.write_text(ADMIN_PASSWORD, encoding="utf-8")
        _own(password, "postgres")
        options = ["-A", "scram-sha-256", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "-U", "postgres"]
        _run("postgres", [programs["initdb"], "-D", str(data), "--pwfile", str(password), *options])
        port = _free_port()
        settings = {
            "listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": folder, "fsync": "off",
            "shared_buffers": "16MB", "max_connections": 20, "log_min_messages": "fatal",
        }  # fmt: skip
        chosen = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with _running("postgres", [programs["postgres"], "-D", str(data), *chosen], port, folder):
            yield Server(port, "postgres")


@contextmanager
def mariadb_server() -> Iterator[Server]:
    """Start a MariaDB of Debian's package; its database is `relatorios`."""
    programs = _found("MariaDB", "mariadbd", "mariadb-install-db", folders=("/usr/sbin", "/usr/bin"))
    with _folder("mysql") as folder:
        data, first = folder / "data", folder / "first.sql"
        install = [programs["mariadb-install-db"], "--no-defaults", f"--datadir={data}", "--skip-test-db"]
        _run("mysql", [*install, "--auth-root-authentication-method=normal", "--skip-name-resolve"])
        first.write_text(
            f"SET PASSWORD FOR 'root'@'localhost' = PASSWORD('{ADMIN_PASSWORD}');"
            f"\nCREATE USER 'root'@'127.0.0.1' IDENTIFIED BY '{ADMIN_PASSWORD}';"
            "\nGRANT ALL ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;"
            "\nCREATE DATABASE relatorios CHARACTER SET utf8mb4;\n",
            encoding="utf-8",
        )
        _own(first, "mysql")
        port = _free_port()
        settings = [
            f"--datadir={data}", f"--socket={folder / 'socket'}", f"--pid-file={folder / 'pid'}",
            "--bind-address=127.0.0.1", f"--port={port}", f"--init-file={first}", "--skip-name-resolve",
            "--character-set-server=utf8mb4", "--innodb-buffer-pool-size=16M", "--innodb-fast-shutdown=2",
            "--innodb-flush-log-at-trx-commit=0", "--performance-schema=OFF", f"--secure-file-priv={folder}",
        ]  # fmt: skip
        with _running("mysql", [programs["mariadbd"], "--no-defaults", *settings], port, folder):
            yield Server(port, "root")


def _found(product: str, *programs: str, folders: Sequence[str]) -> dict[str, str]:
    """Where the programs are; their absence fails in CI, and is a visible skip elsewhere."""
    path = os.pathsep.join([*folders, os.environ.get("PATH", "")])
    found = {name: shutil.which(name, path=path) for name in programs}
    missing = [name for name, where in found.items() if where is None]
    if not missing:
        return {name: where for name, where in found.items() if where is not None}
    message = f"{product} is not installed: there is no {' and no '.join(missing)}"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def _debian_folders(root: str) -> list[str]:
    return sorted((str(path) for path in Path(root).glob("*/bin")), reverse=True)


@contextmanager
def _folder(user: str) -> Iterator[Path]:
    # Not below pytest's own folder, which other users may not enter.
    folder = Path(tempfile.mkdtemp(prefix=f"lastro-{user}-"))
    try:
        _own(folder, user)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _own(path: Path, user: str) -> None:
    if os.geteuid() == 0:
        entry = pwd.getpwnam(user)
        os.chown(path, entry.pw_uid, entry.pw_gid)


def _identity(user: str) -> dict[str, object]:
    """Servers refuse to run as root: there they run as the user that their package made."""
    if os.geteuid() != 0:
        return {}
    entry = pwd.getpwnam(user)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _run(user: str, command: Sequence[str]) -> None:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=START_SECONDS, cwd="/", **_identity(user)
    )
    assert done.returncode == 0, done.stderr[-2000:] or done.stdout[-2000:]


@contextmanager
def _running(user: str, command: Sequence[str], port: int, folder: Path) -> Iterator[None]:
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, cwd="/", **_identity(user))
        try:
            _wait(process, port, log)
            yield
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(STOP_SECONDS)


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    pytest.fail(f"the server did not start: {log.read_text(errors='replace')[-2000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
