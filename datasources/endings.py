"""The endings of file names that stand for data."""

COMPRESSED_NAMES = (".gz", ".gzip", ".zst", ".zstd")
JSON_NAMES = (".json", ".ndjson", ".jsonl", ".geojson")
TEXT_NAMES = (".csv", ".tsv", ".tab", ".txt", ".psv")
DATA_NAMES = (
    *JSON_NAMES, *TEXT_NAMES, ".parquet", ".pq", ".feather", ".arrow", ".arrows", ".ipc",
    ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods",
)  # fmt: skip
