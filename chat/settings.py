"""Reads what the environment says of the chat, once, at start; every name is `CHAT_…`."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self, get_args

from pydantic import Field, ModelWrapValidatorHandler, SecretStr, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from chat.exceptions import SettingsError
from chat.llm.addresses import address_problem
from chat.llm.providers import PROVIDERS, ProviderName
from chat.safe_text import for_detail
from chat.text_file import read_text_file
from datasources.suggestion import nearest
from engine.notes import Term
from prompts.system import fence_in

PREFIX = "CHAT_"

Fallback = Literal["none", "offline"]
TokenField = Literal["max_tokens", "max_completion_tokens"]
_CHOICES = {
    "provider": get_args(ProviderName),
    "fallback": get_args(Fallback),
    "token_field": get_args(TokenField),
}

_log = logging.getLogger(__name__)


class ChatSettings(BaseSettings):
    """
    All that a chat can be told from outside.

    `read_settings` makes one of the environment. Made in code, it holds what it is given and nothing of the
    environment; made of nothing at all, it reads the environment. Either way raises one SettingsError that lists all
    that is impossible; what is merely missing is found by `check`.
    """

    model_config = SettingsConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    provider: ProviderName = "offline"
    model: str | None = None
    """The model's name; for azure the name of the deployment."""
    api_key: SecretStr | None = None
    """Not used by ollama, which has no authentication."""
    base_url: str | None = None
    """Where the provider is, if not at its usual address. A query that it holds goes with every request."""
    max_iterations: int = Field(default=8, ge=1, le=100)
    """So many messages a model may write for one answer."""
    max_tokens: int | None = Field(default=None, ge=1, le=10_000_000)
    """So long a message may be. Unset, it is the provider's own limit; anthropic has none, and is told one."""
    token_field: TokenField | None = None
    """The name by which a model knows `max_tokens`, if it is not the provider's usual one."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """Unset, it is not sent: newer models refuse it. Never sent to anthropic from version 2026-10-21 on."""
    anthropic_version: str = Field(default="2023-06-01", pattern=r"^\d{4}-\d{2}-\d{2}$")
    llms_txt_path: Path | None = None
    """A file that the designer's prompt ends with, as its knowledge base."""
    extra_instructions_path: Path | None = None
    """A file that every prompt ends with."""
    fallback: Fallback = "none"
    """What answers when the provider does not."""
    connect_seconds: float = Field(default=5, gt=0, le=600)
    """So long a connection may take."""
    stall_seconds: float = Field(default=30, gt=0, le=3_600)
    """So long a provider may say nothing at all: until its first byte, and between two."""
    deadline_seconds: float = Field(default=120, gt=0, le=3_600)
    """So long one message may take, with all attempts at it."""
    retries: int = Field(default=2, ge=0, le=10)
    """So many times a request is made again that failed before the first byte of an answer."""
    script_path: Path | None = None
    """What the provider `scripted` replays."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What is given in code, or else the environment; never a mixture of both."""
        return (init_settings if init_settings() else InitSettingsSource(settings_cls, _named(os.environ)),)

    @model_validator(mode="wrap")
    @classmethod
    def _made(cls, values: Any, make: ModelWrapValidatorHandler[Self]) -> Self:
        """Raise what is ours where pydantic would raise its own error."""
        try:
            return make(values)
        except ValidationError as error:
            if not isinstance(values, Mapping):
                raise
            wrong = sorted({str(found["loc"][0]) for found in error.errors(include_input=False)})
        # Raised out here: the other error holds what it was given, the key too, and nobody is to get it.
        raise _all_wrong(values, wrong)

    @cached_property
    def llms_txt(self) -> str:
        """What is in the file `llms_txt_path`; raises SettingsError."""
        return _read_text("llms_txt_path", self.llms_txt_path)

    @cached_property
    def extra_instructions(self) -> str:
        """What is in the file `extra_instructions_path`; raises SettingsError."""
        return _read_text("extra_instructions_path", self.extra_instructions_path)

    def check(self) -> None:
        """Raise one SettingsError for all that is missing or impossible; files of instructions are read."""
        if problems := list(_problems(self)):
            raise SettingsError.of(problems)


