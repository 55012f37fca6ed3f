"""Deadlines: what is due becomes a command, and clocks are credited with the time in which nobody could act."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from shared import metrics
from shared.log.doorbell import Doorbell
from shared.log.forms import NotUnderstood
from shared.log.keys import Partition
from shared.log.workers import LEASE_MS, Worker
from shared.problems import Unavailable

_AT_ONCE = 100
_OUTAGE_MS = 2_000  # a lease that nobody renewed for longer than this was an outage, from then on
_OVERDUE_MS = 200  # a timer that is late by this much is acted on by whoever sees it
_NEVER = float("inf")

# Take the lease, or keep it, and note since when nobody had asked for it, be it in vain: a dead process's lease
# outlives it, but whoever asks serves. Several may ask each second, so that most of the writes can be spared.
# Answers whether it is ours, how many timers there are, the first deadline, and the outages that are not credited yet.
_LEASE = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = redis.call('GET', KEYS[2])
if not last or now - last > 700 then redis.call('SET', KEYS[2], string.format('%d', now)) end
if last and now - last > tonumber(ARGV[3]) then
  redis.call('RPUSH', KEYS[3], string.format('%d %d', last + ARGV[3], now))
end
local holder = redis.call('GET', KEYS[1])
local ours = not holder or holder == ARGV[1]
if ours and redis.call('PTTL', KEYS[1]) < ARGV[2] / 2 then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
local first = redis.call('ZRANGE', KEYS[4], 0, 0, 'WITHSCORES')[2] or ''
local outages = ours and redis.call('LRANGE', KEYS[3], 0, -1) or {}
return {ours and 1 or 0, redis.call('ZCARD', KEYS[4]), first, unpack(outages)}
"""

log = structlog.get_logger()


class Timers(Worker):
    """Turns due deadlines into commands.

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
        self._held: set[Partition] = set()
        self._next: dict[Partition, float] = {}
        self._tried: dict[Partition, set[tuple[bytes, float]]] = {}  # overdue, and not ours to act on

    async def prepare(self) -> None:
        """Take the leases that are free and credit outages, before anyone is served."""
        with suppress(RedisError, OSError, Unavailable):
            await self._renew()

    async def look(self) -> None:
        await self._renew()
        await self._work(self._due())

    async def come(self, rung: set[Partition]) -> None:
        now = self._clock()
        for partition in rung - self._held:  # whoever has the lease is called too; we look whether it came
            self._next[partition] = min(self._next.get(partition, _NEVER), now + 2 * _OVERDUE_MS)
        await self._work((rung & self._held) | self._due())

    def until_due(self) -> float:
        return (min(self._next.values(), default=_NEVER) - self._clock()) / 1000

    def _due(self) -> set[Partition]:
        now = self._clock()
        return {partition for partition, at in self._next.items() if at <= now}

    async def _work(self, where: Iterable[Partition]) -> None:
        partitions = sorted(where, key=lambda p: p.number)
        if not partitions:
            return
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
            self._next[partition] = min((at + late for _, at in waiting if at + late > now), default=_NEVER)
        await asyncio.gather(*firing)

    async def _fire(self, log_id: bytes, deadline: float, held: bool) -> None:
        metrics.TIMERS_LATE.observe((self._clock() - deadline) / 1000)
        try:
            await self._expire(log_id.decode(), held)
        except NotUnderstood:
            log.warning("timer_not_understood", log=log_id.decode())  # whoever understands sees that it is overdue
        except (RedisError, OSError, Unavailable):
            raise
        except Exception:
            log.exception("timer_failed", log=log_id.decode())

    async def _renew(self) -> None:
        pipe = self._redis.pipeline(transaction=False)
        for p in self._partitions:
            keys = (p.lease(self._name), p.renewed, p.outages, p.timers)
            pipe.eval(_LEASE, 4, *keys, self._process, LEASE_MS, _OUTAGE_MS)
        held, waiting = set(), 0
        for partition, (ours, timers, first, *outages) in zip(self._partitions, await pipe.execute(), strict=True):
            for outage in outages:
                await self._make_good(partition, outage)
            if ours:
                held.add(partition)
                waiting += timers
            self._next[partition] = float(first) + (0 if ours else _OVERDUE_MS) if first else _NEVER
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
