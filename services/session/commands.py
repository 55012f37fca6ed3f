"""From requests to the engine's commands."""

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from services.session import bots, decide, undo
from services.session.decide import Command
from services.session.engine import Engine, version_only
from services.session.facts import Fact, Player, bot_player
from services.session.games import AnyGame, Games
from services.session.match import AnyMatch
from shared.auth import Caller
from shared.catalogue import canonical
from shared.http import decoded
from shared.idempotency import Answer, Idempotency
from shared.ids import GameId, derived_id, new_id
from shared.kernel import Seat
from shared.problems import Problem, invalid


class NewGame(msgspec.Struct, frozen=True):
    """The body of a creation."""

    game_type: str
    seats: list[str]
    options: dict[str, Any] = {}


class UndoWord(msgspec.Struct, frozen=True):
    """The body of everything said about taking a move back."""

    action: Literal["request", "approve", "reject", "auto_reject"]
    seen: int | None = None


class DrawWord(msgspec.Struct, frozen=True):
    """The body of everything said about a draw."""

    action: Literal["offer", "accept", "reject"]


class Wanted(msgspec.Struct, frozen=True):
    """A creation that can be made."""

    game_type: str
    options: Any
    players: tuple[Player | None, ...]


def id_for(caller: Caller, idem: Idempotency | None) -> GameId:
    """A repeated creation with the same key makes the same id."""
    return GameId(derived_id("game", caller.user, idem.name) if idem else new_id())


def checked(asked: NewGame, caller: Caller, games: Games) -> Wanted:
    """Raises the 422 problem for what cannot be made."""
    game_type = canonical(asked.game_type)
    if game_type not in games:
        raise invalid("There is no such game type.")
    if len(asked.seats) not in games.type(game_type).seats:
        raise invalid("This game type has another number of seats.")
    if asked.seats.count("me") > 1:
        raise invalid("`me` can be said of one seat only.")
    game = games.game(game_type)
    try:
        options = msgspec.convert(asked.options, game.forms.options)
    except msgspec.ValidationError as error:
        raise invalid(f"options: {error}") from None
    return Wanted(game_type, options, tuple(_seated(word, caller, game) for word in asked.seats))


def _seated(word: str, caller: Caller, game: AnyGame) -> Player | None:
    if word == "me":
        return player(caller)
    if word == "open":
        return None
    kind, _, name = word.partition(":")
    if kind == "bot" and name in bots.names(game):
        return bot_player(name)
    raise invalid(
        f"A seat is `me`, `open` or one of {', '.join(f'`bot:{name}`' for name in sorted(bots.names(game)))}."
    )


def player(caller: Caller) -> Player:
    return Player(caller.user, caller.nick, caller.avatar)


def seat_of(match: AnyMatch, caller: Caller) -> Seat:
    """The caller's seat; raises the 403 problem."""
    box = match.box_of(caller.user)
    if box is None:
        raise Problem("forbidden", "You have no seat in this game.")
    return box


async def join(
    engine: Engine, game_id: str, caller: Caller, check: Callable[[], None], idem: Idempotency | None
) -> Answer:
    def command(_: AnyMatch) -> Command:
        check()
        return decide.Join(player(caller))

    def reply(match: AnyMatch, version: int, facts: tuple[Fact, ...]) -> dict[str, Any]:
        return {"id": game_id, "version": version, "status": match.status, "box": match.box_of(caller.user)}

    return await engine.submit(game_id, "join", command, idem, reply)


async def resign(
    engine: Engine, game_id: str, caller: Caller, check: Callable[[], None], idem: Idempotency | None
) -> Answer:
    def command(match: AnyMatch) -> Command:
        box = seat_of(match, caller)
        check()
        return decide.Resign(box)

    return await engine.submit(game_id, "resign", command, idem)


async def say_undo(engine: Engine, game_id: str, caller: Caller, raw: bytes, idem: Idempotency | None) -> Answer:
    """Ask for a move back, or answer such a request."""

    def command(match: AnyMatch) -> Command:
        box = seat_of(match, caller)
        word = decoded(raw, UndoWord)
        if word.action == "request":
            return decide.AskUndo(box, word.seen)
        return decide.AnswerUndo(box, undo.Answer(word.action), word.seen)

    return await engine.submit(game_id, "undo", command, idem, version_only)


async def say_draw(engine: Engine, game_id: str, caller: Caller, raw: bytes, idem: Idempotency | None) -> Answer:
    """Offer a draw, or answer such an offer."""

    def command(match: AnyMatch) -> Command:
        box = seat_of(match, caller)
        return decide.Draw(box, decoded(raw, DrawWord).action)

    return await engine.submit(game_id, "draw", command, idem, version_only)


async def mark_away(
    engine: Engine, game_id: str, caller: Caller, check: Callable[[], None], away: bool, idem: Idempotency | None
) -> Answer:
    return await engine.mark_away(game_id, caller.user, away, idem, check)
