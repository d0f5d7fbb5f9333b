"""Secrets at rest: the one place where a stored secret becomes clear text.

A key ring of one or more keys, newest first. Each ciphertext carries the id of its key, so that a missing key is
told apart from damaged data and rotation can find what is still under an old key.
"""

import base64
import hashlib
from dataclasses import dataclass, field

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from providers.redaction import hide


class SecretUnreadable(Exception):
    """A stored secret cannot be decrypted with the keys at hand; it must be entered anew."""


@dataclass(frozen=True, slots=True)
class SecretStr:
    """A secret in memory. Its repr and str are blind; `reveal` is called only while a request is built."""

    _value: str = field(repr=False)

    def __str__(self) -> str:
        return "********"

    def reveal(self) -> str:
        """Return the secret in clear."""
        return self._value

    def hide_in(self, text: str) -> str:
        """Return `text` without the secret, for words that a provider sent and that may repeat it."""
        return hide(text, self._value)


def key_id(key: str) -> str:
    """Return the public id of a ring key: 8 hex digits of its hash."""
    return hashlib.sha256(b"streamhub-key-id:" + key.encode()).hexdigest()[:8]


def encrypt(secret: SecretStr) -> tuple[str, bytes]:
    """Return the id of the newest ring key and `secret` encrypted with it."""
    key = settings.ENCRYPTION_KEYS[0]
    return key_id(key), _fernet(key).encrypt(secret.reveal().encode())


def decrypt(ring_id: str, data: bytes) -> SecretStr:
    """Return the secret in `data`. Raises SecretUnreadable if its key is not in the ring or the data is damaged."""
    for key in settings.ENCRYPTION_KEYS:
        if key_id(key) == ring_id:
            try:
                return SecretStr(_fernet(key).decrypt(bytes(data)).decode())
            except InvalidToken as error:
                raise SecretUnreadable("The stored secret is damaged. Enter it anew.") from error
    raise SecretUnreadable(
        f"The encryption key {ring_id} is not configured. Add it, or enter the secret anew."
    )


def _fernet(key: str) -> Fernet:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"streamhub secrets v1").derive(
        key.encode()
    )
    return Fernet(base64.urlsafe_b64encode(derived))
