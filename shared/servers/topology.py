"""The Redis servers that there are, and which of them owns a slot just now."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Protocol

import structlog
from redis.asyncio import BlockingConnectionPool, ConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError

from shared.servers.address import Address, Place

_CONNECTIONS = 64  # to one server; requests beyond that wait for their turn
_ANSWERS_WITHIN = 1.0  # seconds that one of several is given to say how things stand
_SLOTS = 16384

log = structlog.get_logger()


def client(url: str, retry: Retry | None = None) -> "Redis":
    """A client whose callers wait for a free connection rather than being refused one."""
    pool = BlockingConnectionPool.from_url(
        url,
        protocol=2,
        retry=retry or Retry(NoBackoff(), 0),
        socket_connect_timeout=2,
        socket_timeout=5,
        max_connections=_CONNECTIONS,
        timeout=5,
    )
    return Redis.from_pool(pool)


class Server:
    """One Redis server that takes writes."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.redis = client(url)

    @property
    def pool(self) -> "ConnectionPool":
        """Where a wire comes from."""
        return self.redis.connection_pool

    def __repr__(self) -> str:
        return self.url.rpartition("@")[2]


class Servers(Protocol):
    """Who owns a slot, as far as this process knows."""

    def owner(self, slot: int) -> Server: ...

    def all(self) -> list[Server]: ...

    async def refresh(self) -> None:
        """Look who owns what now; raises when nobody can tell."""

    def on_change(self, callback: Callable[[], None]) -> None:
        """Called whenever a slot has another owner than before."""

    async def close(self) -> None: ...


class One:
    """A single server, which is always the owner."""

    def __init__(self, url: str) -> None:
        self._server = Server(url)

    def owner(self, slot: int) -> Server:
        return self._server

    def all(self) -> list[Server]:
        return [self._server]

    async def refresh(self) -> None:
        """Nothing changes."""

    def on_change(self, callback: Callable[[], None]) -> None:
        """It never does."""

    async def close(self) -> None:
        await _closed([self._server])


class _Changing:
    """Servers that come and go. One caller at a time asks how things stand; others take its answer."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._servers: dict[str, Server] = {}  # by URL
        self._callbacks: list[Callable[[], None]] = []
        self._asking: asyncio.Future[None] | None = None

    def all(self) -> list[Server]:
        return list(self._servers.values())

    def on_change(self, callback: Callable[[], None]) -> None:
        self._callbacks.append(callback)

    async def refresh(self) -> None:
        if self._asking is None:
            self._asking = asyncio.ensure_future(self._look())
            self._asking.add_done_callback(self._looked)
        await asyncio.shield(self._asking)

    async def close(self) -> None:
        await _closed(self._servers.values())

    async def _look(self) -> None:
        raise NotImplementedError

    def _looked(self, asked: "asyncio.Future[None]") -> None:
        self._asking = None
        if not asked.cancelled():
            asked.exception()  # whoever waited has it

    def _server(self, place: Place) -> Server:
        url = self._address.at(place)
        return self._servers.get(url) or Server(url)

    async def _now(self, servers: Iterable[Server]) -> None:
        """These are all; tell everyone, then let go of the others."""
        now = {server.url: server for server in servers}
        gone = [server for url, server in self._servers.items() if url not in now]
        self._servers = now
        log.info("redis_servers", servers=[repr(server) for server in now.values()])
        for callback in self._callbacks:
            callback()
        for server in gone:  # what is in use there ends by itself
            with suppress(RedisError, OSError):
                await server.pool.disconnect(inuse_connections=False)


class Cluster(_Changing):
    """The masters of a Redis Cluster."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self._owners: list[Server] = []  # by slot
        self._asked_first = 0

    def owner(self, slot: int) -> Server:
        return self._owners[slot]

    async def _look(self) -> None:
        """Ask one after the other, each time another one first: one that was cut off does not know that it was."""
        seeds = [self._server(place) for place in self._address.places]
        known = list({server.url: server for server in (*self._servers.values(), *seeds)}.values())
        self._asked_first += 1
        turn = self._asked_first % len(known)
        failure: Exception | None = None
        try:
            for server in known[turn:] + known[:turn]:
                try:
                    async with asyncio.timeout(_ANSWERS_WITHIN):
                        ranges = await _ask(server, "CLUSTER", "SLOTS")
                    owners = self._parsed(ranges, server)
                except ResponseError as error:
                    raise RedisConnectionError(f"{server} is not part of a cluster: {error}") from error
                except (RedisError, OSError, TimeoutError) as error:
                    failure = error
                else:
                    if owners != self._owners:
                        self._owners = owners
                        await self._now(owners)
                    return
            raise RedisConnectionError(f"No node of the cluster can tell who owns what: {failure or 'no answer'}")
        finally:
            kept = self._servers.values()
            await _closed(server for server in known if server not in kept)

    def _parsed(self, ranges: Any, asked: Server) -> list[Server]:
        owners: list[Server | None] = [None] * _SLOTS
        found: dict[Place, Server] = {}
        for first, last, (host, port, *_), *_ in ranges:
            place = (host.decode() if host else asked.pool.connection_kwargs["host"], port)
            server = found.get(place) or found.setdefault(place, self._server(place))
            owners[first : last + 1] = [server] * (last + 1 - first)
        whole = [owner for owner in owners if owner is not None]
        if len(whole) < _SLOTS:
            raise RedisConnectionError(f"{_SLOTS - len(whole)} slots of the cluster have no owner")
        return whole


class Sentinels(_Changing):
    """The primary that sentinels name; it owns every slot."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self._sentinels = [Server(address.sentinel_at(place)) for place in address.places]
        self._epoch = -1

    def owner(self, slot: int) -> Server:
        return next(iter(self._servers.values()))

    async def _look(self) -> None:
        """Ask all of them, and believe the one who knows of the latest decision: others may not have heard of it."""
        answers = await asyncio.gather(*map(self._named, self._sentinels), return_exceptions=True)
        named = [answer for answer in answers if not isinstance(answer, BaseException)]
        if not named:
            raise RedisConnectionError(f"No sentinel names a primary: {answers[0]}")
        epoch, place = max(named)
        if epoch < self._epoch:
            raise RedisConnectionError("Those sentinels that answer do not know of the latest primary.")
        self._epoch = epoch
        primary = self._server(place)
        if primary.url not in self._servers:
            await self._now([primary])

    async def _named(self, sentinel: Server) -> tuple[int, Place]:
        async with asyncio.timeout(_ANSWERS_WITHIN):
            facts = await _ask(sentinel, "SENTINEL", "MASTER", self._address.primary)
        known = dict(zip(facts[::2], facts[1::2], strict=True))
        return int(known[b"config-epoch"]), (known[b"ip"].decode(), int(known[b"port"]))

    async def close(self) -> None:
        await super().close()
        await _closed(self._sentinels)


def servers_at(address: Address) -> One | Cluster | Sentinels:
    if address.kind == "cluster":
        return Cluster(address)
    if address.kind == "sentinel":
        return Sentinels(address)
    return One(address.url)


async def _closed(servers: Iterable[Server]) -> None:
    for server in servers:
        with suppress(RedisError, OSError):
            await server.redis.aclose()


async def _ask(server: Server, *words: str) -> Any:
    asked: Any = server.redis
    return await asked.execute_command(*words)
