"""Time: a move's own time, then the bank, then the game is lost; idle games are aborted."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from tests.support.client import Json, Player, open_client
from tests.support.convergence import fold, law
from tests.support.facts import TooSlow, credit, facts, in_time
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
    other = await Match.start(ann, bob, move_time=1, time_bank=0)
    await lost_on_time(other)  # longer than a move may take: nobody is on the clock yet
    assert (await bob.join(game)).json()["status"] == "active"
    await eventually(lambda: ann.view(game), lambda view: view["status"] == "finished")
    created, *_, started, ended = [fact["at"] for fact in await facts(ann, game) if fact["type"] != "credited"]
    assert started - created >= 1_000
    assert ended - started >= 1_000


async def lost_on_time(match: Match) -> Json:
    """What everyone is told when a clock has run out."""
    async with match.o.events(match.id, cursor=match.created_version) as events:
        over: Json = (await events.next("game_over")).data
    assert over["result"]["reason"] == "timeout"
    return over


async def test_running_out_of_time_loses(ann: Player, bob: Player) -> None:
    match = await Match.start(ann, bob, move_time=1, time_bank=0)
    over = await lost_on_time(match)
    assert over["result"]["winners"] == [match.box(match.o)]
    assert_problem(await match.x.play(match.id, 0), 409, "wrong_state")


async def test_a_move_restarts_the_clock_for_the_other(ann: Player, bob: Player) -> None:
    async def played_in_time() -> Match:
        match = await Match.start(ann, bob, move_time=1, time_bank=0)
        if (await match.x.play(match.id, 0)).status_code != 200:
            raise TooSlow
        return match

    match = await in_time(played_in_time)
    over = await lost_on_time(match)
    assert over["result"]["winners"] == [match.box(match.x)]
    found = await facts(ann, match.id)
    (played,) = [fact["at"] for fact in found if fact["type"] == "played"]
    assert found[-1]["at"] - played >= 1_000


async def test_the_bank_is_used_before_the_game_is_lost(ann: Player, bob: Player) -> None:
    match = await Match.start(ann, bob, move_time=1, time_bank=1)
    over = await lost_on_time(match)
    assert over["timeBank"][match.box(match.x)] == 0
    assert over["timeBank"][match.box(match.o)] == 1_000
    at = {fact["type"]: fact["at"] for fact in await facts(ann, match.id)}
    assert at["ended"] - at["started"] >= 2_000


async def test_a_slow_move_takes_what_it_overran_from_the_bank(ann: Player, bob: Player) -> None:
    match = await Match.start(ann, bob, move_time=1, time_bank=120)
    x = match.box(match.x)
    await eventually(lambda: match.x.view(match.id), lambda view: view["players"][x]["timeBankTick"] > 0)
    await match.play(0)
    banks = [player["timeBank"] for player in (await match.x.view(match.id))["players"]]
    found = await facts(ann, match.id)
    at = {fact["type"]: fact["at"] for fact in found}
    overrun = 120_000 - banks[x]
    assert overrun == at["played"] - at["started"] - credit(found, at["started"]) - 1_000 > 0
    assert banks[match.box(match.o)] == 120_000


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
    ann, bob = await Player.guest(impatient), await Player.guest(impatient)

    async def begun() -> None:
        game = (await ann.create(options={"move_time": 0}))["id"]
        async with ann.events(game) as events:
            await joined_in_time(bob, game)
            assert (await events.next("aborted")).data["reason"]
            snapshot, *rest = events.logged
        view = await ann.view(game)
        assert view["status"] == "aborted"
        assert law(fold(snapshot, rest)) == law(view)
        assert view["waits"] == []
        for player in (ann, bob):
            assert_problem(await player.play(game, 0), 409, "wrong_state")

    await in_time(begun)


async def test_a_game_with_a_clock_is_not_aborted_for_idling(impatient: httpx.AsyncClient) -> None:
    ann, bob = await Player.guest(impatient), await Player.guest(impatient)

    async def begun() -> None:
        created = await ann.create(options={"move_time": 2, "time_bank": 0})
        await joined_in_time(bob, created["id"])
        async with ann.events(created["id"], cursor=created["version"]) as events:
            ended = await events.next("aborted", "game_over")
        assert ended.name == "game_over"
        assert ended.data["result"]["reason"] == "timeout"

    await in_time(begun)


async def joined_in_time(player: Player, game: str) -> None:
    """A game that waits too long for its players is aborted as well."""
    joined = await player.join(game)
    if joined.status_code != 200:
        assert_problem(joined, 409, "wrong_state")
        raise TooSlow
