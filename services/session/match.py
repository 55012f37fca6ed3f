"""A game as the engine sees it: its seats, its position and its clock, folded from the facts of its log."""

from enum import StrEnum
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec

from services.session import clocks
from services.session.clocks import Clock
from services.session.games import AnyGame
from shared.ids import UserId
from shared.kernel import Outcome, Seat, Value

Position = TypeVar("Position")
GameOptions = TypeVar("GameOptions")
GameEvent = TypeVar("GameEvent")


class Status(StrEnum):
    WAITING = "waiting"
    ACTIVE = "active"
    FINISHED = "finished"
    ABORTED = "aborted"


class Player(Value, frozen=True):
    user: UserId
    nick: str
    avatar: str | None


class Created(msgspec.Struct, Generic[GameOptions], frozen=True, gc=False, tag="created"):
    game_type: str
    options: GameOptions
    players: tuple[Player | None, ...]
    seed: str  # hex; its SHA-256 is shown from the start, itself only at the end
    commitment: str


class Joined(msgspec.Struct, frozen=True, gc=False, tag="joined"):
    box: Seat
    player: Player


class Started(msgspec.Struct, Generic[Position], frozen=True, gc=False, tag="started"):
    """Chance has spoken: the position is kept, so that a replay never shuffles again."""

    position: Position


class Played(msgspec.Struct, Generic[GameEvent], frozen=True, gc=False, tag="played"):
    box: Seat
    events: tuple[GameEvent, ...]


class Ended(msgspec.Struct, frozen=True, gc=False, tag="ended"):
    """Somebody resigned or ran out of time; an end on the board needs no fact of its own."""

    outcome: Outcome


class Aborted(msgspec.Struct, frozen=True, gc=False, tag="aborted"):
    reason: str


Fact: TypeAlias = Created[Any] | Joined | Started[Any] | Played[Any] | Ended | Aborted


class Entry(msgspec.Struct, Generic[GameOptions, Position, GameEvent], frozen=True, gc=False):
    """What one command wrote. `id` tells two equal commands apart; `form` is the version of this layout."""

    id: str
    at: int
    facts: tuple[Created[GameOptions] | Joined | Started[Position] | Played[GameEvent] | Ended | Aborted, ...]
    form: int = 1


AnyEntry = Entry[Any, Any, Any]


class Match(msgspec.Struct, Generic[GameOptions, Position], frozen=True, gc=False):
    game_type: str
    options: GameOptions
    players: tuple[Player | None, ...]
    seed: str
    commitment: str
    touched_at: int  # when a command last changed it
    status: Status = Status.WAITING
    position: Position | None = None
    acting: tuple[Seat, ...] = ()
    clock: Clock = Clock()
    outcome: Outcome | None = None
    abort_reason: str | None = None

    def box_of(self, user: UserId) -> Seat | None:
        for box, player in enumerate(self.players):
            if player is not None and player.user == user:
                return Seat(box)
        return None

    def open_box(self) -> Seat | None:
        return next((Seat(box) for box, player in enumerate(self.players) if player is None), None)


AnyMatch = Match[Any, Any]


def evolve(game: AnyGame, match: AnyMatch | None, entry: AnyEntry) -> AnyMatch:
    """The match after an entry. Pure: every replica folds the same log into the same value."""
    acting_before, mover = match.acting if match else (), None
    for fact in entry.facts:
        match = _apply(game, match, fact)
        if isinstance(fact, Played):
            mover = fact.box
    assert match is not None, "a log begins with Created"
    clock = clocks.advance(match.clock, match.options, acting_before, match.acting, mover, entry.at)
    return msgspec.structs.replace(match, clock=clock, touched_at=entry.at)


def _apply(game: AnyGame, match: AnyMatch | None, fact: Fact) -> AnyMatch:
    if isinstance(fact, Created):
        return Match(
            fact.game_type, fact.options, fact.players, fact.seed, fact.commitment, touched_at=0,
            clock=clocks.wound_up(fact.options, len(fact.players)),
        )  # fmt: skip
    assert match is not None, "a log begins with Created"
    change = msgspec.structs.replace
    match fact:
        case Played(events=events):
            position = match.position
            for event in events:
                position = game.evolve(position, event)
            return _at(game, match, position)
        case Joined(box=box, player=player):
            players = (*match.players[:box], player, *match.players[box + 1 :])
            return change(match, players=players)
        case Started(position=position):
            return _at(game, change(match, status=Status.ACTIVE), position)
        case Ended(outcome=outcome):
            return change(match, status=Status.FINISHED, acting=(), outcome=outcome)
        case Aborted(reason=reason):
            return change(match, status=Status.ABORTED, acting=(), abort_reason=reason)


def _at(game: AnyGame, match: AnyMatch, position: Any) -> AnyMatch:
    acting = game.to_act(position)
    if isinstance(acting, Outcome):
        return msgspec.structs.replace(match, position=position, acting=(), status=Status.FINISHED, outcome=acting)
    return msgspec.structs.replace(match, position=position, acting=acting)
