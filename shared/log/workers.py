"""What happens behind the requests: due timers and outbox messages, each partition worked by one process at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

import msgspec
import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from shared import metrics
from shared.ids import new_id
from shared.log.doorbell import Doorbell
from shared.log.keys import Partition, partitions
from shared.problems import Unavailable

LEASE_MS = 3_000
POLL = 1.0  # seconds between looks; the doorbell tells of what cannot wait that long
_AT_ONCE = 100
_OUTAGE_MS = 2_000  # a lease that nobody renewed for longer than this was an outage, from then on
_OVERDUE_MS = 200  # a timer that is late by this much is acted on by whoever sees it

# Take the lease, or keep it; answers whether it is ours.
_LEASE = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
# The same for timers, and note since when nobody had asked for it, be it in vain: a dead process's lease outlives it,
# but whoever asks serves. Answers 0, or 1, how many timers there are, and the outages that are not credited yet.
_LEASE_TIMERS = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = redis.call('GET', KEYS[2])
redis.call('SET', KEYS[2], string.format('%d', now))
if last and now - last > tonumber(ARGV[3]) then
  redis.call('RPUSH', KEYS[3], string.format('%d %d', last + ARGV[3], now))
end
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return {0} end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {1, redis.call('ZCARD', KEYS[4]), unpack(redis.call('LRANGE', KEYS[3], 0, -1))}
"""
_RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1"

log = structlog.get_logger()


class Worker:
    """Holds leases and looks after its partitions. A lease only saves work: every write is a compare-and-append."""

    def __init__(self, redis: "Redis", doorbell: Doorbell, service: str, name: str) -> None:
        self._redis = redis
        self._doorbell = doorbell
        self._name = name
        self._process = new_id()
        self._partitions = partitions(service)
        self._held: set[Partition] = set()
        self._woken: set[Partition] = set()
        self._wake = asyncio.Event()
        for partition in self._partitions:
            doorbell.add(partition.bell(name), self._waker(partition))

    async def work(self, partitions: list[Partition]) -> None:
        """Do what is due in these."""
        raise NotImplementedError

    def everywhere(self) -> set[Partition]:
        """Where this worker looks each second: what it has a lease on."""
        return self._held

    def called(self, rung: set[Partition]) -> set[Partition]:
        """Where it looks in between, when the doorbell rang in these."""
        return self._held & rung

    def until_due(self) -> float:
        """Seconds until something is due."""
        return POLL

    async def run(self) -> None:
        """Until cancelled: each second renew the leases and look; in between, look where the doorbell rang."""
        loop = asyncio.get_running_loop()
        subscribed, next_poll = False, 0.0
        while True:
            self._wake.clear()
            rung, self._woken = self._woken, set()
            try:
                if not subscribed:
                    await self._listen()
                    subscribed = True
                if loop.time() >= next_poll:
                    next_poll = loop.time() + POLL
                    await self._renew()
                    looking = self.everywhere()
                else:
                    looking = self.called(rung)
                if looking:
                    await self.work(sorted(looking, key=lambda p: p.number))
            except (RedisError, OSError, Unavailable) as error:
                log.warning("worker_waits", worker=self._name, error=str(error))
                await asyncio.sleep(0.1)
            # Not wait_for: before Python 3.12 it may swallow a cancellation, and we would never stop.
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, min(self.until_due(), next_poll - loop.time()))):
                    await self._wake.wait()

    async def release(self) -> None:
        """Let another process take over at once."""
        pipe = self._redis.pipeline(transaction=False)
        for partition in self._partitions:
            pipe.eval(_RELEASE, 1, partition.lease(self._name), self._process)
        await pipe.execute()

    async def _listen(self) -> None:
        for partition in self._partitions:
            await self._doorbell.ready(partition.bell(self._name))

    def _waker(self, partition: Partition) -> Callable[[bytes], None]:
        def wake(_: bytes) -> None:
            self._woken.add(partition)
            self._wake.set()

        return wake

    async def _renew(self) -> None:
        pipe = self._redis.pipeline(transaction=False)
        for partition in self._partitions:
            pipe.eval(_LEASE, 1, partition.lease(self._name), self._process, LEASE_MS)
        held = await pipe.execute()
        self._held = {p for p, ours in zip(self._partitions, held, strict=True) if ours}


