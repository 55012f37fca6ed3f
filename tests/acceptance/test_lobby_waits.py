"""Every wait of the lobby ends by itself: with short waits, nobody need do anything."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

from tests.support.client import Player, open_client
from tests.support.facts import TooSlow, in_time
from tests.support.lobby import Seat, feed, make_table, search, transition
from tests.support.outboxes import handed_over
from tests.support.problems import assert_problem
from tests.support.product import Product, short_directory
from tests.support.sse import PATIENCE
from tests.support.waiting import eventually

LINGER_MS = 1_500
WAITS = {
    "PARLOR_BEGIN_WAIT_MS": "300",
    "PARLOR_REVANCHE_WAIT_MS": "500",
    "PARLOR_SITDOWN_WAIT_MS": "500",
    "PARLOR_EMPTY_TABLE_MS": "1000",
    "PARLOR_ABANDON_MS": "300",
    "PARLOR_LINGER_MS": str(LINGER_MS),
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


async def freed(*seats: Seat) -> None:
    for seat in seats:
        assert (await seat.until("free")) == {"value": "free"}


async def table_with(seat: Seat, **more: Any) -> tuple[str, str]:
    """A table where somebody sits, before it disappears for want of people, and its game."""

    async def sat_down() -> tuple[str, str]:
        table = await make_table(seat.player, **more)
        joined = await seat.send("join", {"table": table, "box": 0})
        if joined.status_code == 404:
            raise TooSlow
        return table, joined.json()["state"]["game"]["id"]

    return await in_time(sat_down)


async def test_one_who_agreed_alone_is_freed_too(a: Seat, b: Seat) -> None:
    async def agreed() -> None:
        async with feed(a.player) as told:
            for seat in (a, b):
                await seat.do("find", search("alone"))
            for event in ("E2", "E3", "E4"):
                await transition(told, a, event)
            await b.player.resign((await transition(told, a, "E6")).data["state"]["game"]["id"])
            await transition(told, a, "E7")
            agreeing = await a.send("revanche")
            if agreeing.status_code == 409:
                await freed(a, b)
                raise TooSlow
            await transition(told, a, "E8")
            assert (await transition(told, a, "E10")).data["reason"] == "rematch_timeout"

    await in_time(agreed)


async def test_a_reservation_is_released_to_the_next_in_line(a: Seat, b: Seat, http: httpx.AsyncClient) -> None:
    table, _ = await table_with(a)
    c = await Seat.open(await Player.guest(http, "Cid"))

    async def released() -> None:
        async with feed(b.player) as told, feed(c.player) as waiting:
            await b.do("takeplace", {"table": table, "box": 1})
            if (await c.do("taketurn", {"table": table}))["value"] != "taketurn":
                await freed(b, c)
                raise TooSlow
            await transition(told, b, "E19")
            await transition(waiting, c, "E20")
            assert (await transition(told, b, "E23")).data["reason"] == "reservation_expired"
            assert (await transition(waiting, c, "E21")).data["state"]["box"] == 1
            assert (await transition(waiting, c, "E23")).data["reason"] == "reservation_expired"

    await in_time(released)


async def test_a_table_that_nobody_came_to_disappears(a: Seat, b: Seat) -> None:
    await b.do("subscribe", {"room": "xsos"})

    async def watched() -> str:
        table = await make_table(a.player)
        if (await a.send("watch", {"table": table})).status_code == 404:
            raise TooSlow
        return table

    async with feed(b.player) as told:
        table = await in_time(watched)
        changes = []
        while "removed" not in changes:
            event = await told.next("room")
            if event.data["table"]["id"] == table:
                changes.append(event.data["change"])
        assert changes[0] == "created"
    await freed(a)
    assert_problem(await a.player.get(f"/lobby/tables/{table}"), 404, "not_found")


async def test_whoever_comes_back_is_told_once_of_each_table_of_a_room(a: Seat, b: Seat, hasty: Product) -> None:
    await b.do("subscribe", {"room": "go"})
    kept, _ = await table_with(a, game_type="go")
    async with feed(b.player) as told:
        cursor = (await told.next("snapshot")).id
    gone = await make_table(a.player, game_type="go")
    await (await Seat.open(a.player)).do("watch", {"table": kept})
    await eventually(lambda: a.player.get(f"/lobby/tables/{gone}"), lambda found: found.status_code == 404)
    await handed_over(f"unix://{hasty.redis_socket}")  # the room has been told, which nobody hears just now
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
    table, game = await table_with(a)
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
        opened = loop.time()
        await told.next("snapshot")
        while loop.time() < opened + 2 * LINGER_MS / 1_000:
            await told.comment(after=len(told.comments), timeout=PATIENCE)
            # A server that was kept from saying so for longer than it lingers says so with the next comment.
            await eventually(is_online, bool)
    before = loop.time()
    async with feed(a.player) as told:
        await told.next("snapshot")
    await eventually(is_online, lambda online: not online)
    assert loop.time() - before >= LINGER_MS / 1_000, "it lingers"


async def test_every_message_passes_the_operators_filter(a: Seat) -> None:
    await a.do("chatjoin", {"room": "xsos"})
    said = await a.do("chatmsg", {"text": "hello"})
    assert said["chat"]["messages"][-1]["text"] == "HELLO"
