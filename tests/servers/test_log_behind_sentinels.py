"""The numbered log on a primary that sentinels name: when they name another one, everybody follows."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from shared.ids import new_id
from shared.log.commit import Committed
from shared.log.keys import log_keys
from tests.log.conftest import Replica, replica
from tests.log.test_hub import Reader
from tests.servers.writing import write_until
from tests.support.sentinels import Watched


@pytest.fixture
async def here(watched: Watched) -> AsyncIterator[Replica]:
    async for each in replica(watched.url, replicas=1):
        yield each


@pytest.fixture
async def there(watched: Watched) -> AsyncIterator[Replica]:
    async for each in replica(watched.url):
        yield each


async def test_a_log_is_written_read_and_followed(here: Replica, there: Replica) -> None:
    keys = log_keys("test", "notes", new_id())
    assert await here.write(keys, 0, "first") == Committed(1)
    reader = Reader()
    await reader.follow(there, keys)
    assert await here.write(keys, 1, "second") == Committed(2)
    await reader.sees("second")
    assert await there.store.read(keys, 0) == [(1, b"first"), (2, b"second")]


async def test_another_primary_is_followed_and_nothing_is_missed_or_doubled(
    here: Replica, there: Replica, watched: Watched
) -> None:
    keys = log_keys("test", "notes", new_id())
    await here.write(keys, 0, "1")
    reader = Reader()
    await reader.follow(there, keys)
    before = watched.primary
    version = await write_until(here, keys, asyncio.to_thread(watched.fail_over))
    assert watched.primary is not before
    await reader.sees(f'"text":"{version}"')
    assert reader.ids() == [str(n) for n in range(1, version + 1)]
