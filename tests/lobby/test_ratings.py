"""What a finished game says of its players."""

import asyncio

import pytest

from services.lobby.ratings import NEWCOMER, Ratings, after_game, is_rated, level
from shared import bridge, db
from shared.ids import GameId, UserId
from tests.support.databases import Database

pytestmark = pytest.mark.both_databases


def over(game: str, *players: str, winners: tuple[int, ...] = (0,), status: str = "finished") -> bridge.GameOver:
    seated = tuple(UserId(player) for player in players)
    return bridge.GameOver(GameId(game), "xsos", 1, status, players=seated, winners=winners)


def test_a_newcomer_is_at_level_one() -> None:
    assert NEWCOMER.lvl == 1
    assert level(-3.0) == 1
    assert level(4.2) == 5


def test_the_winner_rises_above_the_loser() -> None:
    winner, loser = after_game([NEWCOMER, NEWCOMER], (0,))
    assert winner.mu > NEWCOMER.mu > loser.mu
    assert (winner.wins, loser.wins, loser.games) == (1, 0, 1)


def test_a_draw_of_equals_makes_only_surer() -> None:
    one, other = after_game([NEWCOMER, NEWCOMER], ())
    assert one.mu == pytest.approx(other.mu)
    assert one.sigma < NEWCOMER.sigma


def test_only_finished_games_among_people_count() -> None:
    assert is_rated(over("g", "ann", "bob"))
    assert not is_rated(over("g", "ann", "bob", status="aborted"))
    assert not is_rated(over("g", "ann", "bot:random"))
    assert not is_rated(over("g", "ann"))


async def test_a_game_counts_once_however_often_it_is_told(database: Database) -> None:
    url = database.url("ratings")
    await _migrated(url)
    engine = db.engine(url)
    ratings = Ratings(engine)
    told = bridge.write(over("g1", "ann", "bob"))
    await ratings.count([told, told])
    await ratings.count([told])
    skills = await ratings.of([UserId("ann"), UserId("bob"), UserId("cid")], "xsos")
    assert {user: (skill.games, skill.wins) for user, skill in skills.items()} == {"ann": (1, 1), "bob": (1, 0)}
    assert skills[UserId("ann")].mu == pytest.approx(after_game([NEWCOMER, NEWCOMER], (0,))[0].mu)
    await ratings.count([bridge.write(over("g2", "bob", "ann"))])
    assert (await ratings.in_all(UserId("bob")))["xsos"].games == 2
    await engine.dispose()


async def _migrated(url: str) -> None:
    await asyncio.to_thread(db.migrate, url)
