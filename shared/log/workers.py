"""What happens behind the requests, in each partition: called by the doorbell, and looking by itself each second."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from shared.ids import new_id
from shared.log.doorbell import Doorbell
from shared.log.keys import Partition, partitions
from shared.problems import Unavailable

LEASE_MS = 3_000
POLL = 1.0  # seconds between looks; the doorbell tells of what cannot wait that long

RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1"

log = structlog.get_logger()


class Worker:
    """Looks after partitions under leases. A lease only saves work: every write is a compare-and-append."""

    def __init__(self, redis: "Redis", doorbell: Doorbell, service: str, name: str, leisure: float = 0.0) -> None:
        """`leisure` is for how many seconds what rings may wait, so that what rings after it is done with it."""
        self._redis = redis
        self._leisure = leisure
        self._doorbell = doorbell
        self._name = name
        self._process = new_id()
        self._partitions = partitions(service)
        self._woken: set[Partition] = set()
        self._wake = asyncio.Event()
        for partition in self._partitions:
            doorbell.add(partition.bell(name), self._waker(partition))

    async def look(self) -> None:
        """Do what is due anywhere."""
        raise NotImplementedError

    async def come(self, rung: set[Partition]) -> None:
        """Do what is due, now that the doorbell has rung in these."""
        raise NotImplementedError

    def until_due(self) -> float:
        """Seconds until something is due."""
        return POLL

    async def run(self) -> None:
        """Until cancelled: look each second; in between, come where the doorbell rings."""
        loop = asyncio.get_running_loop()
        subscribed, next_look = False, 0.0
        while True:
            self._wake.clear()
            rung, self._woken = self._woken, set()
            try:
                if not subscribed:
                    await self._listen()
                    subscribed = True
                if loop.time() >= next_look:
                    next_look = loop.time() + POLL
                    await self.look()
                else:
                    await self.come(rung)
            except (RedisError, OSError, Unavailable) as error:
                log.warning("worker_waits", worker=self._name, error=str(error))
                await asyncio.sleep(0.1)
            except Exception:  # whatever it was: nobody else does our work
                log.exception("worker_failed", worker=self._name)
                await asyncio.sleep(POLL)
            # Not wait_for: before Python 3.12 it may swallow a cancellation, and we would never stop.
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, min(self.until_due(), next_look - loop.time()))):
                    await self._wake.wait()
                    await asyncio.sleep(self._leisure)

    async def release(self) -> None:
        """Let another process take over at once."""
        pipe = self._redis.pipeline(transaction=False)
        for partition in self._partitions:
            pipe.eval(RELEASE, 1, partition.lease(self._name), self._process)
        await pipe.execute()

    async def _listen(self) -> None:
        for partition in self._partitions:
            await self._doorbell.ready(partition.bell(self._name))

    def _waker(self, partition: Partition) -> Callable[[bytes], None]:
        def wake(_: bytes) -> None:
            self._woken.add(partition)
            self._wake.set()

        return wake
