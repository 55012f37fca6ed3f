"""What is remembered beside a room's log: what each player's streams have taken, and when somebody was last there.

A mark is made after the fact that it speaks of, so a process that dies forgets at most what it has just done: a
message is then delivered again, never lost.
"""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import structlog
from redis.asyncio import ConnectionPool, Redis
from redis.exceptions import RedisError

from shared.ids import UserId
from shared.log.keys import LogKeys
from shared.log.wire import Wire, pack_command

_REPLIES_WITHIN = 5.0  # seconds
_PAUSE = 0.25  # seconds before an absent Redis is asked again
_SEEN = b"seen"

log = structlog.get_logger()

Mark = tuple[str, bytes]  # key, member


class Marks:
    """Writes behind: marks that are ready at the same moment share a round trip. A mark only ever rises."""

    def __init__(self, redis: "Redis", pool: "ConnectionPool") -> None:
        """`pool` gives one connection of its own for the writes."""
        self._redis = redis
        self._pool = pool
        self._wire: Wire | None = None
        self._waiting: dict[Mark, int] = {}
        self._flying: dict[Mark, int] = {}
        self._flight: asyncio.Task[None] | None = None

    def take(self, keys: LogKeys, user: UserId, version: int) -> None:
        """A stream of this player has been sent everything up to this version."""
        self._raise((_key(keys), _taken(user)), version)

    def see(self, keys: LogKeys, at: int) -> None:
        """Somebody was here at this time."""
        self._raise((_key(keys), _SEEN), at)

    async def taken(self, keys: LogKeys, users: Iterable[UserId]) -> dict[UserId, int]:
        """The last version that each of these has taken, 0 if none."""
        stored = await self._stored(keys)
        return {user: self._latest(keys, _taken(user), stored) for user in users}

    async def seen(self, keys: LogKeys) -> int:
        """When somebody was last known to be here."""
        return self._latest(keys, _SEEN, await self._stored(keys))

    async def forget(self, keys: LogKeys) -> None:
        await self._redis.delete(_key(keys))

    async def settle(self) -> None:
        """Wait until everything is written, as long as Redis is there."""
        while self._flight is not None and not self._flight.done() and self._wire is not None:
            await asyncio.wait([self._flight], timeout=_PAUSE)

    async def close(self) -> None:
        if self._flight is not None:
            self._flight.cancel()
            with suppress(asyncio.CancelledError):
                await self._flight
        if self._wire is not None:
            await self._wire.close()

    def _raise(self, mark: Mark, value: int) -> None:
        if value > self._waiting.get(mark, 0):
            self._waiting[mark] = value
        if self._flight is None or self._flight.done():
            self._flight = asyncio.ensure_future(self._fly())

    def _latest(self, keys: LogKeys, member: bytes, stored: dict[bytes, float]) -> int:
        mark = (_key(keys), member)
        return max(int(stored.get(member, 0)), self._flying.get(mark, 0), self._waiting.get(mark, 0))

    async def _stored(self, keys: LogKeys) -> dict[bytes, float]:
        found: Any = await self._redis.zrange(_key(keys), 0, -1, withscores=True)
        return dict(found)

    async def _fly(self) -> None:
        while self._waiting:
            self._flying, self._waiting = self._waiting, {}
            try:
                await self._write()
            except (RedisError, OSError, TimeoutError) as error:
                log.warning("marks_wait", error=str(error))
                for mark, value in self._flying.items():
                    self._waiting[mark] = max(value, self._waiting.get(mark, 0))
                await asyncio.sleep(_PAUSE)
            self._flying = {}

    async def _write(self) -> None:
        if self._wire is None:
            self._wire = await Wire.open(self._pool)
        wire = self._wire
        commands = [pack_command(("ZADD", key, "GT", at, member)) for (key, member), at in self._flying.items()]
        try:
            async with asyncio.timeout(_REPLIES_WITHIN):
                await wire.send(b"".join(commands))
                replies: list[Any] = []
                while len(replies) < len(commands):
                    replies += await wire.replies()
        except BaseException:
            self._wire = None
            await wire.close()
            raise
        for failure in (reply for reply in replies if isinstance(reply, Exception)):
            log.error("mark_refused", error=str(failure))


def _key(keys: LogKeys) -> str:
    return keys.present.removesuffix("present") + "marks"


def _taken(user: UserId) -> bytes:
    return b"taken:" + user.encode()
