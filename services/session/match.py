"""A game as the engine sees it: its seats, its position and its clock, folded from the facts of its log."""

from enum import StrEnum
from typing import Any, Generic, assert_never

import msgspec

from services.session import clocks, waves
from services.session.clocks import Clock
from services.session.facts import (
    Aborted,
    AnyEntry,
    Created,
    Credited,
    DrawOffered,
    DrawRejected,
    Ended,
    Fact,
    GameEvent,
    GameOptions,
    Joined,
    Left,
    Played,
    Player,
    Position,
    Released,
    Started,
    UndoAsked,
    Undone,
    UndoRejected,
)
from services.session.games import AnyGame
from services.session.waves import OpenMove
from shared.ids import UserId
from shared.kernel import Outcome, Seat, Undoable, Value

_change = msgspec.structs.replace


class Status(StrEnum):
    WAITING = "waiting"
    ACTIVE = "active"
    FINISHED = "finished"
    ABORTED = "aborted"


class LastMove(msgspec.Struct, Generic[Position, GameEvent], frozen=True, gc=False):
    """The move that may be taken back."""

    box: Seat
    version: int
    before: Position
    events: tuple[GameEvent, ...]
    asked: bool = False  # its player has asked for it back
    crossable: bool = False  # it may cross a request of the other player, for the move before


class UndoRequest(Value, frozen=True):
    """A request that has not been answered."""

    by: Seat
    since: int
    until: int
    version: int = 0


class Match(msgspec.Struct, Generic[GameOptions, Position, GameEvent], frozen=True, gc=False):
    game_type: str
    options: GameOptions
    players: tuple[Player | None, ...]
    seed: str
    commitment: str
    touched_at: int  # when a command last changed it
    version: int = 0
    status: Status = Status.WAITING
    position: Position | None = None
    acting: tuple[Seat, ...] = ()
    clock: Clock = Clock()
    credited_until: int = 0  # outages that ended by then have been taken into account
    last: LastMove[Position, GameEvent] | None = None
    undo: UndoRequest | None = None
    draw: Seat | None = None  # who has offered one
    open: OpenMove[Position, GameEvent] | None = None
    outcome: Outcome | None = None
    abort_reason: str | None = None
    table: str | None = None  # the lobby's, if it made the game
    order: int = 0  # the latest version of that table whose wishes are done

    @property
    def over(self) -> bool:
        return self.status in (Status.FINISHED, Status.ABORTED)

    def box_of(self, user: UserId) -> Seat | None:
        for box, player in enumerate(self.players):
            if player is not None and player.user == user:
                return Seat(box)
        return None

    def open_box(self) -> Seat | None:
        return next((Seat(box) for box, player in enumerate(self.players) if player is None), None)

    def bot(self, box: Seat) -> str | None:
        """The name of the bot that plays here."""
        player = self.players[box]
        return player.bot if player else None

    def humans(self) -> tuple[Seat, ...]:
        return tuple(Seat(box) for box, player in enumerate(self.players) if player and player.bot is None)

    def may_be_undone(self) -> bool:
        """Is this a game in which moves can be taken back?"""
        return isinstance(self.options, Undoable) and len(self.players) == 2


AnyMatch = Match[Any, Any, Any]


def evolve(game: AnyGame, match: AnyMatch | None, entry: AnyEntry) -> AnyMatch:
    """The match after an entry. Pure: every replica folds the same log into the same value."""
    version = match.version + 1 if match else 1
    mover: Seat | None = None
    restarts: tuple[Seat, ...] = ()
    for fact in entry.facts:
        match = _apply(game, match, fact, version, entry.at)
        if isinstance(fact, Played):
            mover, restarts = fact.box, fact.restarts
    assert match is not None, "a log begins with Created"
    countdown = game.countdown(match.position) if match.acting else None
    timed = game.awaited(match.position, match.acting) if match.acting and countdown is None else ()
    clock = clocks.advance(match.clock, match.options, timed, mover, entry.at, restarts)
    clock = clocks.counting(clock, countdown, mover is not None, entry.at)
    return _change(match, version=version, clock=clock, touched_at=entry.at)


