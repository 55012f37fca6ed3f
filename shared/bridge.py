"""What the lobby and the session service tell each other through their outboxes."""

from typing import Any, TypeAlias

import msgspec

from shared.ids import GameId, UserId

SESSION = "session"
"""Whom the lobby's letters for the session service are addressed to."""

ABANDONED = "abandoned"
"""Why a game is aborted that all of its players have left."""

READERS_OF_LOBBY = (SESSION, "lobby", "history", "bank")
READERS_OF_SESSION = ("archive", "lobby", "ratings")
"""Everyone who reads a service's outbox; none of them may miss what was written before it first ran."""


class Envelope(msgspec.Struct, frozen=True, gc=False):
    """A message in the lobby's outbox; `n` is the version at which the log that wrote it stands then."""

    to: str
    n: int
    body: msgspec.Raw


class Seated(msgspec.Struct, frozen=True, gc=False):
    """A player as both services know one."""

    user: UserId
    nick: str
    avatar: str | None


class MakeGame(msgspec.Struct, frozen=True, gc=False, tag="make_game"):
    """A game for a table: it waits until it is told to start."""

    table: str
    game: GameId
    game_type: str
    options: dict[str, Any]
    players: tuple[Seated | None, ...]


class SeatPlayer(msgspec.Struct, frozen=True, gc=False, tag="seat_player"):
    game: GameId
    box: int
    player: Seated


class UnseatPlayer(msgspec.Struct, frozen=True, gc=False, tag="unseat_player"):
    game: GameId
    box: int


class StartGame(msgspec.Struct, frozen=True, gc=False, tag="start_game"):
    game: GameId


class AbortGame(msgspec.Struct, frozen=True, gc=False, tag="abort_game"):
    game: GameId
    reason: str


class AbortDeserted(msgspec.Struct, frozen=True, gc=False, tag="abort_deserted"):
    """All who came by a channel to this game, which was made without the lobby, have left: abort it if that is all."""

    game: GameId


class MarkAway(msgspec.Struct, frozen=True, gc=False, tag="mark_away"):
    game: GameId
    player: Seated
    away: bool


class Report(msgspec.Struct, frozen=True, gc=False, tag="report"):
    """Say once more if this game is over."""

    game: GameId


Order: TypeAlias = MakeGame | SeatPlayer | UnseatPlayer | StartGame | AbortGame | AbortDeserted | MarkAway | Report


class SeatsKnown(msgspec.Struct, frozen=True, gc=False, tag="seats_known"):
    """The session service has done what a table asked for at its version `order`."""

    game: GameId
    table: str
    order: int


class GameStarted(msgspec.Struct, frozen=True, gc=False, tag="game_started"):
    game: GameId
    table: str


class GameOver(msgspec.Struct, frozen=True, gc=False, tag="game_over"):
    """A game has come to its end: finished, or aborted."""

    game: GameId
    game_type: str
    at: int
    status: str = "finished"
    table: str | None = None  # the lobby's, if it made the game
    players: tuple[UserId | None, ...] = ()
    winners: tuple[int, ...] = ()
    scores: tuple[int | float, ...] | None = None
    reason: str | None = None


News: TypeAlias = SeatsKnown | GameStarted | GameOver

read_envelope = msgspec.json.Decoder(Envelope).decode
read_order = msgspec.json.Decoder(Order).decode
read_news = msgspec.json.Decoder(News).decode
write = msgspec.json.Encoder().encode
