"""The commit script: an append names the version it expects and brings all that goes with it, or nothing."""

import asyncio

import pytest

from shared.log import lane
from shared.log.commit import Commit, Committed, Conflict, Kept, KeptAnswer, Vote
from shared.log.keys import LogKeys
from shared.runtime import wall_clock
from tests.log.conftest import Replica, replica
from tests.support.redis_server import RedisServer


async def test_versions_count_up_from_one(here: Replica, keys: LogKeys) -> None:
    assert await here.write(keys, 0, "a") == Committed(1)
    assert await here.write(keys, 1, "b") == Committed(2)
    assert await here.store.read(keys, 0) == [(1, b"a"), (2, b"b")]


async def test_one_commit_may_append_several_versions(here: Replica, keys: LogKeys) -> None:
    assert await here.write(keys, 0, "a", "b") == Committed(2)
    assert await here.store.read(keys, 1) == [(2, b"b")]


async def test_a_writer_that_is_behind_is_told_the_version_and_changes_nothing(here: Replica, keys: LogKeys) -> None:
    await here.write(keys, 0, "a", "b")
    assert await here.write(keys, 1, "late") == Conflict(2)
    assert await here.store.read(keys, 0) == [(1, b"a"), (2, b"b")]


async def test_a_writer_that_is_ahead_of_the_log_is_refused(here: Replica, keys: LogKeys) -> None:
    """A replica promoted after a failover may lack the last entries; nobody may leave a hole."""
    await here.write(keys, 0, "a")
    assert await here.write(keys, 3, "from the future") == Conflict(1)


async def test_a_trimmed_log_keeps_its_numbers(here: Replica, keys: LogKeys) -> None:
    await here.write(keys, 0, "a", "b", "c", "d")
    await here.redis.xtrim(keys.log, maxlen=2, approximate=False)
    assert isinstance(await here.write(keys, 2, "as many as are left"), Conflict)
    assert await here.write(keys, 4, "e") == Committed(5)


async def test_of_many_writers_at_one_version_exactly_one_wins(here: Replica, there: Replica, keys: LogKeys) -> None:
    writers = [replica.write(keys, 0, f"{i}") for i, replica in enumerate([here, there] * 50)]
    outcomes = await asyncio.gather(*writers)
    assert outcomes.count(Committed(1)) == 1
    assert outcomes.count(Conflict(1)) == 99


async def test_a_kept_answer_is_given_again_instead_of_a_second_effect(here: Replica, keys: LogKeys) -> None:
    answer = KeptAnswer(keys.partition.answer("k" + keys.id), b"first", 60)
    assert await here.store.commit(Commit(keys, 0, [b"a"], answer=answer)) == Committed(1)
    again = KeptAnswer(answer.key, b"second", 60)
    assert await here.store.commit(Commit(keys, 1, [b"a"], answer=again)) == Kept(b"first")
    assert await here.store.read(keys, 0) == [(1, b"a")]
    assert await here.store.recall(answer.key) == b"first"


async def test_timer_and_outbox_are_written_with_the_entry_or_not_at_all(here: Replica, keys: LogKeys) -> None:
    await here.store.commit(Commit(keys, 0, [b"a"], timer=5_000, outbox=[b"news " + keys.id.encode()]))
    await here.store.commit(Commit(keys, 0, [b"too late"], timer=9_000, outbox=[b"lies " + keys.id.encode()]))
    assert await here.redis.zscore(keys.timers, keys.id) == 5_000
    messages = [fields[b"m"] for _, fields in await here.redis.xrange(keys.outbox)]
    assert b"news " + keys.id.encode() in messages
    assert b"lies " + keys.id.encode() not in messages
    await here.store.commit(Commit(keys, 1, [b"b"], timer=0))
    assert await here.redis.zscore(keys.timers, keys.id) is None


async def test_a_redis_that_forgot_its_scripts_learns_them_again(here: Replica, keys: LogKeys) -> None:
    await here.write(keys, 0, "a")
    await here.redis.script_flush()
    assert await here.write(keys, 1, "b") == Committed(2)


async def test_a_commit_waits_for_a_redis_that_was_killed(
    here: Replica, keys: LogKeys, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane, "_PATIENCE", 60.0)  # the start of a server takes what it takes on a busy machine
    await here.write(keys, 0, "a")
    redis_server.kill()
    waiting = here.store.commit(Commit(keys, 1, [b"b"]))
    await asyncio.to_thread(redis_server.start)
    assert await waiting == Committed(2)
    assert await here.store.read(keys, 0) == [(1, b"a"), (2, b"b")]


