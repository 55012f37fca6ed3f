"""A real Redis, and a log of notes: the smallest thing that has versions."""

import asyncio
from collections.abc import AsyncIterator, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from shared.ids import UserId, new_id
from shared.kernel import Message
from shared.log.commit import Commit, CommitOutcome
from shared.log.doorbell import Doorbell
from shared.log.hub import Hub
from shared.log.keys import LogKeys, log_keys
from shared.log.live import Here, LiveLog
from shared.log.store import LogStore
from shared.runtime import clients, running, wall_clock
from shared.servers.address import parsed
from shared.servers.replicas import Replicas
from shared.servers.topology import servers_at
from tests.support.product import short_directory
from tests.support.redis_server import RedisServer

Notes = tuple[str, ...]


class NoteLog:
    """Each entry is a note; everyone sees all of them."""

    service = "test"
    kind = "notes"

    def decode(self, state: Notes | None, raw: bytes) -> str:
        return raw.decode()

    def evolve(self, state: Notes | None, entry: str) -> Notes:
        return (*(state or ()), entry)

    def encode_state(self, state: Notes) -> bytes:
        return "\n".join(state).encode()

    def decode_state(self, raw: bytes) -> Notes:
        return tuple(raw.decode().split("\n"))

    def perspective(self, state: Notes, user: UserId) -> Hashable:
        return None

    def regroups(self, before: Notes | None, after: Notes) -> bool:
        return False

    def messages(
        self,
        log_id: str,
        version: int,
        before: Notes | None,
        entry: str,
        after: Notes,
        user: UserId,
        here: Here,
        now: int | None,
    ) -> list[Message]:
        return [Message("note", {"text": entry})]

    def snapshot(self, log_id: str, version: int, state: Notes, user: UserId, here: Here, now: int) -> dict[str, Any]:
        return {"version": version, "notes": state}

    def presence(self, state: Notes, here: Here) -> dict[str, Any]:
        return {"here": sorted(here)}


@dataclass
class Replica:
    """What one process of a service has: its own connections, store and hub."""

    redis: Any  # its stubs know neither bytes nor commands given as words
    store: LogStore
    doorbell: Doorbell
    hub: Hub

    async def write(self, keys: LogKeys, expected: int, *notes: str) -> CommitOutcome:
        return await self.store.commit(Commit(keys, expected, [note.encode() for note in notes]))

    async def log(self, keys: LogKeys) -> LiveLog[Notes, str]:
        live = await self.hub.log(NoteLog(), keys.id)
        assert live is not None, "no such log"
        return live


async def replica(url: str, replicas: int = 0) -> AsyncIterator[Replica]:
    servers = servers_at(parsed(url))
    await servers.refresh()
    redis, _ = clients(servers)
    store, doorbell = LogStore(redis, servers, Replicas(replicas, 1_000) if replicas else None), Doorbell(servers)
    hub = Hub(redis, store, doorbell, wall_clock)
    async with running(doorbell.run(), hub.run()):
        yield Replica(redis, store, doorbell, hub)
        await hub.drain(0)
        await asyncio.sleep(0)
        await hub.settle()
    await store.close()
    await redis.aclose()
    await servers.close()


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    with short_directory() as home, RedisServer(home) as server:
        yield server


@pytest.fixture
async def here(redis_server: RedisServer) -> AsyncIterator[Replica]:
    """A replica on an empty Redis: timers and outboxes are shared by many logs, and a test is to find its own alone."""
    async for each in replica(redis_server.url):
        await each.redis.flushall()
        yield each


@pytest.fixture
async def there(redis_server: RedisServer) -> AsyncIterator[Replica]:
    """Another replica on the same Redis."""
    async for each in replica(redis_server.url):
        yield each


@pytest.fixture
def keys() -> LogKeys:
    return log_keys("test", "notes", new_id())
