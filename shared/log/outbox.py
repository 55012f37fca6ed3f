"""Outboxes: what a service has to tell is handed to each of its readers, in order and at least once."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

import msgspec
import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from shared import metrics
from shared.log.doorbell import Doorbell
from shared.log.forms import NotUnderstood
from shared.log.keys import Partition
from shared.log.workers import LEASE_MS, RELEASE, Worker
from shared.problems import Unavailable

_AT_ONCE = 100
_STEP_BACK = 10.0  # seconds for which what is beyond us is left to the other replicas

# Take the lease, or keep it, and what there is to read: first what failed before, and nothing new before all of that,
# so that order holds; one consumer name for all. Answers the messages, or for how many more ms somebody else has it.
_TAKE = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return redis.call('PTTL', KEYS[1]) end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local found = {}
for _, from in ipairs({'0', '>'}) do
  local room = ARGV[4] - #found
  if room > 0 then
    local read = redis.call('XREADGROUP', 'GROUP', ARGV[3], 'worker', 'COUNT', room, 'STREAMS', KEYS[2], from)
    for _, message in ipairs(read and read[1][2] or {}) do found[#found + 1] = message end
  end
end
return found
"""

# Forget what every reader has handled.
_TRIM = """
local keep
for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
  local told = {}
  for i = 1, #group, 2 do told[group[i]] = group[i + 1] end
  if told['pending'] > 0 then return 0 end
  local ms, n = string.match(told['last-delivered-id'], '(%d+)-(%d+)')
  ms, n = tonumber(ms), tonumber(n)
  if not keep or ms < keep[1] or (ms == keep[1] and n < keep[2]) then keep = {ms, n} end
end
if not keep then return 0 end
return redis.call('XTRIM', KEYS[1], 'MINID', string.format('%d-%d', keep[1], keep[2] + 1))
"""

log = structlog.get_logger()

Message = tuple[bytes, list[bytes]]  # its id, and its one field with the body
Confirm = Callable[[str], Awaitable[None]]


async def _as_it_is(_: str) -> None:
    """Nobody is waited for."""


