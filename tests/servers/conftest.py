"""Redis as it runs where one server is not enough. Every module says by `url` which one it is about."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import pytest

from shared.ids import new_id
from shared.log.keys import LogKeys, log_keys
from shared.servers.replicas import Replicas
from tests.log.conftest import Replica, replica
from tests.support.deployment import settings_for
from tests.support.product import Product, short_directory
from tests.support.sentinels import Watched, watched_redis


@pytest.fixture(scope="session")
def watched() -> Iterator[Watched]:
    with watched_redis() as running:
        yield running


@pytest.fixture
async def here(url: str) -> AsyncIterator[Replica]:
    async for each in replica(url):
        yield each


@pytest.fixture
async def there(url: str) -> AsyncIterator[Replica]:
    """Another process on the same Redis."""
    async for each in replica(url):
        yield each


@pytest.fixture
async def careful(url: str) -> AsyncIterator[Replica]:
    """A process whose answers are confirmed by a replica of Redis, which is given the time it needs."""
    async for each in waiting_for_a_replica(url, within_ms=20_000):
        yield each


async def waiting_for_a_replica(url: str, within_ms: int) -> AsyncIterator[Replica]:
    async for each in replica(url, replicas=1):
        each.store._replicas = Replicas(1, within_ms)
        yield each


@pytest.fixture
def keys() -> LogKeys:
    return log_keys("test", "notes", new_id())


@contextmanager
def careful_product(url: str) -> Iterator[Product]:
    """The whole product, whose answers are confirmed by a replica of Redis."""
    with short_directory() as home:
        settings = settings_for(url, f"sqlite+aiosqlite:///{home / 'parlor.db'}")
        careful = {"PARLOR_REDIS_WAIT_REPLICAS": "1", "PARLOR_REDIS_WAIT_MS": "4000"}
        with Product(home, settings={**settings, **careful}) as running:
            yield running
            running.stop()
            assert "Traceback" not in running.log()
