"""What is written in a game's log when nobody could serve it."""

import msgspec

from services.session.games import registered
from shared.ids import GameId, new_id
from shared.runtime import wall_clock
from tests.log.conftest import Replica
from tests.log.test_old_news import ANN, BOB, engine


async def test_an_outage_that_was_over_before_a_game_began_is_none_of_its_business(here: Replica) -> None:
    """It may still be on its way to the games of its partition when another one begins there."""
    ours, game = engine(here), GameId(new_id())
    options = msgspec.convert({}, registered().game("xsos").forms.options)
    before = wall_clock() - 1
    await ours.create(game, "xsos", options, (ANN, BOB), None)
    began = (await ours.game(game)).version
    await ours.credit(game, before - 10_000, before)
    assert (await ours.game(game)).version == began
    await ours.credit(game, before, wall_clock() + 1_000)
    assert (await ours.game(game)).version == began + 1
