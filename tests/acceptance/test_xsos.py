"""Xs and Os, played from outside."""

import asyncio

import pytest

from tests.support.client import Player
from tests.support.problems import assert_problem
from tests.support.product import Product
from tests.support.wire import posted_at_once
from tests.support.xsos import DRAW, LINES, O_WINS, X_WINS, X_WINS_WITH_THE_LAST_CELL, Match

EMPTY = [None] * 9


async def test_a_game_begins_with_an_empty_board_and_x_to_move(match: Match, eve: Player) -> None:
    for viewer in (*match.seats, eve):
        gamestate = (await viewer.view(match.id))["gamestate"]
        assert gamestate["board"] == EMPTY
        assert gamestate["turn"] == "X"
        assert sorted(gamestate["colors"]) == ["O", "X"]


async def test_a_move_puts_a_mark_and_passes_the_turn(match: Match) -> None:
    before = (await match.x.view(match.id))["version"]
    response = await match.x.play(match.id, 4)
    assert response.status_code == 200
    assert response.json() == {"version": before + 1, "accepted": True}
    view = await match.o.view(match.id)
    assert view["version"] == before + 1
    assert view["gamestate"]["board"] == [*EMPTY[:4], "X", *EMPTY[5:]]
    assert view["gamestate"]["turn"] == "O"


async def test_moves_sent_without_waiting_are_decided_and_answered_in_order(product: Product, match: Match) -> None:
    bodies = [b'{"type": "play", "cell": %d}' % cell for cell in (4, 4, 0)] + [b"no move at all", b'{"type": "play"}']
    statuses = await posted_at_once(product.port, f"/session/games/{match.id}/moves", match.x.token, bodies)
    assert statuses == [200, 409, 409, 422, 422]
    assert (await match.o.view(match.id))["gamestate"]["board"] == [*EMPTY[:4], "X", *EMPTY[5:]]


async def test_only_the_seat_to_move_has_the_turn_and_the_legal_moves(match: Match, eve: Player) -> None:
    await match.play(4)
    o, x, watcher = [await player.view(match.id) for player in (match.o, match.x, eve)]
    assert o["sync"]["turn"] == "my_turn"
    assert o["legal_moves"] == [{"type": "play", "cell": cell} for cell in (0, 1, 2, 3, 5, 6, 7, 8)]
    for view in (x, watcher):
        assert view["sync"]["turn"] == "not_my_turn"
        assert "legal_moves" not in view


async def test_every_legal_move_can_be_posted_as_it_is(match: Match) -> None:
    mover = match.x
    for _ in DRAW:
        view = await mover.view(match.id)
        if view["status"] == "finished":
            break
        assert (await mover.move(match.id, view["legal_moves"][-1])).status_code == 200
        mover = match.other(mover)
    assert (await match.x.view(match.id))["status"] == "finished"


async def test_an_occupied_cell_is_an_illegal_move(match: Match) -> None:
    await match.play(4)
    assert_problem(await match.o.play(match.id, 4), 409, "illegal_move")


@pytest.mark.parametrize("cell", [9, -1, 100])
async def test_a_point_off_the_board_is_an_illegal_move(match: Match, cell: int) -> None:
    assert_problem(await match.x.play(match.id, cell), 409, "illegal_move")


async def test_nobody_moves_out_of_turn(match: Match) -> None:
    assert_problem(await match.o.play(match.id, 0), 409, "not_your_turn")
    await match.play(0)
    assert_problem(await match.x.play(match.id, 1), 409, "not_your_turn")


@pytest.mark.parametrize("line", LINES)
async def test_three_in_a_row_win(match: Match, line: tuple[int, int, int]) -> None:
    elsewhere = [cell for cell in range(9) if cell not in line]
    await match.play(line[0], elsewhere[0], line[1], elsewhere[1], line[2])
    view = await match.o.view(match.id)
    assert view["status"] == "finished"
    assert view["result"]["winners"] == [match.box(match.x)]


async def test_o_can_win_too(match: Match) -> None:
    await match.play(*O_WINS)
    assert (await match.x.view(match.id))["result"]["winners"] == [match.box(match.o)]


