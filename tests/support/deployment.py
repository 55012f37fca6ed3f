"""Parlor as it runs in containers: one process per service and replica, on one Redis and one database."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from tests.support.ports import own_port
from tests.support.product import START_SECONDS, Server, run_parlor, short_directory
from tests.support.redis_server import RedisServer

SECRET = "a secret of the tests, long enough to be one"
_SQLITE = re.compile(r"sqlite(\+aiosqlite)?:///")


@dataclass
class Deployment:
    """A lobby and two replicas of another service."""

    redis: RedisServer
    lobby: Server
    replicas: list[Server]

    @property
    def sessions(self) -> list[Server]:
        return self.replicas


def settings_for(redis_url: str, database_url: str) -> dict[str, str]:
    return {
        "PARLOR_REDIS_URL": redis_url,
        "PARLOR_DATABASE_URL": database_url,
        "PARLOR_SECRET": SECRET,
        "PARLOR_RATE_LIMIT": "off",
    }


@contextmanager
def deployment(
    database_url: str, replicated: str = "session", further: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Deployment]:
    """Migrate the database, then start everything."""
    with (
        short_directory() as home,
        RedisServer(home) as redis,
        fleet(home, redis.url, database_url, {"lobby": 1, replicated: 2}, further) as started,
    ):
        yield Deployment(redis, started["lobby"][0], started[replicated])


@contextmanager
def fleet(
    home: Path,
    redis_url: str,
    database_url: str,
    counts: Mapping[str, int],
    further: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[dict[str, list[Server]]]:
    """Migrate the database, then start so many replicas of each service on a Redis that is there."""
    settings = {**settings_for(redis_url, database_url), **further}
    migrate(database_url, home)
    started = {
        service: [Server(service, services=(service,), home=_own(home, service), settings=settings) for _ in range(n)]
        for service, n in counts.items()
    }
    with all_running([server for replicas in started.values() for server in replicas]):
        yield started


@dataclass
class Halls:
    lobbies: list[Server]
    sessions: list[Server]


@contextmanager
def halls(database_url: str, further: Mapping[str, str] = MappingProxyType({})) -> Iterator[Halls]:
    """Two replicas of each service; every lobby asks a session service of its own."""
    with short_directory() as home, RedisServer(home) as redis:
        settings = {**settings_for(redis.url, database_url), **further}
        migrate(database_url, home)
        made = Halls([], [])
        for n in range(2):
            at = _own(home, f"session-{n}")
            session = Server("session", services=("session",), home=at, settings=settings, port=own_port())
            asking = {**settings, "PARLOR_SESSION_URL": session.url}
            made.sessions.append(session)
            made.lobbies.append(Server("lobby", services=("lobby",), home=_own(home, f"lobby-{n}"), settings=asking))
        with all_running([*made.sessions, *made.lobbies]):
            yield made


@contextmanager
def all_running(servers: list[Server]) -> Iterator[None]:
    """Start servers together and stop them together."""
    try:
        for server in servers:
            server.launch()
        for server in servers:
            server.wait_until_ready(START_SECONDS * len(servers))  # they all start on the same few cores
        yield
    finally:
        at_once(server.close for server in servers)


def at_once(actions: Iterable[Callable[[], object]]) -> None:
    """Do what waits for processes side by side; fails if any of it does."""
    with ThreadPoolExecutor() as threads:
        for done in [threads.submit(action) for action in actions]:
            done.result()


def migrate(database_url: str, home: Path) -> None:
    """Bring a database to its newest form. A new SQLite file is copied from one that was migrated before."""
    path = Path(_SQLITE.sub("", database_url))
    if _SQLITE.match(database_url) and not path.exists():
        path.write_bytes(_migrated_file())
    else:
        _run_migrate(database_url, home)


@cache
def _migrated_file() -> bytes:
    """A new SQLite database as `parlor migrate` leaves it, made once for all who need one."""
    with short_directory() as home:
        path = home / "parlor.db"
        _run_migrate(f"sqlite:///{path}", home)
        assert [each.name for each in home.iterdir()] == [path.name], "everything is in the one file"
        return path.read_bytes()


def _run_migrate(database_url: str, home: Path) -> None:
    migrated = run_parlor("migrate", settings={"PARLOR_DATABASE_URL": database_url}, cwd=home)
    assert migrated.returncode == 0, migrated.stderr


def _own(home: Path, service: str) -> Path:
    """A working directory, so that no process can lean on a file that another one left."""
    directory = home / service
    directory.mkdir(exist_ok=True)
    return directory
