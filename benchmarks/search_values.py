"""How long a search takes: the first one in a stored band, and one among 50,000 names that are loaded."""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path
from statistics import median

from benchmarks.files import ensure_snapshot
from benchmarks.measure import peak, run_rounds, time_calls
from benchmarks.question import FULL_ROWS, Options, Quantity, Result, Target

NAMES = 50_000
SYLLABLES = tuple(consonant + vowel for consonant in "bcdfglmnprstvz" for vowel in "aeiouãé")
WORDS = 8_000
CALLS = 200
WARM_UP = 5
FIRST_QUERY = "Flavya"
"""A seller, misspelt; every column is looked at."""


def run(options: Options) -> list[Result]:
    """Both in fresh processes; the stored band is saved once."""
    stored = ensure_snapshot(options.folder, options.rows)
    sides = {"first": _command("first", stored), "names": _command("names")}
    rounds = run_rounds(sides, options.repeat, options.gate, warm_up=False)
    firsts, names = rounds.runs["first"], rounds.runs["names"]
    return [
        Result(
            "first search in a stored band",
            Quantity(median(run.reported("first_s") for run in firsts), "s"),
            target=Target("at most", 1, "s", FULL_ROWS),
            rows=options.rows,
            foreign=rounds.foreign,
            further={
                "next_s": median(run.reported("next_s") for run in firsts),
                "peak_bytes": rounds.median("first", peak),
            },
        ),
        Result(
            f"search among {NAMES:,} names: p95",
            Quantity(median(run.reported("p95_s") for run in names), "s"),
            target=Target("at most", 0.06, "s"),
            rows=NAMES,
            foreign=rounds.foreign,
            further={"median_s": median(run.reported("median_s") for run in names)},
        ),
    ]


def _command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "benchmarks.search_values", *map(str, arguments)]


def seeded_names(seed: int = 7) -> list[str]:
    """Names of two to four words, all of them different."""
    chance = random.Random(seed)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))).title() for _ in range(WORDS)]
    names: dict[str, None] = {}
    while len(names) < NAMES:
        names[" ".join(chance.choices(words, k=chance.randint(2, 4)))] = None
    return list(names)


def misspelt(name: str) -> str:
    """The first two words of *name*, with two letters swapped."""
    start = " ".join(name.split()[:2])
    return f"{start[:2]}{start[3]}{start[2]}{start[4:]}"


def search_first(stored: Path) -> None:
    """Time the first two searches of a session, and print them."""
    from engine import open_snapshot
    from engine.query.search import search
    from engine.query.session import QuerySession

    with QuerySession(open_snapshot(stored)) as session:
        start = time.perf_counter()
        hits = search(session, FIRST_QUERY).hits
        loaded = time.perf_counter()
        search(session, FIRST_QUERY)
        end = time.perf_counter()
    assert hits[0].value == "Flávia"
    print(json.dumps({"first_s": loaded - start, "next_s": end - loaded}))


def search_names() -> None:
    """Time searches among names, and print what they took."""
    from engine import materialize
    from engine.query.search import search
    from engine.query.session import QuerySession

    names = seeded_names()
    session = QuerySession(materialize({"clientes": [{"nome": name} for name in names]}))
    queries = [misspelt(name) for name in names[: CALLS + WARM_UP]]
    print(json.dumps(time_calls(lambda call: search(session, queries[call]), CALLS, WARM_UP)._asdict()))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["first", stored]:
            search_first(Path(stored))
        case _:
            search_names()