def _apply(game: AnyGame, match: AnyMatch | None, fact: Fact, version: int, at: int) -> AnyMatch:
    if isinstance(fact, Created):
        return Match(
            fact.game_type, fact.options, fact.players, fact.seed, fact.commitment, touched_at=0,
            clock=clocks.wound_up(fact.options, len(fact.players)), table=fact.table, order=fact.order,
        )  # fmt: skip
    assert match is not None, "a log begins with Created"
    match fact:
        case Played():
            return _played(game, match, fact, version, at)
        case Joined(box=box, player=player, order=order):
            return _seated(match, box, player, order)
        case Left(box=box, order=order):
            return _seated(match, box, None, order)
        case Started(position=position, events=events):
            return _at(game, _change(match, status=Status.ACTIVE), _folded(game, position, events))
        case Released(all=everything):
            return _released(game, match, everything, version, at)
        case UndoAsked(by=by):
            return _undo_asked(match, by, version, at)
        case UndoRejected(by=by):
            return _undo_rejected(match, by, at)
        case Undone():
            assert match.last is not None, "only a move that was made can be taken back"
            settled = _change(match, undo=None, last=None, clock=clocks.resumed(match.clock, at))
            return _at(game, settled, match.last.before)
        case DrawOffered(by=by):
            return _change(match, draw=by)
        case DrawRejected():
            return _change(match, draw=None)
        case Credited(begun=begun, until=until):
            return _change(match, clock=clocks.credited(match.clock, begun, until), credited_until=until)
        case Ended(outcome=outcome):
            clock = clocks.resumed(match.clock, at)
            return _change(match, status=Status.FINISHED, acting=(), outcome=outcome, undo=None, clock=clock)
        case Aborted(reason=reason):
            clock = clocks.resumed(match.clock, at)
            return _change(match, status=Status.ABORTED, acting=(), abort_reason=reason, undo=None, clock=clock)
        case _:
            assert_never(fact)


def _seated(match: AnyMatch, box: Seat, player: Player | None, order: int) -> AnyMatch:
    players = (*match.players[:box], player, *match.players[box + 1 :])
    return _change(match, players=players, order=max(match.order, order))


def _played(game: AnyGame, match: AnyMatch, fact: Played[Any, Any], version: int, at: int) -> AnyMatch:
    position = _folded(game, match.position, fact.events)
    if match.may_be_undone():
        match = _change(match, last=_last_move(match, fact, version))
    if len(fact.waves) > 1:
        opened = waves.opened(match.position, fact.events, fact.waves, match.humans(), version, at)
        if opened:
            return _change(match, position=position, acting=(), open=opened)
    return _at(game, match, position)


def _last_move(match: AnyMatch, fact: Played[Any, Any], version: int) -> LastMove[Any, Any]:
    before = match.last
    crossable = before is not None and before.box != fact.box and not before.asked
    return LastMove(fact.box, version, match.position, fact.events, crossable=crossable)


def _released(game: AnyGame, match: AnyMatch, everything: bool, version: int, at: int) -> AnyMatch:
    assert match.open is not None, "only an open move has waves to release"
    left = None if everything else waves.released(match.open, match.humans(), version, at)
    return _change(match, open=left) if left else _at(game, _change(match, open=None), match.position)


def _undo_asked(match: AnyMatch, by: Seat, version: int, at: int) -> AnyMatch:
    assert match.last is not None, "only a move that was made can be asked for"
    request = UndoRequest(by, at, at + match.options.undo_time * 1000, version)
    return _change(match, undo=request, last=_change(match.last, asked=True), clock=clocks.paused(match.clock, at))


def _undo_rejected(match: AnyMatch, by: Seat, at: int) -> AnyMatch:
    """A request that crossed a move was never pending, though one for that move may be; none can be made once more."""
    assert match.last is not None, "only a move that was made can be asked for"
    if match.undo is None or match.undo.by != by:
        return _change(match, last=_change(match.last, crossable=False))
    return _change(match, undo=None, clock=clocks.resumed(match.clock, at))


def _folded(game: AnyGame, position: Any, events: tuple[Any, ...]) -> Any:
    for event in events:
        position = game.evolve(position, event)
    return position


def _at(game: AnyGame, match: AnyMatch, position: Any) -> AnyMatch:
    acting = game.to_act(position)
    if isinstance(acting, Outcome):
        return _change(match, position=position, acting=(), status=Status.FINISHED, outcome=acting)
    return _change(match, position=position, acting=acting)
