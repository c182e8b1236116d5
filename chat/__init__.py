"""Asks: the tools that a model is given, and what goes back and forth between it and a reader."""

from chat.tools.toolset import Toolset

__all__ = ["Toolset"]
