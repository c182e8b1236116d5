"""`lastro aggregate`, `group-by`, `compare` and `search` show exact values to people, and hand programs the answer."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from chat import Toolset
from engine import materialize
from lastro import cli
from lastro.answer_view import aggregate_text, group_by_text
from lastro.figures import Figures
from lastro.labels import LABELS
from lastro.look import Look

FOLDER = Path(__file__).parents[2] / "examples" / "financeiro"
VENDAS = str(FOLDER / "vendas.csv")
BOTH = [VENDAS, str(FOLDER / "pagamentos.csv")]
ANSI = re.compile("\x1b\\[[0-9;]*m")
SUM = ["--verb", "SUM", "--field", "valor_total"]
HOSTILE = [
    "\x1b[31mred",
    "<script>",
    "日本語のとても長い名前です日本語のとても長い名前です",
    "(null)",
    "(other 2)",
    "",
    "linha\nquebrada",
    "\u202etrojan",
    "[bold]x[/bold] :smile:",
    "Secretaria Municipal de Educação, Cultura e Esporte - Unidade Regional 01",
    "Secretaria Municipal de Educação, Cultura e Esporte - Unidade Regional 02",
]


def run(capfd, *words: str) -> tuple[int, str, str]:
    status = cli.main(list(words))
    out, err = capfd.readouterr()
    return status, out, err


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sum", ["aggregate", VENDAS, *SUM]),
        (
            "absent_value",
            ["aggregate", *BOTH, *SUM, "--where", "status = Faturada", "--where", "valor_total > 1.000,00"],
        ),
        ("by_vendedor", ["group-by", VENDAS, "--by", "vendedor", *SUM, "--top", "5"]),
        (
            "by_two",
            ["group-by", VENDAS, "--by", "data", "--by", "status", "--period", "quarter", "--verb", "COUNT"],
        ),
        ("months", ["compare", VENDAS, *SUM, "--a", "2026-03", "--b", "2026-04", "--lang", "pt"]),
        ("search", ["search", "sao", *BOTH, "--field", "cliente"]),
    ],
)
def test_what_is_shown(capfd, golden, name, words):
    status, out, err = run(capfd, *words)
    assert (status, err) == (0, "")
    golden(f"answers/{name}.txt", out)


def in_terminal(question: dict[str, object], width: int, rows: list[dict[str, object]]) -> list[str]:
    with Toolset(materialize({"dados": rows})) as tools:
        reply = tools.call("sulfite_group_by", question)
        assert not reply.is_refused, reply.text
        text = group_by_text(reply.answer, Figures(tools.ledger), LABELS["en"], Look(width))
    return ANSI.sub("", text).splitlines()


ROWS: list[dict[str, object]] = [
    {"nome": name, "valor": (index * 7919) % 2000 - 700, "grande": f"{(-10) ** (index % 14)},5"}
    for index, name in enumerate(HOSTILE * 3)
]


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("field", ["valor", "grande"])
def test_a_chart_fits_the_terminal(width, field):
    lines = in_terminal({"by": "nome", "verb": "SUM", "field": field}, width, ROWS)
    assert max(map(cell_len, lines)) <= width
    assert not re.search("[\x00-\x1f\u202e]", "".join(lines))


def test_a_chart_reads_as_ever(golden):
    lines = in_terminal({"by": "nome", "verb": "SUM", "field": "valor"}, 72, ROWS)
    golden("answers/chart.txt", "\n".join(lines) + "\n")


MONEY = "v;n;peso;qtd\nR$ 1.200,00;a;0,5;3\nR$ 0,50;b;1,25;4\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["aggregate", "--verb", "SUM", "--field", "v"], "R$ 1200.50"),
        (["aggregate", "--verb", "MAX", "--field", "v"], "R$ 1200.00"),
        (["aggregate", "--verb", "MAX", "--field", "peso"], "1.25"),
        (["aggregate", "--verb", "MIN", "--field", "peso"], "0.50"),
        (["aggregate", "--verb", "SUM", "--field", "qtd"], "7"),
        (["aggregate", "--verb", "COUNT", "--field", "peso"], "2"),
    ],
)
def test_figures_have_the_decimals_of_their_column_for_people_only(capfd, tmp_path, words, expected):
    (tmp_path / "m.csv").write_text(MONEY)
    command, *rest = words
    _, out, _ = run(capfd, command, str(tmp_path / "m.csv"), *rest)
    assert out.splitlines()[0] == expected
    _, out, _ = run(capfd, command, str(tmp_path / "m.csv"), *rest, "--json")
    number = out.partition('"result":')[2].partition(",")[0]
    assert "." not in number or not number.endswith("0")


def test_many_groups_are_all_there():
    rows: list[dict[str, object]] = [{"n": f"grupo {index:03d}", "valor": index} for index in range(250)]
    lines = in_terminal({"by": "n", "verb": "SUM", "field": "valor"}, 80, rows)
    assert sum(line.startswith("grupo ") for line in lines) == 200
    assert any(re.fullmatch(r"\(other 50\) +1225 +50", line) for line in lines)


def test_a_value_called_like_the_rest_is_told_from_it():
    rows: list[dict[str, object]] = [{"n": f"({one})", "v": 1} for one in ("other 2", "null", "a")]
    lines = in_terminal({"by": "n", "verb": "COUNT", "top": 1, "order": "group"}, 80, [*rows, {"v": 2}])
    assert [line.split("  ")[0] for line in lines[4:7]] == ['"(a)"', "(null)", "(other 2)"]


def test_a_pipe_gets_every_name_whole_and_no_bars(capfd, tmp_path):
    name = "x" * 300
    (tmp_path / "a.csv").write_text(f"nome;valor\n{name};1\nb;2\n")
    _, out, _ = run(
        capfd, "group-by", str(tmp_path / "a.csv"), "--by", "nome", "--verb", "SUM", "--field", "valor"
    )
    assert name in out
    assert "█" not in out
    assert "\x1b" not in out


def test_a_terminal_gets_colours(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with Toolset(materialize({"d": [{"v": 1}]})) as tools:
        answer = tools.call("sulfite_aggregate_data", {"verb": "SUM", "field": "v"}).answer
        assert "\x1b[1m1\x1b[0m" in aggregate_text(answer, Figures(tools.ledger), LABELS["en"], Look(80))


@pytest.mark.parametrize(
    ("words", "tool", "arguments"),
    [
        pytest.param(
            ["aggregate", *BOTH, *SUM, "--where", "status = faturado"],
            "sulfite_aggregate_data",
            {
                "verb": "SUM",
                "field": "valor_total",
                "filter": {"field": "status", "op": "=", "value": "faturado"},
            },
            id="aggregate",
        ),
        pytest.param(
            ["group-by", VENDAS, "--by", "vendedor", "--verb", "count", "--asc", "--top", "3"],
            "sulfite_group_by",
            {"by": ["vendedor"], "verb": "COUNT", "order": "asc", "top": 3},
            id="group by",
        ),
        pytest.param(
            ["compare", VENDAS, "--verb", "COUNT", "--a", "regiao = Sul", "--b", "2026-04"],
            "sulfite_compare",
            {"verb": "COUNT", "a": {"field": "regiao", "op": "=", "value": "Sul"}, "b": "2026-04"},
            id="compare",
        ),
        pytest.param(
            ["search", "curio", *BOTH, "--band", "pagamentos"],
            "sulfite_search_values",
            {"query": "curio", "band": "pagamentos"},
            id="search",
        ),
        pytest.param(
            ["aggregate", VENDAS, "--verb", "SUM", "--field", "valor_totl"],
            "sulfite_aggregate_data",
            {"verb": "SUM", "field": "valor_totl"},
            id="refused",
        ),
    ],
)
@pytest.mark.parametrize("language", ["en", "pt"])
def test_programs_get_the_answer_of_the_tool(capfd, words, tool, arguments, language):
    status, out, err = run(capfd, *words, "--json", "--lang", language)
    paths = [word for word in words if word in BOTH]
    with Toolset(materialize(paths), language=language) as tools:
        reply = tools.call(tool, arguments)
    assert (status, out, err) == (2 if reply.is_refused else 0, reply.text + "\n", "")
    json.loads(out)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(
            ["aggregate", *BOTH, "--verb", "SUM", "--field", "data"],
            'Field "data" is in several bands: vendas, pagamentos. Say which band.',
            id="which band",
        ),
        pytest.param(
            ["aggregate", VENDAS, "--verb", "SUM", "--field", "valor", "--lang", "es"],
            'El campo "valor" no existe.',
            id="spanish",
        ),
        pytest.param(
            ["aggregate", VENDAS, "--verb", "COUNT", "--where", "valor_total <"],
            "In “valor_total <”, at character 14: a value is missing.",
            id="no value",
        ),
        pytest.param(
            ["group-by", VENDAS, "--by", "status", "--verb", "COUNT", "--top", "0"],
            "top is a whole number from 1 to 200.",
            id="top",
        ),
        pytest.param(
            ["compare", VENDAS, "--verb", "COUNT", "--a", "status = aberto", "--a", "2026-03", "--b", "2026"],
            "“2026-03” is not a condition, and a period stands alone",
            id="a period among conditions",
        ),
        pytest.param(
            ["search", VENDAS, "ilheus"],
            f"There is no file ilheus: what to look for comes first, as in lastro search ilheus {VENDAS}",
            id="the file first",
        ),
        pytest.param(["search", " ", VENDAS], "The query is empty", id="empty query"),
    ],
)
def test_what_cannot_be_answered_is_said(capfd, words, message):
    status, out, err = run(capfd, *words)
    assert (status, out) == (2, "")
    assert err.startswith(f"lastro: {message}")
    assert err.count("\n") == 1


def test_only_the_warnings_that_bear_on_the_answer_are_said(capfd, tmp_path):
    (tmp_path / "a.csv").write_text("uf;valor;peso\nSP;1.234;2.345\nRJ;2.345;1.234\n")
    path = str(tmp_path / "a.csv")
    _, out, err = run(capfd, "aggregate", path, "--verb", "SUM", "--field", "valor", "--json")
    assert json.loads(out)["result"] == 3579
    assert err.count("warning") == 1
    assert "“valor”" in err
    assert run(capfd, "aggregate", path, "--verb", "COUNT")[2] == ""


def test_arguments_that_are_missing_are_not_guessed_at(capfd):
    with pytest.raises(SystemExit, match="2"):
        cli.main(["aggregate", VENDAS])
    assert "Did you mean" not in capfd.readouterr().err
