"""The session service: authoritative games."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from redis.exceptions import RedisError
from starlette.types import ASGIApp

from services.session.consumers import LobbyOrders
from services.session.decide import Pace
from services.session.engine import Engine
from services.session.games import registered
from services.session.hot import HotRoutes
from services.session.machine import GameLog
from services.session.replays import Replays
from services.session.routes import routes
from shared import bridge, catalogue, health
from shared.edge import Edge
from shared.http import new_app
from shared.log.outbox import Outbox
from shared.log.timers import Timers
from shared.runtime import Runtime, running, wall_clock

SERVICE = "session"
_LEISURE = 0.25  # seconds; nobody waits for the archive, and games that end meanwhile share a transaction


@asynccontextmanager
async def session(runtime: Runtime) -> AsyncIterator[ASGIApp]:
    """The service's app, with its workers running."""
    games = registered()
    machine = GameLog(games)
    pace = Pace(runtime.settings.idle_game_ms, runtime.settings.bot_delay_ms)
    replays = Replays(machine, runtime.store, runtime.db, runtime.redis)
    engine = Engine(games, machine, runtime.hub, runtime.store, wall_clock, pace, replays.archived)

    app = new_app("Parlor session", SERVICE, runtime.desk)
    app.state.engine, app.state.games, app.state.replays = engine, games, replays
    app.include_router(routes)
    app.include_router(health.router(SERVICE, runtime))
    moves = {t.game_type: game.forms.move for game in games.all for t in game.types}
    hot = HotRoutes(engine, runtime.hub, runtime.desk, moves)
    hot.document(app)

    timers = Timers(runtime.redis, runtime.doorbell, SERVICE, wall_clock, engine.expire, engine.credit)
    lobby, confirm = LobbyOrders(engine, games, runtime.store), runtime.store.confirm
    readers = bridge.READERS_OF_SESSION
    archive = Outbox(runtime.redis, runtime.doorbell, SERVICE, "archive", replays.archive, readers, confirm, _LEISURE)
    orders = Outbox(runtime.redis, runtime.doorbell, "lobby", SERVICE, lobby.handle, confirm=confirm)
    await catalogue.publish(runtime.redis, games.all)
    await archive.prepare()
    await timers.prepare()
    async with running(timers.run(), archive.run(), orders.run()):
        yield Edge(app, SERVICE, hot)
    with suppress(RedisError, OSError):
        await timers.release()
        await archive.release()
        await orders.release()