class Outbox(Worker):
    """Hands a service's outbox to one reader, several messages at a time. A repeat must do no harm.

    Most partitions are empty most of the time, so that a lease is taken only where there is something to read.
    """

    def __init__(
        self,
        redis: "Redis",
        doorbell: Doorbell,
        service: str,
        name: str,
        handle: Callable[[list[bytes]], Awaitable[None]],
        readers: Sequence[str] = (),
        confirm: Confirm = _as_it_is,
        leisure: float = 0.0,
    ) -> None:
        """`readers` are all who must not miss a message, whether they have ever run or not.

        `confirm` waits until the messages beside a key can no longer be lost: what they lead to could not be either.
        """
        super().__init__(redis, doorbell, service, name, leisure)
        self._handle = handle
        self._confirm = confirm
        self._readers = {name, *readers}
        self._others: dict[Partition, float] = {}  # until when another process has the lease
        self._beyond: dict[Partition, float] = {}  # what we could not read, and when we may try again
        self._to_trim: set[Partition] = set()  # read, but not yet shortened; once a second will do

    async def prepare(self) -> None:
        """Let every reader have its place before the first message is written."""
        await self._make_groups(self._partitions)

    async def look(self) -> None:
        pipe = self._redis.pipeline(transaction=False)
        while self._to_trim:
            pipe.eval(_TRIM, 1, self._to_trim.pop().outbox)
        for partition in self._partitions:
            pipe.xlen(partition.outbox)
        lengths = (await pipe.execute())[-len(self._partitions) :]
        await self._work(partition for partition, length in zip(self._partitions, lengths, strict=True) if length)

    async def come(self, rung: set[Partition]) -> None:
        now = asyncio.get_running_loop().time()
        await self._work(partition for partition in rung if self._others.get(partition, 0.0) <= now)

    async def _work(self, where: Iterable[Partition]) -> None:
        """All that was taken is handed over together, which saves most handlers most of their work.

        What cannot be handled then harms only its own partition: each is tried by itself.
        """
        taken = await self._take(list(where))
        if len(taken) > 1:
            try:
                for partition, _ in taken:
                    await self._confirm(partition.outbox)
                await self._handle([body for _, messages in taken for _, (_, body) in messages])
            except (RedisError, OSError, Unavailable):
                raise
            except Exception as error:
                log.info("outbox_one_by_one", worker=self._name, error=repr(error))
            else:
                await self._handled(taken)
                return
        for partition, messages in taken:
            await self._deliver(partition, messages)

    async def _take(self, partitions: list[Partition]) -> list[tuple[Partition, list[Message]]]:
        if self._beyond:
            now = asyncio.get_running_loop().time()
            partitions = [partition for partition in partitions if self._beyond.get(partition, 0.0) <= now]
        if not partitions:
            return []
        pipe = self._redis.pipeline(transaction=False)
        for partition in partitions:
            keys = (partition.lease(self._name), partition.outbox)
            pipe.eval(_TAKE, 2, *keys, self._process, LEASE_MS, self._name, _AT_ONCE)
        taken: list[tuple[Partition, list[Message]]] = []
        for partition, reply in zip(partitions, await pipe.execute(raise_on_error=False), strict=True):
            if isinstance(reply, ResponseError):
                await self._make_groups([partition])
            elif isinstance(reply, Exception):
                raise reply
            elif isinstance(reply, int):
                self._others[partition] = asyncio.get_running_loop().time() + reply / 1000
            elif reply:
                taken.append((partition, reply))
        return taken

    async def _deliver(self, partition: Partition, messages: list[Message]) -> None:
        try:
            await self._confirm(partition.outbox)
            await self.hand_over(partition, [(message_id.decode(), body) for message_id, (_, body) in messages])
        except (NotUnderstood, msgspec.ValidationError):
            metrics.OUTBOX.labels(self._name, "failed").inc()
            log.warning("outbox_not_understood", worker=self._name, first=messages[0][0].decode())
            await self._step_back(partition)
            return
        except (RedisError, OSError, Unavailable):
            raise
        except Exception:
            metrics.OUTBOX.labels(self._name, "failed").inc()
            log.exception("outbox_failed", worker=self._name, first=messages[0][0].decode())
            return  # they stay pending and are tried again; what follows waits, so order holds
        await self._handled([(partition, messages)])

    async def _handled(self, done: list[tuple[Partition, list[Message]]]) -> None:
        pipe = self._redis.pipeline(transaction=False)
        for partition, messages in done:
            pipe.xack(partition.outbox, self._name, *[message_id for message_id, _ in messages])
        await pipe.execute()
        for partition, messages in done:
            metrics.OUTBOX.labels(self._name, "done").inc(len(messages))
            metrics.OUTBOX_LAG.labels(self._name).observe(metrics.since(_order(messages[0][0])[0]))
            self._to_trim.add(partition)

    async def _step_back(self, partition: Partition) -> None:
        """A newer release has written here: let a replica of that release have the lease."""
        self._beyond[partition] = asyncio.get_running_loop().time() + _STEP_BACK
        await self._redis.eval(RELEASE, 1, partition.lease(self._name), self._process)

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
        confirm: Confirm = _as_it_is,
    ) -> None:
        super().__init__(redis, doorbell, service, name, self._never, readers, confirm)
        self._open = handle

    async def _work(self, where: Iterable[Partition]) -> None:
        """Partitions are independent of each other, so that a slow one holds nobody up."""
        work = [self._deliver(partition, messages) for partition, messages in await self._take(list(where))]
        for outcome in await asyncio.gather(*work, return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome

    async def hand_over(self, partition: Partition, messages: list[tuple[str, bytes]]) -> None:
        await self._open([Letter(f"{partition.service[0]}{partition.number}", place, body) for place, body in messages])

    async def _never(self, messages: list[bytes]) -> None:
        raise NotImplementedError


def is_after(place: str, other: str) -> bool:
    """Is one place in an outbox behind another?"""
    return _order(place.encode()) > _order(other.encode())


def _order(stream_id: bytes) -> tuple[int, int]:
    ms, _, n = stream_id.partition(b"-")
    return int(ms), int(n)
