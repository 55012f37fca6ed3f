"""A table: its boxes, those who wait for one, who watches, and where its game stands; folded from facts. Pure.

A match that a queue made is a table in no room, and so is a game that was made without the lobby.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeAlias, assert_never

import msgspec

from services.lobby.channels import Situation, Wait, Who
from shared.ids import GameId, UserId, derived_id

_change = msgspec.structs.replace


class Phase(StrEnum):
    BEGIN = "begin"  # a match: not everyone has said `begin`
    OPEN = "open"  # there are boxes to take
    STARTING = "starting"  # the session service has been asked for the game
    PLAYING = "playing"
    REMATCH = "rematch"
    CLOSED = "closed"


class Box(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Free, reserved for somebody until a time, or taken."""

    who: Who | None = None
    wait: Wait | None = None  # of a reservation
    order: int = 0  # the version at which it was taken, of which the session service is told
    known: bool = False  # the session service has confirmed it
    ask: str | None = None  # the command that is answered then
    event: str | None = None  # and by which transition
    away: bool = False
    willing: bool = False  # has said `begin`, or `revanche`

    @property
    def taken(self) -> bool:
        return self.who is not None and self.wait is None

    @property
    def word(self) -> str:
        return "free" if self.who is None else "taken" if self.taken else "reserved"


class Table(msgspec.Struct, frozen=True, gc=False):
    id: str
    room: str | None
    game_type: str
    cash_bet: int
    currency: str | None
    options: dict[str, Any]
    creator: UserId | None
    created: int
    boxes: tuple[Box, ...]
    phase: Phase
    direct: bool = False  # the game was made without the lobby
    line: tuple[Who, ...] = ()  # who waits for a box, the longest first
    watchers: dict[str, Who] = {}  # by channel
    game: GameId | None = None
    confirmed: GameId | None = None  # the game, once the session service has it: watchers are told
    round: int = 0
    wait: Wait | None = None  # for `begin` or `revanche`
    empty_since: int | None = None
    deserted_since: int | None = None  # all players have been away since
    bets_of: GameId | None = None  # the game whose bets were decided last: all have paid, or none
    number: int = 0  # of the latest entry
    handled: dict[str, str] = {}

    @property
    def full(self) -> bool:
        return all(box.taken for box in self.boxes)

    @property
    def seated(self) -> list[tuple[int, Who]]:
        return [(i, box.who) for i, box in enumerate(self.boxes) if box.who is not None]

    def box_of(self, channel: str) -> int | None:
        return next((i for i, who in self.seated if who.channel == channel), None)

    def has(self, user: UserId) -> bool:
        """Is the user at the table: in a box, or waiting for one?"""
        return any(who.user == user for _, who in self.seated) or any(who.user == user for who in self.line)

    def free_box(self) -> int | None:
        return next((i for i, box in enumerate(self.boxes) if box.who is None), None)

    def situation(self, box: int) -> Situation:
        """What a channel at a box of this table is told of its game."""
        return Situation(
            table=self.id, game=self.game, game_type=self.game_type, num_seats=len(self.boxes),
            cash_bet=self.cash_bet, currency=self.currency, box=box,
        )  # fmt: skip


class Made(msgspec.Struct, frozen=True, gc=False, tag="made"):
    table: str
    room: str
    game_type: str
    num_seats: int
    cash_bet: int
    currency: str | None
    options: dict[str, Any]
    creator: UserId


class MatchSet(msgspec.Struct, frozen=True, gc=False, tag="match_set"):
    table: str
    game_type: str
    cash_bet: int
    currency: str | None
    players: tuple[Who, ...]
    wait: Wait


class GameFound(msgspec.Struct, frozen=True, gc=False, tag="game_found"):
    """A game that was made without the lobby has a channel."""

    table: str
    game: GameId
    game_type: str
    seats: int


class Reserved(msgspec.Struct, frozen=True, gc=False, tag="reserved"):
    box: int
    who: Who
    wait: Wait


class Taken(msgspec.Struct, frozen=True, gc=False, tag="taken"):
    box: int
    who: Who
    ask: str
    event: str


class Freed(msgspec.Struct, frozen=True, gc=False, tag="freed"):
    box: int


class LinedUp(msgspec.Struct, frozen=True, gc=False, tag="lined_up"):
    who: Who


class OutOfLine(msgspec.Struct, frozen=True, gc=False, tag="out_of_line"):
    channel: str


class Willing(msgspec.Struct, frozen=True, gc=False, tag="willing"):
    boxes: tuple[int, ...]


class GameAsked(msgspec.Struct, frozen=True, gc=False, tag="game_asked"):
    """The session service is asked for a game; `rotated` moves each seat to the next box."""

    game: GameId
    starting: bool
    rotated: bool = False


class SeatsConfirmed(msgspec.Struct, frozen=True, gc=False, tag="seats_confirmed"):
    order: int


class Starting(msgspec.Struct, frozen=True, gc=False, tag="starting"):
    pass


class BetsKnown(msgspec.Struct, frozen=True, gc=False, tag="bets_known"):
    """All have paid for this game, or nobody has and it is given up."""

    game: GameId
    taken: bool


class Playing(msgspec.Struct, frozen=True, gc=False, tag="playing"):
    pass


class WentAway(msgspec.Struct, frozen=True, gc=False, tag="went_away"):
    box: int


class CameBack(msgspec.Struct, frozen=True, gc=False, tag="came_back"):
    box: int


class AbortAsked(msgspec.Struct, frozen=True, gc=False, tag="abort_asked"):
    """The players have all been away for too long."""


class RematchAwaited(msgspec.Struct, frozen=True, gc=False, tag="rematch_awaited"):
    wait: Wait


