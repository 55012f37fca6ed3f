"""A room of two players as its log tells it: who is in it, which message is next, who is told what. Pure.

It has its two players until it closes, and one game after another.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

import msgspec

from services.relay.messages import (
    AnyMessage,
    GameOver,
    Join,
    LeaveGame,
    StartGame,
    StartGameAck,
    UpdateGame,
    reread,
)
from shared.ids import UserId
from shared.kernel import Value

FORM = 1
"""Of entries and snapshots; raise it when a release before this one would misread what this one writes."""


class Phase(StrEnum):
    WAITING = "waiting"
    HANDSHAKE = "handshake"
    PLAYING = "playing"
    OVER = "over"


# -- facts: what the log keeps, with payloads byte for byte ---------------------------------------------------


class Opened(msgspec.Struct, frozen=True, gc=False, array_like=True, tag="opened"):
    """The first join of a game. It is forwarded to nobody: whoever comes later tells this player."""

    sender: UserId
    payload: bytes


class Took(msgspec.Struct, frozen=True, gc=False, array_like=True, tag="took"):
    """The next message of a sender, for the other player."""

    sender: UserId
    payload: bytes


class Held(msgspec.Struct, frozen=True, gc=False, array_like=True, tag="held"):
    """A message that came before its turn."""

    sender: UserId
    payload: bytes


class Dropped(msgspec.Struct, frozen=True, gc=False, array_like=True, tag="dropped"):
    """The referee does not allow what was held; its number is wanted again."""

    sender: UserId
    seq: int


class Acked(msgspec.Struct, frozen=True, gc=False, array_like=True, tag="acked"):
    """A leave of this version has been taken; the leaver is told so."""

    leaver: UserId
    version: int
    payload: bytes


class Closed(msgspec.Struct, frozen=True, gc=False, array_like=True, tag="closed"):
    """Nobody was here for a long time."""


Fact: TypeAlias = Opened | Took | Held | Dropped | Acked | Closed


class Entry(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What one command wrote. `id` tells two equal commands apart; `form` is the version of this layout."""

    id: str
    at: int
    facts: tuple[Fact, ...]
    form: int = FORM


# -- state ----------------------------------------------------------------------------------------------------


class Player(Value, frozen=True):
    user: UserId
    name: str
    img: str | None
    since: int
    """Messages up to this version were never for this player."""
    expected: int = 0
    held: tuple[tuple[int, bytes], ...] = ()
    playing: bool = False
    """Has joined the present game."""


class Leave(Value, frozen=True):
    """A leave that the peer has not taken yet."""

    message: LeaveGame
    version: int


class Room(Value, frozen=True):
    utou: str = ""
    version: int = 0
    touched_at: int = 0
    players: tuple[Player, ...] = ()
    phase: Phase = Phase.OVER
    game: tuple[int | float, ...] | None = None
    strict: bool = False
    starter: UserId | None = None
    game_since: int = 0
    """The version that opened the present game."""
    leaves: tuple[Leave, ...] = ()

    def player(self, user: UserId) -> Player | None:
        return next((player for player in self.players if player.user == user), None)

    def peer(self, user: UserId) -> UserId | None:
        return next((player.user for player in self.players if player.user != user), None)


def told(entry: Entry, user: UserId) -> list[bytes]:
    """The payloads that an entry brings to one of the room's players, in order."""
    return [
        fact.payload
        for fact in entry.facts
        if (isinstance(fact, Took) and fact.sender != user) or (isinstance(fact, Acked) and fact.leaver == user)
    ]


def evolve(room: Room | None, entry: Entry) -> Room:
    """The room after an entry."""
    room = room or Room()
    version = room.version + 1
    for fact in entry.facts:
        room = _apply(room, fact, version)
    return msgspec.structs.replace(room, version=version, touched_at=entry.at)


def _apply(room: Room, fact: Fact, version: int) -> Room:
    change = msgspec.structs.replace
    match fact:
        case Took(sender, payload):
            return took(room, sender, reread(payload), version)
        case Opened(sender, payload):
            join = reread(payload)
            assert isinstance(join, Join), "a game opens with a join"
            fresh = tuple(change(each, expected=0, held=(), playing=False) for each in room.players)
            strict = room.strict if room.players else join.strict is True
            room = change(
                room, utou=join.utouId, players=fresh, phase=Phase.WAITING, game=None,
                strict=strict, starter=sender, game_since=version,
            )  # fmt: skip
            return _joined(room, sender, join)
        case Held(sender, payload):
            held = (reread(payload).seq, payload)
            return _with(room, sender, lambda player: change(player, held=(*player.held, held)))
        case Dropped(sender, seq):
            return _with(room, sender, lambda player: change(player, held=_without(player.held, seq)))
        case Acked(leaver, upto):
            left = tuple(each for each in room.leaves if each.message.sender != leaver or each.version > upto)
            return change(room, leaves=left)
        case Closed():
            return Room(utou=room.utou)


def took(room: Room, sender: UserId, message: AnyMessage, version: int) -> Room:
    """The room after the next message of a sender."""
    change = msgspec.structs.replace
    if isinstance(message, Join) and message.seq == 0:
        return change(_joined(room, sender, message), phase=Phase.HANDSHAKE)
    room = _with(
        room,
        sender,
        lambda player: change(player, expected=message.seq + 1, held=_without(player.held, message.seq)),
    )
    match message:
        case StartGame(name=name, imgURL=img):
            return _with(room, sender, lambda player: change(player, name=name, img=img or player.img))
        case StartGameAck() | UpdateGame() if room.phase is Phase.HANDSHAKE:
            room = change(room, phase=Phase.PLAYING)
        case GameOver():
            return _ended(room)
        case LeaveGame():
            return change(_ended(room), leaves=(*room.leaves, Leave(message, version)))
    return change(room, game=message.game) if isinstance(message, UpdateGame) else room


def _joined(room: Room, sender: UserId, join: Join) -> Room:
    """Somebody is in the present game; who is new to the room hears what was said in this game so far."""
    known = room.player(sender)
    since = known.since if known else room.game_since
    player = Player(sender, join.name, join.imgURL, since, expected=1, playing=True)
    if known:
        return _with(room, sender, lambda _: player)
    return msgspec.structs.replace(room, players=(*room.players, player))


def _ended(room: Room) -> Room:
    players = tuple(msgspec.structs.replace(player, held=()) for player in room.players)
    return msgspec.structs.replace(room, players=players, phase=Phase.OVER)


def _with(room: Room, user: UserId, change: Callable[[Player], Player]) -> Room:
    players = tuple(change(player) if player.user == user else player for player in room.players)
    return msgspec.structs.replace(room, players=players)


def _without(held: tuple[tuple[int, bytes], ...], seq: int) -> tuple[tuple[int, bytes], ...]:
    return tuple(each for each in held if each[0] != seq) if held else held
