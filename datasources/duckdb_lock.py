"""The settings that keep a DuckDB connection to its one file, said once for whoever opens one."""

from __future__ import annotations

Config = dict[str, str | bool | int | float | list[str]]
"""What `duckdb.connect` takes."""

NO_ACCESS: Config = {
    "enable_external_access": "false",
    "python_enable_replacements": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_extension_repositories": "forbidden",
    "allow_persistent_secrets": "false",
}
"""No other file, no network, no variable of the program, no extension."""
