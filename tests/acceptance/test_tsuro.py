"""Tsuro over HTTP: prompts, bad moves, clocks and bots."""

from typing import Any

import pytest

from tests.support.client import Json, Player
from tests.support.convergence import fold, law
from tests.support.facts import TooSlow, in_time
from tests.support.waiting import eventually

FIRST = {"type": "first_move", "tile": 0, "rotation": 0, "x": 0, "y": 0, "port": "C"}
SECOND = {"type": "first_move", "tile": 3, "rotation": 90, "x": 9, "y": 9, "port": "A"}


async def created(player: Player, seats: list[str], **options: Any) -> str:
    body = {"game_type": "tsuro", "seats": seats, "options": {"supply": "ordered", **options}}
    response = await player.post("/session/games", body)
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


async def begun(ann: Player, bob: Player, **options: Any) -> str:
    """A game of Ann (white, first) and Bob."""
    game = await created(ann, ["me", "open"], **options)
    assert (await bob.join(game)).is_success
    return game


async def moved(player: Player, game: str, move: Json) -> Json:
    response = await player.move(game, move)
    assert response.status_code == 200, response.text
    answer: Json = response.json()
    return answer


async def test_each_is_told_its_colour_and_the_first_is_asked(ann: Player, bob: Player, eve: Player) -> None:
    game = await created(ann, ["me", "open"])
    async with ann.events(game) as to_ann, bob.events(game) as to_bob, eve.events(game) as to_eve:
        version = (await bob.join(game)).json()["version"]
        names = {
            who: [event.name for event in await events.until(version)][-3:]
            for who, events in {"ann": to_ann, "bob": to_bob, "eve": to_eve}.items()
        }
        prompt = to_ann.logged[-1].data
    assert names["ann"] == ["started", "set_color", "generate_first_move"]
    assert names["bob"] == ["joined", "started", "set_color"]
    assert names["eve"] == ["snapshot", "joined", "started"]
    assert (prompt["tiles"], prompt["board"]) == ([0, 1, 2], {"tiles": [], "avatars": []})
    view = await ann.view(game)
    assert view["gamestate"]["request"] == {"event": "generate_first_move", "tiles": [0, 1, 2], "number": 1}
    assert view["gamestate"]["board"] == prompt["board"]
    assert "request" not in (await bob.view(game))["gamestate"]


async def test_a_good_move_is_told_to_all(ann: Player, bob: Player, eve: Player) -> None:
    game = await begun(ann, bob)
    async with bob.events(game) as to_bob, eve.events(game) as to_eve:
        assert (await moved(ann, game, FIRST))["accepted"] is True
        placed = await to_eve.next("tile_placed")
        arrived = await to_eve.next("avatar_moved")
        asked = await to_bob.next("generate_first_move")
    assert {name: placed.data[name] for name in ("box", "tile", "rotation", "x", "y")} == {
        "box": 0, "tile": 0, "rotation": 0, "x": 0, "y": 0,
    }  # fmt: skip
    assert {name: arrived.data[name] for name in ("box", "x", "y", "port")} == {"box": 0, "x": 0, "y": 0, "port": "C"}
    assert asked.data["tiles"] == [3, 4, 5]
    assert asked.data["board"]["avatars"] == [{"box": 0, "color": "white", "x": 0, "y": 0, "port": "C"}]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"tile": 9}, "tile_not_in_hand"),
        ({"x": 5, "y": 5}, "not_at_the_periphery"),
        ({"x": 99}, "off_the_board"),
        ({"port": "A"}, "port_faces_the_edge"),
    ],
)
async def test_a_bad_move_is_consumed_and_everyone_is_told_why(
    ann: Player, bob: Player, eve: Player, change: Json, reason: str
) -> None:
    game = await begun(ann, bob)
    async with eve.events(game) as events:
        answer = await moved(ann, game, {**FIRST, **change})
        told = await events.next("move_discarded")
    assert answer == {"version": told.data["version"], "accepted": False, "reason": reason}
    assert (told.data["box"], told.data["reason"]) == (0, reason)
    again = await ann.move(game, FIRST)
    assert (again.status_code, again.json()["code"]) == (409, "not_your_turn")


@pytest.mark.parametrize(
    "change", [{"rotation": 45}, {"port": "Z"}, {"port": "a"}, {"tile": "0"}, {"x": None}, {"type": "lay"}]
)
async def test_what_is_no_move_at_all_consumes_nothing(ann: Player, bob: Player, change: Json) -> None:
    game = await begun(ann, bob)
    refused = await ann.move(game, {**FIRST, **change})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request")
    assert (await moved(ann, game, FIRST))["accepted"] is True


async def test_who_is_not_asked_is_refused(ann: Player, bob: Player) -> None:
    game = await begun(ann, bob)
    refused = await bob.move(game, SECOND)
    assert (refused.status_code, refused.json()["code"]) == (409, "not_your_turn")


async def test_whoever_lets_the_clock_run_out_loses_that_move_only(ann: Player, bob: Player) -> None:
    async def one_clock_runs_out() -> None:
        game = await created(ann, ["me", "open"], move_time=1, time_bank=0)
        async with ann.events(game) as events:
            begun = (await bob.join(game)).json()["version"]
            first, second = await moved_in_time(ann, game, FIRST), await moved_in_time(bob, game, SECOND)
            if (first, second) != (begun + 1, begun + 2):
                raise TooSlow  # a clock has run out before
            discarded = await events.next("move_discarded")
            assert (discarded.data["box"], discarded.data["reason"]) == (0, "timeout")
            assert discarded.data["gamestate"]["board"]["avatars"][0]["color"] == "white"
            await moved_in_time(bob, game, {"type": "move", "tile": 8, "rotation": 0})
            asked = await events.next("generate_move")
            await moved_in_time(ann, game, {"type": "move", "tile": asked.data["tiles"][0], "rotation": 0})

    await in_time(one_clock_runs_out)


async def moved_in_time(player: Player, game: str, move: Json) -> int:
    """Make a good move and return its version; whoever comes after the clock has run out is not to move any more."""
    answer = await player.move(game, move)
    if answer.status_code == 409:
        raise TooSlow
    assert answer.json()["accepted"] is True, answer.text
    version: int = answer.json()["version"]
    return version


async def test_who_resigns_leaves_and_the_others_play_on(ann: Player, bob: Player, eve: Player) -> None:
    game = await created(ann, ["me", "open", "open"])
    await bob.join(game)
    await eve.join(game)
    async with eve.events(game) as events:
        assert (await ann.resign(game)).is_success
        assert (await events.next("resigned")).data["box"] == 0
    view = await bob.view(game)
    assert (view["status"], view["gamestate"]["turn"], view["gamestate"]["out"]) == ("active", 1, [0])
    assert (await eve.resign(game)).is_success
    assert (await bob.view(game))["result"] == {"winners": [1], "reason": "resigned"}


async def test_bots_play_a_whole_game_and_a_watcher_converges(ann: Player) -> None:
    game = await created(ann, ["bot:first", "bot:last", "bot:random", "bot:greedy"], supply="shuffled")
    async with ann.events(game) as events:
        view = await eventually(lambda: ann.view(game), lambda view: view["status"] != "active", timeout=60.0)
        snapshot, *rest = await events.until(view["version"])
    assert law(fold(snapshot, rest)) == law(view)
    assert view["status"] == "finished"
    replay = await ann.replay(game)
    assert not [event for event in replay["events"] if event["event"] == "move_discarded"]
