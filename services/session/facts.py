"""What the log of a game is made of: each entry holds the facts that one command made."""

from typing import Any, Generic, TypeAlias, TypeVar

import msgspec

from shared.ids import UserId
from shared.kernel import ONE_WAVE, Outcome, Seat, Value, Wave

Position = TypeVar("Position")
GameOptions = TypeVar("GameOptions")
GameEvent = TypeVar("GameEvent")
GameMove = TypeVar("GameMove")

_BOT = "bot:"

FORM = 1
"""Of entries and snapshots; raise it when a release before this one would misread what this one writes."""


class Player(Value, frozen=True):
    user: UserId
    nick: str
    avatar: str | None

    @property
    def bot(self) -> str | None:
        """The name of the bot that plays here."""
        return self.user[len(_BOT) :] if self.user.startswith(_BOT) else None


def bot_player(name: str) -> Player:
    return Player(UserId(_BOT + name), name, None)


class Created(msgspec.Struct, Generic[GameOptions], frozen=True, gc=False, tag="created"):
    game_type: str
    options: GameOptions
    players: tuple[Player | None, ...]
    seed: str  # hex; its SHA-256 is shown from the start, itself only at the end
    commitment: str
    table: str | None = None  # the lobby's table that it was made for
    order: int = 0  # the version of that table


class Joined(msgspec.Struct, frozen=True, gc=False, tag="joined", omit_defaults=True):
    box: Seat
    player: Player
    order: int = 0  # the version of the table that seated the player


class Left(msgspec.Struct, frozen=True, gc=False, tag="left"):
    """A seat was given up at the lobby's table, before the game had started."""

    box: Seat
    order: int


class Started(msgspec.Struct, Generic[Position, GameEvent], frozen=True, gc=False, tag="started", omit_defaults=True):
    """Chance has spoken: the position is kept, so that a replay never shuffles again."""

    position: Position
    events: tuple[GameEvent, ...] = ()


class Played(msgspec.Struct, Generic[GameEvent, GameMove], frozen=True, gc=False, tag="played", omit_defaults=True):
    """A seat's move and what it did; without a move, what the rules did for a seat that timed out or resigned."""

    box: Seat
    events: tuple[GameEvent, ...]
    move: GameMove | None = None
    cause: str | None = None  # without a move: `timeout` or `resign`
    waves: tuple[Wave, ...] = ONE_WAVE
    discarded: str | None = None
    restarts: tuple[Seat, ...] = ()


class Released(msgspec.Struct, frozen=True, gc=False, tag="released", omit_defaults=True):
    """The next wave of the open move goes out, or all that are left."""

    all: bool = False


class UndoAsked(msgspec.Struct, frozen=True, gc=False, tag="undo_asked"):
    by: Seat


class UndoRejected(msgspec.Struct, frozen=True, gc=False, tag="undo_rejected"):
    """`how` is `reject`, `auto_reject` or `timeup_reject`."""

    by: Seat  # who had asked
    how: str


class Undone(msgspec.Struct, frozen=True, gc=False, tag="undone"):
    by: Seat  # who had asked


class DrawOffered(msgspec.Struct, frozen=True, gc=False, tag="draw_offered"):
    by: Seat


class DrawRejected(msgspec.Struct, frozen=True, gc=False, tag="draw_rejected"):
    by: Seat


class Credited(msgspec.Struct, frozen=True, gc=False, tag="credited"):
    """The service was away from `begun` to `until`; move clocks stood still meanwhile."""

    begun: int
    until: int


class Ended(msgspec.Struct, frozen=True, gc=False, tag="ended"):
    """Somebody resigned or ran out of time, or both agreed; an end on the board needs no fact of its own."""

    outcome: Outcome


class Aborted(msgspec.Struct, frozen=True, gc=False, tag="aborted"):
    reason: str


Fact: TypeAlias = (
    Created[Any]
    | Joined
    | Left
    | Started[Any, Any]
    | Played[Any, Any]
    | Released
    | UndoAsked
    | UndoRejected
    | Undone
    | DrawOffered
    | DrawRejected
    | Credited
    | Ended
    | Aborted
)


class Entry(msgspec.Struct, Generic[GameOptions, Position, GameEvent, GameMove], frozen=True, gc=False):
    """What one command wrote. `id` tells two equal commands apart; `form` is the version of this layout."""

    id: str
    at: int
    facts: tuple[
        Created[GameOptions]
        | Joined
        | Left
        | Started[Position, GameEvent]
        | Played[GameEvent, GameMove]
        | Released
        | UndoAsked
        | UndoRejected
        | Undone
        | DrawOffered
        | DrawRejected
        | Credited
        | Ended
        | Aborted,
        ...,
    ]
    form: int = FORM


AnyEntry = Entry[Any, Any, Any, Any]
