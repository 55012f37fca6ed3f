"""The numbered log on a real cluster: slots move and masters die while it is written, read and followed."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from shared.ids import new_id
from shared.log.commit import Commit, Committed, Conflict
from shared.log.keys import LogKeys, log_keys
from tests.log.conftest import Replica
from tests.log.test_hub import Reader
from tests.servers.writing import assert_saw_all, write_until
from tests.support.redis_cluster import MASTERS, Node, RedisCluster

LOGS = 40  # enough to lie on every master


@pytest.fixture
def url(cluster: RedisCluster) -> str:
    return cluster.url


async def test_commits_and_reads_of_one_moment_reach_every_master(here: Replica, cluster: RedisCluster) -> None:
    logs = [log_keys("test", "notes", new_id()) for _ in range(LOGS)]
    assert {cluster.owner(each.log) for each in logs} == set(cluster.masters)
    assert await asyncio.gather(*(here.write(each, 0, each.id) for each in logs)) == [Committed(1)] * LOGS
    assert await asyncio.gather(*(here.write(each, 0, "late") for each in logs)) == [Conflict(1)] * LOGS
    read = await here.store.read_many([(each, 0) for each in logs])
    assert read == [[(1, each.id.encode())] for each in logs]


async def test_what_one_replica_writes_on_any_master_is_heard_by_another(here: Replica, there: Replica) -> None:
    logs = [log_keys("test", "notes", new_id()) for _ in range(LOGS)]
    readers = [Reader() for _ in logs]
    for each, reader in zip(logs, readers, strict=True):
        await here.write(each, 0, "first")
        await reader.follow(there, each)
    await asyncio.gather(*(here.write(each, 1, f"second of {each.id}") for each in logs))
    for each, reader in zip(logs, readers, strict=True):
        await reader.sees(f"second of {each.id}")
        assert reader.ids() == ["1", "2"]


@pytest.mark.parametrize("how", ["move_slot", "move_slot_at_once"])
async def test_a_slot_may_move_while_its_logs_are_written_and_followed(
    here: Replica, there: Replica, keys: LogKeys, cluster: RedisCluster, how: str
) -> None:
    await here.write(keys, 0, "1")
    reader = Reader()
    await reader.follow(there, keys)
    source = cluster.owner(keys.log)
    moving = asyncio.ensure_future(asyncio.to_thread(getattr(cluster, how), keys.log))
    version = 1
    while not moving.done() or version < 30:
        assert await here.write(keys, version, str(version + 1)) == Committed(version + 1)
        version += 1
    await moving
    assert cluster.owner(keys.log) is not source
    await reader.sees(f'"text":"{version}"')
    assert reader.ids() == [str(n) for n in range(1, version + 1)]
    assert await there.store.read(keys, version - 1) == [(version, str(version).encode())]


async def test_a_key_whose_slot_is_on_its_way_is_read_where_it_lies(
    here: Replica, keys: LogKeys, cluster: RedisCluster
) -> None:
    await here.write(keys, 0, "moved")
    with cluster.half_moved(keys.log):
        assert await here.store.read(keys, 0) == [(1, b"moved")]
        assert (await here.store.load(keys)).snapshot is None
    assert await here.write(keys, 1, "after") == Committed(2)


async def test_a_dead_master_s_replica_takes_over_and_nothing_is_missed_or_doubled(
    careful: Replica, there: Replica, keys: LogKeys, cluster: RedisCluster
) -> None:
    await careful.write(keys, 0, "1")
    reader = Reader()
    await reader.follow(there, keys)
    version = await write_until(careful, keys, asyncio.to_thread(cluster.fail_over, keys.log))
    await reader.sees(f'"text":"{version}"')
    assert_saw_all(reader, version)


async def test_other_masters_serve_on_while_one_is_away(here: Replica, cluster: RedisCluster) -> None:
    logs = [log_keys("test", "notes", new_id()) for _ in range(LOGS)]
    dying = cluster.owner(logs[0].log)
    others = [each for each in logs if cluster.owner(each.log) is not dying]
    await asyncio.gather(*(here.write(each, 0, "1") for each in logs))
    with away(dying, cluster):
        outcomes = await asyncio.gather(*(here.store.commit(Commit(each, 1, [b"2"])) for each in others))
        assert outcomes == [Committed(2)] * len(others)
        assert dying not in cluster.masters
        assert len(cluster.masters) == MASTERS - 1


@contextmanager
def away(master: Node, cluster: RedisCluster) -> Iterator[None]:
    """It has died, and nobody takes over, however long it takes; else there would be about a second to look."""
    others = [node for node in cluster.nodes if node is not master]
    for node in others:
        node.ask("CONFIG", "SET", "cluster-replica-no-failover", "yes", "cluster-require-full-coverage", "no")
    master.kill()
    try:
        yield
    finally:
        master.start()
        for node in others:
            node.ask("CONFIG", "SET", "cluster-replica-no-failover", "no", "cluster-require-full-coverage", "yes")
        cluster.wait_until_whole()
