"""What a process has one of: its connections, its hub, its tokens. Made by the composition root."""

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff
from sqlalchemy.ext.asyncio import AsyncEngine

from shared import db
from shared.auth import Revocations, Tokens
from shared.http import Desk
from shared.limits import RateLimit
from shared.log.doorbell import Doorbell
from shared.log.hub import Hub
from shared.log.store import LogStore
from shared.servers.address import parsed
from shared.servers.replicas import Replicas
from shared.servers.routed import Routed
from shared.servers.topology import One, Servers, client, servers_at
from shared.settings import Settings

# The contract leaves room for 200 requests a second from a user and 50 sign-ins a second from an address.
_USER_RATE, _USER_BURST = 250, 500
_ADDRESS_RATE, _ADDRESS_BURST = 60, 120
_FAILS_OVER_WITHIN = 4.0  # seconds: a replica takes over in about the cluster's node timeout plus one


def wall_clock() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True)
class Runtime:
    settings: Settings
    redis: "Redis"
    probe: "Redis"
    """Like `redis`, but says at once that it is away."""
    servers: Servers
    db: AsyncEngine
    store: LogStore
    doorbell: Doorbell
    hub: Hub
    tokens: Tokens
    desk: Desk
    sign_ins: RateLimit


@asynccontextmanager
async def runtime(settings: Settings, redis_url: str, database_url: str, secret: str) -> AsyncIterator[Runtime]:
    """Connect everything; on the way out, let go of it."""
    servers = servers_at(parsed(redis_url))
    await servers.refresh()
    redis, probe = clients(servers)
    engine = db.engine(database_url)
    revocations = Revocations(redis)
    tokens = Tokens(secret, revocations, wall_clock)
    limited = settings.rate_limit == "on"
    wanted = settings.redis_wait_replicas
    store = LogStore(redis, servers, Replicas(wanted, settings.redis_wait_ms) if wanted else None)
    doorbell = Doorbell(servers)
    hub = Hub(redis, store, doorbell, wall_clock)
    await revocations.load()
    made = Runtime(
        settings=settings,
        redis=redis,
        probe=probe,
        servers=servers,
        db=engine,
        store=store,
        doorbell=doorbell,
        hub=hub,
        tokens=tokens,
        desk=Desk(tokens, RateLimit(_USER_RATE, _USER_BURST, wall_clock, limited)),
        sign_ins=RateLimit(_ADDRESS_RATE, _ADDRESS_BURST, wall_clock, limited),
    )
    try:
        async with running(doorbell.run(), hub.run(), revocations.run()):
            yield made
            await hub.settle()
    finally:
        await engine.dispose()
        await store.close()
        for client in (redis, probe):
            with suppress(Exception):
                await client.aclose()
        await servers.close()


def clients(servers: Servers) -> tuple["Redis", "Redis"]:
    """One that tries again for a while, and one that does not."""
    if isinstance(servers, One):
        # A retry takes about 1.5 s in all: an embedded Redis is back by then.
        only = servers.owner(0)
        return client(only.url, Retry(ExponentialBackoff(cap=0.5, base=0.02), 6)), only.redis
    return Routed(servers, _FAILS_OVER_WITHIN), Routed(servers, 0)


@asynccontextmanager
async def running(*work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run coroutines in the background while the body lasts."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        yield
    finally:
        pending = set(tasks)
        while pending:  # redis-py waits by `wait_for`, which before Python 3.12 may swallow a cancellation: ask again
            for task in pending:
                task.cancel()
            _, pending = await asyncio.wait(pending, timeout=0.5)
