"""Players of the house: what a bot has to do in a match, and what it chooses. Pure."""

from typing import TypeAlias

import msgspec
import structlog

from services.session.games import AnyGame
from services.session.match import AnyMatch, Status
from shared.kernel import Chance, Move, Refusal, Seat

RANDOM = "random"

log = structlog.get_logger()


class ToMove(msgspec.Struct, frozen=True):
    box: Seat


class ToAnswerUndo(msgspec.Struct, frozen=True):
    box: Seat


class ToAnswerDraw(msgspec.Struct, frozen=True):
    box: Seat


Errand: TypeAlias = ToMove | ToAnswerUndo | ToAnswerDraw


def names(game: AnyGame) -> set[str]:
    return {RANDOM, *game.bots}


def errand(match: AnyMatch) -> Errand | None:
    """What some bot has to do now."""
    if match.status is not Status.ACTIVE or match.open is not None:
        return None
    if match.undo is not None:
        asked = Seat(1 - match.undo.by)
        return ToAnswerUndo(asked) if match.bot(asked) else None
    if match.draw is not None and match.bot(offered := Seat(1 - match.draw)):
        return ToAnswerDraw(offered)
    for box in match.acting:
        if match.bot(box):
            return ToMove(box)
    return None


def due(match: AnyMatch, delay_ms: int) -> int | None:
    """When a bot is to act; among humans it takes a moment, so that they can follow it and ask for a move back."""
    found = errand(match)
    if found is None:
        return None
    unhurried = isinstance(found, ToMove) and match.humans()
    return match.touched_at + delay_ms if unhurried else match.touched_at


def choice(game: AnyGame, match: AnyMatch, box: Seat, version: int) -> Move:
    """A bot's move; one that is at a loss, or wants what the rules forbid, moves at random."""
    name = match.bot(box)
    chance = Chance(bytes.fromhex(match.seed), f"bot {version + 1}")
    move: Move
    if name is not None and name in game.bots:
        move = game.bots[name](match.position, box, chance)
        if not isinstance(game.decide(match.position, box, move, Chance(b"", "")), Refusal):
            return move
        log.error("bot_refused", game_type=match.game_type, bot=name)
    moves = game.legal_moves(match.position, box)
    move = moves[chance.below(len(moves))]
    return move
