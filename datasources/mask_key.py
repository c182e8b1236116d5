"""The key of one workspace's masks, derived from the operator's secret."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from datasources.exceptions import MaskError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

SECRET_BYTES_MIN = 32
"""Of the operator's secret: fewer could be guessed, and with the secret every mask be lifted."""
KEY_BYTES = 64
FINGERPRINT_BYTES = 8
_PURPOSE = b"lastro masks 1\0"


@dataclass(frozen=True, slots=True)
class MaskKey:
    """What makes the pseudonyms of one workspace, and alone can read them; no repr or message shows it."""

    _key: bytes = field(repr=False)
    fingerprint: str
    """Tells keys apart without saying anything of them: for the identity of what was made with one."""

    @classmethod
    def derive(cls, secret: bytes, workspace: str) -> MaskKey:
        """
        The key of *workspace* under the operator's *secret*: equal for equal arguments, unlinkable for others.

        Raises MaskError for a secret of fewer than 32 bytes, or a workspace without an id.
        """
        if len(secret) < SECRET_BYTES_MIN:
            raise MaskError(
                f"The secret of the masks has {len(secret)} bytes: give {SECRET_BYTES_MIN} random ones or more."
            )
        if not workspace:
            raise MaskError(
                "The workspace of the masks has no id: give one, so that no other shares its masks."
            )
        from cryptography.hazmat.primitives.hashes import SHA512
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        info = _PURPOSE + workspace.encode("utf-8", "surrogatepass")
        derived = HKDF(SHA512(), KEY_BYTES + FINGERPRINT_BYTES, salt=None, info=info).derive(secret)
        return cls(derived[:KEY_BYTES], derived[KEY_BYTES:].hex())

    def raw(self) -> bytes:
        """The key itself, for who seals many values at once (see `siv`)."""
        return self._key

    def cipher(self) -> AESSIV:
        """
        The deterministic authenticated encryption (RFC 5297) under this key.

        Equal texts must become equal pseudonyms, so there is no nonce; whoever lacks the key can neither read nor
        make one, however few CPFs there are to try.
        """
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV

        return AESSIV(self._key)
