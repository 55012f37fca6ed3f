"""Commands and what becomes of them. Pure: time, chance and ids arrive as arguments."""

from typing import Any, TypeAlias, assert_never

import msgspec

from services.session import bots, clocks, undo
from services.session.facts import (
    Aborted,
    Credited,
    DrawOffered,
    DrawRejected,
    Ended,
    Fact,
    Joined,
    Left,
    Played,
    Player,
    Released,
    Started,
    UndoRejected,
)
from services.session.games import AnyGame
from services.session.match import AnyMatch, Status
from services.session.verdict import Ballot, EngineRefusal, Moot, Verdict
from shared.kernel import Chance, Decision, Move, Outcome, Refusal, Seat


class Pace(msgspec.Struct, frozen=True):
    """Times that are the operator's to set, in ms."""

    idle_ms: int
    """A game that waits for nobody in particular is given up after this."""
    bot_ms: int
    """How long a bot takes for a move when humans are at the table."""


class Join(msgspec.Struct, frozen=True, gc=False):
    player: Player


class TakeSeat(msgspec.Struct, frozen=True, gc=False):
    """The lobby's table has a player for a box, or (without one) has freed it, at a version of the table."""

    box: Seat
    player: Player | None
    order: int


class Start(msgspec.Struct, frozen=True, gc=False):
    """The lobby's table is complete."""


class Abort(msgspec.Struct, frozen=True, gc=False):
    reason: str


class Play(msgspec.Struct, frozen=True, gc=False):
    box: Seat
    move: Move
    only_at: int | None = None
    """A move chosen for one position has no effect on another."""


class Ack(msgspec.Struct, frozen=True, gc=False):
    """Everything up to a version has been received."""

    box: Seat
    version: int


class Resign(msgspec.Struct, frozen=True, gc=False):
    box: Seat


class AskUndo(msgspec.Struct, frozen=True, gc=False):
    box: Seat
    seen: int | None = None


class AnswerUndo(msgspec.Struct, frozen=True, gc=False):
    box: Seat
    answer: undo.Answer
    seen: int | None = None


class Draw(msgspec.Struct, frozen=True, gc=False):
    """`action` is `offer`, `accept` or `reject`."""

    box: Seat
    action: str


class Credit(msgspec.Struct, frozen=True, gc=False):
    """The service was away for a while."""

    begun: int
    until: int


class Expire(msgspec.Struct, frozen=True, gc=False):
    """A deadline of the match has come. Move clocks may be judged only once they have been credited with outages."""

    clocks_too: bool = True


Command: TypeAlias = (
    Join | TakeSeat | Start | Abort | Play | Ack | Resign | AskUndo | AnswerUndo | Draw | Credit | Expire
)


def decide(game: AnyGame, match: AnyMatch, version: int, command: Command, now: int, pace: Pace) -> Verdict:
    match command:
        case Play(box, move, only_at):
            return _play(game, match, version, box, move) if only_at in (None, version) else ()
        case Ack(box, acked):
            return _ack(match, version, box, acked)
        case Join(player):
            return _join(game, match, player)
        case TakeSeat(box, player, order):
            return _take_seat(match, box, player, order)
        case Start():
            complete = match.status is Status.WAITING and None not in match.players
            return (start(game, match.game_type, len(match.players), match.options, match.seed),) if complete else ()
        case Abort(reason):
            return () if match.over else (*_all_told(match), Aborted(reason))
        case Resign(box):
            return _resign(game, match, version, box)
        case AskUndo(box, seen):
            return undo.ask(match, box, seen)
        case AnswerUndo(box, answer, seen):
            return undo.answer(match, box, answer, seen, now)
        case Draw(box, action):
            return _draw(game, match, box, action)
        case Credit(begun, until):
            fresh = until > match.credited_until
            return (Credited(begun, until),) if fresh and clocks.saw(match.clock, until) else ()
        case Expire(clocks_too):
            return _expire(game, match, version, now, pace, clocks_too)
        case _:
            assert_never(command)


def start(game: AnyGame, game_type: str, seats: int, options: Any, seed: str) -> Started[Any, Any]:
    """Let chance speak."""
    position = game.setup(game_type, seats, options, Chance(bytes.fromhex(seed), "setup"))
    return Started(position, game.opening(position))


def deadline(match: AnyMatch, pace: Pace) -> int:
    """When the match must be looked at again, 0 for never."""
    if match.over:
        return 0
    soonest = clocks.deadline(match.clock, match.options)
    for at in (match.undo.until if match.undo else None, _ack_until(match), bots.due(match, pace.bot_ms)):
        if at is not None and (soonest is None or at < soonest):
            soonest = at
    return _idle_until(match, pace.idle_ms) if soonest is None else soonest


