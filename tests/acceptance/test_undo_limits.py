"""When a move cannot be taken back, who may speak of it, and what ends a request otherwise."""

import asyncio

import pytest

from tests.support.client import Player
from tests.support.duel import MINE, THEIRS, Duel, accepted, asked, names, refused, words
from tests.support.problems import assert_problem


async def test_a_refused_play_does_not_resolve_the_request(duel: Duel) -> None:
    version = await asked(duel)
    assert_problem(await duel.second.move(duel.id, duel.move(0)), 409, "illegal_move")
    assert_problem(await duel.first.move(duel.id, duel.move(1)), 409, "not_your_turn")
    assert await duel.sync(duel.second) == (MINE, "approving")
    assert (await duel.first.view(duel.id))["version"] == version


async def test_nobody_may_ask_before_an_own_stone(duel: Duel) -> None:
    for player in duel.seats:
        await refused(player, duel)
    await duel.play(duel.first, 0)
    await refused(duel.second, duel)


async def test_nobody_may_ask_twice(duel: Duel) -> None:
    version = await asked(duel)
    await refused(duel.first, duel)
    await refused(duel.first, duel, seen=version - 1)
    await refused(duel.second, duel)


async def test_nobody_may_ask_once_the_opponent_has_played(duel: Duel) -> None:
    await duel.play(duel.first, 0)
    answered = await duel.play(duel.second, 1)
    await refused(duel.first, duel)
    await refused(duel.first, duel, seen=answered)
    await refused(duel.first, duel, seen=answered + 5)


@pytest.mark.parametrize("verdict", ["approve", "reject", "auto_reject", "play"])
async def test_after_a_verdict_asking_is_banned_until_the_next_own_stone(xsos: Duel, verdict: str) -> None:
    await asked(xsos)
    if verdict == "play":
        await xsos.play(xsos.second, 1)
    else:
        accepted(await xsos.second.undo(xsos.id, verdict))
    await refused(xsos.first, xsos)
    if verdict in ("reject", "auto_reject"):
        await xsos.play(xsos.second, 1)
        await refused(xsos.first, xsos)
    await xsos.play(xsos.first, 2)
    assert await xsos.sync(xsos.first) == (THEIRS, "allow")
    accepted(await xsos.first.undo(xsos.id, "request"))


async def test_after_an_approval_the_opponent_may_not_ask_for_the_stone_before(xsos: Duel) -> None:
    await xsos.play(xsos.first, 0)
    seen = await xsos.play(xsos.second, 1)
    await xsos.play(xsos.first, 2)
    accepted(await xsos.first.undo(xsos.id, "request"))
    accepted(await xsos.second.undo(xsos.id, "approve"))
    assert await xsos.sync(xsos.second) == (THEIRS, "ban")
    await refused(xsos.second, xsos)
    await refused(xsos.second, xsos, seen=seen)


async def test_answering_when_nothing_is_pending_is_refused_or_without_effect(duel: Duel) -> None:
    version = await duel.play(duel.first, 0)
    for player in duel.seats:
        for answer in ("approve", "reject"):
            assert_problem(await player.undo(duel.id, answer), 409, "no_undo_pending")
        assert accepted(await player.undo(duel.id, "auto_reject")) == version
    assert (await duel.first.view(duel.id))["version"] == version


async def test_nobody_answers_an_own_request(xsos: Duel) -> None:
    version = await asked(xsos)
    for answer in ("approve", "reject"):
        assert_problem(await xsos.first.undo(xsos.id, answer), 409, "no_undo_pending")
    assert accepted(await xsos.first.undo(xsos.id, "auto_reject")) == version
    assert await xsos.sync(xsos.second) == (MINE, "approving")


async def test_an_approval_that_crosses_the_play_is_refused(xsos: Duel) -> None:
    await asked(xsos)
    version = await xsos.play(xsos.second, 1)
    assert_problem(await xsos.second.undo(xsos.id, "approve"), 409, "no_undo_pending")
    assert (await xsos.first.view(xsos.id))["version"] == version
    assert await xsos.stones() == 2


async def test_an_answer_to_an_earlier_request_does_not_settle_a_new_one(xsos: Duel) -> None:
    earlier = await asked(xsos)
    await xsos.play(xsos.second, 1)
    version = await asked(xsos, place=2)
    for answer in ("approve", "reject"):
        assert_problem(await xsos.second.undo(xsos.id, answer, seen=earlier), 409, "no_undo_pending")
    assert accepted(await xsos.second.undo(xsos.id, "auto_reject", seen=earlier)) == version
    accepted(await xsos.second.undo(xsos.id, "approve", seen=version))
    assert await xsos.stones() == 2


