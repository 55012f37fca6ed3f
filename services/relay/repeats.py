"""Which answer an Idempotency-Key stands for.

A kept answer lies beside the log of its room, so that one script writes both. All rooms share one path and so one
space of keys: a small index tells in which partition a key was used last.
"""

from typing import Any

from redis.asyncio import Redis

from shared.idempotency import Answer, Idempotency
from shared.log.keys import Partition, partition_of
from shared.log.store import LogStore

_KEPT_SECONDS = 24 * 3600  # as long as the answers


class Repeats:
    def __init__(self, redis: "Redis", store: LogStore, service: str) -> None:
        self._redis = redis
        self._store = store
        self._service = service

    async def recall(self, idem: Idempotency | None, partition: Partition | None) -> Answer | None:
        """The answer that this key was given before; raises when it came with another body then.

        `partition` is where it is about to be used, None if nowhere.
        """
        if idem is None:
            return None
        index = f"{partition_of(self._service, idem.name).stem}:key:{idem.name}"
        number: Any
        if partition is None:
            number = await self._redis.get(index)
        else:
            number = await self._redis.set(index, partition.number, nx=True, get=True, ex=_KEPT_SECONDS)
        if number is None:
            return None
        last = Partition(self._service, int(number))
        record = await self._store.recall(idem.kept_at(last))
        if record is not None:
            return idem.replay(record)
        if partition is not None and partition != last:
            await self._redis.set(index, partition.number, ex=_KEPT_SECONDS)
        return None
