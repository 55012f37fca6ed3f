"""Draws by agreement: offered at any time, answered by a word, by an offer or by a move."""

import pytest

from tests.support.client import Player
from tests.support.duel import Duel, accepted, names
from tests.support.problems import assert_problem


async def offered(duel: Duel) -> int:
    """The first player, who is to move, offers a draw; return the version."""
    return accepted(await duel.first.draw(duel.id, "offer"))


async def test_an_offer_is_told_to_all_and_shown(duel: Duel, eve: Player) -> None:
    async with duel.listen(eve) as streams:
        version = await offered(duel)
        for events in streams:
            offer = await events.next()
            assert (offer.name, offer.id, offer.data["by"]) == ("draw_offered", str(version), duel.box(duel.first))
    for viewer in (*duel.seats, eve):
        assert (await viewer.view(duel.id))["draw"] == {"by": duel.box(duel.first)}


async def test_accepted_the_game_is_drawn(duel: Duel, eve: Player) -> None:
    await offered(duel)
    async with duel.listen(eve) as streams:
        version = accepted(await duel.second.draw(duel.id, "accept"))
        for events in streams:
            over = await events.next()
            assert (over.name, over.id) == ("game_over", str(version))
            assert over.data["winners"] == over.data["result"]["winners"] == []
            assert over.data["reason"] == "agreed"
    view = await eve.view(duel.id)
    assert (view["status"], view["result"]["winners"], view["draw"]) == ("finished", [], None)
    for player in duel.seats:
        assert_problem(await player.draw(duel.id, "offer"), 409, "wrong_state")


async def test_rejected_the_game_goes_on_and_a_draw_may_be_offered_again(duel: Duel, eve: Player) -> None:
    await offered(duel)
    async with duel.listen(eve) as streams:
        version = accepted(await duel.second.draw(duel.id, "reject"))
        for events in streams:
            rejection = await events.next()
            assert (rejection.name, rejection.id) == ("draw_rejected", str(version))
            assert rejection.data["by"] == duel.box(duel.second)
    assert (await eve.view(duel.id))["draw"] is None
    assert_problem(await duel.second.draw(duel.id, "accept"), 409, "no_draw_pending")
    await duel.play(duel.first, 0)
    await offered(duel)


async def test_two_offers_that_meet_are_an_agreement(xsos: Duel) -> None:
    await offered(xsos)
    accepted(await xsos.second.draw(xsos.id, "offer"))
    view = await xsos.first.view(xsos.id)
    assert (view["status"], view["result"]["reason"]) == ("finished", "agreed")


async def test_an_offer_that_is_repeated_changes_nothing(xsos: Duel) -> None:
    version = await offered(xsos)
    assert await offered(xsos) == version


async def test_a_move_of_the_other_player_declines_the_offer(xsos: Duel, eve: Player) -> None:
    await xsos.play(xsos.first, 0)
    await offered(xsos)
    async with xsos.listen(eve) as streams:
        version = await xsos.play(xsos.second, 1)
        for events in streams:
            await events.until(version)
            assert names(events) == ["draw_rejected", "response"]
    assert_problem(await xsos.second.draw(xsos.id, "accept"), 409, "no_draw_pending")


async def test_a_move_of_ones_own_leaves_the_offer_standing(xsos: Duel) -> None:
    await offered(xsos)
    await xsos.play(xsos.first, 0)
    accepted(await xsos.second.draw(xsos.id, "accept"))
    assert (await xsos.first.view(xsos.id))["result"]["reason"] == "agreed"


@pytest.mark.parametrize("answer", ["accept", "reject"])
async def test_there_must_be_an_offer_of_the_other_player_to_answer(xsos: Duel, answer: str) -> None:
    for player in xsos.seats:
        assert_problem(await player.draw(xsos.id, answer), 409, "no_draw_pending")
    version = await offered(xsos)
    assert_problem(await xsos.first.draw(xsos.id, answer), 409, "no_draw_pending")
    assert (await xsos.first.view(xsos.id))["version"] == version


async def test_a_draw_and_an_undo_may_be_pending_together(xsos: Duel, eve: Player) -> None:
    await xsos.play(xsos.first, 0)
    accepted(await xsos.first.undo(xsos.id, "request"))
    await offered(xsos)
    async with xsos.listen(eve) as (first, second, watcher):
        version = await xsos.play(xsos.second, 1)
        for events in (first, second, watcher):
            await events.until(version)
        assert names(first) == ["draw_rejected", "auto_reject_undo", "response"]
        assert names(second) == names(watcher) == ["draw_rejected", "response"]


async def test_an_agreement_ends_a_pending_undo_without_a_verdict(xsos: Duel, eve: Player) -> None:
    await xsos.play(xsos.first, 0)
    accepted(await xsos.first.undo(xsos.id, "request"))
    await offered(xsos)
    async with xsos.listen(eve) as (first, second, watcher):
        version = accepted(await xsos.second.draw(xsos.id, "accept"))
        for events in (first, second, watcher):
            await events.until(version)
            assert names(events) == ["game_over"]


async def test_only_the_players_may_speak_of_a_draw(xsos: Duel, eve: Player) -> None:
    for action in ("offer", "accept", "reject"):
        assert_problem(await eve.draw(xsos.id, action), 403, "forbidden")
    assert_problem(await eve.draw("0" * 32, "offer"), 404, "not_found")
    response = await eve.http.post(f"/session/games/{xsos.id}/draw", json={"action": "offer"})
    assert_problem(response, 401, "unauthenticated")


@pytest.mark.parametrize("body", [{}, {"action": "ask"}, {"action": 1}, [], "offer"])
async def test_what_is_no_word_about_a_draw_is_invalid(xsos: Duel, body: object) -> None:
    assert_problem(await xsos.first.post(f"/session/games/{xsos.id}/draw", body), 422, "invalid_request")


async def test_a_draw_can_be_offered_only_once_the_game_has_started(ann: Player) -> None:
    game = (await ann.create())["id"]
    assert_problem(await ann.draw(game, "offer"), 409, "wrong_state")


async def test_a_draw_can_be_offered_only_in_games_for_two(ann: Player, bob: Player, eve: Player) -> None:
    game = (await ann.create(game_type="tsuro", seats=("me", "open", "open")))["id"]
    for player in (bob, eve):
        assert (await player.join(game)).status_code == 200
    assert_problem(await ann.draw(game, "offer"), 409, "wrong_state")


async def test_an_offer_with_a_key_is_made_once(xsos: Duel) -> None:
    once, again = [await xsos.first.draw(xsos.id, "offer", key="draw") for _ in range(2)]
    assert once.content == again.content
    assert again.headers["idempotent-replayed"] == "true"