async def test_a_commit_that_landed_before_its_connection_broke_is_recognised(here: Replica, keys: LogKeys) -> None:
    """The repeat meets its own entry in the log and must not be taken for a loser."""
    mine = Commit(keys, 0, [b"mine"])
    assert await here.store.commit(mine) == Committed(1)
    assert await here.store._own(mine, Conflict(1)) == Committed(1)
    other = Commit(keys, 0, [b"another's"])
    assert await here.store._own(other, Conflict(1)) == Conflict(1)


class Cut:
    """A way to a server that breaks instead of bringing the answer to a commit, once it is told to."""

    def __init__(self, port: int) -> None:
        self._target = port
        self.armed = False

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        commits = False

        def hang_up() -> None:
            for end in (writer, far_writer):
                end.transport.abort()

        async def ask() -> None:
            nonlocal commits
            while said := await reader.read(65536):
                commits |= b"EVALSHA" in said
                far_writer.write(said)
            hang_up()

        async def answer() -> None:
            while (told := await far_reader.read(65536)) and not (commits and self.armed):
                writer.write(told)
            self.armed &= not commits
            hang_up()

        await asyncio.gather(ask(), answer())


async def test_a_commit_whose_answer_was_lost_with_its_connection_has_landed_once(
    redis_server: RedisServer, keys: LogKeys
) -> None:
    way = Cut(redis_server.port)
    async with await asyncio.start_server(way.carry, "127.0.0.1") as server:
        port = server.sockets[0].getsockname()[1]
        async for each in replica(f"redis://127.0.0.1:{port}/0"):
            await each.write(keys, 0, "a")
            way.armed = True
            assert await each.write(keys, 1, "b") == Committed(2)
            assert not way.armed
            assert await each.store.read(keys, 0) == [(1, b"a"), (2, b"b")]


async def test_a_commit_calls_whoever_keeps_time_for_what_is_due_soon(here: Replica, keys: LogKeys) -> None:
    rung = asyncio.Event()
    here.doorbell.add(keys.timers, lambda _: rung.set())
    await here.doorbell.ready(keys.timers)
    await here.store.commit(Commit(keys, 0, [b"a"], timer=wall_clock() + 300))
    async with asyncio.timeout(10):
        await rung.wait()
    here.doorbell.drop(keys.timers)


async def test_a_timer_can_be_put_right_without_an_entry_but_not_by_a_writer_that_is_behind(
    here: Replica, keys: LogKeys
) -> None:
    await here.store.commit(Commit(keys, 0, [b"a"], timer=5_000))
    assert await here.store.commit(Commit(keys, 1, [], timer=7_000)) == Committed(1)
    assert await here.redis.zscore(keys.timers, keys.id) == 7_000
    assert await here.store.commit(Commit(keys, 0, [], timer=9_000)) == Conflict(1)
    assert await here.redis.zscore(keys.timers, keys.id) == 7_000


async def test_a_vote_counts_only_for_what_it_was_given_on(here: Replica, keys: LogKeys) -> None:
    """A deadline may let a wave go that somebody has acknowledged: that says nothing about the next one."""
    await here.write(keys, 0, "first wave")
    assert await here.store.commit(Commit(keys, 1, [b"next"], vote=Vote("0", "1", ["1"]))) == Committed(1)
    await here.write(keys, 1, "second wave, at the deadline")
    assert await here.store.commit(Commit(keys, 2, [b"next"], vote=Vote("1", "2", ["0"]))) == Committed(2)
    assert await here.store.read(keys, 2) == []
    assert await here.store.commit(Commit(keys, 2, [b"next"], vote=Vote("0", "2", ["1"]))) == Committed(3)


async def test_a_vote_that_waits_for_others_has_an_answer_of_its_own_to_repeat(here: Replica, keys: LogKeys) -> None:
    await here.write(keys, 0, "wave")
    answer = KeptAnswer(keys.partition.answer("k" + keys.id), b"let go", 60)
    early = Commit(keys, 1, [b"next"], answer=answer, vote=Vote("0", "1", ["1"], until_then=b"noted"))
    assert await here.store.commit(early) == Committed(1)
    assert await here.store.commit(early) == Kept(b"noted")
    assert await here.store.recall(answer.key) == b"noted"
