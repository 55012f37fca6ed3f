"""Bots move as soon as it is their turn, however fast they are."""

import asyncio

import msgspec

from services.session.decide import Pace
from services.session.engine import Engine
from services.session.facts import bot_player
from services.session.games import registered
from services.session.machine import GameLog
from shared.ids import GameId, new_id
from shared.log.keys import log_keys
from shared.runtime import wall_clock
from tests.log.conftest import Replica
from tests.log.test_old_news import nothing


async def test_the_timers_are_rung_for_a_turn_that_comes_in_the_same_millisecond_as_the_one_before(
    here: Replica,
) -> None:
    games, game, now = registered(), GameId(new_id()), wall_clock()
    engine = Engine(
        games, GameLog(games), here.hub, here.store, lambda: now, Pace(idle_ms=3_600_000, bot_ms=0), nothing
    )
    rung: asyncio.Queue[bytes] = asyncio.Queue()
    bell = log_keys("session", "game", game).partition.bell("timers")
    here.doorbell.add(bell, rung.put_nowait)
    await here.doorbell.ready(bell)
    options = msgspec.convert({}, games.game("xsos").forms.options)
    await engine.create(game, "xsos", options, (bot_player("random"), bot_player("random")), None)
    for _ in range(4):
        await asyncio.wait_for(rung.get(), 30.0)
        await engine.expire(game)
    assert (await engine.game(game)).version == 6
    here.doorbell.drop(bell)
