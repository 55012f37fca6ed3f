"""The relay service: it will forward sequenced messages between clients that run their own game."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.types import ASGIApp

from services.relay.routes import routes
from shared import health
from shared.edge import Edge
from shared.http import new_app
from shared.runtime import Runtime

SERVICE = "relay"


@asynccontextmanager
async def relay(runtime: Runtime) -> AsyncIterator[ASGIApp]:
    app = new_app("Parlor relay", SERVICE, runtime.desk)
    app.include_router(routes)
    app.include_router(health.router(SERVICE, runtime))
    yield Edge(app, SERVICE)
