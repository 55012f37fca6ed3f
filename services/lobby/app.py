"""The lobby service: identity, channels, matchmaking, rooms and tables, chat, wallets and ratings."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import httpx
from redis.exceptions import RedisError
from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from services.lobby import channel_routes, wallet_routes
from services.lobby.history import History
from services.lobby.identity import Identity
from services.lobby.routes import routes
from services.lobby.service import Lobby, lobby_of
from shared import bridge, health
from shared.edge import Edge
from shared.http import new_app
from shared.log.outbox import Outbox, Post
from shared.log.timers import Timers
from shared.runtime import Runtime, running, wall_clock

SERVICE = "lobby"
_LEISURE = 0.1  # seconds; hardly felt by who looks at the ratings, and games that end meanwhile share a transaction


@asynccontextmanager
async def lobby(runtime: Runtime, session: httpx.AsyncClient | None = None) -> AsyncIterator[ASGIApp]:
    """The service's app, with its workers running; `session` is how the session service can be asked."""
    made = lobby_of(runtime, session)
    app = new_app("Parlor lobby", SERVICE, runtime.desk)
    app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=runtime.settings.trusted_proxies)
    app.state.runtime = runtime
    app.state.identity = Identity(runtime.db, runtime.tokens, wall_clock, made.wallets.welcome)
    app.state.lobby = made
    app.include_router(routes)
    app.include_router(channel_routes.routes)
    app.include_router(wallet_routes.routes)
    app.include_router(health.router(SERVICE, runtime))
    workers = _workers(runtime, made)
    await asyncio.gather(*(worker.prepare() for worker in workers))
    async with running(*(worker.run() for worker in workers)):
        yield Edge(app, SERVICE, channel_routes.EventRoute(made, runtime.desk))
    with suppress(RedisError, OSError):
        await asyncio.gather(*(worker.release() for worker in workers))


def _workers(runtime: Runtime, made: Lobby) -> list[Outbox | Timers]:
    redis, doorbell, post, sure = runtime.redis, runtime.doorbell, made.post, runtime.store.confirm
    history, ours, theirs = History(runtime.db), bridge.READERS_OF_LOBBY, bridge.READERS_OF_SESSION
    return [
        Post(redis, doorbell, SERVICE, "lobby", post.deliver, ours, sure),
        Post(redis, doorbell, "session", "lobby", post.hear, theirs, sure),
        Outbox(redis, doorbell, SERVICE, "history", history.keep, ours, sure),
        Outbox(redis, doorbell, SERVICE, "bank", made.bank.handle, ours, sure),
        Outbox(redis, doorbell, "session", "ratings", made.ratings.count, theirs, sure, _LEISURE),
        Timers(redis, doorbell, SERVICE, wall_clock, post.expire, post.credit),
    ]
