"""`lastro save` stores snapshots that every command takes, and `lastro export` writes their rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine import open_snapshot
from lastro import cli
from lastro.snapshots import is_stored

FOLDER = Path(__file__).parents[2] / "examples" / "financeiro"
BOTH = [str(FOLDER / "vendas.csv"), str(FOLDER / "pagamentos.csv")]


@pytest.fixture(scope="module")
def stored(tmp_path_factory) -> Path:
    pointer: Path = tmp_path_factory.mktemp("stored") / "financeiro.snapshot"
    assert cli.main(["save", *BOTH, "-o", str(pointer)]) == 0
    return pointer


def run(capfd, *words: object) -> tuple[int, str, str]:
    status = cli.main([str(word) for word in words])
    out, err = capfd.readouterr()
    return status, out, err


def test_what_was_saved_is_said(capfd, stored):
    status, out, err = run(capfd, "save", *BOTH, "-o", stored)
    found = open_snapshot(stored)
    assert (status, err) == (0, "")
    assert [line.split(maxsplit=1) for line in out.splitlines()] == [
        ["snapshot", str(stored)],
        ["version", next(stored.parent.glob("*.duckdb")).name],
        ["id", str(found.id)],
        ["bands", "vendas (180 rows), pagamentos (205 rows)"],
    ]
    _, out, _ = run(capfd, "save", *BOTH, "-o", stored, "--json")
    assert json.loads(out)["id"] == found.id


@pytest.mark.parametrize(
    "words",
    [
        ["context", "--rows", "10"],
        ["inspect"],
        ["aggregate", "--verb", "MEDIAN", "--field", "valor_total"],
        ["group-by", "--by", "forma", "--verb", "COUNT"],
        ["compare", "--verb", "COUNT", "--band", "vendas", "--a", "2026-03", "--b", "status = aberto"],
        ["export"],
        ["calc", "--from"],
    ],
    ids=lambda words: words[0],
)
def test_a_stored_snapshot_stands_for_its_files(capfd, stored, words):
    by_name = words[-1] == "--from"
    files = [word for file in BOTH for word in (("--from", file) if by_name else (file,))]
    of_files = run(capfd, *words[:1], *files, *words[1 : -1 if by_name else None])
    assert of_files[0] == 0
    assert run(capfd, *words, stored) == of_files
    (version,) = stored.parent.glob("*.duckdb")
    assert run(capfd, *words, version) == of_files


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{stored}", BOTH[0]], "{stored} is a stored snapshot, which stands alone: name no other file."),
        (["x={stored}"], "x={stored} is a stored snapshot, whose bands have names: give the file alone."),
        (
            ["{stored}", "--locale", "en-US"],
            "--locale goes with data files: the snapshot was read when it was saved.",
        ),
        (
            ["{stored}", "--param", "a=b"],
            "--param goes with the definition of a report: the snapshot was read when it was saved.",
        ),
        (["no.duckdb"], "There is no snapshot no.duckdb: save one first."),
    ],
)
def test_what_does_not_go_with_it_is_said(capfd, stored, words, message):
    status, out, err = run(capfd, "context", *(word.format(stored=stored) for word in words))
    assert (status, out, err) == (2, "", f"lastro: {message.format(stored=stored)}\n")


def test_no_folder_is_made_by_a_slip_of_the_hand(capfd, tmp_path):
    out = tmp_path / "novo" / "x.snapshot"
    said = f"lastro: There is no folder {out.parent}: make it first, or correct -o.\n"
    assert run(capfd, "save", *BOTH, "-o", out) == (2, "", said)
    assert not out.parent.exists()


def test_nothing_that_is_read_is_lost(capfd, stored, tmp_path):
    csv = tmp_path / "a.csv"
    csv.write_text("a;b\n1;2\n")
    for words in (["save", csv, "-o", csv], ["export", csv, "-o", csv]):
        assert run(capfd, *words)[0] == 2
    assert csv.read_text() == "a;b\n1;2\n"
    assert run(capfd, "save", stored, "-o", stored)[0] == 2


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'{"format": 1, "id": "a", "file": "b.duckdb"}', True),
        (b'{"format": 1, "id": "a", "file": "b.duckdb", "x": 1}', True),
        (b'{"format": 1, "id": "a", "file": "b.duckdb', True),
        (b'{"format": 1, "id": "a", "file": "b.csv"}', False),
        (b'{"a": ".duckdb"', False),
        (b'[".duckdb"]', False),
        (b"{" + b"[" * 4000 + b'".duckdb"', False),
        (b'{"a": ".duckdb"}' + b" " * 5000, False),
        (b"", False),
    ],
)
def test_pointers_are_known_by_what_they_hold(tmp_path, content, expected):
    (tmp_path / "x.json").write_bytes(content)
    assert is_stored(str(tmp_path / "x.json")) is expected


def test_rows_are_exported(capfdbinary, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("nome;valor\nJosé;1.234,50\n;2,00\n")
    assert cli.main(["export", str(path)]) == 0
    expected = '{"nome":"José","valor":1234.5}\n{"valor":2}\n'.encode()
    assert capfdbinary.readouterr().out == expected
    assert cli.main(["export", str(path), "-o", str(tmp_path / "a.jsonl")]) == 0
    written = capfdbinary.readouterr()
    assert (written.out, written.err) == (b"", f"{tmp_path / 'a.jsonl'}: 2 rows\n".encode())
    assert (tmp_path / "a.jsonl").read_bytes() == expected


def test_one_band_is_exported(capfd):
    _, out, _ = run(capfd, "export", *BOTH, "--band", "pagamentos")
    assert out.count("\n") == 205
    assert not out.startswith('{"_band"')
    status, out, err = run(capfd, "export", *BOTH, "--band", "pagamento")
    assert (status, out) == (2, "")
    assert 'Did you mean "pagamentos"?' in err
