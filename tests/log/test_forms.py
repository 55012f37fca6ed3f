"""What a newer release writes while this one still runs: left to those who can read it, while nothing else stops."""

import asyncio

import msgspec

from shared.ids import new_id
from shared.log import forms
from shared.log.commit import Commit
from shared.log.forms import NotUnderstood
from shared.log.keys import LogKeys, log_keys
from shared.log.live import Transition
from shared.log.outbox import Outbox
from shared.runtime import running
from tests.log.conftest import NoteLog, Notes, Replica
from tests.log.test_hub import Reader
from tests.log.test_workers import Inbox, timers

NEWER = "a form that nobody knows yet"


class Older(NoteLog):
    """The notes as a release reads them that does not know everything."""

    def decode(self, state: Notes | None, raw: bytes) -> str:
        if raw.decode() == NEWER:
            raise NotUnderstood
        return super().decode(state, raw)

    def decode_state(self, raw: bytes) -> Notes:
        form, body = forms.opened(raw)
        if form != 1:
            raise NotUnderstood
        return super().decode_state(body)


async def followed(replica: Replica, keys: LogKeys) -> Reader:
    await replica.write(keys, 0, "first")
    await replica.hub.log(Older(), keys.id)
    reader = Reader()
    await reader.follow(replica, keys)
    await reader.sees('"reason":"connect"')
    return reader


async def test_streams_of_a_log_that_is_beyond_us_end_and_all_others_go_on(
    here: Replica, there: Replica, keys: LogKeys
) -> None:
    other = log_keys("test", "notes", new_id())
    reader, bystander = await followed(here, keys), await followed(here, other)
    await there.write(keys, 1, NEWER)
    await reader.ends()
    await there.write(other, 1, "second")
    await bystander.sees("second")
    assert bystander.ids() == ["1", "2"]


async def test_the_heartbeat_outlives_an_entry_that_is_beyond_us(here: Replica, keys: LogKeys) -> None:
    other = log_keys("test", "notes", new_id())
    reader, bystander = await followed(here, keys), await followed(here, other)
    await here.redis.xadd(keys.log, {"e": NEWER}, id="2-0")  # without a doorbell, so that only the heartbeat meets it
    await reader.ends()
    await here.redis.xadd(other.log, {"e": "unannounced"}, id="2-0")
    await bystander.sees("unannounced")


async def test_whoever_follows_a_log_by_itself_is_told_that_it_goes_on_elsewhere(
    here: Replica, there: Replica, keys: LogKeys
) -> None:
    await here.write(keys, 0, "first")
    live = await here.hub.log(Older(), keys.id)
    assert live is not None
    heard: list[Transition[Notes, str]] = []
    elsewhere = asyncio.Event()
    end = await here.hub.tap(live, heard.append, elsewhere.set)
    await there.write(keys, 1, NEWER)
    await asyncio.wait_for(elsewhere.wait(), 30)
    assert heard == []
    end()


async def test_a_snapshot_of_another_form_is_no_obstacle_while_the_log_is_whole(here: Replica, keys: LogKeys) -> None:
    await here.write(keys, 0, "first", "second")
    await here.redis.set(keys.snapshot, b"2 " + forms.stamped(b"something else altogether", 2))
    live = await here.hub.log(Older(), keys.id)
    assert live is not None
    assert live.state == ("first", "second")


async def test_a_trimmed_log_with_a_snapshot_of_another_form_is_left_to_others(here: Replica, keys: LogKeys) -> None:
    await here.write(keys, 0, "first", "second")
    await here.redis.set(keys.snapshot, b"2 " + forms.stamped(b"something else altogether", 2))
    await here.redis.xtrim(keys.log, minid="2-0", approximate=False)
    try:
        await here.hub.log(Older(), keys.id)
    except NotUnderstood:
        return
    raise AssertionError("it was read")


async def test_a_message_that_is_beyond_us_is_left_to_a_replica_that_can_read_it(here: Replica, there: Replica) -> None:
    """Order holds, and the other partitions are served all the while."""
    keys, elsewhere = (log_keys("test", "notes", each) for each in ("one", "another"))
    assert keys.partition != elsewhere.partition

    async def too_new(messages: list[bytes]) -> None:
        for message in messages:
            if message == b"new":
                raise msgspec.ValidationError("an order of a kind that nobody knows yet")
        await ours.take_batch(messages)

    ours, theirs = Inbox(), Inbox()
    old = Outbox(here.redis, here.doorbell, "test", "forms", too_new)
    new = Outbox(there.redis, there.doorbell, "test", "forms", theirs.take_batch)
    await old.prepare()
    async with running(old.run()):
        await here.store.commit(Commit(keys, 0, [], outbox=[b"new", b"newer"]))
        await here.store.commit(Commit(elsewhere, 0, [], outbox=[b"old"]))
        assert await ours.holds(1) == ["old"]
        async with running(new.run()):
            assert await theirs.holds(2) == ["new", "newer"]
        assert ours.got == ["old"]


async def test_a_timer_that_is_beyond_us_does_not_keep_the_others_waiting(here: Replica, keys: LogKeys) -> None:
    inbox = Inbox()
    worker = timers(here, inbox)
    known, beyond = worker._expire, log_keys("test", "notes", new_id())

    async def expire(log_id: str, in_charge: bool) -> None:
        if log_id == beyond.id:
            raise NotUnderstood
        await known(log_id, in_charge)

    worker._expire = expire
    async with running(worker.run()):
        await here.store.commit(Commit(beyond, 0, [], timer=1))
        await here.store.commit(Commit(keys, 0, [], timer=1))
        assert await inbox.holds(1) == [keys.id]
