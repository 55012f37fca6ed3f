"""Commands and what becomes of them. Pure: time, chance and ids arrive as arguments."""

from enum import StrEnum
from typing import Any, TypeAlias, assert_never

import msgspec

from services.session import clocks
from services.session.games import AnyGame
from services.session.match import Aborted, AnyMatch, Ended, Fact, Joined, Played, Player, Started, Status
from shared.kernel import Chance, Move, Outcome, Refusal, Seat


class EngineRefusal(StrEnum):
    """Why the engine says no, whatever the rules of the game."""

    WRONG_STATE = "wrong_state"
    FORBIDDEN = "forbidden"
    ROOM_FULL = "room_full"
    ALREADY_SEATED = "already_seated"


class Join(msgspec.Struct, frozen=True, gc=False):
    player: Player


class Play(msgspec.Struct, frozen=True, gc=False):
    box: Seat
    move: Move


class Resign(msgspec.Struct, frozen=True, gc=False):
    box: Seat


class Expire(msgspec.Struct, frozen=True, gc=False):
    """A deadline of the match has come."""


Command: TypeAlias = Join | Play | Resign | Expire
Verdict: TypeAlias = tuple[Fact, ...] | Refusal | EngineRefusal


def decide(game: AnyGame, match: AnyMatch, version: int, command: Command, now: int, idle_ms: int) -> Verdict:
    """The facts that a command makes, none if it has no effect, or why it is refused."""
    match command:
        case Play(box, move):
            return _play(game, match, version, box, move)
        case Join(player):
            return _join(game, match, player)
        case Resign(box):
            if match.status is not Status.ACTIVE:
                return EngineRefusal.WRONG_STATE
            return (Ended(game.on_resign(match.position, box)),)
        case Expire():
            return _expire(game, match, version, now, idle_ms)
        case _:
            assert_never(command)


def start(game: AnyGame, game_type: str, seats: int, options: Any, seed: str) -> Started[Any]:
    """Let chance speak."""
    return Started(game.setup(game_type, seats, options, Chance(bytes.fromhex(seed), "setup")))


def deadline(match: AnyMatch, idle_ms: int) -> int:
    """When the match must be looked at again, 0 for never."""
    if match.status not in (Status.WAITING, Status.ACTIVE):
        return 0
    running = clocks.deadline(match.clock, match.options)
    return running if running is not None else _idle_until(match, idle_ms)


def _play(game: AnyGame, match: AnyMatch, version: int, box: Seat, move: Move) -> Verdict:
    if match.status is not Status.ACTIVE:
        return EngineRefusal.WRONG_STATE
    decision = game.decide(match.position, box, move, _chance(match, version))
    if isinstance(decision, Refusal):
        return decision
    if len(decision.waves) != 1:
        raise NotImplementedError("the engine does not wait for acknowledgements yet")
    return (Played(box, decision.events),)


def _join(game: AnyGame, match: AnyMatch, player: Player) -> Verdict:
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


def _expire(game: AnyGame, match: AnyMatch, version: int, now: int, idle_ms: int) -> Verdict:
    if match.status not in (Status.WAITING, Status.ACTIVE):
        return ()
    for box in clocks.exhausted(match.clock, match.options, now):
        result = game.on_timeout(match.position, box, _chance(match, version))
        return (Ended(result) if isinstance(result, Outcome) else Played(box, result.events),)
    if not match.clock.since and _idle_until(match, idle_ms) <= now:
        return (Aborted("idle"),)
    return ()


def _idle_until(match: AnyMatch, idle_ms: int) -> int:
    """Rounded up by a hundredth, so that most moves need not touch the timer."""
    grain = max(1, idle_ms // 100)
    return -(-(match.touched_at + idle_ms) // grain) * grain


def _chance(match: AnyMatch, version: int) -> Chance:
    return Chance(bytes.fromhex(match.seed), f"move {version + 1}")
