"""Every wait of the lobby ends by itself: with short waits, nobody need do anything."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from tests.support.client import Player, open_client
from tests.support.lobby import Seat, feed, make_table, search, transition
from tests.support.problems import assert_problem
from tests.support.product import Product, short_directory
from tests.support.waiting import eventually

WAITS = {
    "PARLOR_BEGIN_WAIT_MS": "300",
    "PARLOR_REVANCHE_WAIT_MS": "300",
    "PARLOR_SITDOWN_WAIT_MS": "300",
    "PARLOR_EMPTY_TABLE_MS": "1500",
    "PARLOR_ABANDON_MS": "300",
    "PARLOR_LINGER_MS": "2500",
    "PARLOR_RATE_LIMIT": "off",
    "PARLOR_CHAT_FILTER": "tests.support.lobby:shouted",
}


@pytest.fixture(scope="module")
def hasty() -> Iterator[Product]:
    with short_directory() as home, Product(home, settings=WAITS) as running:
        yield running


@pytest.fixture
async def http(hasty: Product) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(hasty.url) as client:
        yield client


@pytest.fixture
async def a(http: httpx.AsyncClient) -> Seat:
    return await Seat.open(await Player.guest(http, "Ann"))


@pytest.fixture
async def b(http: httpx.AsyncClient) -> Seat:
    return await Seat.open(await Player.guest(http, "Bob"))


async def test_a_match_begins_and_a_rematch_is_given_up_by_themselves(a: Seat, b: Seat) -> None:
    async with feed(a.player) as told:
        for seat in (a, b):
            await seat.do("find", search("hasty"))
        for event in ("E2", "E3", "E4"):
            await transition(told, a, event)
        game = (await transition(told, a, "E6")).data["state"]["game"]["id"]
        await b.player.resign(game)
        await transition(told, a, "E7")
        assert (await transition(told, a, "E11")).data["reason"] == "rematch_timeout"
    await b.until("free")


async def test_one_who_agreed_alone_is_freed_too(a: Seat, b: Seat) -> None:
    for seat in (a, b):
        await seat.do("find", search("alone"))
    game = (await a.until("game"))["game"]["id"]
    async with feed(a.player) as told:
        await b.player.resign(game)
        await transition(told, a, "E7")
        await a.do("revanche")
        await transition(told, a, "E8")
        assert (await transition(told, a, "E10")).data["reason"] == "rematch_timeout"


async def test_a_reservation_is_released_to_the_next_in_line(a: Seat, b: Seat, http: httpx.AsyncClient) -> None:
    table = await make_table(a.player)
    await a.do("join", {"table": table, "box": 0})
    await b.do("takeplace", {"table": table, "box": 1})
    c = await Seat.open(await Player.guest(http, "Cid"))
    async with feed(b.player) as told, feed(c.player) as waiting:
        await c.do("taketurn", {"table": table})
        await transition(waiting, c, "E20")
        assert (await transition(told, b, "E23")).data["reason"] == "reservation_expired"
        assert (await transition(waiting, c, "E21")).data["state"]["box"] == 1
        assert (await transition(waiting, c, "E23")).data["reason"] == "reservation_expired"


async def test_a_table_that_nobody_came_to_disappears(a: Seat, b: Seat) -> None:
    await b.do("subscribe", {"room": "xsos"})
    async with feed(b.player) as told:
        table = await make_table(a.player)
        await a.do("watch", {"table": table})
        changes = []
        while "removed" not in changes:
            event = await told.next("room")
            if event.data["table"]["id"] == table:
                changes.append(event.data["change"])
        assert changes[0] == "created"
    assert (await a.until("free")) == {"value": "free"}
    assert_problem(await a.player.get(f"/lobby/tables/{table}"), 404, "not_found")


async def test_whoever_comes_back_is_told_once_of_each_table_of_a_room(a: Seat, b: Seat) -> None:
    await b.do("subscribe", {"room": "go"})
    kept = await make_table(a.player, game_type="go")
    await a.do("join", {"table": kept})
    async with feed(b.player) as told:
        cursor = (await told.next("snapshot")).id
    gone = await make_table(a.player, game_type="go")
    await (await Seat.open(a.player)).do("watch", {"table": kept})
    await eventually(lambda: a.player.get(f"/lobby/tables/{gone}"), lambda found: found.status_code == 404)
    last = await Seat.open(b.player)
    async with feed(b.player, cursor) as told:
        await last.do("subscribe", {"room": "xsos"})
        while (await told.next("channel")).data["event"] != "E15":  # is told after what a resume begins with
            pass
        changes = [each.data for each in told.received if each.name == "room"]
    of_kept, of_gone = ([each for each in changes if each["table"]["id"] == table] for table in (kept, gone))
    assert [(each["change"], each["table"]["watchers"]) for each in of_kept] == [("changed", 1)]
    assert [each["change"] for each in of_gone] == ["removed"]


async def leave_until_it_is_aborted(a: Seat, b: Seat, game: str) -> None:
    async with feed(a.player) as told:
        await a.do("leave")
        await b.do("leave")
        await transition(told, a, "E24")
        assert (await transition(told, a, "E26")).data["reason"] == "aborted"
    assert (await a.player.view(game))["status"] == "aborted"


async def test_a_game_that_all_have_left_is_aborted(a: Seat, b: Seat) -> None:
    table = await make_table(a.player)
    game = (await a.do("join", {"table": table}))["game"]["id"]
    await b.do("join", {"table": table})
    await eventually(lambda: a.player.view(game), lambda view: view["status"] == "active")
    await leave_until_it_is_aborted(a, b, game)


async def test_a_game_made_without_the_lobby_is_aborted_when_all_have_left(a: Seat, b: Seat) -> None:
    """Not so if somebody plays on without a channel, whom the lobby does not know."""
    played_on = (await a.player.create())["id"]
    await b.player.join(played_on)
    other = await Seat.open(a.player)
    await other.do("join", {"game": played_on})
    await other.do("leave")
    game = (await a.player.create())["id"]
    await a.do("join", {"game": game})
    await b.do("join", {"game": game})
    await leave_until_it_is_aborted(a, b, game)
    await b.until("free")
    assert (await a.player.view(played_on))["status"] == "active"
    assert (await other.do("return"))["value"] == "game"


async def test_presence_lasts_as_long_as_a_stream_and_then_ends(a: Seat, b: Seat) -> None:
    loop = asyncio.get_running_loop()

    async def is_online() -> bool:
        return bool((await b.player.get(f"/lobby/users/{a.player.id}")).json()["online"])

    async with feed(a.player) as told:
        await told.next("snapshot")
        longer_than_it_lingers = loop.time() + 3.5
        while loop.time() < longer_than_it_lingers:
            assert await is_online()
    assert await is_online(), "it lingers"
    await eventually(is_online, lambda online: not online)


async def test_every_message_passes_the_operators_filter(a: Seat) -> None:
    await a.do("chatjoin", {"room": "xsos"})
    said = await a.do("chatmsg", {"text": "hello"})
    assert said["chat"]["messages"][-1]["text"] == "HELLO"