class Timers(Worker):
    """Turns due deadlines into commands, and lets clocks be credited with the time in which nobody could.

    Whoever has no lease acts on what is overdue: the process that has it may have died a moment ago.
    """

    def __init__(
        self,
        redis: "Redis",
        doorbell: Doorbell,
        service: str,
        clock: Callable[[], int],
        expire: Callable[[str, bool], Awaitable[None]],
        credit: Callable[[str, int, int], Awaitable[None]],
    ) -> None:
        """`expire` is told whether we have the lease; `credit` from when to when there was an outage."""
        super().__init__(redis, doorbell, service, "timers")
        self._clock = clock
        self._expire = expire
        self._credit = credit
        self._live = metrics.LIVE.labels(service)
        self._next: dict[Partition, float] = {}
        self._tried: dict[Partition, set[tuple[bytes, float]]] = {}  # overdue, and not ours to act on

    def everywhere(self) -> set[Partition]:
        return set(self._partitions)

    def called(self, rung: set[Partition]) -> set[Partition]:
        now = self._clock()
        for partition in rung - self._held:  # whoever has the lease is called too; we look whether it came
            self._next[partition] = min(self._next.get(partition, float("inf")), now + 2 * _OVERDUE_MS)
        return (rung & self._held) | {partition for partition, at in self._next.items() if at <= now}

    def until_due(self) -> float:
        return (min(self._next.values(), default=float("inf")) - self._clock()) / 1000

    async def prepare(self) -> None:
        """Take the leases that are free and credit outages, before anyone is served."""
        with suppress(RedisError, OSError, Unavailable):
            await self._renew()

    async def work(self, partitions: list[Partition]) -> None:
        now = self._clock()
        pipe = self._redis.pipeline(transaction=False)
        for partition in partitions:
            pipe.zrange(partition.timers, 0, _AT_ONCE, withscores=True)
        firing = []
        for partition, timers in zip(partitions, await pipe.execute(), strict=True):
            held = partition in self._held
            tried = self._tried[partition] = set() if held else self._tried.get(partition, set()) & set(timers)
            waiting = [timer for timer in timers if timer not in tried]
            late = 0 if held else _OVERDUE_MS
            firing += [self._fire(log_id, at, held) for log_id, at in waiting if at + late <= now]
            if not held:
                tried.update(timer for timer in waiting if timer[1] + late <= now)
            self._next[partition] = min((at + late for _, at in waiting if at + late > now), default=float("inf"))
        await asyncio.gather(*firing)

    async def _fire(self, log_id: bytes, deadline: float, held: bool) -> None:
        metrics.TIMERS_LATE.observe((self._clock() - deadline) / 1000)
        try:
            await self._expire(log_id.decode(), held)
        except (RedisError, OSError, Unavailable):
            raise
        except Exception:
            log.exception("timer_failed", log=log_id.decode())

    async def _renew(self) -> None:
        pipe = self._redis.pipeline(transaction=False)
        for p in self._partitions:
            keys = (p.lease(self._name), p.renewed, p.outages, p.timers)
            pipe.eval(_LEASE_TIMERS, 4, *keys, self._process, LEASE_MS, _OUTAGE_MS)
        held, waiting = set(), 0
        for partition, (ours, *found) in zip(self._partitions, await pipe.execute(), strict=True):
            if ours:
                timers, *outages = found
                for outage in outages:
                    await self._make_good(partition, outage)
                held.add(partition)
                waiting += timers
        self._held = held
        self._live.set(waiting)

    async def _make_good(self, partition: Partition, outage: bytes) -> None:
        """Credit every log of a partition that waits for something; a repeat does no harm."""
        begun, until = map(int, outage.split())
        waiting: Any = await self._redis.zrange(partition.timers, 0, -1)
        for i in range(0, len(waiting), _AT_ONCE):
            batch = [self._credit(log_id.decode(), begun, until) for log_id in waiting[i : i + _AT_ONCE]]
            await asyncio.gather(*batch)
        await self._redis.lrem(partition.outages, 0, outage.decode())


