"""The acknowledgement, against a durable move in the same run: the most frequent command of a game told in waves.

Two hundred games of Cabo for three wait for the acknowledgements of a round's beginning: three of the first wave, two
of the second, and a third that nobody waits for, as nobody does for those of any last wave (of every move in a game of
three, one in three). One acknowledgement is in flight in each game, and two of its players have their streams open.
"""

import asyncio
import math
from collections.abc import Iterator, Sequence

from benchmarks.arena import Window
from benchmarks.driver import BenchmarkError, Connection, Stream, request
from benchmarks.moves import GAMES
from benchmarks.players import Player, in_parallel
from benchmarks.server import Server

PER_GAME = 6

_SEATS = 3
_MOST_GAMES_PER_LANE = 6
_NEW_GAME = {
    "game_type": "cabo",
    "seats": ["me", "open", "open"],
    "options": {"move_time": 0, "ack_time": 120, "start_time": 600},
}


class Lane:
    """Games of the same three players, acknowledged one after the other on one connection."""

    def __init__(self, players: Sequence[Player]) -> None:
        self.acked = 0
        self.trouble = ""
        self.done = asyncio.Event()
        self.streams: list[Stream] = []
        self._players = players
        self._games: list[str] = []
        self._requests: Iterator[bytes] = iter(())
        self._connection: Connection

    async def prepare(self, games: int) -> None:
        """Make the games and start their first rounds, so that everyone is waited for."""
        self._connection = await Connection.open(self._players[0].port)
        requests: list[bytes] = []
        for _ in range(games):
            game, version = await self._open_game()
            self._games.append(game)
            for wave in (version, version + 1):
                body = {"version": wave}
                path = f"/session/games/{game}/acks"
                requests += [request("POST", path, player.token, body) for player in self._players]
        self._requests = iter(requests)
        self._connection.on_answer = self._answered

    async def _open_game(self) -> tuple[str, int]:
        first, *others = self._players
        game: str = (await first.post("/session/games", _NEW_GAME))["id"]
        for player in others:
            await player.post(f"/session/games/{game}/join")
        for player in others:
            self.streams.append((await player.watch(game))[0])
        version: int = (await first.post(f"/session/games/{game}/moves", {"type": "StartRound"}))["version"]
        return game, version

    def go_on(self) -> None:
        raw = next(self._requests, None)
        if raw is None:
            self.done.set()
        else:
            self._connection.send(raw)

    def _answered(self, status: int, body: bytes) -> None:
        if status != 200:
            self.trouble = f"an acknowledgement was answered {status}: {body[:300]!r}"
            self.done.set()
            return
        self.acked += 1
        self.go_on()

    async def check(self) -> None:
        """The first turn has begun in every game."""
        if self.trouble:
            raise BenchmarkError(self.trouble)
        view = await self._players[0].view(self._games[-1])
        if view["gamestate"]["phase"] == "A" or any(wait["name"] == "ack" for wait in view["waits"]):
            raise BenchmarkError(f"not every wave came to its end: {view}")

    def close(self) -> None:
        self._connection.on_answer = None
        self._connection.close()
        for stream in self.streams:
            stream.close()


async def window(server: Server, players: Sequence[Player], acks: int) -> Window:
    """Acknowledgements given flat out, about that many."""
    lanes = [Lane([players[(i + 133 * j) % len(players)] for j in range(_SEATS)]) for i in range(GAMES)]
    games = min(_MOST_GAMES_PER_LANE, max(2, math.ceil(acks / GAMES / PER_GAME)))
    await in_parallel(lambda lane: lane.prepare(games), lanes[:1])
    for batch in range(1, GAMES, 66):  # a player's connection carries one request at a time
        await in_parallel(lambda lane: lane.prepare(games), lanes[batch : batch + 66])
    await server.settle()
    before = server.usage()
    for lane in lanes:
        lane.go_on()
    async with asyncio.timeout(60):
        await asyncio.gather(*(lane.done.wait() for lane in lanes))
    usage = server.usage() - before
    for lane in lanes:
        await lane.check()
        lane.close()
    await server.settle()
    return Window(GAMES * games * PER_GAME, usage)
