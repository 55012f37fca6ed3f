"""Time: a move's own time, then the bank, then the game is lost; idle games are aborted."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from tests.support.client import Player, open_client
from tests.support.convergence import fold, law
from tests.support.problems import assert_problem
from tests.support.product import Product, short_directory
from tests.support.waiting import eventually
from tests.support.xsos import X_WINS, Match

IDLE_MS = 1_000


async def test_the_seat_to_move_is_waited_for(match: Match) -> None:
    (wait,) = (await match.o.view(match.id))["waits"]
    assert (wait["box"], wait["name"]) == (match.box(match.x), "move")
    assert (wait["value"], wait["timeBank"]) == (30_000, 60_000)
    assert 0 <= wait["tick"] < 10_000


async def test_a_wait_ticks(match: Match) -> None:
    first = (await match.o.view(match.id))["waits"][0]["tick"]
    later = await eventually(lambda: match.o.view(match.id), lambda view: view["waits"][0]["tick"] > first)
    assert later["version"] == match.started_version


async def test_the_clock_starts_when_the_game_becomes_active(ann: Player, bob: Player) -> None:
    game = (await ann.create(options={"move_time": 1, "time_bank": 0}))["id"]
    await asyncio.sleep(1.2)  # longer than a move may take: nobody is on the clock yet
    await bob.join(game)
    view = await ann.view(game)
    assert view["status"] == "active"
    assert view["waits"][0]["tick"] < 1_000


async def test_running_out_of_time_loses(ann: Player, bob: Player) -> None:
    match = await Match.start(ann, bob, move_time=1, time_bank=0)
    async with match.o.events(match.id) as events:
        over = await events.next("game_over")
    assert over.data["result"]["reason"] == "timeout"
    assert over.data["result"]["winners"] == [match.box(match.o)]
    assert_problem(await match.x.play(match.id, 0), 409, "wrong_state")


async def test_a_move_restarts_the_clock_for_the_other(ann: Player, bob: Player) -> None:
    match = await Match.start(ann, bob, move_time=2, time_bank=0)
    await match.play(0)
    async with match.x.events(match.id) as events:
        over = await events.next("game_over")
    assert over.data["result"]["winners"] == [match.box(match.x)]


async def test_the_bank_is_used_before_the_game_is_lost(ann: Player, bob: Player) -> None:
    started = time.monotonic()
    match = await Match.start(ann, bob, move_time=1, time_bank=1)
    async with match.o.events(match.id) as events:
        over = await events.next("game_over")
    assert time.monotonic() - started >= 2.0
    assert over.data["timeBank"][match.box(match.x)] == 0
    assert over.data["timeBank"][match.box(match.o)] == 1_000


async def test_a_slow_move_takes_what_it_overran_from_the_bank(ann: Player, bob: Player) -> None:
    started = time.monotonic()
    match = await Match.start(ann, bob, move_time=1, time_bank=20)
    on_the_clock = time.monotonic()
    await asyncio.sleep(1.3)  # the player thinks
    least = time.monotonic() - on_the_clock
    await match.play(0)
    most = time.monotonic() - started
    banks = [player["timeBank"] for player in (await match.x.view(match.id))["players"]]
    overrun = 20_000 - banks[match.box(match.x)]
    assert 1_000 * (least - 1) - 5 <= overrun <= 1_000 * (most - 1) + 5
    assert banks[match.box(match.o)] == 20_000


async def test_a_quick_move_leaves_the_bank_alone(match: Match) -> None:
    await match.play(0)
    assert [player["timeBank"] for player in (await match.x.view(match.id))["players"]] == [60_000, 60_000]


async def test_with_move_time_0_there_is_no_clock(ann: Player, bob: Player) -> None:
    match = await Match.start(ann, bob, move_time=0)
    assert (await match.x.view(match.id))["waits"] == []
    await match.play(*X_WINS)


@pytest.fixture(scope="module")
def impatient_product() -> Iterator[Product]:
    settings = {"PARLOR_IDLE_GAME_MS": str(IDLE_MS), "PARLOR_RATE_LIMIT": "off"}
    with short_directory() as home, Product(home, settings=settings) as running:
        yield running


@pytest.fixture
async def impatient(impatient_product: Product) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(impatient_product.url) as http:
        yield http


async def test_a_game_whose_seats_stay_open_is_aborted(impatient: httpx.AsyncClient) -> None:
    ann = await Player.guest(impatient)
    created = await ann.create()
    async with ann.events(created["id"], cursor=created["version"]) as events:
        aborted = await events.next("aborted")
        assert aborted.data["reason"]
        assert aborted.data["version"] > created["version"]
    assert (await ann.view(created["id"]))["status"] == "aborted"
    assert_problem(await (await Player.guest(impatient)).join(created["id"]), 409, "wrong_state")


async def test_a_game_without_a_clock_that_nobody_plays_is_aborted(impatient: httpx.AsyncClient) -> None:
    match = await Match.start(await Player.guest(impatient), await Player.guest(impatient), move_time=0)
    async with match.o.events(match.id) as events:
        assert (await events.next("aborted")).data["reason"]
        snapshot, *rest = events.logged
    view = await match.o.view(match.id)
    assert view["status"] == "aborted"
    assert law(fold(snapshot, rest)) == law(view)
    assert view["waits"] == []
    assert_problem(await match.x.play(match.id, 0), 409, "wrong_state")


async def test_a_game_with_a_clock_is_not_aborted_for_idling(impatient: httpx.AsyncClient) -> None:
    match = await Match.start(await Player.guest(impatient), await Player.guest(impatient), move_time=2, time_bank=0)
    async with match.o.events(match.id) as events:
        ended = await events.next("aborted", "game_over")
    assert ended.name == "game_over"
    assert ended.data["result"]["reason"] == "timeout"
