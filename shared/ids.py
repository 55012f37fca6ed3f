"""The names things go by, and how they are made."""

import hashlib
import re
import secrets
from base64 import b32encode
from typing import NewType

UserId = NewType("UserId", str)
GameId = NewType("GameId", str)
Version = NewType("Version", int)

_ID_CHARS = 20  # 100 random bits: nobody guesses one, and a URL stays short
_ID = re.compile(r"[a-z2-7]{20}")


def new_id() -> str:
    """A fresh, unguessable id."""
    return _as_id(secrets.token_bytes(16))


def derived_id(*parts: str) -> str:
    """The same id for the same parts: a repeated creation finds the thing it made before."""
    return _as_id(hashlib.sha256("\0".join(parts).encode()).digest())


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def _as_id(raw: bytes) -> str:
    return b32encode(raw).decode().lower()[:_ID_CHARS]
