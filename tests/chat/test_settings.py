"""What the environment says is read once, whole, and without showing the key."""

from __future__ import annotations

import logging
import traceback
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr, ValidationError

from chat.exceptions import SettingsError
from chat.settings import ChatSettings, env_name, read_settings, unknown_names
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


@pytest.mark.parametrize(
    ("values", "told"),
    [
        pytest.param({"provider": "nix"}, {("CHAT_PROVIDER", "setting_not_one_of")}, id="no such provider"),
        pytest.param({"provider": None}, {("CHAT_PROVIDER", "setting_not_one_of")}, id="none"),
        pytest.param({"modell": "m"}, {("CHAT_MODELL", "setting_unknown")}, id="a mistyped name"),
        pytest.param({"colour": "m"}, {("CHAT_COLOUR", "setting_unknown_of")}, id="a name that is like none"),
        pytest.param(
            {"model": 5, "base_url": b"\xff"},
            {("CHAT_MODEL", "setting_not_text"), ("CHAT_BASE_URL", "setting_not_text")},
            id="no texts",
        ),
        pytest.param({"api_key": 5}, {("CHAT_API_KEY", "setting_not_text")}, id="a key that is no text"),
        pytest.param({"script_path": 5}, {("CHAT_SCRIPT_PATH", "setting_not_path")}, id="no path"),
        pytest.param(
            {"retries": 99, "provider": "openai", "model": "a\nb"},
            {
                ("CHAT_RETRIES", "setting_not_whole"),
                ("CHAT_MODEL", "setting_bad_model"),
                ("CHAT_API_KEY", "setting_missing"),
            },
            id="and all else that is wrong",
        ),
    ],
)
def test_what_code_gives_is_refused_in_the_same_words(values, told):
    for make in (lambda: ChatSettings(**values), lambda: ChatSettings.model_validate(values)):
        with pytest.raises(SettingsError) as raised:
            make()
        error = raised.value
        assert {(one.values["name"], one.code) for one in (error.problems or (error,))} == told
        assert error.__cause__ is error.__context__ is None


_ANYTHING = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.lists(st.text())
)


@given(
    st.dictionaries(
        st.sampled_from(sorted(ChatSettings.model_fields)) | st.text(min_size=1), _ANYTHING, min_size=1
    )
)
def test_whatever_is_given_the_error_is_ours(values):
    with suppress(SettingsError):
        ChatSettings(**values)


def test_the_environment_itself_is_refused_in_the_same_words(monkeypatch):
    monkeypatch.setenv("CHAT_PROVIDER", "nix")
    monkeypatch.setenv("CHAT_RETRIES", "x")
    with pytest.raises(SettingsError) as made:
        ChatSettings()
    with pytest.raises(SettingsError) as read:
        read_settings()
    assert str(made.value) == str(read.value)
    assert len(made.value.problems) == 2


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("CHAT_MODLE", "m", "There is no setting CHAT_MODLE: did you mean CHAT_MODEL?"),
        ("CHAT_KEY", "m", "There is no setting CHAT_KEY: did you mean CHAT_API_KEY?"),
        ("chat_provider", "openai", "There is no setting chat_provider: did you mean CHAT_PROVIDER?"),
        ("CHAT_MOD\u202eEL", "m", "There is no setting CHAT_MOD\\u{202e}EL: did you mean CHAT_MODEL?"),
        ("CHAT_SOMETHING_ELSE", "x", "There is no setting CHAT_SOMETHING_ELSE. There are: CHAT_PROVIDER, CHAT_MODEL,"),
        ("CHAT_MODLE", " ", None),
        ("CHATTY_MODEL", "m", None),
        ("OPENAI_MODEL", "m", None),
        ("CHAT_MODEL", "m", None),
    ],
)  # fmt: skip
def test_a_name_that_is_probably_mistyped_is_told_and_not_refused(name, value, said, caplog):
    environment = {"HOME": "/", name: value}
    read_settings(environment)
    logged = [record.getMessage() for record in caplog.records]
    assert logged == [problem.text("en") for problem in unknown_names(environment)]
    assert len(logged) == (said is not None)
    assert said is None or logged[0].startswith(said)


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
