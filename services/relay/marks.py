"""What is remembered beside a room's log: what each player's streams have taken, and when somebody was last there.

A mark is made after the fact that it speaks of, so a process that dies forgets at most what it has just done: a
message is then delivered again, never lost.
"""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from shared.ids import UserId
from shared.log.keys import LogKeys
from shared.log.wire import Elsewhere, Line, pack_command
from shared.servers.slots import slot_of
from shared.servers.topology import Server, Servers

_REPLIES_WITHIN = 5.0  # seconds
_PAUSE = 0.25  # seconds before an absent Redis is asked again
_SEEN = b"seen"

log = structlog.get_logger()

Mark = tuple[str, bytes]  # key, member


class Marks:
    """Writes behind: marks that are ready at the same moment share a round trip. A mark only ever rises."""

    def __init__(self, redis: "Redis", servers: Servers) -> None:
        self._redis = redis
        self._servers = servers
        self._lines: dict[Server, Line] = {}
        self._away = False
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
        while self._flight is not None and not self._flight.done() and not self._away:
            await asyncio.wait([self._flight], timeout=_PAUSE)

    async def close(self) -> None:
        if self._flight is not None:
            self._flight.cancel()
            with suppress(asyncio.CancelledError):
                await self._flight
        for line in self._lines.values():
            await line.close()

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
            parts: dict[Server, list[Mark]] = {}
            for mark in self._flying:
                parts.setdefault(self._servers.owner(slot_of(mark[0])), []).append(mark)
            failures = [error for server, marks in parts.items() if (error := await self._written(server, marks))]
            was_away, self._away = self._away, bool(failures)
            if failures:
                log.warning("marks_wait", error=str(failures[0]))
                if was_away:  # else a connection may have been lost while it was idle, and Redis is back already
                    await asyncio.sleep(_PAUSE)
                with suppress(RedisError, OSError, TimeoutError):  # what we know may still be right
                    await self._servers.refresh()
            self._flying = {}

    async def _written(self, server: Server, marks: list[Mark]) -> Exception | None:
        """Write some of those that are flying; what fails waits again."""
        line = self._lines.get(server) or self._lines.setdefault(server, Line(server.pool))
        commands = [pack_command(("ZADD", key, "GT", self._flying[key, member], member)) for key, member in marks]
        try:
            replies: list[Any] = await line.talk(commands, _REPLIES_WITHIN)
        except (RedisError, OSError, TimeoutError) as error:
            replies = [error] * len(marks)
        failure: Exception | None = None
        for mark, reply in zip(marks, replies, strict=True):
            if isinstance(reply, ResponseError) and not isinstance(reply, Elsewhere):
                log.error("mark_refused", error=str(reply))
            elif isinstance(reply, Exception):
                failure = reply
                self._waiting[mark] = max(self._flying[mark], self._waiting.get(mark, 0))
        return failure


def _key(keys: LogKeys) -> str:
    return keys.present.removesuffix("present") + "marks"


def _taken(user: UserId) -> bytes:
    return b"taken:" + user.encode()
