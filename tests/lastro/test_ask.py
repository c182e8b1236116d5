"""`lastro ask` writes the answer as it comes, says what was asked of tools, and refuses settings that cannot work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from chat.messages import ToolCall
from chat.rounds import AnsweredCall
from chat.tools.toolset import Toolset
from lastro import cli
from lastro.call_view import call_line

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")
FOLDER = Path(__file__).parents[2] / "examples" / "financeiro"
VENDAS = str(FOLDER / "vendas.csv")
TOTAL = {"verb": "SUM", "field": "valor_total", "filter": {"field": "regiao", "op": "=", "value": "Sul"}}


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Has the model say what a test writes."""
    for name in [name for name in os.environ if name.upper().startswith("CHAT_")]:
        monkeypatch.delenv(name)

    def write(*messages: object) -> None:
        path = tmp_path / "script.jsonl"
        path.write_text("".join(f"{json.dumps(one)}\n" for one in messages), encoding="utf-8")
        monkeypatch.setenv("CHAT_PROVIDER", "scripted")
        monkeypatch.setenv("CHAT_SCRIPT_PATH", str(path))

    return write


def run(capfd, *words: str) -> tuple[int, str, str]:
    status = cli.main(["ask", *words])
    out, err = capfd.readouterr()
    return status, out, err


def test_the_answer_goes_to_standard_output_and_what_was_asked_beside_it(capfd, script):
    script(
        [{"call": "sulfite_aggregate_data", "arguments": TOTAL}], [{"text": "O Sul "}, {"text": "vendeu."}]
    )
    status, out, err = run(capfd, "quanto o Sul vendeu?", VENDAS)
    assert (status, out) == (0, "O Sul vendeu.\n")
    told = "  sulfite_aggregate_data: SUM valor_total where regiao = Sul → "
    assert err.startswith(told)
    assert err.removeprefix(told).split(" ")[0].replace(".", "").isdigit()


@pytest.mark.parametrize("question", ["", "  "])
def test_without_a_question_nothing_is_read(capfd, question):
    with pytest.raises(SystemExit) as ended:
        cli.main(["ask", question, "nothing.csv"])
    assert ended.value.code == 2
    assert "there is no question" in capfd.readouterr().err


def test_between_two_paragraphs_one_line_is_empty(capfd, script):
    script([{"text": "Um momento.\n\n"}, {"text": "\n"}, {"text": "\nO Sul vendeu."}])
    assert run(capfd, "quanto o Sul vendeu?", VENDAS)[1] == "Um momento.\n\nO Sul vendeu.\n"


def test_events_as_json(capfd, script):
    script([{"call": "nada", "arguments": {}}], [{"text": "Não sei.\u202e\n"}])
    status, out, _ = run(capfd, "qual o total?", VENDAS, "--json")
    events = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert [event["type"] for event in events] == ["open", "tool_call", "text", "done"]
    assert events[1] == {
        "type": "tool_call",
        "name": "nada",
        "status": "refused",
        "detail": events[1]["detail"],
    }
    assert events[2] == {"type": "text", "content": "Não sei.\\u{202e}\n"}


def test_a_model_that_fails_is_an_error_with_its_own_status(capfd, script):
    script({"fail": "unreachable", "code": "model_overloaded"})
    status, out, err = run(capfd, "qual o total?", VENDAS, "--lang", "pt")
    assert (status, out) == (1, "")
    assert err.startswith("lastro: O provedor scripted está sobrecarregado")


def test_settings_that_cannot_work_are_listed(capfd, script, monkeypatch):
    monkeypatch.setenv("CHAT_PROVIDER", "azure")
    status, out, err = run(capfd, "qual o total?", VENDAS)
    assert (status, out) == (2, "")
    assert all(name in err for name in ("CHAT_MODEL", "CHAT_API_KEY", "CHAT_BASE_URL"))
    assert len(err.splitlines()) == 4


def test_a_mistyped_setting_is_said_before_what_is_missing(capfd, script, monkeypatch):
    monkeypatch.setenv("CHAT_PROVIDER", "ollama")
    monkeypatch.setenv("CHAT_MODLE", "m")
    status, out, err = run(capfd, "qual o total?", VENDAS)
    assert (status, out) == (2, "")
    assert err.splitlines() == [
        "lastro: A configuração CHAT_MODLE não existe: você quis dizer CHAT_MODEL?",
        "lastro: CHAT_MODEL não está definida, e o provedor ollama precisa dela: o nome do modelo.",
    ]


def test_a_model_without_a_provider_is_said_to_be_unused(capfd, script, monkeypatch):
    monkeypatch.setenv("CHAT_MODEL", "gpt")
    status, out, err = run(capfd, "qual o total de valor_total?", VENDAS)
    assert (status, out[:9]) == (0, "O total d")
    assert err.startswith("lastro: CHAT_PROVIDER não está definida")


def call(name: str, arguments: object, told: object, status="done", detail="") -> AnsweredCall:
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return AnsweredCall(ToolCall("c", name, written), status, json.dumps(told), detail)


