"""A Redis connection read by the batch: redis-py connects and signs in, hiredis parses what comes."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import hiredis
from redis.asyncio import ConnectionPool
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import NoScriptError, ResponseError

_AT_ONCE = 64 * 1024
_NOTHING = object()

# Its stub knows only commands of one word.
pack_command: Callable[[tuple[str | bytes | int, ...]], bytes] = cast(Any, hiredis.pack_command)


class Elsewhere(ResponseError):
    """Nothing was done: this server is not, not yet or no longer the one to ask."""


class Wire:
    """Commands out in one write, replies in as they come.

    redis-py gives each write a task and each reply a timeout, which cost more than the work. Timeouts are the caller's.
    """

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._in, self._out = connection._reader, connection._writer  # redis-py does not offer them openly
        self._parser = hiredis.Reader(replyError=_error, notEnoughData=_NOTHING)

    @classmethod
    async def open(cls, pool: "ConnectionPool") -> "Wire":
        connection: Any = pool.make_connection()  # type: ignore[no-untyped-call]
        await connection.connect()
        return cls(connection)

    async def send(self, packed: bytes) -> None:
        try:
            self._out.write(packed)
            await self._out.drain()
        except RuntimeError as error:  # uvloop's word for a transport that is closed
            raise RedisConnectionError(str(error)) from error

    async def replies(self) -> list[Any]:
        """What has arrived, at least one; an error reply is an exception in the list."""
        while True:
            data = await self._in.read(_AT_ONCE)
            if not data:
                raise RedisConnectionError("Redis closed the connection.")
            self._parser.feed(data)
            arrived = []
            while (reply := self._parser.gets()) is not _NOTHING:
                arrived.append(reply)
            if arrived:
                return arrived

    async def close(self) -> None:
        await self._connection.disconnect(nowait=True)


class Line:
    """A wire that is opened when something is to be said, and anew after it broke."""

    def __init__(self, pool: "ConnectionPool") -> None:
        self._pool = pool
        self._wire: Wire | None = None

    async def open(self) -> bool:
        """True if it was not open before."""
        if self._wire is not None:
            return False
        self._wire = await Wire.open(self._pool)
        return True

    async def talk(self, commands: list[bytes], within: float) -> list[Any]:
        """Send commands and read as many replies, in so many seconds."""
        await self.open()
        wire = self._wire
        assert wire is not None, "just opened"
        try:
            async with asyncio.timeout(within):
                await wire.send(b"".join(commands))
                replies: list[Any] = []
                while len(replies) < len(commands):
                    replies += await wire.replies()
                return replies
        except BaseException:
            self._wire = None
            await wire.close()
            raise

    async def close(self) -> None:
        if self._wire is not None:
            await self._wire.close()


_ELSEWHERE = ("MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN", "READONLY", "LOADING", "MASTERDOWN", "NOREPLICAS")


def _error(text: str) -> ResponseError:
    word = text.partition(" ")[0]
    if word in _ELSEWHERE:
        return Elsewhere(text)
    return NoScriptError(text) if word == "NOSCRIPT" else ResponseError(text)
