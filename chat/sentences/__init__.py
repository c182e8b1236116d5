"""What a chat says of itself, in the languages that readers have: one file a language, one line a sentence."""

from __future__ import annotations

from engine.notes import Language, write_sentence


def sentence(code: str, language: Language = "en", **values: object) -> str:
    """
    The sentence *code* in *language*, with *values* in its places.

    >>> sentence("model_refused_key", "pt", provider="openai")
    'O provedor openai recusou a chave de acesso (CHAT_API_KEY).'
    """
    return write_sentence("chat.sentences", code, language, **values)
