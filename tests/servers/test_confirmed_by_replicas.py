"""PARLOR_REDIS_WAIT_REPLICAS: nothing counts as written before the replicas have it."""

import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress

import pytest

from shared.ids import new_id
from shared.log.commit import Commit, Committed, Conflict, Kept, KeptAnswer
from shared.log.keys import LogKeys, log_keys
from shared.problems import Unavailable
from shared.servers.replicas import Unconfirmed
from tests.log.conftest import Replica
from tests.servers.conftest import waiting_for_a_replica
from tests.support.product import short_directory
from tests.support.redis_cluster import wait_for
from tests.support.redis_server import RedisServer


@pytest.fixture(scope="module")
def primary() -> Iterator[RedisServer]:
    with short_directory() as home, RedisServer(home / "primary", repl_diskless_sync_delay=0) as running:
        yield running


@pytest.fixture(scope="module")
def follower(primary: RedisServer) -> Iterator[RedisServer]:
    with short_directory() as home:
        server = RedisServer(home / "replica", replicaof=f"127.0.0.1 {primary.port}")
        with server:
            wait_for(lambda: server.replication().get("master_link_status") == "up", "the replica follows")
            yield server


@pytest.fixture
def url(primary: RedisServer, follower: RedisServer) -> str:
    return primary.url


@pytest.fixture
async def hasty(url: str) -> AsyncIterator[Replica]:
    """A careful process that does not wait for long, for answers that cannot come."""
    async for each in waiting_for_a_replica(url, within_ms=100):
        yield each


@pytest.fixture
async def other(url: str) -> AsyncIterator[Replica]:
    """Another one."""
    async for each in waiting_for_a_replica(url, within_ms=100):
        yield each


@contextmanager
def asleep(server: RedisServer) -> Iterator[None]:
    """It has died, or the network has, and nobody knows yet."""
    os.kill(server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.pid, signal.SIGCONT)


async def test_a_commit_is_on_the_replica_when_it_is_answered(
    careful: Replica, keys: LogKeys, follower: RedisServer
) -> None:
    for version in range(20):
        assert await careful.write(keys, version, "note") == Committed(version + 1)
        assert follower.ask("XLEN", keys.log) == version + 1


async def test_a_commit_that_no_replica_confirms_is_unavailable_and_its_outcome_unknown(
    careful: Replica, hasty: Replica, keys: LogKeys, follower: RedisServer
) -> None:
    await careful.write(keys, 0, "a")
    with asleep(follower):
        with pytest.raises(Unconfirmed):
            await hasty.write(keys, 1, "b")
        assert await hasty.write(keys, 1, "c") == Conflict(2)  # which promises nothing
    assert await careful.write(keys, 2, "d") == Committed(3)


async def test_the_answer_of_an_unconfirmed_command_is_given_again_only_once_it_is_confirmed(
    careful: Replica, hasty: Replica, other: Replica, keys: LogKeys, follower: RedisServer
) -> None:
    """Also by a process whose own last write is confirmed: what it repeats was written by another one."""
    commit = Commit(keys, 0, [b"a"], answer=KeptAnswer(keys.partition.answer("k" + keys.id), b"first", 60))
    assert commit.answer is not None
    with suppress(Unconfirmed):
        await other.write(log_keys("test", "notes", new_id()), 0, "something else")
    await careful.store.confirm(keys.log)  # and with it what was written before
    with asleep(follower):
        with pytest.raises(Unconfirmed):
            await hasty.store.commit(commit)
        with pytest.raises(Unconfirmed):
            await other.store.commit(commit)
        with pytest.raises(Unconfirmed):
            await other.store.recall(commit.answer.key)
    assert await careful.store.recall(commit.answer.key) == b"first"
    assert await careful.store.commit(commit) == Kept(b"first")


async def test_an_answer_without_an_effect_can_be_confirmed_too(
    careful: Replica, hasty: Replica, keys: LogKeys, follower: RedisServer
) -> None:
    await careful.store.confirm(keys.log)
    with asleep(follower), pytest.raises(Unavailable):
        await hasty.store.confirm(keys.log)


async def test_without_the_setting_nobody_is_waited_for(here: Replica, keys: LogKeys, follower: RedisServer) -> None:
    with asleep(follower):
        assert await here.write(keys, 0, "a") == Committed(1)
        await here.store.confirm(keys.log)