@pytest.mark.parametrize(
    ("answered", "expected"),
    [
        pytest.param(
            call("sulfite_aggregate_data", TOTAL, {"result": 10.5, "fact": "F3", "note": None}),
            "sulfite_aggregate_data: SUM valor_total where regiao = Sul → 10.5 [F3]",
            id="a value",
        ),
        pytest.param(
            call("sulfite_aggregate_data", {"verb": "COUNT", "band": "b"}, {"result": None, "note": "No rows."}),
            "sulfite_aggregate_data: COUNT in b → No rows.",
            id="no value",
        ),
        pytest.param(
            call(
                "sulfite_group_by",
                {"by": ["uf", "data"], "verb": "SUM", "field": "v", "period": "month", "top": 2},
                {"result": [{"group": ["SP", "2026-01"], "value": 1, "fact": f"F{n}"} for n in range(5)]},
            ),
            "sulfite_group_by: SUM v by uf, data period month top 2 → "
            "SP, 2026-01=1 [F0], SP, 2026-01=1 [F1], SP, 2026-01=1 [F2] and 2 more",
            id="groups",
        ),
        pytest.param(
            call(
                "sulfite_compare",
                {"verb": "SUM", "field": "v", "a": "2026-03", "b": "2026-04"},
                {
                    "result": {
                        "a": {"value": 1, "fact": "F1"},
                        "b": {"value": 3, "fact": "F2"},
                        "growth": {"value": None},
                    }
                },
            ),
            "sulfite_compare: SUM v with 2026-03 and 2026-04 → a 1 [F1], b 3 [F2], growth nothing",
            id="a comparison",
        ),
        pytest.param(
            call(
                "calculate",
                {"operations": [{"op": "sum", "values": ["F1", 3]}]},
                {"results": [{"value": 4, "fact": "F9"}]},
            ),
            "calculate: sum(F1, 3) → 4 [F9]",
            id="arithmetic",
        ),
        pytest.param(
            call("sulfite_search_values", {"query": "livia"}, {"result": [{"value": "Lívia"}]}),
            'sulfite_search_values: "livia" → Lívia',
            id="a search",
        ),
        pytest.param(call("nada", "{", {}, "refused", "No such tool."), "nada → refused: No such tool.", id="refused"),
        pytest.param(
            call("nada", {"operations": ["x", {"op": 1}], "filter": 3}, [], "failed", "No."),
            "nada: x; 1() → failed: No.",
            id="odd arguments",
        ),
        pytest.param(
            call("nada", {"filter": {"and": 3}, "a": 1, "b": [2], "by": 7}, [], "failed", "No."),
            'nada: with 1 and [2] where {"and": 3} → failed: No.',
            id="an odd filter",
        ),
    ],
)  # fmt: skip
def test_a_call_on_one_line(answered, expected):
    assert call_line(answered) == expected


# ---- at a terminal ----


def at_terminal(words: Sequence[str], environment: Mapping[str, str], *, until: str = "") -> tuple[int, str]:
    """
    The exit status, and all that a terminal shows that is standard output and standard error.

    Once it shows *until*, the interrupt key is pressed.
    """
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "lastro", "ask", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | dict(environment),
        cwd=Path(__file__).parents[2],
        start_new_session=True,
    )
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # which is how a terminal ends
        while piece := os.read(ours, 4096):
            shown += piece
            if until and until in shown.decode(errors="replace"):
                os.kill(process.pid, signal.SIGINT)
                until = ""
    os.close(ours)
    return process.wait(20), shown.decode().replace("\r\n", "\n")


def played(folder: Path, *messages: object) -> dict[str, str]:
    """The settings with which a model says *messages*."""
    path = folder / "script.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in messages), encoding="utf-8")
    return {"CHAT_PROVIDER": "scripted", "CHAT_SCRIPT_PATH": str(path), "PYTHONIOENCODING": "utf-8"}


def test_what_goes_on_beside_an_answer_has_lines_of_its_own(tmp_path):
    asked = {"call": "sulfite_aggregate_data", "arguments": {"verb": "COUNT"}}
    environment = played(
        tmp_path, [{"text": "Vou ver."}, asked, asked], [{"text": "São \x1b[2J180"}, {"fail": "broke"}]
    )
    status, shown = at_terminal(["quantas linhas?", VENDAS], environment)
    assert status == 1
    assert shown.split("\n") == [
        "Vou ver.",
        "  sulfite_aggregate_data: COUNT → 180 [F1]",
        "  sulfite_aggregate_data: COUNT → asked before: 180 [F1]",
        "São \\u{1b}[2J180",
        "lastro: O provedor scripted está sobrecarregado ou com falha. Tente de novo daqui a pouco.",
        "",
    ]


def test_an_interrupt_ends_an_answer_and_its_line(tmp_path):
    environment = played(tmp_path, [{"text": "São "}, {"pause": 20}])
    status, shown = at_terminal(["quantas linhas?", VENDAS], environment, until="São")
    assert (status, shown) == (130, "São \nlastro: interrupted.\n")


def test_what_nobody_foresaw_is_one_line(capfd, script, monkeypatch):
    def fail(self, name, arguments):
        raise RuntimeError("odd\x1b[2J")

    monkeypatch.setattr(Toolset, "call", fail)
    script([{"call": "calculate", "arguments": {}}], [{"text": "Não sei."}])
    status, out, err = run(capfd, "qual o total?", VENDAS)
    assert (status, out) == (0, "Não sei.\n")
    assert err.splitlines()[0] == "lastro: The tool calculate failed (RuntimeError: odd\\u001b[2J)"
    assert "Traceback" not in err


def test_a_tool_that_is_stopped_by_time_is_shown(capfd, script, monkeypatch):
    monkeypatch.setattr(Toolset, "call", lambda self, name, arguments: time.sleep(0.6))
    monkeypatch.setenv("CHAT_DEADLINE_SECONDS", "0.2")
    script([{"call": "calculate", "arguments": {}}])
    status, out, err = run(capfd, "what is the total?", VENDAS)
    assert (status, out) == (1, "")
    assert err.splitlines()[0].startswith("  calculate → failed: The answer took longer than 0.2 s")
