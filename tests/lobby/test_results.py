"""A finished game counts once, however many end at the same moment and however often each is told."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from services.lobby.ratings import Ratings
from shared import bridge, db
from shared.ids import GameId, UserId, new_id
from tests.support.databases import Database

pytestmark = pytest.mark.both_databases

GAMES = 12
AT_ONCE = 15  # as many as there are connections: whoever finds none for three seconds is told to come again


@pytest.fixture
async def engine(database: Database) -> AsyncIterator[AsyncEngine]:
    url = database.url(f"results-{new_id()}")
    await asyncio.to_thread(db.migrate, url)
    made = db.engine(url)
    yield made
    await made.dispose()


async def test_games_that_end_at_the_same_moment_are_each_counted_once(engine: AsyncEngine) -> None:
    ann, bob = UserId(new_id()), UserId(new_id())
    ratings = Ratings(engine)
    results = [
        bridge.write(bridge.GameOver(GameId(new_id()), "xsos", 1, players=(ann, bob), winners=(i % 2,)))
        for i in range(GAMES)
    ]
    turn = asyncio.Semaphore(AT_ONCE)

    async def count(result: bytes) -> None:
        async with turn:
            await ratings.count([result])

    await asyncio.gather(*(count(result) for result in results for _ in range(2)))
    for user in (ann, bob):
        skill = (await ratings.in_all(user))["xsos"]
        assert (skill.games, skill.wins) == (GAMES, GAMES // 2)
