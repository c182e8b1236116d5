"""Real database servers for the tests: on loopback, in temporary folders, and ended by their own process id."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

START_SECONDS = 60
STOP_SECONDS = 10
LIFE_SECONDS = 600
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
    programs = _found(
        "PostgreSQL", "postgres", "initdb", "pg_isready", folders=_debian_folders("/usr/lib/postgresql")
    )
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
        command = [programs["postgres"], "-D", str(data), *chosen]
        ready = partial(_is_ready, programs["pg_isready"], port)
        # SIGINT ends it at once; SIGTERM would wait for clients.
        with _running("postgres", command, folder, ready, signal.SIGINT):
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
            f"CREATE USER 'dono'@'127.0.0.1' IDENTIFIED BY '{ADMIN_PASSWORD}';"
            "\nGRANT ALL ON *.* TO 'dono'@'127.0.0.1' WITH GRANT OPTION;"
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
        command = [programs["mariadbd"], "--no-defaults", *settings]
        with _running("mysql", command, folder, partial(_listens, port), signal.SIGTERM):
            yield Server(port, "dono")


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


def _identity(user: str) -> str | None:
    """Servers refuse to run as root: there they run as the user, with its group, that their package made."""
    return user if os.geteuid() == 0 else None


def _run(user: str, command: Sequence[str]) -> None:
    who = _identity(user)
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=START_SECONDS, cwd="/",
        user=who, group=who, extra_groups=None if who is None else [],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:] or done.stdout[-2000:]


@contextmanager
def _running(
    user: str, command: Sequence[str], folder: Path, is_ready: Callable[[], bool], stop: signal.Signals
) -> Iterator[None]:
    log = folder / "log"
    who = _identity(user)
    # It hands signals on, and ends the server even where the tests are killed.
    bounded = ["timeout", f"--kill-after={STOP_SECONDS}", str(LIFE_SECONDS), *command]
    with log.open("wb") as output:
        process = subprocess.Popen(
            bounded, stdout=output, stderr=output, cwd="/",
            user=who, group=who, extra_groups=None if who is None else [],
        )  # fmt: skip
        try:
            _wait(process, is_ready, log)
            yield
        finally:
            process.send_signal(stop)
            process.wait(2 * STOP_SECONDS)


def _wait(process: subprocess.Popen[bytes], is_ready: Callable[[], bool], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        if is_ready():
            return
        time.sleep(0.05)
    pytest.fail(f"the server did not start: {log.read_text(errors='replace')[-2000:]}")


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _is_ready(program: str, port: int) -> bool:
    """Whether PostgreSQL lets clients in: it listens some time before."""
    done = subprocess.run([program, "-q", "-h", "127.0.0.1", "-p", str(port)], check=False, timeout=10)
    return done.returncode == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
