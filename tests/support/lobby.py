"""A user of the lobby: channels, commands, and what they lead to."""

from typing import Any

import httpx

from tests.support.client import Json, Player
from tests.support.sse import Event, Events
from tests.support.waiting import eventually

XSOS = {"queue": "xsos", "criteria": [{"game_type": "xsos", "num_seats": 2}]}


def search(queue: str, game_type: str = "xsos", seats: Any = 2, **more: Any) -> Json:
    """The body of a search in a queue of the test's own."""
    return {"queue": queue, "criteria": [{"game_type": game_type, "num_seats": seats, **more}]}


class Seat:
    """One channel of a player."""

    def __init__(self, player: Player, channel: str) -> None:
        self.player = player
        self.id = channel

    @classmethod
    async def open(cls, player: Player, tag: str = "") -> "Seat":
        response = await player.post("/lobby/channels", {"tag": tag})
        assert response.status_code == 201, response.text
        return cls(player, response.json()["id"])

    def at(self, http: httpx.AsyncClient) -> "Seat":
        """The same channel, by way of another process."""
        return Seat(self.player.at(http), self.id)

    async def send(self, command: str, body: Any = None, *, key: str | None = None) -> httpx.Response:
        return await self.player.post(f"/lobby/channels/{self.id}/{command}", body, key=key)

    async def do(self, command: str, body: Any = None, *, key: str | None = None) -> Json:
        """A command that must succeed; answers the state."""
        response = await self.send(command, body, key=key)
        assert response.status_code == 200, f"{command}: {response.text}"
        state = response.json()["state"]
        assert isinstance(state, dict)
        return state

    async def open_state(self) -> Json:
        """The full state, as `open` gives it."""
        response = await self.player.get(f"/lobby/channels/{self.id}")
        assert response.status_code == 200, response.text
        state = response.json()["state"]
        assert isinstance(state, dict)
        return state

    async def version(self) -> int:
        return int((await self.player.get(f"/lobby/channels/{self.id}")).json()["version"])

    async def xml(self) -> str:
        headers = {**self.player.credentials, "Accept": "application/xml"}
        response = await self.player.http.get(f"/lobby/channels/{self.id}", headers=headers)
        assert response.status_code == 200, response.text
        assert response.headers["content-type"].startswith("application/xml")
        return response.text

    async def until(self, *values: str) -> Json:
        """The state once it is one of these."""
        return await eventually(self.open_state, lambda state: state["value"] in values)


def feed(player: Player, cursor: str | None = None) -> Events:
    headers = player.credentials if cursor is None else {**player.credentials, "Last-Event-ID": cursor}
    return Events(player.http, "/lobby/events", headers=headers)


async def transition(events: Events, seat: Seat, event: str) -> Event:
    """The next event of a channel, which must be this one."""
    while True:
        found = await events.next("channel")
        if found.data["channel"] == seat.id:
            assert found.data["event"] == event, found
            return found


async def make_table(player: Player, seats: int = 2, game_type: str = "xsos", **more: Any) -> str:
    response = await player.post(
        f"/lobby/rooms/{game_type}/tables", {"game_type": game_type, "num_seats": seats, **more}
    )
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


async def begin(*seats: Seat) -> str:
    """All say that they are ready; answers the game."""
    for seat in seats:
        await seat.do("begin")
    games = [(await seat.until("game"))["game"]["id"] for seat in seats]
    assert len(set(games)) == 1
    return str(games[0])


def shouted(text: str) -> str:
    """A filter for chat messages, as an operator might name one."""
    return text.upper()
