"""From requests to the engine's commands."""

from collections.abc import Callable
from typing import Any

import msgspec

from services.session import decide
from services.session.engine import Engine
from services.session.games import Games
from services.session.match import AnyMatch, Player
from shared.auth import Caller
from shared.idempotency import Answer, Idempotency
from shared.ids import GameId, derived_id, new_id
from shared.problems import Problem, invalid


class NewGame(msgspec.Struct, frozen=True):
    """The body of a creation."""

    game_type: str
    seats: list[str]
    options: dict[str, Any] = {}


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
    if asked.game_type not in games:
        raise invalid("There is no such game type.")
    if len(asked.seats) not in games.type(asked.game_type).seats:
        raise invalid("This game type has another number of seats.")
    if asked.seats.count("me") > 1:
        raise invalid("`me` can be said of one seat only.")
    try:
        options = msgspec.convert(asked.options, games.game(asked.game_type).forms.options)
    except msgspec.ValidationError as error:
        raise invalid(f"options: {error}") from None
    return Wanted(asked.game_type, options, tuple(_seated(word, caller) for word in asked.seats))


def _seated(word: str, caller: Caller) -> Player | None:
    if word == "me":
        return player(caller)
    if word == "open":
        return None
    raise invalid("A seat is `me` or `open`.")


def player(caller: Caller) -> Player:
    return Player(caller.user, caller.nick, caller.avatar)


async def join(
    engine: Engine, game_id: str, caller: Caller, check: Callable[[], None], idem: Idempotency | None
) -> Answer:
    def command(_: AnyMatch) -> decide.Join:
        check()
        return decide.Join(player(caller))

    def reply(match: AnyMatch, version: int) -> dict[str, Any]:
        return {"id": game_id, "version": version, "status": match.status, "box": match.box_of(caller.user)}

    return await engine.submit(game_id, "join", command, idem, reply)


async def resign(
    engine: Engine, game_id: str, caller: Caller, check: Callable[[], None], idem: Idempotency | None
) -> Answer:
    def command(match: AnyMatch) -> decide.Resign:
        check()
        box = match.box_of(caller.user)
        if box is None:
            raise Problem("forbidden", "You have no seat in this game.")
        return decide.Resign(box)

    return await engine.submit(game_id, "resign", command, idem)