def read_settings(environment: Mapping[str, str] | None = None) -> ChatSettings:
    """
    The settings of *environment* (the process's own, if not given), where an empty text counts as unset.

    Raises one SettingsError that lists every name that is missing or impossible, and what to set. A name that only
    begins as ours do is logged as a warning.
    """
    environment = os.environ if environment is None else environment
    for problem in unknown_names(environment):
        _log.warning("%s", problem)
    settings = ChatSettings(**_named(environment))
    settings.check()
    return settings


def unknown_names(environment: Mapping[str, str] | None = None) -> tuple[SettingsError, ...]:
    """
    What to say of each name of *environment* that begins as ours do and is none of them, with the one probably meant.

    Nobody raises it: the name could be another program's.
    """
    given = os.environ if environment is None else environment
    known = set(map(env_name, ChatSettings.model_fields))
    ours = (name for name in given if name.upper().startswith(PREFIX) and given[name].strip())
    return tuple(_unknown(name) for name in sorted(ours) if name not in known)


def env_name(field: str) -> str:
    """The name of *field* in the environment."""
    return PREFIX + field.upper()


def _named(environment: Mapping[str, str]) -> dict[str, Any]:
    found = {field: environment.get(env_name(field), "").strip() for field in ChatSettings.model_fields}
    # The provider is named in any case: made of nothing at all, the settings would read the process's environment.
    return {"provider": "offline"} | {field: value for field, value in found.items() if value}


def _problems(settings: ChatSettings) -> Iterator[SettingsError]:
    """What is missing or impossible in *settings*, each by itself."""
    row = PROVIDERS[settings.provider]
    for field, what in row.needs.items():
        if getattr(settings, field) is None:
            yield SettingsError("setting_missing", name=env_name(field), provider=row.name, what=Term(what))
    key = settings.api_key.get_secret_value() if settings.api_key else ""
    if not key.isascii() or not key.isprintable() or " " in key:
        yield SettingsError("setting_bad_key", name=env_name("api_key"))
    if settings.model is not None and not settings.model.isprintable():
        yield SettingsError("setting_bad_model", name=env_name("model"))
    if settings.base_url is not None and (code := address_problem(settings.base_url)):
        yield SettingsError(code, name=env_name("base_url"))
    for field in ("llms_txt", "extra_instructions"):
        name, path = env_name(f"{field}_path"), getattr(settings, f"{field}_path")
        try:
            fence = fence_in(getattr(settings, field))
        except SettingsError as problem:
            yield problem
        else:
            if fence is not None:
                yield SettingsError("setting_forged_fence", name=name, path=path, fence=fence)


def _all_wrong(values: Mapping[str, Any], wrong: Iterable[str]) -> SettingsError:
    """The fields *wrong*, which cannot be what they are in *values*, and what else there is among the others."""
    rest = {field: value for field, value in values.items() if field not in wrong}
    told = set(map(env_name, wrong))
    others = _problems(ChatSettings(**{"provider": "offline"} | rest))
    return SettingsError.of(
        [*map(_impossible, wrong), *(problem for problem in others if problem.values["name"] not in told)]
    )


def _impossible(field: str) -> SettingsError:
    """What *field* must be."""
    name, about = env_name(field), ChatSettings.model_fields.get(field)
    if about is None:
        return _unknown(name)
    if field in _CHOICES:
        return SettingsError("setting_not_one_of", name=name, names=_CHOICES[field])
    if field == "anthropic_version":
        return SettingsError("setting_not_date", name=name)
    kind = next(iter(get_args(about.annotation)), about.annotation)
    if kind not in (int, float):
        return SettingsError("setting_not_path" if kind is Path else "setting_not_text", name=name)
    limits = {
        side: getattr(limit, side)
        for limit in about.metadata
        for side in ("ge", "gt", "le")
        if hasattr(limit, side)
    }
    code = "setting_not_whole" if kind is int else "setting_not_number"
    return SettingsError(code, name=name, least=limits.get("ge", limits.get("gt")), most=limits["le"])


def _unknown(name: str) -> SettingsError:
    """That there is no *name*, and which was probably meant; all begin alike, so that only the rest is compared."""
    near = nearest(name[len(PREFIX) :], ChatSettings.model_fields)
    shown = for_detail(name)
    if near is not None:
        return SettingsError("setting_unknown", name=shown, near=env_name(near))
    return SettingsError(
        "setting_unknown_of", name=shown, names=tuple(map(env_name, ChatSettings.model_fields))
    )


def _read_text(field: str, path: Path | None) -> str:
    return "" if path is None else read_text_file(env_name(field), path)
