"""When everything that one log owed to others has been done."""

from typing import Any

from redis.asyncio import Redis

from shared.log.keys import partitions
from tests.support.waiting import eventually

SERVICES = ("lobby", "session")


async def handed_over(redis_url: str) -> None:
    """Wait until no outbox holds anything that one of its readers has not handled."""
    async with Redis.from_url(redis_url, protocol=2) as redis:

        async def behind() -> list[str]:
            """The outboxes with a reader that is not done."""
            keys = [partition.outbox for service in SERVICES for partition in partitions(service)]
            pipe = redis.pipeline(transaction=True)
            for key in keys:
                pipe.xinfo_stream(key)
                pipe.xinfo_groups(key)
            found: list[Any] = await pipe.execute()
            return [
                key
                for key, stream, groups in zip(keys, found[::2], found[1::2], strict=True)
                if any(each["pending"] or each["last-delivered-id"] != stream["last-generated-id"] for each in groups)
            ]

        await eventually(behind, lambda keys: not keys)
