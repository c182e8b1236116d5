"""`lastro ask` writes the answer as it comes, says what was asked of tools, and refuses settings that cannot work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chat.messages import ToolCall
from chat.rounds import AnsweredCall
from lastro import cli
from lastro.call_view import call_line

FOLDER = Path(__file__).parents[2] / "examples" / "financeiro"
VENDAS = str(FOLDER / "vendas.csv")
TOTAL = {"verb": "SUM", "field": "valor_total", "filter": {"field": "regiao", "op": "=", "value": "Sul"}}


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Has the model say what a test writes."""
    for name in ("CHAT_PROVIDER", "CHAT_MODEL", "CHAT_API_KEY", "CHAT_BASE_URL", "CHAT_SCRIPT_PATH"):
        monkeypatch.delenv(name, raising=False)

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
