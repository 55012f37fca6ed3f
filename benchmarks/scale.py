"""`python -m benchmarks.scale`: what the session service costs with one worker process and with two.

The driver and Redis use the same cores as the workers. With two cores in all the rate says little, and CPU time for
each move, of the workers and of Redis, is the figure to plan with.
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated

import psutil
import typer
import uvloop
from rich.console import Console
from rich.table import Table

from benchmarks import moves
from benchmarks.arena import Window
from benchmarks.driver import Connection, Stream
from benchmarks.players import DRAW, Player, in_parallel, sign_in
from benchmarks.server import Server, Usage, cpu_seconds, serve
from shared.embedded import embedded_redis

PARLOR = str(Path(sys.executable).with_name("parlor"))
IDLE_GAMES = 1_000  # each with the streams of its two players
IDLE_SECONDS = 24.0  # every stream hears from us each 12 s


class Workers(Server):
    """All processes of `parlor session --workers n`, on whatever core they find."""

    def __init__(self, port: int, parent: int, redis: int) -> None:
        self.port = port
        self.redis_socket = ""
        self._parent = psutil.Process(parent)
        self._redis_pid = redis
        for process in (self._parent, *self._parent.children()):
            process.cpu_affinity([])  # wherever there is room

    def usage(self) -> Usage:
        pids = [child.pid for child in self._parent.children()] or [self._parent.pid]
        times = psutil.cpu_times()
        busy = float(times.user + times.nice + times.system + times.irq + times.softirq)
        ours, redis, driver = sum(map(cpu_seconds, pids)), cpu_seconds(self._redis_pid), cpu_seconds(os.getpid())
        wall = asyncio.get_running_loop().time()
        return Usage(wall, ours, redis, driver, server_core=busy - redis - driver, driver_core=redis + driver)


@dataclass(frozen=True, slots=True)
class Idle:
    """What streams cost on which nothing happens."""

    opening_us: float
    second_us: float
    redis_second_us: float


@asynccontextmanager
async def workers(count: int) -> AsyncIterator[tuple[Workers, list[Player]]]:
    """The session service with so many workers, on a Redis and an SQLite of its own, and players for 200 games."""
    with tempfile.TemporaryDirectory(prefix="parlor-scale-") as data:
        async with embedded_redis(Path(data)) as redis:
            settings = {
                "PARLOR_REDIS_URL": redis.url,
                "PARLOR_DATABASE_URL": f"sqlite:///{data}/parlor.db",
                "PARLOR_SECRET": "a secret of the benchmarks, long enough to be one",
            }
            migrating = await asyncio.create_subprocess_exec(PARLOR, "migrate", env={**os.environ, **settings})
            assert await migrating.wait() == 0, "the database could not be made"
            many = [PARLOR, "session", "--workers", str(count)]
            async with (
                serve([PARLOR, "lobby"], "/lobby/health/ready", settings) as lobby,
                serve(many, "/session/health/ready", settings) as session,
            ):
                server = Workers(session.port, session.pid, redis.pid)
                guests = await sign_in(lobby.port, 2 * moves.GAMES)
                yield server, [await _at(server.port, guest) for guest in guests]


async def _at(port: int, player: Player) -> Player:
    """The same player with a connection to the session service."""
    player.connection.close()
    return Player(port, player.token, await Connection.open(port))


async def idle(server: Server, players: list[Player]) -> Idle:
    """Open the streams of a thousand games in which nobody moves."""
    pairs = [players[2 * (i % moves.GAMES) : 2 * (i % moves.GAMES) + 2] for i in range(IDLE_GAMES)]
    games = await in_parallel(lambda pair: pair[0].start_game(pair[1]), pairs)
    await server.settle()
    alone = await _resting(server)
    before = server.usage()

    async def watch(number: int) -> Stream:
        game, box = divmod(number, 2)
        stream, _ = await pairs[game][box].watch(games[game])
        return stream

    streams = await in_parallel(watch, range(2 * IDLE_GAMES))
    opened = server.usage() - before
    await server.settle()
    resting = await _resting(server)
    for stream in streams:
        stream.close()
    each = 1e6 / len(streams)
    return Idle(
        opening_us=opened.server * each,
        second_us=(resting.server / resting.wall - alone.server / alone.wall) * each,
        redis_second_us=(resting.redis / resting.wall - alone.redis / alone.wall) * each,
    )


async def _resting(server: Server) -> Usage:
    before = server.usage()
    await asyncio.sleep(IDLE_SECONDS)
    return server.usage() - before


async def measure(counts: list[int], windows: int, console: Console) -> None:
    table = Table("workers", "moves/s", "workers' CPU µs a move", "Redis's", "driver's", "others", title="Moves")
    found: dict[int, list[Window]] = {count: [] for count in counts}
    costs = None
    for number in range(windows):
        for count in counts:
            async with workers(count) as (server, players):
                warm = await moves.window(server, players, 2 * moves.GAMES * len(DRAW))
                found[count].append(await moves.window(server, players, int(warm.rate * 2)))
                if number == 0 and count == counts[0]:
                    costs = await idle(server, players)
            console.print(f"{count} workers: {found[count][-1].rate:,.0f} moves/s, {_load()}", style="dim")
    for count, ours in found.items():
        usages = [(window.usage, window.count) for window in ours]
        table.add_row(
            str(count),
            _spread([window.rate for window in ours]),
            _spread([window.cpu_us for window in ours]),
            _spread([usage.redis / n * 1e6 for usage, n in usages]),
            _spread([usage.driver / n * 1e6 for usage, n in usages]),
            f"{median(window.disturbance for window in ours):.0%} of a core",
        )
    console.print(table)
    assert costs is not None, "the first window measures them"
    console.print(
        f"A stream: {costs.opening_us:,.0f} µs to open; while nothing happens {costs.second_us:.1f} µs a second, "
        f"and {costs.redis_second_us:.1f} µs of Redis"
    )


def _spread(values: list[float]) -> str:
    return f"{median(values):,.0f} ({min(values):,.0f}–{max(values):,.0f})"


def _load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"


def main(
    windows: Annotated[int, typer.Option(help="Measurements of each.", min=1)] = 3,
    counts: Annotated[str, typer.Option(help="Numbers of workers, with commas.")] = "1,2",
) -> None:
    """Measure what a move and a stream cost."""
    console = Console()
    console.print(f"{os.cpu_count()} cores, {_load()}")
    uvloop.run(measure([int(word) for word in counts.split(",")], windows, console))


if __name__ == "__main__":
    typer.run(main)
