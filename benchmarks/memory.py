"""Memory per idle SSE stream: how much the server's resident set grows with 2,000 streams open."""

import asyncio
from dataclasses import dataclass

from benchmarks.driver import Stream
from benchmarks.players import in_parallel, sign_in
from benchmarks.server import Server

STREAMS = 2000
_GAMES = 100
_WATCHERS = STREAMS // _GAMES
_PLAYERS = 200
_ALIVE_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Memory:
    per_stream: float
    streams: int
    alive: int


async def measure(server: Server) -> Memory:
    """Open 20 streams on each of 100 games of a fresh server, then see how many of them still live."""
    players = await sign_in(server.port, _PLAYERS)
    pairs = [players[i : i + 2] for i in range(0, 2 * _GAMES, 2)]
    games = await in_parallel(lambda pair: pair[0].start_game(pair[1]), pairs)

    async def watch(number: int) -> tuple[Stream, int]:
        # Each user watches ten games, none of them its own.
        game, place = divmod(number, _WATCHERS)
        watcher = players[(2 * game + 2 + 7 * place) % _PLAYERS]
        stream, snapshot = await watcher.watch(games[game])
        return stream, snapshot["gamestate"]["colors"].index("X")

    # The first streams pay for what is imported, compiled and cached once; they are not the ones measured.
    for stream, _ in await in_parallel(watch, range(_WATCHERS)):
        stream.close()
    await server.settle()
    before = server.rss()
    watched = await in_parallel(watch, range(STREAMS))
    await server.settle()
    await asyncio.sleep(1.0)
    growth = server.rss() - before

    streams = [stream for stream, _ in watched]
    starters = [starter for _, starter in watched[::_WATCHERS]]

    async def move(game: int) -> None:
        body = {"type": "play", "cell": 0}
        await pairs[game][starters[game]].post(f"/session/games/{games[game]}/moves", body)

    await in_parallel(move, range(_GAMES))
    for _ in range(_ALIVE_SECONDS):
        if all(stream.seen for stream in streams):
            break
        await asyncio.sleep(1.0)
    alive = sum(stream.seen == 1 and not stream.lost for stream in streams)
    for stream in streams:
        stream.close()
    return Memory(per_stream=growth / STREAMS, streams=STREAMS, alive=alive)
