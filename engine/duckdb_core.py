"""The part of DuckDB that opens a file and answers: what else its package loads takes longer than a first answer."""

try:
    from _duckdb import (
        DuckDBPyConnection,
        Error,
        InterruptException,
        OutOfMemoryException,
        connect,
    )
except ImportError:  # a DuckDB that keeps its core under another name
    from duckdb import (
        DuckDBPyConnection,
        Error,
        InterruptException,
        OutOfMemoryException,
        connect,
    )

__all__ = ["DuckDBPyConnection", "Error", "InterruptException", "OutOfMemoryException", "connect"]
