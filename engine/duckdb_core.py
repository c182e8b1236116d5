"""The part of DuckDB that opens a file and answers: what else its package loads takes longer than a first answer."""

try:
    from _duckdb import (
        ConnectionException,
        DuckDBPyConnection,
        Error,
        InterruptException,
        OutOfMemoryException,
        connect,
    )
except ImportError:  # a DuckDB that keeps its core under another name
    from duckdb import (
        ConnectionException,
        DuckDBPyConnection,
        Error,
        InterruptException,
        OutOfMemoryException,
        connect,
    )


def with_arrow(connection: DuckDBPyConnection) -> DuckDBPyConnection:
    """*connection*, now that it gives relations and Arrow too: it does so only where the whole package is loaded."""
    import duckdb  # noqa: F401

    return connection


__all__ = [
    "ConnectionException",
    "DuckDBPyConnection",
    "Error",
    "InterruptException",
    "OutOfMemoryException",
    "connect",
    "with_arrow",
]