class Cleared(msgspec.Struct, frozen=True, gc=False, tag="cleared"):
    """Every box is free again."""


class Watched(msgspec.Struct, frozen=True, gc=False, tag="watched"):
    who: Who


class Unwatched(msgspec.Struct, frozen=True, gc=False, tag="unwatched"):
    channel: str


class TableClosed(msgspec.Struct, frozen=True, gc=False, tag="table_closed"):
    pass


TableFact: TypeAlias = (
    Made
    | MatchSet
    | GameFound
    | Reserved
    | Taken
    | Freed
    | LinedUp
    | OutOfLine
    | Willing
    | GameAsked
    | SeatsConfirmed
    | Starting
    | BetsKnown
    | Playing
    | WentAway
    | CameBack
    | AbortAsked
    | RematchAwaited
    | Cleared
    | Watched
    | Unwatched
    | TableClosed
)


def table_of(game: str) -> str:
    """Where those are kept who are at a game that was made without the lobby."""
    return derived_id("table of game", game)


def evolve(table: Table | None, fact: TableFact, at: int) -> Table:
    table = _apply(table, fact, at)
    idle = table.phase is Phase.OPEN and not table.seated and not table.line
    playing = table.phase in (Phase.STARTING, Phase.PLAYING)
    present = [box for box in table.boxes if box.taken and not box.away]
    deserted = playing and not present and any(box.taken for box in table.boxes)
    return _change(
        table,
        number=table.number + 1,
        empty_since=(table.empty_since or at) if idle else None,
        deserted_since=(table.deserted_since or at) if deserted else None,
    )


def _apply(table: Table | None, fact: TableFact, at: int) -> Table:
    if table is None:
        return _first(fact, at)
    match fact:
        case Made() | MatchSet() | GameFound():
            raise AssertionError("a table is made once")
        case Reserved(box=box, who=who, wait=wait):
            return _with(table, box, Box(who, wait))
        case Taken(box=box, who=who, ask=ask, event=event):
            return _with(table, box, Box(who, order=table.number + 1, ask=ask, event=event))
        case Freed(box=box):
            return _with(table, box, Box())
        case LinedUp(who=who):
            return _change(table, line=(*table.line, who))
        case OutOfLine(channel=channel):
            return _change(table, line=tuple(who for who in table.line if who.channel != channel))
        case Willing(boxes=boxes):
            willing = [_change(b, willing=True) if i in boxes else b for i, b in enumerate(table.boxes)]
            return _change(table, boxes=tuple(willing))
        case GameAsked():
            return _game_asked(table, fact)
        case SeatsConfirmed(order=order):
            table = _each(table, lambda b: _change(b, known=True, ask=None) if b.taken and b.order <= order else b)
            return _change(table, confirmed=table.game)
        case Starting():
            return _change(table, phase=Phase.STARTING)
        case BetsKnown(game=game):
            return _change(table, bets_of=game)
        case Playing():
            return _change(table, phase=Phase.PLAYING)
        case WentAway(box=box):
            return _with(table, box, _change(table.boxes[box], away=True))
        case CameBack(box=box):
            return _with(table, box, _change(table.boxes[box], away=False))
        case AbortAsked():
            return _change(table, deserted_since=NEVER)
        case RematchAwaited(wait=wait):
            return _change(table, phase=Phase.REMATCH, wait=wait)
        case Cleared():
            empty = tuple(Box() for _ in table.boxes)
            table = _change(table, phase=Phase.OPEN, boxes=empty, game=None, confirmed=None, wait=None)
            return _change(table, round=table.round + 1)
        case Watched(who=who):
            return _change(table, watchers={**table.watchers, who.channel: who})
        case Unwatched(channel=channel):
            return _change(table, watchers={k: v for k, v in table.watchers.items() if k != channel})
        case TableClosed():
            return _change(table, phase=Phase.CLOSED, wait=None)
        case _:
            assert_never(fact)


NEVER = 2**53  # a deserted game is aborted once


def _first(fact: TableFact, at: int) -> Table:
    match fact:
        case Made(table, room, game_type, num_seats, cash_bet, currency, options, creator):
            boxes = tuple(Box() for _ in range(num_seats))
            return Table(table, room, game_type, cash_bet, currency, options, creator, at, boxes, Phase.OPEN)
        case MatchSet(table, game_type, cash_bet, currency, players, wait):
            boxes = tuple(Box(who) for who in players)
            return Table(table, None, game_type, cash_bet, currency, {}, None, at, boxes, Phase.BEGIN, wait=wait)
        case GameFound(table, game, game_type, seats):
            boxes = tuple(Box() for _ in range(seats))
            made = Table(table, None, game_type, 0, None, {}, None, at, boxes, Phase.PLAYING, direct=True)
            return _change(made, game=game, confirmed=game)
        case _:
            raise AssertionError("a table's log begins with how it was made")


def _game_asked(table: Table, fact: GameAsked) -> Table:
    boxes = table.boxes
    if fact.rotated:
        boxes = (boxes[-1], *boxes[:-1])
    if fact.starting:
        boxes = tuple(Box(box.who, order=table.number + 1) for box in boxes)
        return _change(
            table, game=fact.game, boxes=boxes, phase=Phase.STARTING, wait=None, round=table.round + fact.rotated
        )
    return _change(table, game=fact.game)


def _with(table: Table, box: int, value: Box) -> Table:
    return _change(table, boxes=(*table.boxes[:box], value, *table.boxes[box + 1 :]))


def _each(table: Table, change: Callable[[Box], Box]) -> Table:
    return _change(table, boxes=tuple(change(box) for box in table.boxes))
