"""Asks: the assistants, the tools that a model is given, and what goes back and forth between it and a reader."""

from typing import TYPE_CHECKING

from chat.exceptions import ChatError, HistoryError, ModelError, SettingsError
from datasources.later import later

if TYPE_CHECKING:
    from chat.consumer import Consumer
    from chat.llm.base import LlmClient
    from chat.loop import ChatLoop
    from chat.settings import ChatSettings, read_settings
    from chat.tools.toolset import Toolset

__all__ = [
    "ChatError",
    "ChatLoop",
    "ChatSettings",
    "Consumer",
    "HistoryError",
    "LlmClient",
    "ModelError",
    "SettingsError",
    "Toolset",
    "read_settings",
]

__getattr__ = later(
    __name__,
    {
        "ChatLoop": "chat.loop",
        "ChatSettings": "chat.settings",
        "Consumer": "chat.consumer",
        "LlmClient": "chat.llm.base",
        "Toolset": "chat.tools.toolset",
        "read_settings": "chat.settings",
    },
)
