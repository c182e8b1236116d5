"""A second, slow and obvious reading of the data context's rules, which shares no code with the project."""
