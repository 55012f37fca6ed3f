"""The numbered log on a primary that sentinels name: when they name another one, everybody follows."""

import asyncio

import pytest

from shared.log.commit import Committed
from shared.log.keys import LogKeys
from tests.log.conftest import Replica
from tests.log.test_hub import Reader
from tests.servers.writing import assert_saw_all, write_until
from tests.support.sentinels import Watched


@pytest.fixture
def url(watched: Watched) -> str:
    return watched.url


async def test_a_log_is_written_read_and_followed(here: Replica, there: Replica, keys: LogKeys) -> None:
    assert await here.write(keys, 0, "first") == Committed(1)
    reader = Reader()
    await reader.follow(there, keys)
    assert await here.write(keys, 1, "second") == Committed(2)
    await reader.sees("second")
    assert await there.store.read(keys, 0) == [(1, b"first"), (2, b"second")]


async def test_another_primary_is_followed_and_nothing_is_missed_or_doubled(
    careful: Replica, there: Replica, keys: LogKeys, watched: Watched
) -> None:
    await careful.write(keys, 0, "1")
    reader = Reader()
    await reader.follow(there, keys)
    before = watched.primary
    version = await write_until(careful, keys, asyncio.to_thread(watched.fail_over))
    assert watched.primary is not before
    await reader.sees(f'"text":"{version}"')
    assert_saw_all(reader, version)
