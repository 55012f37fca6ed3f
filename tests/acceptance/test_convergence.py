"""Everyone converges: a snapshot plus the events after it equals a fresh snapshot, at every version."""

import random
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

import httpx
import pytest

from tests.support.client import Player
from tests.support.convergence import fold, law
from tests.support.duel import GAME_TYPES, Duel, accepted
from tests.support.sse import Events
from tests.support.xsos import Match

LONGEST_GAME = 9


async def assert_converged(viewers: dict[Player, Events], game: str) -> None:
    """What each viewer's client believes is what the server would tell it now, however it asks."""
    for viewer, events in viewers.items():
        view = await viewer.view(game)
        snapshot, *rest = await events.until(view["version"])
        believed = fold(snapshot, rest)
        assert believed["version"] == view["version"]
        assert law(believed) == law(view)
        async with viewer.events(game) as fresh:
            assert law((await fresh.next("snapshot")).data) == law(view)


@pytest.mark.parametrize("seed", range(6))
async def test_random_games_converge_for_players_and_watchers(ann: Player, bob: Player, eve: Player, seed: int) -> None:
    chance = random.Random(seed)
    game = (await ann.create(seats=chance.choice([("me", "open"), ("open", "me")])))["id"]
    async with AsyncExitStack() as stack:
        # Bob listens before he has a seat: joining turns a watcher's stream into a player's.
        viewers = {each: await stack.enter_async_context(each.events(game)) for each in (ann, bob, eve)}
        await assert_converged(viewers, game)
        await bob.join(game)
        await assert_converged(viewers, game)
        for _ in range(LONGEST_GAME):
            views = [(player, await player.view(game)) for player in (ann, bob)]
            if views[0][1]["status"] == "finished":
                break
            mover, view = next((player, view) for player, view in views if "legal_moves" in view)
            if chance.random() < 0.05:
                await chance.choice([ann, bob]).resign(game)
            else:
                await mover.move(game, chance.choice(view["legal_moves"]))
            await assert_converged(viewers, game)
        assert (await ann.view(game))["status"] == "finished"


@pytest.mark.parametrize("game_type", GAME_TYPES)
async def test_a_game_with_undo_and_draws_converges(ann: Player, bob: Player, eve: Player, game_type: str) -> None:
    duel = await Duel.start(ann, bob, game_type)
    first, second, game = duel.first, duel.second, duel.id
    course: list[Callable[[], Awaitable[httpx.Response]]] = [
        lambda: first.move(game, duel.move(0)),
        lambda: first.undo(game, "request"),
        lambda: second.undo(game, "approve"),
        lambda: first.move(game, duel.move(1)),
        lambda: first.undo(game, "request"),
        lambda: second.undo(game, "reject"),
        lambda: second.move(game, duel.move(2)),
        lambda: first.move(game, duel.move(3)),
        lambda: second.move(game, duel.move(4)),
        lambda: first.draw(game, "offer"),
        lambda: second.draw(game, "reject"),
        lambda: second.draw(game, "offer"),
        lambda: first.move(game, duel.move(5)),
        lambda: first.undo(game, "request"),
        lambda: second.move(game, duel.move(8)),
        lambda: second.undo(game, "request"),
        lambda: second.draw(game, "offer"),
        lambda: first.draw(game, "accept"),
    ]
    async with AsyncExitStack() as stack:
        viewers = {each: await stack.enter_async_context(each.events(game)) for each in (ann, bob, eve)}
        for command in course:
            accepted(await command())
            await assert_converged(viewers, game)
        heard = {event.name for events in viewers.values() for event in events.logged}
    told = {"request_undo", "approve_undo", "reject_undo", "auto_reject_undo", "draw_offered", "draw_rejected"}
    assert heard >= told | {"response", "sync", "game_over"}


async def test_a_request_that_crosses_a_move_converges(duel: Duel) -> None:
    seen = await duel.play(duel.first, 0)
    await duel.play(duel.second, 1)
    async with duel.first.events(duel.id) as events:
        accepted(await duel.first.undo(duel.id, "request", seen=seen))  # the others hear nothing of it
        await assert_converged({duel.first: events}, duel.id)


async def test_a_client_that_reconnects_in_the_middle_of_a_commit_converges(match: Match) -> None:
    async with match.o.events(match.id) as events:
        last = await match.play(0, 3, 1, 4, 2)
        snapshot, *seen = await events.until(f"{last}.0")
    async with match.o.events(match.id, cursor=f"{last}.0") as resumed:
        rest = await resumed.until(last)
    assert law(fold(snapshot, [*seen, *rest])) == law(await match.o.view(match.id))


async def test_a_game_lost_on_time_converges(ann: Player, bob: Player, eve: Player) -> None:
    game = (await ann.create(options={"move_time": 1, "time_bank": 0}))["id"]
    async with AsyncExitStack() as stack:
        viewers = {each: await stack.enter_async_context(each.events(game)) for each in (ann, bob, eve)}
        await bob.join(game)
        for events in viewers.values():
            await events.next("game_over")
        await assert_converged(viewers, game)