async def test_a_full_board_without_a_row_is_a_draw(match: Match) -> None:
    await match.play(*DRAW)
    view = await match.x.view(match.id)
    assert view["status"] == "finished"
    assert view["result"]["winners"] == []
    assert None not in view["gamestate"]["board"]


async def test_a_row_made_with_the_last_cell_is_no_draw(match: Match) -> None:
    await match.play(*X_WINS_WITH_THE_LAST_CELL)
    assert (await match.x.view(match.id))["result"]["winners"] == [match.box(match.x)]


async def test_a_finished_game_asks_nothing_of_anyone(match: Match, eve: Player) -> None:
    await match.play(*X_WINS)
    for viewer in (*match.seats, eve):
        view = await viewer.view(match.id)
        assert view["sync"] == {"turn": "not_my_turn", "undo": "ban"}
        assert view["waits"] == []
        assert "legal_moves" not in view
        assert view["gamestate"]["turn"] is None


async def test_a_finished_game_takes_no_more_commands(match: Match) -> None:
    await match.play(*X_WINS)
    for player in match.seats:
        assert_problem(await player.play(match.id, 8), 409, "wrong_state")
        assert_problem(await player.resign(match.id), 409, "wrong_state")


async def test_a_response_tells_all_that_changed(match: Match) -> None:
    async with match.o.events(match.id) as mover, match.x.events(match.id) as waiter:
        version = await match.play(0)
        await mover.until(version)
        await waiter.until(version)
    for events, turn in ((mover, "my_turn"), (waiter, "not_my_turn")):
        data = events.logged[-1].data
        assert (data["version"], data["color"], data["cell"], data["turn"]) == (version, "X", 0, "O")
        assert data["board"] == ["X", *EMPTY[1:]]
        assert data["sync"]["turn"] == turn
        assert [wait["box"] for wait in data["waits"]] == [match.box(match.o)]
        assert data["timeBank"] == [60_000, 60_000]
        assert ("legal_moves" in data) == (turn == "my_turn")


async def test_the_last_move_is_followed_by_the_result(match: Match, eve: Player) -> None:
    async with eve.events(match.id) as events:
        last = await match.play(*X_WINS)
        *_, response, game_over = await events.until(last)
    view = await eve.view(match.id)
    assert (response.name, response.data["turn"]) == ("response", None)
    assert game_over.name == "game_over"
    assert game_over.data["result"] == view["result"]
    assert game_over.data["winners"] == [match.box(match.x)]
    assert game_over.data["reason"] == view["result"]["reason"]
    assert game_over.data["sync"] == {"turn": "not_my_turn", "undo": "ban"}
    assert game_over.data["waits"] == []


@pytest.mark.parametrize("resigner", ["x", "o"])
async def test_who_resigns_loses_whoevers_turn_it_is(match: Match, eve: Player, resigner: str) -> None:
    loser: Player = getattr(match, resigner)
    async with match.other(loser).events(match.id) as winner, eve.events(match.id) as watcher:
        response = await loser.resign(match.id)
        assert response.status_code == 200
        for events in (winner, watcher):
            over = await events.next("game_over")
            assert over.id == str(response.json()["version"])
            assert over.data["result"]["reason"] == "resigned"
            assert over.data["result"]["winners"] == [match.box(match.other(loser))]
    assert (await eve.view(match.id))["status"] == "finished"


async def test_of_many_moves_at_once_one_is_played(match: Match) -> None:
    before = (await match.x.view(match.id))["version"]
    responses = await asyncio.gather(*(match.x.play(match.id, cell) for cell in range(9)))
    accepted = [response for response in responses if response.status_code == 200]
    assert [response.json()["version"] for response in accepted] == [before + 1]
    for response in responses:
        if response not in accepted:
            assert_problem(response, 409, "not_your_turn")
    board = (await match.x.view(match.id))["gamestate"]["board"]
    assert sorted(filter(None, board)) == ["X"]


async def test_a_move_may_say_what_its_player_had_seen(match: Match) -> None:
    version = (await match.x.view(match.id))["version"]
    response = await match.x.move(match.id, {"type": "play", "cell": 0, "seen": version})
    assert response.status_code == 200
