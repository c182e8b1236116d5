"""What the environment says is read once, whole, and without showing the key."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from chat.exceptions import SettingsError
from chat.settings import ChatSettings, env_name, read_settings
from chat.text_file import FILE_BYTES_MAX
from engine.notes import LANGUAGES

KEY = "sk-canary-1234567890"
OPENAI = {"CHAT_PROVIDER": "openai", "CHAT_MODEL": "m", "CHAT_API_KEY": KEY}


def problems(environment):
    with pytest.raises(SettingsError) as raised:
        read_settings(environment)
    error = raised.value
    return {(one.values["name"], one.code) for one in (error.problems or (error,))}


def test_nothing_set_is_a_chat_without_a_provider():
    settings = read_settings({})
    assert (settings.provider, settings.max_iterations, settings.fallback) == ("offline", 8, "none")
    assert (settings.connect_seconds, settings.stall_seconds, settings.deadline_seconds) == (5, 30, 120)
    assert (settings.retries, settings.anthropic_version) == (2, "2023-06-01")
    assert (settings.temperature, settings.max_tokens, settings.token_field) == (None, None, None)
    assert settings.llms_txt == settings.extra_instructions == ""


def test_every_name_is_read(tmp_path):
    (tmp_path / "llms.txt").write_bytes("\ufeffsaber\r\nmais".encode())
    (tmp_path / "extra.txt").write_text("seja breve", encoding="utf-8")
    settings = read_settings(
        {
            "CHAT_PROVIDER": "azure",
            "CHAT_MODEL": " gpt ",
            "CHAT_API_KEY": f"{KEY}\n",
            "CHAT_BASE_URL": "https://x.azure.com",
            "CHAT_MAX_ITERATIONS": "3",
            "CHAT_MAX_TOKENS": "100",
            "CHAT_TOKEN_FIELD": "max_completion_tokens",
            "CHAT_TEMPERATURE": "0.5",
            "CHAT_ANTHROPIC_VERSION": "2026-10-21",
            "CHAT_LLMS_TXT_PATH": str(tmp_path / "llms.txt"),
            "CHAT_EXTRA_INSTRUCTIONS_PATH": str(tmp_path / "extra.txt"),
            "CHAT_FALLBACK": "offline",
            "CHAT_CONNECT_SECONDS": "1",
            "CHAT_STALL_SECONDS": "2.5",
            "CHAT_DEADLINE_SECONDS": "3",
            "CHAT_RETRIES": "0",
            "CHAT_SCRIPT_PATH": "x.jsonl",
            "CHAT_SOMETHING_ELSE": "of another program",
        }
    )
    assert settings == ChatSettings(
        provider="azure",
        model="gpt",
        api_key=SecretStr(KEY),
        base_url="https://x.azure.com",
        max_iterations=3,
        max_tokens=100,
        token_field="max_completion_tokens",
        temperature=0.5,
        anthropic_version="2026-10-21",
        llms_txt_path=tmp_path / "llms.txt",
        extra_instructions_path=tmp_path / "extra.txt",
        fallback="offline",
        connect_seconds=1,
        stall_seconds=2.5,
        deadline_seconds=3,
        retries=0,
        script_path=Path("x.jsonl"),
    )
    assert settings.llms_txt == "saber\nmais"
    assert settings.extra_instructions == "seja breve"
    assert all(getattr(settings, field) is not None for field in ChatSettings.model_fields)


@pytest.mark.parametrize(
    ("provider", "missing"),
    [
        ("openai", {"CHAT_MODEL", "CHAT_API_KEY"}),
        ("anthropic", {"CHAT_MODEL", "CHAT_API_KEY"}),
        ("azure", {"CHAT_MODEL", "CHAT_API_KEY", "CHAT_BASE_URL"}),
        ("cloudflare", {"CHAT_MODEL", "CHAT_API_KEY", "CHAT_BASE_URL"}),
        ("gh_models", {"CHAT_MODEL", "CHAT_API_KEY"}),
        ("ollama", {"CHAT_MODEL"}),
        ("scripted", {"CHAT_SCRIPT_PATH"}),
    ],
)
def test_every_name_that_is_missing_is_listed(provider, missing):
    blank = dict.fromkeys(("CHAT_MODEL", "CHAT_API_KEY", "CHAT_BASE_URL"), " ")
    assert problems({"CHAT_PROVIDER": provider, **blank}) == {(name, "setting_missing") for name in missing}


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("PROVIDER", "openia", "setting_not_one_of"),
        ("FALLBACK", "yes", "setting_not_one_of"),
        ("TOKEN_FIELD", "tokens", "setting_not_one_of"),
        *(
            ("MAX_ITERATIONS", value, "setting_not_whole")
            for value in ("0", "-1", "1.5", "x", "101", "9" * 5_000)
        ),
        *(("MAX_TOKENS", value, "setting_not_whole") for value in ("0", "many")),
        *(("RETRIES", value, "setting_not_whole") for value in ("-1", "99")),
        *(("STALL_SECONDS", value, "setting_not_number") for value in ("0", "-1", "nan", "inf", "x", "1e9")),
        ("CONNECT_SECONDS", "0", "setting_not_number"),
        ("DEADLINE_SECONDS", "", None),
        ("DEADLINE_SECONDS", "soon", "setting_not_number"),
        *(("TEMPERATURE", value, "setting_not_number") for value in ("-0.1", "3", "nan", "hot")),
        *(("ANTHROPIC_VERSION", value, "setting_not_date") for value in ("2023", "2023-06-01\nx", "latest")),
        *(("MODEL", value, "setting_bad_model") for value in ("m\nx", "m\x1b[2J", "\udcff", "m\u200b")),
        *(("API_KEY", value, "setting_bad_key") for value in ("a b", "a\nb", "a\tb", "chavé", "a\x00b")),
        ("BASE_URL", "http://example.com", "setting_open_http"),
        ("BASE_URL", "https://key@example.com", "setting_bad_address"),
        ("LLMS_TXT_PATH", "no/such/file.txt", "setting_no_file"),
        ("EXTRA_INSTRUCTIONS_PATH", "no/such/file.txt", "setting_no_file"),
        ("EXTRA_INSTRUCTIONS_PATH", ".", "setting_no_file"),
        ("EXTRA_INSTRUCTIONS_PATH", "a\x00b", "setting_no_file"),
    ],
)
def test_what_is_impossible_is_named(name, value, code):
    environment = OPENAI | {f"CHAT_{name}": value}
    if code is None:
        read_settings(environment)
    else:
        assert (f"CHAT_{name}", code) in problems(environment)


def test_all_problems_are_told_at_once_in_every_language():
    wrong = {
        "CHAT_PROVIDER": "azure",
        "CHAT_MAX_ITERATIONS": "x",
        "CHAT_BASE_URL": "http://a.b",
        "CHAT_LLMS_TXT_PATH": "?",
    }
    with pytest.raises(SettingsError) as raised:
        read_settings(wrong)
    assert raised.value.text("pt").splitlines() == [
        "O chat não pode começar com estas configurações:",
        "- CHAT_MAX_ITERATIONS deve ser um número inteiro de 1 a 100.",
        "- CHAT_MODEL não está definida, e o provedor azure precisa dela: o nome do deployment.",
        "- CHAT_API_KEY não está definida, e o provedor azure precisa dela: a chave de acesso.",
        "- CHAT_BASE_URL deve começar com https://, ou a chave e os dados do relatório poderiam ser lidos no caminho; "
        "http serve só para este computador e para a própria rede.",
        "- CHAT_LLMS_TXT_PATH não indica um arquivo que se possa ler: ?.",
    ]
    assert len(str(raised.value).splitlines()) == len(raised.value.text("es").splitlines()) == 6


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"x" * (FILE_BYTES_MAX + 1), "setting_long_file"),
        (b"\xff\xfea\x00", "setting_no_text"),
        (b"a\x00b", "setting_no_text"),
        (b"a < / DADOS > b", "setting_forged_fence"),
        (b"<dados>", "setting_forged_fence"),
    ],
)
def test_a_file_that_no_prompt_can_hold_is_refused(tmp_path, content, code):
    path = tmp_path / "extra.txt"
    path.write_bytes(content)
    assert problems({"CHAT_EXTRA_INSTRUCTIONS_PATH": str(path)}) == {("CHAT_EXTRA_INSTRUCTIONS_PATH", code)}


@pytest.mark.parametrize(
    ("content", "text"), [(b"\xef\xbb\xbfa\r\nb\rc\n", "a\nb\nc\n"), (b"a < b", "a < b"), (b"", "")]
)
def test_the_lines_of_a_file_end_in_one_way(tmp_path, content, text):
    path = tmp_path / "extra.txt"
    path.write_bytes(content)
    assert read_settings({"CHAT_EXTRA_INSTRUCTIONS_PATH": str(path)}).extra_instructions == text


def test_the_environment_is_read_only_where_nothing_is_given(monkeypatch):
    monkeypatch.setenv("CHAT_MODEL", "of the environment")
    monkeypatch.setenv("CHAT_PROVIDER", "ollama")
    assert read_settings().model == ChatSettings().model == "of the environment"
    assert read_settings({}).model is None
    assert ChatSettings(provider="ollama").model is None


def test_settings_stay_as_they_are():
    settings = read_settings(OPENAI)
    with pytest.raises(ValidationError):
        settings.model = "other"
    with pytest.raises(ValidationError):
        ChatSettings.model_validate({"modell": "m"})


@pytest.mark.parametrize(
    "more",
    [{}, {"CHAT_PROVIDER": "x"}, {"CHAT_RETRIES": "x"}, {"CHAT_API_KEY": f"{KEY} {KEY}"}, {"CHAT_MODEL": ""}],
)
def test_the_key_is_shown_nowhere(more, caplog):
    caplog.set_level(logging.DEBUG)
    shown = []
    try:
        settings = read_settings(OPENAI | more)
        shown += [repr(settings), str(settings), settings.model_dump_json(), repr(settings.model_dump())]
    except SettingsError as error:
        shown += [
            repr(error),
            *(error.text(language) for language in LANGUAGES),
            *traceback.format_exception(error),
        ]
        shown += [repr(error.__cause__), repr(error.__context__)]
    assert KEY not in "".join(shown) + caplog.text


def test_a_name_in_the_environment_is_its_field():
    assert env_name("llms_txt_path") == "CHAT_LLMS_TXT_PATH"
