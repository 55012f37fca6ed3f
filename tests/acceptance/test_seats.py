"""Making a game and taking its seats, until it starts."""

import asyncio

from tests.conftest import Guest
from tests.support.client import Player
from tests.support.problems import assert_problem
from tests.support.xsos import Match


async def test_a_game_with_an_open_seat_waits(ann: Player) -> None:
    created = await ann.create()
    assert created.keys() >= {"id", "version", "status"}
    assert created["status"] == "waiting"
    view = await ann.view(created["id"])
    assert (view["id"], view["version"], view["status"]) == (created["id"], created["version"], "waiting")
    assert view["self"] == {"box": 0}
    assert view["result"] is None
    assert view["waits"] == []
    assert "legal_moves" not in view


async def test_a_game_starts_when_the_last_open_seat_is_taken(ann: Player, bob: Player) -> None:
    game = (await ann.create())["id"]
    joined = (await bob.join(game)).json()
    view = await bob.view(game)
    assert (joined["id"], joined["status"], joined["box"]) == (game, "active", 1)
    assert (view["status"], view["version"]) == ("active", joined["version"])
    assert view["self"] == {"box": 1}
    assert [player["user"] for player in view["players"]] == [ann.id, bob.id]


async def test_boxes_follow_the_order_of_the_seats(ann: Player, bob: Player) -> None:
    game = (await ann.create(seats=("open", "me")))["id"]
    assert (await bob.join(game)).json()["box"] == 0
    assert [player["user"] for player in (await ann.view(game))["players"]] == [bob.id, ann.id]


async def test_joining_takes_the_lowest_open_box(ann: Player, bob: Player, eve: Player) -> None:
    game = (await eve.create(seats=("open", "open")))["id"]
    first, second = (await ann.join(game)).json(), (await bob.join(game)).json()
    assert (first["box"], first["status"]) == (0, "waiting")
    assert (second["box"], second["status"]) == (1, "active")
    assert (await eve.view(game))["self"] is None


async def test_nobody_joins_twice(ann: Player) -> None:
    game = (await ann.create())["id"]
    assert_problem(await ann.join(game), 409, "already_seated")
    assert (await ann.view(game))["status"] == "waiting"


async def test_of_many_who_join_at_once_one_gets_the_seat(ann: Player, guest: Guest) -> None:
    game = (await ann.create())["id"]
    crowd = [await guest(f"guest {number}") for number in range(10)]
    responses = await asyncio.gather(*(player.join(game) for player in crowd))
    seated = [player for player, answer in zip(crowd, responses, strict=True) if answer.status_code == 200]
    assert len(seated) == 1
    for response in responses:
        if response.status_code != 200:
            assert_problem(response, 409, "room_full")
    assert (await ann.view(game))["players"][1]["user"] == seated[0].id


async def test_everyone_is_told_who_joined_and_that_the_game_started(ann: Player, bob: Player, eve: Player) -> None:
    game = (await ann.create())["id"]
    async with ann.events(game) as seated, eve.events(game) as watching:
        await bob.join(game)
        for events in (seated, watching):
            await events.next("snapshot")
            joined = await events.next()
            assert joined.name == "joined"
            assert {name: joined.data[name] for name in ("box", "user", "nick", "avatar")} == {
                "box": 1,
                "user": bob.id,
                "nick": "Bob",
                "avatar": bob.user["avatar"],
            }
            started = await events.next()
            assert started.name == "started"
            assert started.data["status"] == "active"


async def test_players_are_shown_with_nick_avatar_and_clock(match: Match) -> None:
    for player, shown in zip(match.seats, (await match.x.view(match.id))["players"], strict=True):
        assert shown["nick"] == player.user["nick"]
        assert shown["avatar"] == player.user["avatar"]
        assert shown["timeBank"] == 60_000
        assert shown["timeBankTick"] >= 0
        assert shown["away"] is False


async def test_colours_do_not_follow_the_box(ann: Player, bob: Player) -> None:
    games = [await Match.start(ann, bob) for _ in range(24)]  # all alike once in eight million runs
    assert {match.box(match.x) for match in games} == {0, 1}


async def test_moves_and_resignations_are_refused_while_a_game_waits(ann: Player) -> None:
    game = (await ann.create())["id"]
    assert_problem(await ann.play(game, 0), 409, "wrong_state")
    assert_problem(await ann.resign(game), 409, "wrong_state")


async def test_anyone_signed_in_may_watch(match: Match, eve: Player) -> None:
    view = await eve.view(match.id)
    assert view["self"] is None
    assert view["sync"] == {"turn": "not_my_turn", "undo": "ban"}
    assert "legal_moves" not in view


async def test_a_view_carries_the_options_with_their_defaults(match: Match, ann: Player) -> None:
    assert (await match.x.view(match.id))["options"].items() >= {"move_time": 30, "time_bank": 60}.items()
    other = (await ann.create(options={"move_time": 7, "time_bank": 11}))["id"]
    assert (await ann.view(other))["options"].items() >= {"move_time": 7, "time_bank": 11}.items()
