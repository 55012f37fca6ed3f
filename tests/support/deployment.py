"""Parlor as it runs in containers: one process per service and replica, on one Redis and one database."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.product import START_SECONDS, Server, run_parlor, short_directory
from tests.support.redis_server import RedisServer

SECRET = "a secret of the tests, long enough to be one"


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
def deployment(database_url: str, replicated: str = "session") -> Iterator[Deployment]:
    """Migrate the database, then start everything."""
    with short_directory() as home, ExitStack() as stack:
        redis = stack.enter_context(RedisServer(home))
        settings = settings_for(redis.url, database_url)
        migrated = run_parlor("migrate", settings=settings, cwd=home)
        assert migrated.returncode == 0, migrated.stderr

        servers = [
            Server(service, services=(service,), home=_own(home, service), settings=settings)
            for service in ("lobby", replicated, replicated)
        ]
        for server in servers:
            server.launch()
            stack.callback(server.close)
        for server in servers:
            server.wait_until_ready()
        lobby, *replicas = servers
        yield Deployment(redis, lobby, replicas)


def _own(home: Path, service: str) -> Path:
    """A working directory, so that no process can lean on a file that another one left."""
    directory = home / service
    directory.mkdir(exist_ok=True)
    return directory


@contextmanager
def fleet(
    home: Path, redis_url: str, database_url: str, counts: Mapping[str, int], further: Mapping[str, str] | None = None
) -> Iterator[dict[str, list[Server]]]:
    """Migrate the database, then start so many replicas of each service on a Redis that is there."""
    settings = {**settings_for(redis_url, database_url), **(further or {})}
    migrated = run_parlor("migrate", settings=settings, cwd=home)
    assert migrated.returncode == 0, migrated.stderr
    started = {
        service: [Server(service, services=(service,), home=_own(home, service), settings=settings) for _ in range(n)]
        for service, n in counts.items()
    }
    with ExitStack() as stack:
        servers = [server for replicas in started.values() for server in replicas]
        for server in servers:
            server.launch()
            stack.callback(server.close)
        for server in servers:
            server.wait_until_ready(START_SECONDS * len(servers) / 2)  # they all start on the same few cores
        yield started
