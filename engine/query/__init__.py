"""Asks a snapshot's bands for exact values: the only place that writes SQL over their rows."""
