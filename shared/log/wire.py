"""A Redis connection read by the batch: redis-py connects and signs in, hiredis parses what comes."""

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


def _error(text: str) -> ResponseError:
    return NoScriptError(text) if text.startswith("NOSCRIPT") else ResponseError(text)
