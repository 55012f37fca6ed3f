"""The lobby service: identity and the catalogue, and the place where players will find each other."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from services.lobby.identity import Identity
from services.lobby.routes import routes
from shared import health
from shared.edge import Edge
from shared.http import new_app
from shared.runtime import Runtime, wall_clock

SERVICE = "lobby"


@asynccontextmanager
async def lobby(runtime: Runtime) -> AsyncIterator[ASGIApp]:
    app = new_app("Parlor lobby", SERVICE, runtime.desk)
    app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=runtime.settings.trusted_proxies)
    app.state.runtime = runtime
    app.state.identity = Identity(runtime.db, runtime.tokens, wall_clock)
    app.include_router(routes)
    app.include_router(health.router(SERVICE, runtime))
    yield Edge(app, SERVICE)
