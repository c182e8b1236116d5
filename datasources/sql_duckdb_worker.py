"""Runs one query on a DuckDB file that is locked down, and writes its rows to standard output as Arrow."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from datasources.duckdb_lock import NO_ACCESS

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

BATCH_ROWS = 20_000
EXACT_DIGITS = 18


def serve(request: Mapping[str, Any]) -> int:
    """Answer *request*: the code 0 and a stream, or the code 1 and one line of JSON on standard error."""
    import duckdb

    # Imported before the memory is limited.
    import pyarrow as pa  # noqa: F401

    _limit(int(request["bytes"]))
    try:
        database = _open(request)
    except (duckdb.Error, MemoryError) as error:
        return _say("file", error)
    try:
        _run(database, request)
    except duckdb.InterruptException as error:
        return _say("time", error)
    except (duckdb.OutOfMemoryException, MemoryError) as error:
        return _say("memory", error)
    except (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException) as error:
        return _say("query", error)
    except (duckdb.PermissionException, duckdb.NotImplementedException, duckdb.SyntaxException) as error:
        return _say("query", error)
    except duckdb.Error as error:
        return _say("memory" if "allocate" in str(error) else "value", error)
    return 0


def _limit(memory: int) -> None:
    """Take from this process what a query does not need: memory, and writing of files (security notes, 3)."""
    try:
        import resource
    except ImportError:  # Windows has none of these; time is limited by the parent all the same
        return
    limits = {resource.RLIMIT_FSIZE: 0, resource.RLIMIT_CORE: 0}
    pages = Path("/proc/self/statm")
    if pages.exists():
        used = int(pages.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        limits[resource.RLIMIT_AS] = used + memory
    for what, limit in limits.items():
        resource.setrlimit(what, (limit, limit))


def _open(request: Mapping[str, Any]) -> duckdb.DuckDBPyConnection:
    import duckdb

    megabytes = max(64, int(request["bytes"]) // 2 // 1_000_000)
    database = duckdb.connect(
        request["file"],
        read_only=True,
        config={
            **NO_ACCESS,
            "memory_limit": f"{megabytes}MB",
            "max_temp_directory_size": "0KB",
            "threads": "1",
            "max_execution_time": str(max(1, int(float(request["seconds"]) * 1000))),
        },
    )
    database.execute("SET TimeZone = 'UTC'")
    database.execute("SET lock_configuration = true")
    return database


def _run(database: duckdb.DuckDBPyConnection, request: Mapping[str, Any]) -> None:
    import duckdb
    from pyarrow import ipc

    # The last of three that look: our check, DuckDB's own parser, and a file that is open for reading only.
    statements = database.extract_statements(request["query"])
    if len(statements) != 1:
        raise duckdb.ParserException("more than one statement")
    arguments = [_value(kind, text) for kind, text in request["arguments"]]
    reader: pa.RecordBatchReader = database.execute(request["query"], arguments).to_arrow_reader(BATCH_ROWS)
    with ipc.new_stream(sys.stdout.buffer, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
    sys.stdout.buffer.flush()


def _value(kind: str, text: str | None) -> object:
    if text is None:
        return None
    match kind:
        case "number":
            exact = Decimal(text) if "." in text else int(text)
            # A longer one could not be compared with a DECIMAL of other decimals: together they pass 38 digits.
            return exact if len(text) <= EXACT_DIGITS else float(exact)
        case "date":
            return date.fromisoformat(text)
        case "datetime":
            return datetime.fromisoformat(text)
        case "boolean":
            return text == "True"
    return text


def _say(kind: str, error: BaseException) -> int:
    message = (str(error).splitlines() or [""])[0]
    sys.stderr.write(json.dumps({"kind": kind, "message": message}) + "\n")
    return 1
