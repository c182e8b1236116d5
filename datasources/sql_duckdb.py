"""Reads rows of a DuckDB file in a process of its own, which can be killed whatever the query does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING

from datasources.base import DataWarning
from datasources.exceptions import SourceError, SourceNotFound, SourceTooLarge, TableNotFound
from datasources.sql_base import BoundQuery, Reading

if TYPE_CHECKING:
    import pyarrow as pa

    from datasources.connections import Connection

# Isolated: no variable of the environment and no file of the working folder changes what it imports.
PROGRAM = (
    "import json, sys; request = json.load(sys.stdin); sys.path[:] = request['path'];"
    " from datasources.sql_duckdb_worker import serve; sys.exit(serve(request))"
)


NO_TABLE = "Catalog Error: Table with name "
"""How DuckDB begins to say that there is no such table."""


def read_duckdb(
    connection: Connection, query: BoundQuery, reading: Reading
) -> tuple[pa.Table, tuple[DataWarning, ...]]:
    """Run *query* in a worker that may read this one file, within its time and memory."""
    file = connection.path or Path()
    if not file.is_file():
        raise SourceNotFound(
            f"There is no file {file.name} for the connection {connection.name}: check its path.",
            source=connection.name,
        )
    request = {
        "path": [str(Path(__file__).parents[1]), *(entry or os.getcwd() for entry in sys.path)],
        "file": str(file.resolve()),
        "query": query.text(lambda number: f"${number}"),
        "arguments": [[one.type, None if one.value is None else str(one.value)] for one in query.arguments],
        "seconds": reading.seconds_left,
        "bytes": reading.limits.worker_bytes,
    }
    worker = subprocess.Popen(
        [sys.executable, "-I", "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PATH": os.defpath},
        cwd="/",
    )
    late = threading.Timer(reading.seconds_left, worker.kill)
    said: list[bytes] = []
    assert worker.stdin is not None
    assert worker.stdout is not None
    assert worker.stderr is not None
    listener = threading.Thread(
        target=lambda errors: said.append(errors.read()), args=(worker.stderr,), daemon=True
    )
    late.start()
    listener.start()
    try:
        worker.stdin.write(json.dumps(request).encode())
        worker.stdin.close()
        table = _received(worker.stdout, reading)
        code = worker.wait()
        listener.join()
    except BrokenPipeError:
        table, code = None, worker.wait()
        listener.join()
    finally:
        late.cancel()
        worker.kill()
        worker.wait()
        worker.stdout.close()
        worker.stderr.close()
    if code == 0 and table is not None:
        return table, ()
    raise _error(b"".join(said), code, reading)


def _received(pipe: IO[bytes], reading: Reading) -> pa.Table | None:
    """The rows that the worker writes, or None where it ends too early."""
    import pyarrow as pa
    from pyarrow import ipc

    try:
        with ipc.open_stream(pa.PythonFile(pipe, mode="r")) as reader:
            batches = []
            for batch in reader:
                reading.count(batch.num_rows, batch.nbytes)
                batches.append(batch)
            return pa.Table.from_batches(batches, reader.schema)
    except (pa.ArrowInvalid, OSError):
        return None


def _error(said: bytes, code: int, reading: Reading) -> SourceError:
    name = reading.source
    _ = reading.seconds_left
    try:
        answer = json.loads(said.splitlines()[-1])
        kind, message = str(answer["kind"]), str(answer["message"])
    except (ValueError, IndexError, KeyError, TypeError):
        kind, message = "memory" if code < 0 else "unknown", ""
    match kind:
        case "time":
            return reading.timed_out()
        case "memory":
            return SourceTooLarge(
                f"The query on {name} needs more memory than the limit of {reading.limits.worker_bytes:,} bytes: sum"
                " up or filter in the query, or raise the limit worker_bytes.",
                source=name,
            )
        case "file":
            return SourceError(
                f"The file of the connection {name} cannot be opened: it is not a DuckDB database of a known version,"
                " or another program is writing it.",
                source=name,
            )
        case (
            "query"
        ):  # the parser and the binder speak of the query's names and syntax, and have seen no cell
            refused = TableNotFound if message.startswith(NO_TABLE) else SourceError
            return refused(f"The database {name} refused the query ({message}): correct it.", source=name)
        case "value":
            return SourceError(
                f"The database {name} refused the query (a value in it does not fit its type): correct it.",
                source=name,
            )
    return SourceError(
        f"The worker of the connection {name} ended without an answer (code {code}).", source=name
    )
