"""The payloads of the protocol, version 3: what a client may send, and how it is kept."""

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from shared.http import UNREADABLE, explained
from shared.ids import UserId
from shared.problems import Problem, invalid

VERSION = 3
_LONGEST_ROOM = 64  # characters of a utouId


class Message(msgspec.Struct, frozen=True, gc=False, tag_field="action"):
    """What every payload has; what else a client puts into it is forwarded unread."""

    version: int
    seq: int
    sender: UserId = msgspec.field(name="from")
    utouId: str  # noqa: N815  (the protocol's spelling)


class Join(Message, frozen=True, tag="join"):
    name: str
    imgURL: str | None = None  # noqa: N815
    strict: Any = None  # `true` in the join that opens a room asks for a referee; anything else means nothing


class StartGame(Message, frozen=True, tag="start_game"):
    name: str
    imgURL: str | None = None  # noqa: N815


class StartGameAck(Message, frozen=True, tag="start_game_ack"):
    """The handshake is done."""


class UpdateGame(Message, frozen=True, tag="update_game"):
    game: tuple[int | float, ...]


class GameOver(Message, frozen=True, tag="game_over"):
    """The sender has seen that the game is over."""


class LeaveGame(Message, frozen=True, tag="leave_game"):
    """The sender leaves, which ends the game."""


AnyMessage: TypeAlias = Join | StartGame | StartGameAck | UpdateGame | GameOver | LeaveGame


class _VersionOnly(msgspec.Struct):
    version: int


_decode: Callable[[bytes], AnyMessage] = msgspec.json.Decoder(AnyMessage).decode
_encode = msgspec.json.Encoder().encode
_read_version = msgspec.json.Decoder(_VersionOnly).decode


def parse(body: bytes) -> AnyMessage:
    """A client's payload; raises the 422 problems."""
    try:
        body.decode()  # the decoder does not look into fields that it does not know
        message = _decode(body)
    except UNREADABLE as error:
        raise _unreadable(body, error) from None
    if message.version != VERSION:
        raise Problem("unsupported_version")
    if message.seq < 0:
        raise invalid("seq: an integer, 0 or more.")
    if not 1 <= len(message.utouId) <= _LONGEST_ROOM:
        raise invalid(f"utouId: 1 to {_LONGEST_ROOM} characters.")
    return message


def _unreadable(body: bytes, error: Exception) -> Problem:
    """Another version may have other fields, so its number is told first."""
    try:
        version = _read_version(body).version
    except UNREADABLE:
        version = VERSION
    return invalid(explained(error)) if version == VERSION else Problem("unsupported_version")


def one_line(body: bytes) -> bytes:
    """The same JSON as one line of an event: a line break in JSON is never more than space."""
    return body.strip().replace(b"\n", b" ").replace(b"\r", b" ")


def reread(payload: bytes) -> AnyMessage:
    """A payload from the log, which was checked when it came."""
    return _decode(payload)


def leave_ack(leave: LeaveGame) -> bytes:
    """What the leaver is told once its peer has taken the leave."""
    told = {
        "version": VERSION,
        "seq": leave.seq,
        "from": leave.sender,
        "utouId": leave.utouId,
        "action": "leave_game_ack",
    }
    return _encode(told)
