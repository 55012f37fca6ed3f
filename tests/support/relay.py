"""A player of the relay protocol, version 3, as seed clients speak it: payloads, a room, its stream."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from services.relay.machine import RoomLog, room_id
from services.relay.marks import Marks
from shared.ids import UserId
from shared.log.keys import log_keys
from shared.runtime import clients
from shared.servers.address import parsed
from shared.servers.topology import servers_at
from tests.support.client import Json, Player
from tests.support.sse import Events
from tests.support.waiting import eventually

CLIENT_MSG = "/relay/client_msg"


def room_path(room: str) -> str:
    return f"/relay/rooms/{quote(room, safe='')}"


@dataclass
class Peer:
    """Somebody in a room, who counts its own messages."""

    player: Player
    room: str
    seq: int = 0
    sent: list[Json] = field(default_factory=list)

    @property
    def id(self) -> str:
        return self.player.id

    def payload(self, action: str, *, seq: int | None = None, **fields: Any) -> Json:
        """The next message, which is counted, or one of another number, which is not."""
        if seq is None:
            seq, self.seq = self.seq, self.seq + 1
        if action in ("join", "start_game"):
            fields.setdefault("name", str(self.player.user["nick"]))
        return {"version": 3, "seq": seq, "from": self.id, "utouId": self.room, "action": action, **fields}

    async def post(self, payload: Any, *, key: str | None = None) -> httpx.Response:
        return await self.player.post(CLIENT_MSG, payload, key=key)

    async def send(self, action: str, *, seq: int | None = None, **fields: Any) -> Json:
        """Send a message that must be accepted; return the answer."""
        payload = self.payload(action, seq=seq, **fields)
        self.sent.append(payload)
        response = await self.post(payload)
        assert response.status_code == 200, f"{payload}: {response.text}"
        answer = response.json()
        assert isinstance(answer, dict)
        return answer

    async def look(self) -> httpx.Response:
        return await self.player.get(room_path(self.room))

    async def view(self) -> Json:
        response = await self.look()
        assert response.status_code == 200, response.text
        view = response.json()
        assert isinstance(view, dict)
        return view

    def events(self, cursor: str | int | None = None) -> Events:
        """The room's stream as this player is told it; with a cursor, from after that id."""
        credentials = self.player.credentials
        headers = credentials if cursor is None else {**credentials, "Last-Event-ID": str(cursor)}
        return Events(self.player.http, f"{room_path(self.room)}/events", headers=headers)

    def at(self, http: httpx.AsyncClient) -> "Peer":
        """The same player, talking to another process."""
        return Peer(self.player.at(http), self.room, self.seq)


async def handshake(first: Peer, second: Peer) -> None:
    """Both join, the earlier one starts, the later one acknowledges."""
    await first.send("join")
    await second.send("join")
    await first.send("start_game")
    await second.send("start_game_ack")


async def marked(redis_url: str, peer: Peer, version: int) -> None:
    """Until Redis knows that this player has taken everything up to a version, which is noted a moment after it."""
    servers = servers_at(parsed(redis_url))
    await servers.refresh()
    redis, _ = clients(servers)
    marks = Marks(redis, servers)
    user, keys = UserId(peer.id), log_keys(RoomLog.service, RoomLog.kind, room_id(peer.room))
    await eventually(lambda: marks.taken(keys, [user]), lambda taken: taken[user] >= version)
    await redis.aclose()
    await servers.close()
