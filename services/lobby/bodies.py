"""The bodies of channel commands; whatever has another form is the 422 problem."""

import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from services.lobby.chat import LONGEST, cleaned
from shared.http import decoded, nothing
from shared.problems import invalid

_QUEUE = r"^[a-z0-9_-]{1,64}$(?!\n)"  # `$` alone lets a line break pass
_MOST_CRITERIA = 16
_MOST_COMBOS = 64

Id = Annotated[str, Meta(min_length=1, max_length=64)]
BoxNumber = Annotated[int, Meta(ge=-(2**31), le=2**31)]


class NewChannel(msgspec.Struct, frozen=True):
    tag: Annotated[str, Meta(max_length=64)] = ""


class Wish(msgspec.Struct, frozen=True):
    """A scalar is a list of one; `"2,3"` is a list too."""

    game_type: str
    num_seats: int | str | list[int | str]
    cash_bet: int | str | list[int | str] = 0


class FindBody(msgspec.Struct, frozen=True):
    queue: Annotated[str, Meta(pattern=_QUEUE)]
    criteria: Annotated[list[Wish], Meta(min_length=1, max_length=_MOST_CRITERIA)]


class RoomBody(msgspec.Struct, frozen=True):
    room: Id


class TableBody(msgspec.Struct, frozen=True):
    table: Id


class PlaceBody(msgspec.Struct, frozen=True):
    table: Id
    box: BoxNumber


class JoinBody(msgspec.Struct, frozen=True):
    table: Id | None = None
    game: Id | None = None
    box: BoxNumber | None = None


class WatchBody(msgspec.Struct, frozen=True):
    table: Id | None = None
    game: Id | None = None


class TextBody(msgspec.Struct, frozen=True):
    text: str


class NewTable(msgspec.Struct, frozen=True):
    game_type: str
    num_seats: int
    cash_bet: int = 0
    options: dict[str, Any] = {}


class MuteBody(msgspec.Struct, frozen=True):
    user: Id
    seconds: Annotated[int, Meta(ge=0, le=366 * 24 * 3600)]


FORMS: dict[str, Any] = {
    "find": FindBody,
    "join": JoinBody,
    "watch": WatchBody,
    "subscribe": RoomBody,
    "chatjoin": RoomBody,
    "taketurn": TableBody,
    "takeplace": PlaceBody,
    "chatmsg": TextBody,
}


def parsed(command: str, raw: bytes) -> Any:
    """A command's body in its form; None for those that have none."""
    form = FORMS.get(command)
    if form is None:
        nothing(raw)
        return None
    body = decoded(raw, form)
    if isinstance(body, JoinBody | WatchBody) and (body.table is None) == (body.game is None):
        raise invalid("Either a table or a game.")
    if isinstance(body, TextBody):
        text = cleaned(body.text)
        if not 1 <= len(text) <= LONGEST:
            raise invalid(f"text: 1 to {LONGEST} characters.")
        return TextBody(text)
    return body


def numbers(given: int | str | list[int | str], name: str) -> tuple[int, ...]:
    """Numbers as clients may write them, each once."""
    items = given if isinstance(given, list) else [given]
    words = [word for item in items for word in (item.split(",") if isinstance(item, str) else [item])]
    found = []
    for word in words:
        if isinstance(word, bool) or (isinstance(word, str) and not re.fullmatch(r"\s*[0-9]{1,9}\s*", word)):
            raise invalid(f"{name}: numbers, please.")
        found.append(int(word))
    if not 1 <= len(found) <= _MOST_COMBOS:
        raise invalid(f"{name}: at least one number.")
    return tuple(dict.fromkeys(found))