class Outbox(Worker):
    """Hands a service's outbox to one reader, in order, at least once, several at a time. A repeat must do no harm."""

    def __init__(
        self,
        redis: "Redis",
        doorbell: Doorbell,
        service: str,
        name: str,
        handle: Callable[[list[bytes]], Awaitable[None]],
        readers: Sequence[str] = (),
    ) -> None:
        """`readers` are all who must not miss a message, whether they have ever run or not."""
        super().__init__(redis, doorbell, service, name)
        self._handle = handle
        self._readers = {name, *readers}
        self._to_trim: set[Partition] = set()  # read, but not yet shortened; once a second will do

    async def work(self, partitions: list[Partition]) -> None:
        for partition, messages in zip(partitions, await self._read(partitions), strict=True):
            if messages:
                await self._deliver(partition, messages)

    async def _renew(self) -> None:
        await super()._renew()
        while self._to_trim:
            await self._trim(self._to_trim.pop())

    async def prepare(self) -> None:
        """Let every reader have its place before the first message is written."""
        await self._make_groups(self._partitions)

    async def _read(self, held: list[Partition]) -> list[list[tuple[bytes, dict[bytes, bytes]]]]:
        """What is new; where something failed before, that first. One consumer name for all: order holds."""
        pipe = self._redis.pipeline(transaction=False)
        for partition in held:
            pipe.xreadgroup(self._name, "worker", {partition.outbox: "0"}, count=_AT_ONCE)
            pipe.xreadgroup(self._name, "worker", {partition.outbox: ">"}, count=_AT_ONCE)
        replies = await pipe.execute(raise_on_error=False)
        read: list[list[Any]] = []
        for i, partition in enumerate(held):
            pair = replies[2 * i : 2 * i + 2]
            if any(isinstance(reply, ResponseError) for reply in pair):
                await self._make_groups([partition])
                read.append([])
            else:
                read.append([message for reply in pair for _, found in reply for message in found])
        return read

    async def _deliver(self, partition: Partition, messages: list[tuple[bytes, dict[bytes, bytes]]]) -> None:
        try:
            await self.hand_over(partition, [(message_id.decode(), fields[b"m"]) for message_id, fields in messages])
        except (RedisError, OSError, Unavailable):
            raise
        except Exception:
            metrics.OUTBOX.labels(self._name, "failed").inc()
            log.exception("outbox_failed", worker=self._name, first=messages[0][0].decode())
            return  # they stay pending and are tried again; what follows waits, so order holds
        await self._redis.xack(partition.outbox, self._name, *[message_id for message_id, _ in messages])
        metrics.OUTBOX.labels(self._name, "done").inc(len(messages))
        metrics.OUTBOX_LAG.labels(self._name).observe(metrics.since(_order(messages[0][0])[0]))
        self._to_trim.add(partition)

    async def hand_over(self, partition: Partition, messages: list[tuple[str, bytes]]) -> None:
        await self._handle([body for _, body in messages])

    async def _make_groups(self, partitions: Sequence[Partition]) -> None:
        pipe = self._redis.pipeline(transaction=False)
        for partition in partitions:
            for reader in self._readers:
                pipe.xgroup_create(partition.outbox, reader, "0", mkstream=True)
        for outcome in await pipe.execute(raise_on_error=False):
            if isinstance(outcome, Exception) and "BUSYGROUP" not in str(outcome):
                raise outcome

    async def _trim(self, partition: Partition) -> None:
        """Forget what every reader has handled."""
        groups = await self._redis.xinfo_groups(partition.outbox)
        if all(group["pending"] == 0 for group in groups):
            oldest = min((group["last-delivered-id"] for group in groups), key=_order)
            await self._redis.xtrim(partition.outbox, minid=oldest, approximate=False)


class Letter(msgspec.Struct, frozen=True, gc=False):
    """An outbox message with its place: whoever remembers the last place of a partition knows a repeat."""

    partition: str
    place: str
    body: bytes


class Post(Outbox):
    """An outbox whose reader is told each message's place."""

    def __init__(
        self,
        redis: "Redis",
        doorbell: Doorbell,
        service: str,
        name: str,
        handle: Callable[[list[Letter]], Awaitable[None]],
        readers: Sequence[str] = (),
    ) -> None:
        super().__init__(redis, doorbell, service, name, self._never, readers)
        self._take = handle

    async def work(self, partitions: list[Partition]) -> None:
        """Partitions are independent of each other, so that a slow one holds nobody up."""
        read = zip(partitions, await self._read(partitions), strict=True)
        work = [self._deliver(partition, messages) for partition, messages in read if messages]
        for outcome in await asyncio.gather(*work, return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome

    async def hand_over(self, partition: Partition, messages: list[tuple[str, bytes]]) -> None:
        await self._take([Letter(f"{partition.service[0]}{partition.number}", place, body) for place, body in messages])

    async def _never(self, messages: list[bytes]) -> None:
        raise NotImplementedError


def is_after(place: str, other: str) -> bool:
    """Is one place in an outbox behind another?"""
    return _order(place.encode()) > _order(other.encode())


def _order(stream_id: bytes) -> tuple[int, int]:
    ms, _, n = stream_id.partition(b"-")
    return int(ms), int(n)
