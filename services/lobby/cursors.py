"""The place of a client in its feed: the number in the user's log, and the place in each chat that it follows. Pure."""

import re
from collections.abc import Iterable

import msgspec

_PART = re.compile(r"([a-z2-7]{20})\.([1-9][0-9]{0,14})\.(0|[1-9][0-9]{0,14})([io])")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,14}")
_CHAT, _MARK = "~", "!"


class ChatPlace(msgspec.Struct, frozen=True):
    """A channel's stay in a chat, by the number of the feed's entry that began it, and how far it has been told."""

    channel: str
    stay: int
    place: int
    inside: bool  # its own joining has been told


class FeedCursor(msgspec.Struct, frozen=True):
    number: int
    chats: tuple[ChatPlace, ...] = ()


def written(number: int, chats: Iterable[ChatPlace], mark: str = "") -> str:
    """As an event's id; a mark tells events apart that are in no log."""
    parts = [f"{_CHAT}{c.channel}.{c.stay}.{c.place}{'i' if c.inside else 'o'}" for c in chats]
    return f"{number}{''.join(parts)}{_MARK + mark if mark else ''}"


def read(text: str) -> FeedCursor | None:
    """None for what was never an id of ours."""
    number, *parts = text.partition(_MARK)[0].split(_CHAT)
    if not _NUMBER.fullmatch(number):
        return None
    chats = []
    for part in parts:
        found = _PART.fullmatch(part)
        if not found:
            return None
        channel, stay, place, inside = found.groups()
        chats.append(ChatPlace(channel, int(stay), int(place), inside == "i"))
    return FeedCursor(int(number), tuple(chats))
