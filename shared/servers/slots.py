"""Which hash slot a command belongs to. On one server there is nothing to choose, and nobody asks."""

from typing import Any

from redis.crc import key_slot

_KEY_AT = {"EVAL": 3, "EVALSHA": 3, "ZUNION": 2}
_KEY_AFTER_STREAMS = ("XREAD", "XREADGROUP")


def slot_of(key: str | bytes) -> int:
    return key_slot(key.encode() if isinstance(key, str) else key)


def slot_of_command(words: tuple[Any, ...]) -> int:
    """By its first key: every other one lies in the same slot, or the server says so."""
    name = words[0]
    if name in _KEY_AFTER_STREAMS:
        place = next(i for i, word in enumerate(words) if word in ("STREAMS", b"STREAMS")) + 1
    else:
        place = _KEY_AT.get(name, 1)
    return slot_of(words[place])