async def test_of_an_approval_and_a_play_at_once_one_is_accepted(gomoku: Duel) -> None:
    """Both are the second player's, from two windows."""
    for round in range(4):
        before = await gomoku.stones()
        await asked(gomoku, place=2 * round)
        approval, play = await asyncio.gather(
            gomoku.second.undo(gomoku.id, "approve"), gomoku.second.move(gomoku.id, gomoku.move(2 * round + 1))
        )
        assert sorted([approval.status_code, play.status_code]) == [200, 409]
        if approval.status_code == 200:
            assert_problem(play, 409, "not_your_turn")
            await gomoku.play(gomoku.first, 2 * round)
            await gomoku.play(gomoku.second, 2 * round + 1)
        else:
            assert_problem(approval, 409, "no_undo_pending")
        assert await gomoku.stones() == before + 2


@pytest.mark.parametrize("resigner", ["first", "second"])
async def test_a_resignation_ends_a_request_without_a_verdict(xsos: Duel, eve: Player, resigner: str) -> None:
    await asked(xsos)
    async with xsos.listen(eve) as streams:
        version = accepted(await getattr(xsos, resigner).resign(xsos.id))
        for events in streams:
            await events.until(version)
            assert names(events) == ["game_over"]
            assert words(events.logged[-1].data) == (THEIRS, "ban")
            assert events.logged[-1].data["waits"] == []
    assert_problem(await xsos.second.undo(xsos.id, "approve"), 409, "wrong_state")


async def test_a_winning_stone_cannot_be_taken_back_and_resolves_what_is_pending(xsos: Duel, eve: Player) -> None:
    for player, place in ((xsos.first, 0), (xsos.second, 3), (xsos.first, 1), (xsos.second, 4)):
        await xsos.play(player, place)
    accepted(await xsos.second.undo(xsos.id, "request"))
    async with xsos.listen(eve) as (first, second, watcher):
        version = await xsos.play(xsos.first, 2)
        for events in (first, second, watcher):
            await events.until(version)
        assert names(second) == ["auto_reject_undo", "response", "game_over"]
        assert names(first) == names(watcher) == ["response", "game_over"]
    for player in xsos.seats:
        assert await xsos.sync(player) == (THEIRS, "ban")
        assert_problem(await player.undo(xsos.id, "request", seen=0), 409, "wrong_state")


async def test_the_last_stone_before_a_full_board_can_be_taken_back(xsos: Duel) -> None:
    order = (0, 1, 2, 4, 3, 5, 7, 6)
    for number, place in enumerate(order):
        await xsos.play(xsos.first if number % 2 == 0 else xsos.second, place)
    accepted(await xsos.second.undo(xsos.id, "request"))
    accepted(await xsos.first.undo(xsos.id, "approve"))
    assert await xsos.stones() == 7
    assert (await xsos.second.view(xsos.id))["legal_moves"] == [{"type": "play", "cell": cell} for cell in (6, 8)]


@pytest.mark.parametrize("seconds", [0, 121, -1])
async def test_the_time_to_answer_has_bounds(ann: Player, seconds: int) -> None:
    body = {"game_type": "xsos", "seats": ["me", "open"], "options": {"undo_time": seconds}}
    assert_problem(await ann.post("/session/games", body), 422, "invalid_request")


async def test_only_the_players_may_speak_of_undo(xsos: Duel, eve: Player) -> None:
    await asked(xsos)
    for action in ("request", "approve", "reject", "auto_reject"):
        assert_problem(await eve.undo(xsos.id, action), 403, "forbidden")
    assert_problem(await eve.undo("0" * 32, "approve"), 404, "not_found")
    response = await eve.http.post(f"/session/games/{xsos.id}/undo", json={"action": "approve"})
    assert_problem(response, 401, "unauthenticated")
    assert await xsos.sync(xsos.second) == (MINE, "approving")


@pytest.mark.parametrize(
    "body", [{}, {"action": "undo"}, {"action": None}, {"action": "request", "seen": "1"}, {"seen": 1}, [], "request"]
)
async def test_what_is_no_word_about_undo_is_invalid(xsos: Duel, body: object) -> None:
    await asked(xsos)
    assert_problem(await xsos.second.post(f"/session/games/{xsos.id}/undo", body), 422, "invalid_request")


async def test_undo_in_a_game_that_has_not_started_is_refused(ann: Player) -> None:
    game = (await ann.create())["id"]
    for action in ("request", "approve", "reject", "auto_reject"):
        assert_problem(await ann.undo(game, action), 409, "wrong_state")


async def test_a_repeated_command_has_one_effect(xsos: Duel, eve: Player) -> None:
    async with xsos.listen(eve) as (first, second, _):
        await xsos.play(xsos.first, 0)
        once, again = [await xsos.first.undo(xsos.id, "request", key="ask") for _ in range(2)]
        assert (once.status_code, once.content) == (again.status_code, again.content)
        assert again.headers["idempotent-replayed"] == "true"
        once, again = [await xsos.second.undo(xsos.id, "approve", key="answer") for _ in range(2)]
        assert (once.status_code, once.content) == (again.status_code, again.content)
        version = accepted(again)
        await first.until(version)
        await second.until(version)
        assert names(first) == ["response", "sync", "approve_undo", "response"]
        assert names(second) == ["response", "request_undo", "response"]
    mismatch = await xsos.second.undo(xsos.id, "reject", key="answer")
    assert_problem(mismatch, 422, "idempotency_mismatch")
