"""What a full state shows beyond the channel's own log, read at the moment it is asked for."""

from typing import Any

from services.lobby import views
from services.lobby.catalogue import Catalogue
from services.lobby.channels import Channel, Situation
from services.lobby.kinds import Kinds
from services.lobby.logs import Logs
from services.lobby.machine import Value
from services.lobby.peers import SessionPeer
from services.lobby.ratings import NEWCOMER, Ratings
from services.lobby.rooms import Rooms
from shared.ids import UserId
from shared.problems import Problem

_UNSEEN: dict[str, Any] = {"gamestate": {}, "self": None, "players": [], "watchers": [], "waits": []}


class Lookups:
    def __init__(
        self, logs: Logs, kinds: Kinds, rooms: Rooms, catalogue: Catalogue, ratings: Ratings, peer: SessionPeer
    ) -> None:
        self._logs = logs
        self._kinds = kinds
        self._rooms = rooms
        self._catalogue = catalogue
        self._ratings = ratings
        self._peer = peer

    async def found(self, state: Situation, before: int | None = None, joining: UserId | None = None) -> dict[str, Any]:
        """What `views.told` adds; of a chat, what was said before a number of its log."""
        if state.value is Value.SUBSCRIBED and state.room is not None:
            return {"tables": views.table_rows(await self._rooms.tables(state.room))}
        if state.value is Value.CHAT and state.room is not None:
            chat = await self._logs.current(self._kinds.chat, state.room)
            return {"chat": views.chat(await self.topic(state.room), chat, before, joining)}
        return {}

    async def topic(self, chat: str) -> str:
        """A room's chat is about the room, a table's about its game."""
        title = await self._rooms.title(chat)
        if title is not None:
            return title
        table = await self._rooms.table(chat)
        return await self._title(table.game_type) if table else ""

    async def told(self, state: Situation, now: int, before: int | None = None) -> dict[str, Any]:
        return views.told(state, now, await self.found(state, before))

    async def full(self, channel: Channel, now: int, credentials: dict[str, str]) -> dict[str, Any]:
        """Everything, with a game as the caller may see it; raises the 503 problem if that cannot be asked for."""
        state = channel.state
        if state.value in views.GAMES:
            return views.full(state, now, await self._game(state, credentials))
        return views.full(state, now, await self.found(state))

    async def full_or_brief(self, channel: Channel, now: int, credentials: dict[str, str]) -> dict[str, Any]:
        """The same, but without the game when it cannot be asked for: the stream must open even so."""
        try:
            return await self.full(channel, now, credentials)
        except Problem:
            return views.brief(channel.state, now)

    async def _game(self, state: Situation, credentials: dict[str, str]) -> dict[str, Any]:
        view = await self._peer.view(state.game, credentials) if state.game else None
        game_type = state.game_type or ""
        found = {name: (view or _UNSEEN)[name] for name in _UNSEEN}
        if state.value is Value.WATCH:
            del found["self"]
        people = [UserId(player["user"]) for player in found["players"]]
        skills = await self._ratings.of(people, game_type)
        players = [{**p, "lvl": skills.get(UserId(p["user"]), NEWCOMER).lvl} for p in found["players"]]
        return {**found, "players": players, "gameinfo": {"id": state.game, "name": await self._title(game_type)}}

    async def _title(self, game_type: str) -> str:
        try:
            return str((await self._catalogue.type(game_type))["title"])
        except Problem:
            return game_type
