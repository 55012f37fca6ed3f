"""The push: events written to 200 open streams, against a raw ASGI server that writes the same bytes.

Two games are played at a time, each with a hundred streams (its players and 98 watchers), so that one game's
commit overlaps the other's pushes. A move is posted as soon as the opponent's stream shows the one before.

The baseline gets the same load from the same code: as many streams, open for as many events, with the events
of a real game as the bodies of its POSTs, each of which is written to a hundred streams. What the ratio shows
is the price of everything that Parlor does besides writing. Of the events only `response` is counted.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar

from benchmarks.arena import Arena, Window
from benchmarks.driver import BenchmarkError, Connection, OnResponse, Stream, encode, request
from benchmarks.players import DRAW, Player, in_parallel
from benchmarks.server import Server

STREAMS = 200
_LANES = 2
_PER_GAME = STREAMS // _LANES
_PEOPLE = 2 * _LANES + _PER_GAME - 2

_EVENT = re.compile(rb"(?:[a-z]+: [^\n]*\n)+\n")


@dataclass(frozen=True, slots=True)
class Repeater(Player):
    """A player of the baseline, whose moves are the events that the crowd will see."""

    events: Sequence[bytes]
    _numbers: ClassVar = count()

    async def start_game(self, opponent: Player) -> str:
        return str(next(self._numbers))

    async def watch(self, game_id: str, box: int = -1, on_response: OnResponse | None = None) -> tuple[Stream, Any]:
        return await Stream.open(self.port, request("GET", f"/crowds/{game_id}"), box, on_response)

    def moves(self, game_id: str) -> list[bytes]:
        return [encode("POST", f"/crowds/{game_id}", "", event) for event in self.events]

    async def view(self, game_id: str) -> Any:
        return {"status": "finished", "result": {"winners": []}}


async def window(server: Server, players: Sequence[Player], games: int) -> Window:
    """Pushes while each lane plays so many games to its crowd."""
    arena = Arena(server, [players[2 * lane : 2 * lane + 2] for lane in range(_LANES)])
    await arena.prepare(games, watchers=players[2 * _LANES : _PEOPLE])
    return (await arena.play(warm_up=4 * _LANES))[1]


async def record(players: Sequence[Player]) -> list[bytes]:
    """What a watcher is sent in the course of a game, by move."""
    *pair, watcher = players[:3]
    game_id = await pair[0].start_game(pair[1])
    arrived = asyncio.Event()
    stream, snapshot = await watcher.watch(game_id, on_response=lambda box, count: arrived.set())
    mover = snapshot["gamestate"]["colors"].index("X")
    events = []
    for cell in DRAW:
        arrived.clear()
        await pair[mover].post(f"/session/games/{game_id}/moves", {"type": "play", "cell": cell})
        try:
            await asyncio.wait_for(arrived.wait(), timeout=5.0)
        except TimeoutError:
            raise BenchmarkError(f"a move in game {game_id} did not reach the watcher") from None
        mover ^= 1
        if cell == DRAW[-1]:
            await asyncio.sleep(0.1)
        events.append(b"".join(_EVENT.findall(stream.last)))
    stream.close()
    return events


async def repeaters(server: Server, events: Sequence[bytes]) -> list[Player]:
    async def repeater(_: int) -> Player:
        return Repeater(server.port, "", await Connection.open(server.port), events)

    return await in_parallel(repeater, range(_PEOPLE))