def _play(game: AnyGame, match: AnyMatch, version: int, box: Seat, move: Move) -> Verdict:
    if match.status is not Status.ACTIVE:
        return EngineRefusal.WRONG_STATE
    if match.open is not None:
        return EngineRefusal.WAITING_FOR_ACKS
    decision = game.decide(match.position, box, move, chance(match, version))
    if isinstance(decision, Refusal):
        return decision
    played: tuple[Fact, ...] = (_played(box, decision, move=move),)
    if match.undo is not None:
        played = (*undo.overtaken(match), *played)
    if match.draw is not None and match.draw != box:
        played = (DrawRejected(box), *played)
    return played


def _ack(match: AnyMatch, version: int, box: Seat, acked: int) -> Verdict:
    if acked > version:
        return EngineRefusal.ACK_AHEAD
    move = match.open
    if move is None or box not in move.waiting or acked < move.version:
        return Moot()  # also for a wave that we have not heard of: its version is beyond ours
    others = tuple(seat for seat in move.waiting if seat != box)
    return Ballot(box, move.version, others, (Released(),))


def _take_seat(match: AnyMatch, box: Seat, player: Player | None, order: int) -> Verdict:
    """An order that is done already has no effect."""
    if order <= match.order or match.status is not Status.WAITING:
        return ()
    return (Left(box, order),) if player is None else (Joined(box, player, order),)


def _join(game: AnyGame, match: AnyMatch, player: Player) -> Verdict:
    if match.table is not None:
        return EngineRefusal.FORBIDDEN
    if match.box_of(player.user) is not None:
        return EngineRefusal.ALREADY_SEATED
    box = match.open_box()
    if box is None:
        return EngineRefusal.ROOM_FULL
    if match.status is not Status.WAITING:
        return EngineRefusal.WRONG_STATE
    joined = Joined(box, player)
    if match.players.count(None) > 1:
        return (joined,)
    return (joined, start(game, match.game_type, len(match.players), match.options, match.seed))


def _resign(game: AnyGame, match: AnyMatch, version: int, box: Seat) -> Verdict:
    if match.status is not Status.ACTIVE:
        return EngineRefusal.WRONG_STATE
    if match.open is not None and isinstance(game.to_act(match.position), Outcome):
        return (Released(all=True),)  # the game had ended, only not everyone had been told
    done = game.on_resign(match.position, box, chance(match, version))
    return (*_all_told(match), _server_made(box, "resign", done))


def _draw(game: AnyGame, match: AnyMatch, box: Seat, action: str) -> Verdict:
    """Two offers that meet are an agreement."""
    if match.status is not Status.ACTIVE or len(match.players) != 2:
        return EngineRefusal.WRONG_STATE
    offered = match.draw is not None and match.draw != box
    if action == "offer" and not offered:
        return (DrawOffered(box),) if match.draw is None else ()
    if not offered:
        return EngineRefusal.NO_DRAW_PENDING
    if action == "reject":
        return (DrawRejected(box),)
    return (*_all_told(match), Ended(Outcome((), "agreed")))


def _expire(game: AnyGame, match: AnyMatch, version: int, now: int, pace: Pace, clocks_too: bool) -> Verdict:
    if match.over:
        return ()
    if match.undo is not None and match.undo.until <= now:
        return (UndoRejected(match.undo.by, "timeup_reject"),)
    if (until := _ack_until(match)) is not None:
        return (Released(),) if until <= now else ()
    countdown = match.clock.countdown
    if countdown is not None and countdown.since + countdown.ms <= now:
        done = game.on_timeout(match.position, match.acting[0], chance(match, version))
        return (_server_made(match.acting[0], "timeout", done),)
    if clocks_too and (out := clocks.exhausted(match.clock, match.options, now)):
        return (_server_made(out[0], "timeout", game.on_timeout(match.position, out[0], chance(match, version))),)
    if deadline(match, pace) == _idle_until(match, pace.idle_ms) <= now:
        return (*_all_told(match), Aborted("idle"))
    return ()


def _server_made(box: Seat, cause: str, done: Decision[Any] | Outcome) -> Fact:
    """What the rules do for a seat."""
    if isinstance(done, Outcome):
        return Ended(done)
    return _played(box, done, cause=cause)


def _played(box: Seat, done: Decision[Any], move: Move | None = None, cause: str | None = None) -> Fact:
    return Played(box, done.events, move, cause, done.waves, done.discarded, done.restarts)


def _all_told(match: AnyMatch) -> tuple[Released, ...]:
    """Before the game ends another way, everyone is told what was still on its way."""
    return (Released(all=True),) if match.open is not None else ()


def _ack_until(match: AnyMatch) -> int | None:
    return match.open.since + match.options.ack_time * 1000 if match.open is not None else None


def _idle_until(match: AnyMatch, idle_ms: int) -> int:
    """Rounded up by a hundredth, so that most moves need not touch the timer."""
    grain = max(1, idle_ms // 100)
    return -(-(match.touched_at + idle_ms) // grain) * grain


def chance(match: AnyMatch, version: int) -> Chance:
    """The dice of the move that follows a version."""
    return Chance(bytes.fromhex(match.seed), f"move {version + 1}")
