"""The relay service: sequenced messages between two clients that run their own game."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from redis.exceptions import RedisError
from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from services.relay.decide import Terms
from services.relay.exchange import Exchange
from services.relay.hot import HotRoutes
from services.relay.liff import Liff
from services.relay.machine import RoomLog
from services.relay.marks import Marks
from services.relay.repeats import Repeats
from services.relay.routes import routes
from services.relay.streams import Streams
from shared import health
from shared.edge import Edge
from shared.http import new_app
from shared.log.timers import Timers
from shared.runtime import Runtime, running, wall_clock

SERVICE = "relay"


@asynccontextmanager
async def relay(runtime: Runtime) -> AsyncIterator[ASGIApp]:
    """The service's app, with its workers running."""
    machine, hub, store = RoomLog(), runtime.hub, runtime.store
    terms = Terms(runtime.settings.relay_idle_ms, runtime.settings.relay_forget_ms)
    marks = Marks(runtime.redis, runtime.servers)
    exchange = Exchange(machine, hub, store, marks, runtime.redis, wall_clock, terms)
    streams = Streams(exchange, machine, hub, store, marks, wall_clock, terms.idle_ms)

    app = new_app("Parlor relay", SERVICE, runtime.desk)
    app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=runtime.settings.trusted_proxies)
    app.state.runtime = runtime
    app.state.liff = Liff(runtime.settings, runtime.tokens)
    app.include_router(routes)
    app.include_router(health.router(SERVICE, runtime))
    hot = HotRoutes(exchange, streams, Repeats(runtime.redis, store, SERVICE), runtime.desk)
    hot.document(app)

    timers = Timers(runtime.redis, runtime.doorbell, SERVICE, wall_clock, exchange.expire, exchange.credit)
    await timers.prepare()
    async with running(timers.run(), streams.run()):
        yield Edge(app, SERVICE, hot)
    with suppress(RedisError, OSError):
        await timers.release()
    await streams.settle()
    await marks.settle()
    await marks.close()
