"""The one connection on which a process hears that logs have grown."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from shared.problems import Unavailable

Handler = Callable[[bytes], None]

_CONFIRMED_WITHIN = 3.0  # seconds
_AT_ONCE = 500  # channels in one command when all are taken up again

log = structlog.get_logger()


class Doorbell:
    """Sharded pub/sub with handlers for each channel; after a break everything is subscribed again."""

    def __init__(self, redis: "Redis") -> None:
        """`redis` must speak RESP2 and never time out on a read."""
        self._pool = redis.connection_pool
        self._connection: Any = None
        self._handlers: dict[bytes, list[Handler]] = {}
        self._confirmed: dict[bytes, asyncio.Future[None]] = {}
        self._on_return: list[Callable[[], Awaitable[None]]] = []

    def on_return(self, callback: Callable[[], Awaitable[None]]) -> None:
        """Called after each new connection: what was rung in between went unheard."""
        self._on_return.append(callback)

    def add(self, channel: str, handler: Handler) -> None:
        """Let a handler hear a channel; `ready` tells when it does."""
        self._handlers.setdefault(channel.encode(), []).append(handler)

    async def ready(self, channel: str) -> None:
        """Wait until Redis has confirmed the channel."""
        name = channel.encode()
        confirmed = self._confirmed.get(name)
        if confirmed is None:
            confirmed = self._confirmed[name] = asyncio.get_running_loop().create_future()
            await self._command("SSUBSCRIBE", name)
        if not confirmed.done():
            try:
                await asyncio.wait_for(asyncio.shield(confirmed), _CONFIRMED_WITHIN)
            except TimeoutError:
                raise Unavailable from None

    async def drop(self, channel: str) -> None:
        """Hear a channel no more."""
        name = channel.encode()
        del self._handlers[name]
        if self._confirmed.pop(name, None):
            await self._command("SUNSUBSCRIBE", name)

    async def run(self) -> None:
        """Listen until cancelled."""
        pause = 0.02
        while True:
            try:
                await self._listen()
                pause = 0.02
            except (RedisError, OSError) as error:
                log.warning("doorbell_lost", error=str(error))
                await asyncio.sleep(pause)
                pause = min(pause * 2, 1.0)

    async def _listen(self) -> None:
        connection: Any = self._pool.make_connection()  # type: ignore[no-untyped-call]
        try:
            await connection.connect()
            self._connection = connection
            names = list(self._confirmed)
            for name in names:
                if self._confirmed[name].done():
                    self._confirmed[name] = asyncio.get_running_loop().create_future()
            for i in range(0, len(names), _AT_ONCE):
                await connection.send_command("SSUBSCRIBE", *names[i : i + _AT_ONCE])
            returned = asyncio.ensure_future(self._tell_return(names))
            try:
                while True:
                    self._hear(await connection.read_response(disable_decoding=True, timeout=math.inf))
            finally:
                returned.cancel()
        finally:
            self._connection = None
            with suppress(RedisError, OSError):
                await connection.disconnect(nowait=True)

    async def _tell_return(self, names: list[bytes]) -> None:
        waits = [self._confirmed[name] for name in names if name in self._confirmed]
        await asyncio.gather(*waits)
        for callback in self._on_return:
            await callback()

    def _hear(self, message: list[bytes]) -> None:
        kind, channel, payload = message
        if kind == b"smessage":
            for handler in self._handlers.get(channel, ()):
                handler(payload)
        elif kind == b"ssubscribe":
            confirmed = self._confirmed.get(channel)
            if confirmed and not confirmed.done():
                confirmed.set_result(None)

    async def _command(self, *parts: str | bytes) -> None:
        if self._connection is not None:
            with suppress(RedisError, OSError):  # the listener notices too, and subscribes to everything again
                await self._connection.send_command(*parts)
