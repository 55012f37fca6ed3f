"""The durable move: posted, committed and pushed to both players, against a bare FastAPI POST.

Two hundred games have one move in flight each. For the baseline the same two hundred pairs of connections
have one POST in flight each; its request is smaller (no token, a short path) and nothing is pushed.
"""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle

from benchmarks.arena import Arena, Window
from benchmarks.driver import BenchmarkError, Connection, request
from benchmarks.players import DRAW, Player
from benchmarks.server import Server

GAMES = 200

# The streams of all games are open before the clock starts. Those of games to come (or over) cost the server
# heartbeats that 200 games alone would not: windows are kept short and many rather than few and long.
_MOST_GAMES_PER_LANE = 4


@dataclass(frozen=True, slots=True)
class Latency:
    """From the POST of a move to its arrival on the opponent's stream, in seconds."""

    window: Window
    p50: float
    p99: float


async def window(server: Server, players: Sequence[Player], moves: int) -> Window:
    """Moves played flat out, about that many."""
    arena = Arena(server, _pairs(players))
    await arena.prepare(_games_per_lane(moves))
    return (await arena.play(warm_up=2 * GAMES))[0]


async def latency(server: Server, players: Sequence[Player], rate: float, seconds: float) -> Latency:
    """The latency when the same games are paced to so many moves a second in all."""
    arena = Arena(server, _pairs(players), interval=GAMES / rate)
    await arena.prepare(_games_per_lane(rate * seconds))
    played, _ = await arena.play(warm_up=2 * GAMES)
    # The moves after the window belong to games that end with ever fewer beside them.
    ordered = sorted(arena.latencies[: played.count])
    return Latency(
        window=played,
        p50=ordered[len(ordered) // 2],
        p99=ordered[len(ordered) * 99 // 100],
    )


async def bare_window(server: Server, seconds: float) -> Window:
    """The baseline's POSTs, flat out for so long."""
    answers = 0
    refused = 0
    bodies = cycle([request("POST", "/moves", body={"type": "play", "cell": cell}) for cell in DRAW])
    connections = [await Connection.open(server.port) for _ in range(2 * GAMES)]

    def pass_on(to: Connection) -> None:
        def answered(status: int, body: bytes) -> None:
            nonlocal answers, refused
            answers += 1
            refused += status != 200
            to.send(next(bodies))

        connections[connections.index(to) ^ 1].on_answer = answered

    for connection in connections:
        pass_on(connection)
    for first in connections[::2]:
        first.send(next(bodies))
    await asyncio.sleep(0.2)
    counted, before = answers, server.usage()
    await asyncio.sleep(seconds)
    result = Window(answers - counted, server.usage() - before)
    for connection in connections:
        connection.on_answer = None
        connection.close()
    if refused or not result.count:
        raise BenchmarkError(f"the baseline refused {refused} of {answers} posts")
    return result


def _pairs(players: Sequence[Player]) -> list[Sequence[Player]]:
    return [players[i : i + 2] for i in range(0, 2 * GAMES, 2)]


def _games_per_lane(moves: float) -> int:
    return min(_MOST_GAMES_PER_LANE, max(2, math.ceil(moves / GAMES / len(DRAW))))
