"""The session service's paths, except the two in `hot`."""

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Query, Request, Response

from services.session import commands, replays
from services.session.engine import Engine
from services.session.games import Games
from shared import catalogue
from shared.http import CallerDep, IdempotencyDep, RawBody, answered, decoded, nothing, takes
from shared.problems import invalid

routes = APIRouter(prefix="/session", tags=["session"])


async def _engine(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine


async def _games(request: Request) -> Games:
    games: Games = request.app.state.games
    return games


async def _replays(request: Request) -> replays.Replays:
    found: replays.Replays = request.app.state.replays
    return found


EngineDep = Annotated[Engine, Depends(_engine)]
GamesDep = Annotated[Games, Depends(_games)]
ReplaysDep = Annotated[replays.Replays, Depends(_replays)]


@routes.get("/game-types")
async def game_types(games: GamesDep) -> dict[str, Any]:
    """Every way to play, with the schemas of its options and moves."""
    return {"types": [t for game in games.all for t in catalogue.described(game)["types"]]}


@routes.post("/games", status_code=201, openapi_extra=takes(commands.NewGame))
async def create(caller: CallerDep, raw: RawBody, idem: IdempotencyDep, engine: EngineDep, games: GamesDep) -> Response:
    """Make a game; seats are `me`, `open` or `bot:<name>`."""
    game_id = commands.id_for(caller, idem)
    if kept := await engine.recall(game_id, idem):
        return answered(kept)
    wanted = commands.checked(decoded(raw, commands.NewGame), caller, games)
    return answered(await engine.create(game_id, wanted.game_type, wanted.options, wanted.players, idem))


@routes.post("/games/{game_id}/join")
async def join(game_id: str, caller: CallerDep, raw: RawBody, idem: IdempotencyDep, engine: EngineDep) -> Response:
    """Take the lowest open seat; the game starts when none is left."""
    return answered(await commands.join(engine, game_id, caller, lambda: nothing(raw), idem))


@routes.post("/games/{game_id}/resign")
async def resign(game_id: str, caller: CallerDep, raw: RawBody, idem: IdempotencyDep, engine: EngineDep) -> Response:
    """Give the game up."""
    return answered(await commands.resign(engine, game_id, caller, lambda: nothing(raw), idem))


@routes.post("/games/{game_id}/undo", openapi_extra=takes(commands.UndoWord))
async def say_undo(game_id: str, caller: CallerDep, raw: RawBody, idem: IdempotencyDep, engine: EngineDep) -> Response:
    """Ask for your last move back, or answer such a request."""
    return answered(await commands.say_undo(engine, game_id, caller, raw, idem))


@routes.post("/games/{game_id}/draw", openapi_extra=takes(commands.DrawWord))
async def say_draw(game_id: str, caller: CallerDep, raw: RawBody, idem: IdempotencyDep, engine: EngineDep) -> Response:
    """Offer a draw in a game for two, or answer such an offer."""
    return answered(await commands.say_draw(engine, game_id, caller, raw, idem))


@routes.post("/games/{game_id}/leave")
async def leave(game_id: str, caller: CallerDep, raw: RawBody, idem: IdempotencyDep, engine: EngineDep) -> Response:
    """Let the others see that you are away; your clock runs on."""
    return answered(await commands.mark_away(engine, game_id, caller, lambda: nothing(raw), True, idem))


@routes.post("/games/{game_id}/return")
async def come_back(game_id: str, caller: CallerDep, raw: RawBody, idem: IdempotencyDep, engine: EngineDep) -> Response:
    """Let the others see that you are back."""
    return answered(await commands.mark_away(engine, game_id, caller, lambda: nothing(raw), False, idem))


@routes.get("/games/{game_id}")
async def view(game_id: str, caller: CallerDep, engine: EngineDep) -> Response:
    """All that the caller may see of the game now."""
    return Response(msgspec.json.encode(await engine.view(game_id, caller.user)), media_type="application/json")


@routes.get("/games/{game_id}/replay")
async def replay(
    game_id: str, caller: CallerDep, found: ReplaysDep, box: Annotated[str | None, Query(alias="as")] = None
) -> Response:
    """The whole course of a game that is over, as watchers or as one seat saw it."""
    if box is not None and not (box.isascii() and box.isdigit() and len(box) < 4):
        raise invalid("`as` is the number of a box.")
    shown = await found.replay(game_id, int(box) if box is not None else None)
    return Response(msgspec.json.encode(shown), media_type="application/json")
