"""Ratings over HTTP: profiles, leaderboards, and levels beside the players."""

import pytest

from tests.support.client import Json, Player
from tests.support.problems import assert_problem
from tests.support.waiting import eventually
from tests.support.xsos import Match

pytestmark = pytest.mark.both_databases


async def test_a_finished_game_is_rated_in_profiles_and_on_the_leaderboard(match: Match) -> None:
    ann, bob = match.x, match.o
    assert (await bob.resign(match.id)).status_code == 200

    async def profile() -> Json:
        found: Json = (await bob.get(f"/lobby/users/{ann.id}")).json()
        return found

    shown = await eventually(profile, lambda found: bool(found["ratings"]))
    assert shown["user"] == {"id": ann.id, "nick": ann.user["nick"], "avatar": None, "guest": True}
    [rating] = shown["ratings"]
    assert (rating["game_type"], rating["games"], rating["wins"]) == ("xsos", 1, 1)
    assert rating["lvl"] > 1
    board = (await ann.get("/lobby/leaderboards/xsos")).json()
    assert board["game_type"] == "xsos"
    ratings = [entry["rating"] for entry in board["entries"]]
    assert ratings == sorted(ratings, reverse=True)
    assert [entry["rank"] for entry in board["entries"]] == list(range(1, len(ratings) + 1))


async def test_unknown_users_and_game_types_are_not_found(ann: Player) -> None:
    assert_problem(await ann.get("/lobby/users/nobody"), 404, "not_found")
    assert_problem(await ann.get("/lobby/leaderboards/nothing"), 404, "not_found")


@pytest.mark.parametrize("name", ["nobody", "%00", "x" * 65, "%D0%B6"])
async def test_whoever_does_not_exist_has_no_profile(ann: Player, name: str) -> None:
    assert_problem(await ann.get(f"/lobby/users/{name}"), 404, "not_found")
