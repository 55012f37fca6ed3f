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

    redis-py awaits each reply with a timeout of its own, which costs more than parsing it. Timeouts are the caller's.
    """

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._bytes = connection._reader  # the one thing that redis-py does not offer openly
        self._parser = hiredis.Reader(replyError=_error, notEnoughData=_NOTHING)

    @classmethod
    async def open(cls, pool: "ConnectionPool") -> "Wire":
        connection: Any = pool.make_connection()  # type: ignore[no-untyped-call]
        await connection.connect()
        return cls(connection)

    async def send(self, packed: bytes) -> None:
        await self._connection.send_packed_command(packed, check_health=False)

    async def replies(self) -> list[Any]:
        """What has arrived, at least one; an error reply is an exception in the list."""
        while True:
            data = await self._bytes.read(_AT_ONCE)
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
