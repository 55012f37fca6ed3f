"""The one connection on which a process hears that logs have grown."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from shared.log.wire import Wire, pack_command
from shared.problems import Unavailable

Handler = Callable[[bytes], None]

_CONFIRMED_WITHIN = 3.0  # seconds
_SHORTEST_PAUSE = 0.02
_AT_ONCE = 500  # channels in one command when all are taken up again

log = structlog.get_logger()


class Doorbell:
    """Sharded pub/sub with handlers for each channel; after a break everything is subscribed again."""

    def __init__(self, redis: "Redis") -> None:
        """`redis` must speak RESP2 and never time out on a read."""
        self._pool = redis.connection_pool
        self._wire: Wire | None = None
        self._handlers: dict[bytes, list[Handler]] = {}
        self._confirmed: dict[bytes, asyncio.Future[None]] = {}
        self._asked: dict[bytes, int] = {}  # subscriptions on their way
        self._queue: list[tuple[str, bytes]] = []
        self._sending: asyncio.Future[None] | None = None
        self._on_return: list[Callable[[], Awaitable[None]]] = []

    def on_return(self, callback: Callable[[], Awaitable[None]]) -> None:
        """Called after each new connection: what was rung in between went unheard."""
        self._on_return.append(callback)

    def add(self, channel: str, handler: Handler) -> None:
        """Let a handler hear a channel; `ready` tells when it does."""
        name = channel.encode()
        self._handlers.setdefault(name, []).append(handler)
        if name not in self._confirmed:
            self._confirmed[name] = asyncio.get_running_loop().create_future()
            self._say("SSUBSCRIBE", name)

    async def ready(self, channel: str) -> None:
        """Wait until Redis has confirmed the channel."""
        confirmed = self._confirmed[channel.encode()]
        if not confirmed.done():
            try:
                async with asyncio.timeout(_CONFIRMED_WITHIN):
                    await asyncio.shield(confirmed)
            except TimeoutError:
                raise Unavailable from None

    def drop(self, channel: str) -> None:
        """Hear a channel no more."""
        name = channel.encode()
        del self._handlers[name]
        confirmed = self._confirmed.pop(name)
        if not confirmed.done():
            confirmed.set_result(None)
        self._say("SUNSUBSCRIBE", name)

    async def run(self) -> None:
        """Listen until cancelled."""
        loop = asyncio.get_running_loop()
        pause = _SHORTEST_PAUSE
        while True:
            began = loop.time()
            try:
                await self._listen()
            except (RedisError, OSError) as error:
                log.warning("doorbell_lost", error=str(error))
                pause = _SHORTEST_PAUSE if loop.time() - began > 1 else min(pause * 2, 1.0)
                await asyncio.sleep(pause)

    async def _listen(self) -> None:
        wire = await Wire.open(self._pool)
        try:
            names = list(self._confirmed)
            for i in range(0, len(names), _AT_ONCE):
                await wire.send(pack_command(("SSUBSCRIBE", *names[i : i + _AT_ONCE])))
            self._asked = dict.fromkeys(names, 1)
            self._queue.clear()
            self._wire = wire
            for name in list(self._confirmed):
                if name not in self._asked:  # added while we were subscribing
                    self._say("SSUBSCRIBE", name)
                if self._confirmed[name].done():
                    self._confirmed[name] = asyncio.get_running_loop().create_future()
            returned = asyncio.ensure_future(self._tell_return(names))
            try:
                while True:
                    for message in await wire.replies():
                        self._hear(message)
            finally:
                returned.cancel()
        finally:
            self._wire = None
            with suppress(RedisError, OSError):
                await wire.close()

    async def _tell_return(self, names: list[bytes]) -> None:
        waits = [self._confirmed[name] for name in names if name in self._confirmed]
        if waits:
            await asyncio.wait(waits)
        for callback in self._on_return:
            await callback()

    def _hear(self, message: list[bytes]) -> None:
        kind, channel, payload = message
        if kind == b"smessage":
            for handler in self._handlers.get(channel, ()):
                handler(payload)
        elif kind == b"ssubscribe":
            self._asked[channel] -= 1
            if not self._asked[channel]:  # else this confirms an earlier subscription that has been dropped since
                del self._asked[channel]
                confirmed = self._confirmed.get(channel)
                if confirmed and not confirmed.done():
                    confirmed.set_result(None)

    def _say(self, word: str, name: bytes) -> None:
        """Queue a command; they leave in the order in which they were said."""
        if self._wire is None:
            return  # everything is subscribed once it is there
        if word == "SSUBSCRIBE":
            self._asked[name] = self._asked.get(name, 0) + 1
        self._queue.append((word, name))
        if len(self._queue) == 1:
            self._sending = asyncio.ensure_future(self._send(self._wire))

    async def _send(self, wire: Wire) -> None:
        with suppress(RedisError, OSError):  # the listener notices too, and subscribes to everything again
            while self._queue:
                await wire.send(pack_command(self._queue[0]))
                self._queue.pop(0)
