"""`--workers`: several processes behind one port, replaced when they die, ended together."""

from pathlib import Path

import httpx
import psutil

from tests.support.client import Player, open_client
from tests.support.deployment import settings_for
from tests.support.ports import own_ports
from tests.support.product import Server, run_parlor, short_directory
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually
from tests.support.xsos import X_WINS, Match


def workers(server: Server) -> list[psutil.Process]:
    return [child for child in server.process.children() if child.status() != psutil.STATUS_ZOMBIE]


async def play_a_game(lobby: Server, session: Server) -> None:
    async with open_client(lobby.url) as lobby_http, open_client(session.url) as http:
        ann, bob = [(await Player.guest(lobby_http, nick)).at(http) for nick in ("Ann", "Bob")]
        match = await Match.start(ann, bob)
        async with match.o.events(match.id) as events:
            for number, cell in enumerate(X_WINS):
                await match.play(cell, after=number)
            assert (await events.next("game_over")).data["reason"] == "line"


async def shown_by_each(first: int) -> list[dict[str, float]]:
    """What two workers show at their own ports, by the name of the metric; nothing while one is still on its way."""
    pages = []
    for port in (first, first + 1):
        async with open_client(f"http://127.0.0.1:{port}") as http:
            try:
                pages.append((await http.get("/metrics")).text)
            except httpx.TransportError:
                return []
    return [
        {name: float(value) for name, value in (line.rsplit(" ", 1) for line in page.splitlines() if line[0] != "#")}
        for page in pages
    ]


async def test_workers_share_the_port_are_replaced_when_killed_and_end_together(tmp_path: Path) -> None:
    with short_directory() as home, RedisServer(home) as redis:
        settings = settings_for(redis.url, f"sqlite+aiosqlite:///{tmp_path / 'parlor.db'}")
        assert run_parlor("migrate", settings=settings, cwd=home).returncode == 0
        lobby = Server("lobby", services=("lobby",), home=home, settings=settings)
        first = own_ports(2)
        own = {**settings, "PARLOR_METRICS_PORT": str(first)}
        session = Server("session", "--workers", "2", services=("session",), home=home, settings=own)
        with lobby, session:
            await play_a_game(lobby, session)
            moves = 'parlor_commands_total{command="move",outcome="accepted"}'
            both = await eventually(lambda: shown_by_each(first), bool)
            assert sum(shown.get(moves, 0) for shown in both) == len(X_WINS)
            before = workers(session)
            assert len(before) == 2
            before[0].kill()

            async def alive() -> list[psutil.Process]:
                return workers(session)

            after = await eventually(alive, lambda now: len(now) == 2 and before[0] not in now)
            await play_a_game(lobby, session)
            both = await eventually(lambda: shown_by_each(first), bool)
            assert all(shown["process_cpu_seconds_total"] > 0 for shown in both)
        assert not any(each.is_running() for each in after)
