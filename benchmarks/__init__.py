"""Measures Lastro beside other tools: one module a question, run by `python -m benchmarks`."""
