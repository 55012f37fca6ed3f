"""Timers and outboxes: worked by one process at a time, in order, and by another when that one is gone."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import pairwise

from shared.ids import new_id
from shared.log.commit import Commit
from shared.log.keys import LogKeys, Partition, log_keys, partitions
from shared.log.outbox import Outbox
from shared.log.timers import Timers
from shared.log.workers import LEASE_MS
from shared.problems import Unavailable
from shared.runtime import running, wall_clock
from tests.log.conftest import Replica
from tests.support.waiting import eventually


class Inbox:
    """Collects what a worker hands over; may fail first."""

    def __init__(self, failures: int = 0) -> None:
        self.got: list[str] = []
        self._failures = failures
        self._refused = 0
        self._grown = asyncio.Event()

    async def take(self, *items: str) -> None:
        if self._failures:
            self._failures -= 1
            self._refused += 1
            raise ValueError("not yet")
        self.got += items
        self._grown.set()

    async def take_batch(self, messages: list[bytes]) -> None:
        await self.take(*[message.decode() for message in messages])

    async def all(self) -> list[str]:
        return self.got

    async def refused(self) -> int:
        return self._refused

    async def holds(self, count: int) -> list[str]:
        async with asyncio.timeout(30):
            while len(self.got) < count:
                self._grown.clear()
                await self._grown.wait()
        return self.got


def once(replica: Replica, inbox: Inbox) -> Callable[[str, bool], Awaitable[None]]:
    """A handler of timers that clears the timer, as a committed command would."""

    async def expire(log_id: str, in_charge: bool) -> None:
        await replica.redis.zrem(log_keys("test", "notes", log_id).timers, log_id)
        await inbox.take(log_id)

    return expire


def timers(
    replica: Replica,
    inbox: Inbox,
    credits: list[tuple[str, int, int]] | None = None,
    clock: Callable[[], int] = wall_clock,
) -> Timers:
    async def credit(log_id: str, begun: int, until: int) -> None:
        if credits is not None:
            credits.append((log_id, begun, until))

    return Timers(replica.redis, replica.doorbell, "test", clock, once(replica, inbox), credit)


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now = wall_clock()

    def __call__(self) -> int:
        return self.now


async def take_leases(replica: Replica, holder: str, ms: int) -> None:
    """Somebody else has every lease for so long."""
    for partition in partitions("test"):
        await replica.redis.set(partition.lease("timers"), holder, px=ms)


def outages(*asked: int) -> list[tuple[int, int]]:
    """What is an outage when the lease was asked for at these times, by the clock of Redis.

    None at all, unless we are kept from the processor for a second: then there was one.
    """
    return [(one + 2_000, other) for one, other in pairwise(asked) if other - one > 2_000]


async def last_asked(replica: Replica, partition: Partition) -> int:
    noted = await replica.redis.get(partition.renewed)
    return int(noted)


async def test_a_timer_fires_by_itself_and_not_before_its_time(here: Replica, keys: LogKeys) -> None:
    inbox = Inbox()
    async with running(timers(here, inbox).run()):
        due = wall_clock() + 300
        await here.store.commit(Commit(keys, 0, [b"a"], timer=due))
        assert await inbox.holds(1) == [keys.id]
        assert wall_clock() >= due


async def test_a_timer_that_rings_is_waited_for_to_the_millisecond(here: Replica, keys: LogKeys) -> None:
    """Not until the next look, a second later."""
    inbox, clock = Inbox(), Clock()
    worker = timers(here, inbox, clock=clock)
    await worker.look()
    await here.store.commit(Commit(keys, 0, [b"a"], timer=clock.now + 300))
    await worker.come({keys.partition})
    assert (inbox.got, worker.until_due()) == ([], 0.3)
    clock.now += 299
    await worker.come(set())
    assert inbox.got == []
    clock.now += 1
    await worker.come(set())
    assert inbox.got == [keys.id]
    await worker.release()


async def test_a_timer_that_was_due_while_nobody_looked_fires_at_the_start(here: Replica, keys: LogKeys) -> None:
    await here.store.commit(Commit(keys, 0, [b"a"], timer=wall_clock() - 60_000))
    inbox = Inbox()
    async with running(timers(here, inbox).run()):
        assert await inbox.holds(1) == [keys.id]


async def test_one_of_two_processes_works_and_the_other_takes_over(here: Replica, there: Replica) -> None:
    first, second = Inbox(), Inbox()
    worker = timers(here, first)
    async with running(timers(there, second).run()):
        async with running(worker.run()):
            early = [log_keys("test", "notes", new_id()) for _ in range(20)]
            for each in early:
                await here.store.commit(Commit(each, 0, [b"a"], timer=wall_clock()))
            wanted = {each.id for each in early}
            await eventually(first.all, lambda got: {*got, *second.got} == wanted)
        late = log_keys("test", "notes", new_id())
        await here.store.commit(Commit(late, 0, [b"a"], timer=wall_clock()))
        await worker.release()
        await eventually(second.all, lambda got: late.id in got)


async def test_a_timer_whose_holder_has_died_is_acted_on_by_whoever_sees_that_it_is_overdue(
    here: Replica, keys: LogKeys
) -> None:
    await take_leases(here, "a process that is dead", 60_000)
    inbox = Inbox()
    async with running(timers(here, inbox).run()):
        due = wall_clock() + 300
        await here.store.commit(Commit(keys, 0, [b"a"], timer=due))
        assert await inbox.holds(1) == [keys.id]
        assert wall_clock() >= due + 200


async def test_a_timer_of_another_is_acted_on_as_soon_as_it_is_overdue(here: Replica, keys: LogKeys) -> None:
    await take_leases(here, "a process that is dead", 60_000)
    inbox, clock = Inbox(), Clock()
    worker = timers(here, inbox, clock=clock)
    await worker.look()
    await here.store.commit(Commit(keys, 0, [b"a"], timer=clock.now + 1_500))
    await worker.come({keys.partition})
    assert worker.until_due() == 0.4, "whoever has the lease is called too; we look whether it came"
    clock.now += 400
    await worker.come(set())
    assert (inbox.got, worker.until_due()) == ([], 1.3)
    clock.now += 1_299
    await worker.come(set())
    assert inbox.got == []
    clock.now += 1
    await worker.come(set())
    assert inbox.got == [keys.id]


async def test_an_outage_is_credited_before_anything_is_acted_on(here: Replica, keys: LogKeys) -> None:
    partition, now = keys.partition, wall_clock()
    await here.store.commit(Commit(keys, 0, [b"a"], timer=now - 5_000))
    await here.redis.set(partition.renewed, now - 30_000)
    inbox: Inbox = Inbox()
    credits: list[tuple[str, int, int]] = []
    worker = timers(here, inbox, credits)
    await worker.prepare()
    asked = await last_asked(here, partition)
    assert now <= asked <= wall_clock()
    assert credits == [(keys.id, now - 28_000, asked)], "the first two seconds are nobody's fault"
    assert inbox.got == []
    assert await here.redis.lrange(partition.outages, 0, -1) == []
    await worker.prepare()
    assert credits.count((keys.id, now - 28_000, asked)) == 1, "once"
    await worker.release()


async def test_a_gap_of_less_than_two_seconds_is_no_outage(here: Replica, keys: LogKeys) -> None:
    await here.store.commit(Commit(keys, 0, [b"a"], timer=wall_clock() + 60_000))
    credits: list[tuple[str, int, int]] = []
    worker = timers(here, Inbox(), credits)
    before = wall_clock() - 1_000
    await here.redis.set(keys.partition.renewed, before)
    await worker.prepare()
    after = await last_asked(here, keys.partition)
    assert after > before
    assert credits == [(keys.id, *each) for each in outages(before, after)]
    await worker.release()


async def test_waiting_for_a_dead_process_lease_to_run_out_is_no_outage(here: Replica, keys: LogKeys) -> None:
    """Who asks for the lease in vain serves nevertheless, and that is noted."""
    partition = keys.partition
    await here.store.commit(Commit(keys, 0, [b"a"], timer=wall_clock() + 60_000))
    credits: list[tuple[str, int, int]] = []
    worker = timers(here, Inbox(), credits)
    began = wall_clock() - 1_000
    await here.redis.set(partition.renewed, began)
    await here.redis.set(partition.lease("timers"), "a process that was killed", px=60_000)
    await worker.prepare()
    in_vain = await last_asked(here, partition)
    assert in_vain > began
    assert await here.redis.get(partition.lease("timers")) == b"a process that was killed"
    await here.redis.pexpire(partition.lease("timers"), 0)
    await worker.prepare()
    assert await here.redis.get(partition.lease("timers")) is not None
    asked = await last_asked(here, partition)
    assert credits == [(keys.id, *each) for each in outages(began, in_vain, asked)]
    await worker.release()


async def test_an_outage_whose_credit_was_interrupted_is_credited_by_the_next(here: Replica, keys: LogKeys) -> None:
    await here.store.commit(Commit(keys, 0, [b"a"], timer=wall_clock() + 60_000))
    await here.redis.rpush(keys.partition.outages, "1000 2000")
    credits: list[tuple[str, int, int]] = []
    worker = timers(here, Inbox(), credits)
    await worker.prepare()
    assert (keys.id, 1000, 2000) in credits
    await worker.release()


async def test_an_outage_is_credited_even_if_the_first_who_tries_dies_over_it(
    here: Replica, there: Replica, keys: LogKeys
) -> None:
    await here.store.commit(Commit(keys, 0, [b"a"], timer=wall_clock() + 60_000))
    await here.redis.rpush(keys.partition.outages, "1000 2000")

    async def die(log_id: str, begun: int, until: int) -> None:
        raise Unavailable

    credits: list[tuple[str, int, int]] = []
    dying = Timers(here.redis, here.doorbell, "test", wall_clock, once(here, Inbox()), die)
    await dying.prepare()
    await dying.release()
    worker = timers(there, Inbox(), credits)
    await worker.prepare()
    assert (keys.id, 1000, 2000) in credits
    await worker.release()


async def test_outbox_messages_arrive_in_order_even_after_a_failure(here: Replica, keys: LogKeys) -> None:
    inbox = Inbox(failures=2)
    async with running(Outbox(here.redis, here.doorbell, "test", new_id(), inbox.take_batch).run()):
        messages = [f"{keys.id} {i}" for i in range(5)]
        for version, message in enumerate(messages):
            await here.store.commit(Commit(keys, version, [b"a"], outbox=[message.encode()]))
        assert await inbox.holds(5) == messages


async def test_what_a_dead_reader_had_taken_is_handed_to_the_next(here: Replica, there: Replica, keys: LogKeys) -> None:
    name = new_id()
    stuck, healthy = Inbox(failures=1_000_000), Inbox()
    dying = Outbox(here.redis, here.doorbell, "test", name, stuck.take_batch)
    async with running(dying.run()):
        await here.store.commit(Commit(keys, 0, [b"a"], outbox=[b"news"]))
        await eventually(stuck.refused, bool)
    lease = keys.partition.lease(name)
    assert 0 < await here.redis.pttl(lease) <= LEASE_MS
    await here.redis.pexpire(lease, 0)  # as it does by itself in three seconds
    async with running(Outbox(there.redis, there.doorbell, "test", name, healthy.take_batch).run()):
        await eventually(healthy.all, lambda got: "news" in got)


async def test_order_holds_though_more_has_failed_than_is_read_at_once(here: Replica) -> None:
    """A batch that fails while ever more is written behind it is handed over first, and whole."""
    keys = log_keys("orderly", "notes", new_id())
    letters = [b"%d" % i for i in range(250)]
    inbox = Inbox(failures=3)
    worker = Outbox(here.redis, here.doorbell, "orderly", "reader", inbox.take_batch)
    await worker.prepare()
    for i in range(0, len(letters), 60):
        await here.store.commit(Commit(keys, 0, [], outbox=letters[i : i + 60]))
        await worker.look()
    await worker.look()
    await worker.look()
    assert inbox.got == [letter.decode() for letter in letters]


async def test_what_one_reader_has_failed_on_is_kept_though_another_has_handled_it(here: Replica) -> None:
    """An outbox is shortened by what all of its readers have handled, not by what they were handed."""
    keys = log_keys("shared", "notes", new_id())
    quick, slow = Inbox(), Inbox(failures=1)
    handled = Outbox(here.redis, here.doorbell, "shared", "quick", quick.take_batch, ["slow"])
    failed = Outbox(here.redis, here.doorbell, "shared", "slow", slow.take_batch, ["quick"])
    await handled.prepare()
    await here.store.commit(Commit(keys, 0, [], outbox=[b"news"]))
    await failed.look()
    for _ in range(2):  # what was handled at one look is let go at the next
        await handled.look()
    for _ in range(2):
        await failed.look()
    assert (quick.got, slow.got) == (["news"], ["news"])
    assert await here.redis.xlen(keys.outbox) == 0
