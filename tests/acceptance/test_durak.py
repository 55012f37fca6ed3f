"""Durak, played from outside by clients that know no rules."""

import random

from tests.conftest import Guest
from tests.support.client import Player
from tests.support.problems import assert_problem
from tests.support.waiting import eventually

CYRILLIC = "durak_podkidnoi_2\N{CYRILLIC SMALL LETTER HA}2"


async def create(player: Player, game_type: str, seats: list[str]) -> str:
    body = {"game_type": game_type, "seats": seats, "options": {"move_time": 0}}
    response = await player.post("/session/games", body)
    assert response.status_code == 201, response.text
    game_id = response.json()["id"]
    assert isinstance(game_id, str)
    return game_id


async def test_clients_that_post_what_they_are_offered_play_a_whole_game(guest: Guest) -> None:
    players = [await guest(nick) for nick in ("Ann", "Bob", "Cat")]
    game_id = await create(players[0], "durak_perevodnoi", ["me", "open", "open"])
    for player in players[1:]:
        assert (await player.post(f"/session/games/{game_id}/join")).status_code == 200
    dice = random.Random(5)
    moves = 0
    while (shown := [await player.view(game_id) for player in players])[0]["status"] == "active":
        acting = [box for box, view in enumerate(shown) if view["sync"]["turn"] == "my_turn"]
        assert acting == [box for box, view in enumerate(shown) if view.get("legal_moves")]
        box = dice.choice(acting)
        answer = await players[box].move(game_id, dice.choice(shown[box]["legal_moves"]))
        assert answer.status_code == 200, answer.text
        moves += 1
        assert moves < 2_000
    winners = shown[0]["result"]["winners"]
    assert len(winners) in (0, 2)
    assert all(view["gamestate"] | {"hand": 0} == shown[0]["gamestate"] | {"hand": 0} for view in shown)


async def test_bots_play_by_themselves_and_the_pairs_type_has_one_spelling(ann: Player) -> None:
    game_id = await create(ann, CYRILLIC, ["bot:random", "bot:cautious", "bot:random", "bot:cautious"])
    assert (await ann.view(game_id))["game_type"] == "durak_podkidnoi_2x2"

    view = await eventually(lambda: ann.view(game_id), lambda view: view["status"] == "finished", timeout=120.0)
    assert view["result"]["winners"] in ([], [0, 2], [1, 3])


async def test_refusals_name_the_reason(ann: Player, bob: Player) -> None:
    game_id = await create(ann, "durak_podkidnoi", ["me", "open"])
    await bob.post(f"/session/games/{game_id}/join")
    view = await ann.view(game_id)
    seats = [ann, bob]
    attacker, defender = (seats[view["gamestate"][role]] for role in ("attacker", "defender"))
    assert_problem(await defender.move(game_id, {"type": "take"}), 409, "not_your_turn")
    assert_problem(await attacker.move(game_id, {"type": "finish"}), 409, "wrong_phase")
    theirs = (await defender.view(game_id))["gamestate"]["hand"][0]
    assert_problem(await attacker.move(game_id, {"type": "attack", "cards": [theirs]}), 409, "illegal_move")
    assert_problem(await attacker.move(game_id, {"type": "attack", "cards": ["11c"]}), 422, "invalid_request")
    assert_problem(await attacker.move(game_id, {"type": "attack", "cards": []}), 422, "invalid_request")
