"""What comes before the clock starts: guests sign in, make games and open their streams."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from benchmarks.driver import Connection, OnResponse, Stream, request

# A full board that nobody wins, so that every game is nine moves long.
DRAW = (0, 1, 2, 4, 3, 5, 7, 6, 8)

_NEW_GAME = {"game_type": "xsos", "seats": ["me", "open"], "options": {"move_time": 0}}
_AT_ONCE = 64

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Player:
    """A signed-in guest with a connection for its commands."""

    port: int
    token: str
    connection: Connection

    async def post(self, path: str, body: object = None) -> Any:
        return await self.connection.ask(request("POST", path, self.token, body))

    async def view(self, game_id: str) -> Any:
        return await self.connection.ask(request("GET", f"/session/games/{game_id}", self.token))

    async def start_game(self, opponent: "Player") -> str:
        """Make a game that both have joined, and return its id; this player has box 0."""
        game_id: str = (await self.post("/session/games", _NEW_GAME))["id"]
        await opponent.post(f"/session/games/{game_id}/join")
        return game_id

    async def watch(self, game_id: str, box: int = -1, on_response: OnResponse | None = None) -> tuple[Stream, Any]:
        """Open a stream of the game and return it with its snapshot."""
        raw = request("GET", f"/session/games/{game_id}/events", self.token)
        return await Stream.open(self.port, raw, box, on_response)

    def moves(self, game_id: str) -> list[bytes]:
        """Every move of the drawn game as this player would post it."""
        path = f"/session/games/{game_id}/moves"
        return [request("POST", path, self.token, {"type": "play", "cell": cell}) for cell in DRAW]


async def sign_in(port: int, count: int) -> list[Player]:
    async def guest(number: int) -> Player:
        connection = await Connection.open(port)
        answer = await connection.ask(request("POST", "/lobby/auth/guest", body={"nick": f"bench {number}"}))
        return Player(port, answer["token"], connection)

    return await in_parallel(guest, range(count))


async def in_parallel(work: Callable[[T], Awaitable[R]], items: Iterable[T]) -> list[R]:
    """The results of the work in the order of the items, with a bounded number under way at a time."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(item: T) -> R:
        async with gate:
            return await work(item)

    return await asyncio.gather(*map(one, items))
