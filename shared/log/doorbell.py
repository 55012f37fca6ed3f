"""How a process hears that logs have grown: one connection to each server that holds some of them."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any

import structlog
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

from shared.log.wire import Wire, pack_command
from shared.problems import Unavailable
from shared.servers.slots import slot_of
from shared.servers.topology import Server, Servers

Handler = Callable[[bytes], None]

_CONFIRMED_WITHIN = 3.0  # seconds
_SHORTEST_PAUSE = 0.02
_PAUSE_TO_TELL = 0.25  # before a callback that failed is called again
_AT_ONCE = 500  # channels in one write when all are taken up again

log = structlog.get_logger()


class Doorbell:
    """Sharded pub/sub with handlers for each channel; after a break or a move everything is subscribed again."""

    def __init__(self, servers: Servers) -> None:
        self._servers = servers
        self._ears: dict[Server, _Ear] = {}
        self._heard_by: dict[bytes, _Ear] = {}
        self._handlers: dict[bytes, list[Handler]] = {}
        self._confirmed: dict[bytes, asyncio.Future[None]] = {}
        self._on_return: list[Callable[[], Awaitable[None]]] = []
        self._on_loss: list[Callable[[], None]] = []
        self._changed = asyncio.Event()
        servers.on_change(self._changed.set)

    def on_return(self, callback: Callable[[], Awaitable[None]]) -> None:
        """Called after each new connection and each move: what was rung in between went unheard."""
        self._on_return.append(callback)

    def on_loss(self, callback: Callable[[], None]) -> None:
        """Called as soon as a connection is lost."""
        self._on_loss.append(callback)

    def add(self, channel: str, handler: Handler) -> None:
        """Let a handler hear a channel; `ready` tells when it does."""
        name = channel.encode()
        self._handlers.setdefault(name, []).append(handler)
        if name not in self._confirmed:
            self._confirmed[name] = asyncio.get_running_loop().create_future()
            self._heard_by[name] = ear = self._ear(self._servers.owner(slot_of(name)))
            ear.add(name)

    async def ready(self, channel: str) -> None:
        """Wait until Redis has confirmed the channel."""
        try:
            async with asyncio.timeout(_CONFIRMED_WITHIN):
                # A move makes another one to wait for.
                while (confirmed := self._confirmed.get(channel.encode())) and not confirmed.done():
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
        self._heard_by.pop(name).drop(name)

    async def run(self) -> None:
        """Listen until cancelled."""
        listening: dict[_Ear, asyncio.Task[None]] = {}
        try:
            while True:
                self._changed.clear()
                self._place()
                for ear in self._ears.values():
                    if ear not in listening:
                        listening[ear] = asyncio.ensure_future(ear.listen())
                for ear in [ear for ear in listening if ear not in self._ears.values()]:
                    listening.pop(ear).cancel()
                await self._changed.wait()
        finally:
            for task in listening.values():
                task.cancel()
            await asyncio.gather(*listening.values(), return_exceptions=True)

    def hear(self, channel: bytes, payload: bytes) -> None:
        for handler in self._handlers.get(channel, ()):
            try:
                handler(payload)
            except Exception:  # of one channel; the others go on being heard
                log.exception("bell_failed", channel=channel.decode())

    def confirm(self, channel: bytes) -> None:
        confirmed = self._confirmed.get(channel)
        if confirmed and not confirmed.done():
            confirmed.set_result(None)

    def lost(self) -> None:
        for callback in self._on_loss:
            callback()

    def begin_anew(self, names: Iterable[bytes]) -> None:
        """These are about to be subscribed again."""
        for name in names:
            if self._confirmed[name].done():
                self._confirmed[name] = asyncio.get_running_loop().create_future()

    async def tell_return(self, names: Iterable[bytes]) -> None:
        waits = [self._confirmed[name] for name in names if name in self._confirmed]
        if waits:
            await asyncio.wait(waits)
        await asyncio.gather(*(self._told(callback) for callback in self._on_return))

    async def _told(self, callback: Callable[[], Awaitable[None]]) -> None:
        """Redis may be back and not answer yet; a loss of the connection calls us off, and then it is told anew."""
        while True:
            try:
                return await callback()
            except (RedisError, OSError) as error:
                log.warning("return_not_told", error=str(error))
                await asyncio.sleep(_PAUSE_TO_TELL)

    def _ear(self, server: Server) -> "_Ear":
        ear = self._ears.get(server)
        if ear is None:
            ear = self._ears[server] = _Ear(self, self._servers, server)
            self._changed.set()
        return ear

    def _place(self) -> None:
        """Let every channel be heard where it lies now."""
        there = self._servers.all()
        for server in there:
            self._ear(server)  # also where there is nothing to hear: a break must be noticed
        moved: dict[_Ear, list[bytes]] = {}
        for name, ear in self._heard_by.items():
            now = self._ear(self._servers.owner(slot_of(name)))
            if now is not ear:
                ear.leave(name)
                self._heard_by[name] = now
                moved.setdefault(now, []).append(name)
        for ear, names in moved.items():
            ear.take_over(names)
        for server in [server for server in self._ears if server not in there]:
            del self._ears[server]


class _Ear:
    """The connection to one server, opened anew whenever it breaks or a channel turns out to lie elsewhere."""

    def __init__(self, bell: Doorbell, servers: Servers, server: Server) -> None:
        self._bell = bell
        self._servers = servers
        self._server = server
        self._names: set[bytes] = set()
        self._wire: Wire | None = None
        self._asked: Counter[bytes] = Counter()  # subscriptions on their way
        self._left: Counter[bytes] = Counter()  # the end of subscriptions likewise
        self._queue: list[tuple[str, bytes]] = []
        self._tasks: set[asyncio.Future[None]] = set()

    def add(self, name: bytes) -> None:
        self._names.add(name)
        self._say("SSUBSCRIBE", name)

    def drop(self, name: bytes) -> None:
        self._names.discard(name)
        self._say("SUNSUBSCRIBE", name)

    def leave(self, name: bytes) -> None:
        """The channel is no longer this server's, which ends the subscription itself."""
        self._names.discard(name)

    def take_over(self, names: list[bytes]) -> None:
        """Channels that another server had until now."""
        self._bell.begin_anew(names)
        for name in names:
            self.add(name)
        if self._wire is not None:  # else all that is told after the connection is there
            self._spawn(self._bell.tell_return(names))

    async def listen(self) -> None:
        """Until cancelled."""
        loop = asyncio.get_running_loop()
        pause = _SHORTEST_PAUSE
        while True:
            began = loop.time()
            try:
                await self._listen()
            except (RedisError, OSError) as error:
                log.warning("doorbell_lost", server=repr(self._server), error=str(error))
                pause = _SHORTEST_PAUSE if loop.time() - began > 1 else min(pause * 2, 1.0)
                await asyncio.sleep(pause)
                with suppress(RedisError, OSError, TimeoutError):  # we may be called off by what this finds
                    await self._servers.refresh()

    async def _listen(self) -> None:
        wire = await Wire.open(self._server.pool)
        try:
            names = list(self._names)
            for i in range(0, len(names), _AT_ONCE):
                await wire.send(b"".join(pack_command(("SSUBSCRIBE", name)) for name in names[i : i + _AT_ONCE]))
            self._asked = Counter(names)
            self._left.clear()
            self._queue.clear()
            self._wire = wire
            for name in self._names.symmetric_difference(names):  # added or dropped while we were subscribing
                self._say("SSUBSCRIBE" if name in self._names else "SUNSUBSCRIBE", name)
            self._bell.begin_anew(self._names)
            self._spawn(self._bell.tell_return(names))
            while True:
                for message in await wire.replies():
                    self._hear(message)
        finally:
            self._wire = None
            self._bell.lost()
            for task in self._tasks:
                task.cancel()
            with suppress(RedisError, OSError):
                await wire.close()

    def _hear(self, message: Any) -> None:
        if isinstance(message, Exception):
            raise message
        kind, channel, payload = message
        if kind == b"smessage":
            self._bell.hear(channel, payload)
        elif kind == b"ssubscribe":
            self._asked[channel] -= 1
            if not self._asked[channel]:  # else this confirms an earlier subscription that has been dropped since
                del self._asked[channel]
                self._bell.confirm(channel)
        elif kind == b"sunsubscribe":
            if channel in self._left:
                self._left[channel] -= 1
                if not self._left[channel]:
                    del self._left[channel]
            elif channel in self._names:
                raise RedisConnectionError(f"{channel.decode()} lies elsewhere now.")

    def _say(self, word: str, name: bytes) -> None:
        """Queue a command; they leave in the order in which they were said."""
        if self._wire is None:
            return  # everything is subscribed once it is there
        if word == "SSUBSCRIBE":
            self._asked[name] += 1
        else:
            self._left[name] += 1
        self._queue.append((word, name))
        if len(self._queue) == 1:
            self._spawn(self._send(self._wire))

    async def _send(self, wire: Wire) -> None:
        with suppress(RedisError, OSError):  # the listener notices too, and subscribes to everything again
            while self._queue:
                await wire.send(pack_command(self._queue[0]))
                self._queue.pop(0)

    def _spawn(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
