"""What happens behind the requests: due timers and outbox messages, each partition worked by one process at a time."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

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

# Take the lease, or keep it; answers whether it is ours.
_LEASE = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
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

    def due(self) -> set[Partition]:
        """Where something is due now, as far as is known without looking."""
        return set()

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
                    looking = self._held
                else:
                    looking = self._held & (rung | self.due())
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
    """Turns due deadlines into commands."""

    def __init__(
        self,
        redis: "Redis",
        doorbell: Doorbell,
        service: str,
        clock: Callable[[], int],
        expire: Callable[[str], Awaitable[None]],
    ) -> None:
        super().__init__(redis, doorbell, service, "timers")
        self._clock = clock
        self._expire = expire
        self._next: dict[Partition, float] = {}

    def due(self) -> set[Partition]:
        now = self._clock()
        return {partition for partition, at in self._next.items() if at <= now}

    def until_due(self) -> float:
        soonest = min((at for partition, at in self._next.items() if partition in self._held), default=float("inf"))
        return (soonest - self._clock()) / 1000

    async def work(self, partitions: list[Partition]) -> None:
        now = self._clock()
        pipe = self._redis.pipeline(transaction=False)
        for partition in partitions:
            pipe.zrange(partition.timers, 0, _AT_ONCE, withscores=True)
        for partition, timers in zip(partitions, await pipe.execute(), strict=True):
            for log_id, deadline in timers:
                if deadline <= now:
                    metrics.TIMERS_LATE.observe((now - deadline) / 1000)
                    await self._fire(log_id.decode())
            ahead = [deadline for _, deadline in timers if deadline > now]
            self._next[partition] = min(ahead, default=float("inf"))

    async def _fire(self, log_id: str) -> None:
        try:
            await self._expire(log_id)
        except (RedisError, OSError, Unavailable):
            raise
        except Exception:
            log.exception("timer_failed", log=log_id)


class Outbox(Worker):
    """Hands a service's outbox to one reader, in order, at least once, several at a time. A repeat must do no harm."""

    def __init__(
        self,
        redis: "Redis",
        doorbell: Doorbell,
        service: str,
        name: str,
        handle: Callable[[list[bytes]], Awaitable[None]],
    ) -> None:
        super().__init__(redis, doorbell, service, name)
        self._handle = handle

    async def work(self, partitions: list[Partition]) -> None:
        for partition, messages in zip(partitions, await self._read(partitions), strict=True):
            if messages:
                await self._deliver(partition, messages)

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
                await self._make_group(partition)
                read.append([])
            else:
                read.append([message for reply in pair for _, found in reply for message in found])
        return read

    async def _deliver(self, partition: Partition, messages: list[tuple[bytes, dict[bytes, bytes]]]) -> None:
        try:
            await self._handle([fields[b"m"] for _, fields in messages])
        except (RedisError, OSError, Unavailable):
            raise
        except Exception:
            metrics.OUTBOX.labels(self._name, "failed").inc()
            log.exception("outbox_failed", worker=self._name, first=messages[0][0].decode())
            return  # they stay pending and are tried again; what follows waits, so order holds
        await self._redis.xack(partition.outbox, self._name, *[message_id for message_id, _ in messages])
        metrics.OUTBOX.labels(self._name, "done").inc(len(messages))
        await self._trim(partition)

    async def _make_group(self, partition: Partition) -> None:
        try:
            await self._redis.xgroup_create(partition.outbox, self._name, "0", mkstream=True)
        except ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise

    async def _trim(self, partition: Partition) -> None:
        """Forget what every reader has handled."""
        groups = await self._redis.xinfo_groups(partition.outbox)
        if all(group["pending"] == 0 for group in groups):
            oldest = min((group["last-delivered-id"] for group in groups), key=_order)
            await self._redis.xtrim(partition.outbox, minid=oldest, approximate=False)


def _order(stream_id: bytes) -> tuple[int, int]:
    ms, _, n = stream_id.partition(b"-")
    return int(ms), int(n)
