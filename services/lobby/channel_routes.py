"""The paths of channels, queues, rooms, tables and profiles."""

import re
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Request, Response
from starlette.types import Receive, Scope, Send

from services.lobby import machine, views, xml
from services.lobby.bodies import MuteBody, NewChannel, NewTable
from services.lobby.peers import credentials
from services.lobby.service import Lobby
from shared.auth import Caller
from shared.http import CallerDep, Desk, IdempotencyDep, RawBody, answered, decoded, takes
from shared.problems import Problem, invalid

routes = APIRouter(prefix="/lobby", tags=["lobby"])

_QUEUE = re.compile(r"[a-z0-9_-]{1,64}")
_EVENTS = "/lobby/events"


async def _lobby(request: Request) -> Lobby:
    lobby: Lobby = request.app.state.lobby
    return lobby


LobbyDep = Annotated[Lobby, Depends(_lobby)]


async def _met(caller: CallerDep, lobby: LobbyDep) -> Caller:
    await lobby.reception.meet(caller)
    return caller


UserDep = Annotated[Caller, Depends(_met)]
"""The caller, who is known to the lobby from now on."""


@routes.get("/channel-machine")
async def channel_machine() -> Response:
    """The states of a channel and what leads from one to another."""
    return _json(machine.served())


@routes.post("/channels", status_code=201)
async def open_channel(caller: UserDep, raw: RawBody, idem: IdempotencyDep, lobby: LobbyDep) -> Response:
    """A new, free channel."""
    if kept := await lobby.accounts.recall(caller.user, idem):
        return answered(kept)
    body = decoded(raw, NewChannel) if raw.strip() else NewChannel()
    return answered(await lobby.accounts.create(caller, body, idem))


@routes.get("/channels")
async def channels(caller: UserDep, lobby: LobbyDep, request: Request) -> Response:
    """The caller's channels, each in brief."""
    account, now = await lobby.accounts.account(caller.user), lobby.clock()
    listed = [
        {"id": each.id, "tag": each.tag, "state": views.brief(each.state, now)} for each in account.channels.values()
    ]
    return _xml(xml.channels(listed)) if _wants_xml(request) else _json({"channels": listed})


@routes.get("/channels/{channel_id}")
async def channel(channel_id: str, caller: UserDep, lobby: LobbyDep, request: Request) -> Response:
    """One channel with all that a client needs to restore itself."""
    found = await lobby.accounts.channel(caller.user, channel_id)
    state = await lobby.lookups.full(found, lobby.clock(), credentials(request.scope["parlor.headers"]))
    if _wants_xml(request):
        return _xml(xml.state(state))
    return _json({"id": found.id, "tag": found.tag, "version": found.version, "state": state})


@routes.delete("/channels/{channel_id}", status_code=204)
async def close_channel(channel_id: str, caller: UserDep, lobby: LobbyDep) -> Response:
    """Do away with a free channel."""
    await lobby.accounts.delete(caller, channel_id)
    return Response(status_code=204)


@routes.post("/channels/{channel_id}/{command}")
async def command(
    channel_id: str,
    command: str,
    caller: UserDep,
    raw: RawBody,
    idem: IdempotencyDep,
    lobby: LobbyDep,
    request: Request,
) -> Response:
    """Find, begin, join, watch, chat, …: the channel machine has the list."""
    passed_on = credentials(request.scope["parlor.headers"])
    return answered(await lobby.commands.run(caller, channel_id, command, raw, idem, passed_on))


@routes.get("/queues/{name}")
async def queue(name: str, caller: UserDep, lobby: LobbyDep) -> Response:
    """Who waits for what, and how the caller's own search stands."""
    if not _QUEUE.fullmatch(name):
        raise invalid("A queue's name is 1 to 64 of a-z, 0-9, _ and -.")
    return _json(await lobby.queues.show(name, caller.user, lambda: lobby.accounts.searches(caller.user, name)))


@routes.get("/rooms")
async def rooms(caller: UserDep, lobby: LobbyDep) -> Response:
    """One room for each game."""
    return _json({"rooms": await lobby.rooms.all()})


@routes.get("/rooms/{room}")
async def room(room: str, caller: UserDep, lobby: LobbyDep) -> Response:
    """A room with its tables."""
    title = await lobby.rooms.title(room)
    if title is None:
        raise Problem("not_found", "There is no such room.")
    return _json({"id": room, "title": title, "tables": await lobby.rooms.tables(room)})


@routes.post("/rooms/{room}/tables", status_code=201, openapi_extra=takes(NewTable))
async def make_table(room: str, caller: UserDep, raw: RawBody, idem: IdempotencyDep, lobby: LobbyDep) -> Response:
    """A new table; making one does not seat anybody."""
    return answered(await lobby.hosting.make(caller, room, raw, idem))


@routes.post("/rooms/{room}/mutes", openapi_extra=takes(MuteBody))
async def mute(room: str, caller: UserDep, raw: RawBody, idem: IdempotencyDep, lobby: LobbyDep) -> Response:
    """Silence somebody in a chat that the caller owns."""
    return answered(await lobby.hosting.mute(caller, room, raw, idem))


@routes.get("/tables/{table_id}")
async def table(table_id: str, caller: UserDep, lobby: LobbyDep) -> Response:
    """A table with its boxes."""
    return _json(await lobby.hosting.table(table_id))


@routes.get("/users/{user_id}")
async def profile(user_id: str, caller: UserDep, lobby: LobbyDep) -> Response:
    """Somebody's profile: nick, presence and ratings."""
    found = await lobby.ratings.profile(user_id)
    if found is None:
        raise Problem("not_found", "There is no such user.")
    return _json({**found, "online": await lobby.feeds.is_present(user_id)})


@routes.get("/leaderboards/{game_type}")
async def leaderboard(game_type: str, caller: UserDep, lobby: LobbyDep) -> Response:
    """The best at a game type."""
    if not await lobby.catalogue.knows(game_type):
        raise Problem("not_found", "There is no such game type.")
    return _json({"game_type": game_type, "entries": await lobby.ratings.leaderboard(game_type)})


class EventRoute:
    """The user's stream, around the framework: it writes to its connection directly."""

    def __init__(self, lobby: Lobby, desk: Desk) -> None:
        self._lobby = lobby
        self._desk = desk

    def __call__(self, method: str, path: str) -> Any:
        return self._events if method == "GET" and path == _EVENTS else None

    async def _events(self, scope: Scope, receive: Receive, send: Send) -> int:
        caller = self._desk.caller(scope)
        await self._lobby.reception.meet(caller)
        headers = scope["parlor.headers"]
        response = await self._lobby.feeds.open(caller.user, _cursor(scope), credentials(headers))
        return await self._desk.stream(caller, response, scope, receive, send)


def _cursor(scope: Scope) -> str | None:
    header = scope["parlor.headers"].get(b"last-event-id")
    if header is not None:
        return str(header, "latin-1")
    query = Request(scope).query_params
    return query.get("last_event_id")


def _wants_xml(request: Request) -> bool:
    accepted = request.headers.get("accept", "")
    return "application/xml" in accepted and "application/json" not in accepted


def _json(body: Any) -> Response:
    return Response(msgspec.json.encode(body), media_type="application/json")


def _xml(body: bytes) -> Response:
    return Response(body, media_type="application/xml")
