"""A room with nobody in it is closed after a while; its numbers go on."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import httpx
import pytest
from redis.asyncio import Redis

from tests.support.client import Json, Player, open_client
from tests.support.problems import assert_problem
from tests.support.product import Product, short_directory
from tests.support.relay import Peer, handshake
from tests.support.sse import Events
from tests.support.waiting import eventually

IDLE_MS = 600


@pytest.fixture(scope="module")
def hasty() -> Iterator[Product]:
    settings = {"PARLOR_RATE_LIMIT": "off", "PARLOR_RELAY_IDLE_MS": str(IDLE_MS)}
    with short_directory() as home, Product(home, settings=settings) as running:
        yield running


@pytest.fixture
async def http(hasty: Product) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(hasty.url) as client:
        yield client


@pytest.fixture
async def pc(http: httpx.AsyncClient, room: str) -> Peer:
    return Peer(await Player.guest(http, "PC"), room)


async def closed(peer: Peer) -> None:
    answer = await eventually(peer.look, lambda response: response.status_code != 200)
    assert_problem(answer, 404, "not_found")


@asynccontextmanager
async def staying(peer: Peer) -> AsyncIterator[tuple[Json, Events]]:
    """In the room, and listening, so that it stays open; with the answer to the join.

    On a busy machine the room may be closed before the stream is there: then it is joined anew.
    """
    async with AsyncExitStack() as stack:
        while True:
            joined = await peer.send("join", seq=0)
            with suppress(AssertionError):  # there is no stream of a closed room
                events = await stack.enter_async_context(peer.events())
                if (await peer.look()).status_code == 200:
                    break
        yield joined, events


async def test_a_room_with_nobody_in_it_closes_and_continues_its_numbers(pa: Peer, pb: Peer, pc: Peer) -> None:
    async with staying(pa):
        await handshake(pa, pb)
        last = (await pa.send("update_game", game=[1]))["roomVersion"]
        assert_problem(await pc.post(pc.payload("join", seq=0)), 409, "room_full")
    await closed(pa)
    assert_problem(await pb.player.get(f"/relay/rooms/{pb.room}/events"), 404, "not_found")
    assert_problem(await pa.post(pa.payload("update_game", seq=3, game=[])), 409, "wrong_state")
    async with staying(pc) as (opened, at_pc):
        assert opened["roomVersion"] > last
        assert opened["status"] == "stored"
        snapshot = await at_pc.next()
        assert (snapshot.id, snapshot.data["version"]) == ("0", opened["roomVersion"])
        assert [player["from"] for player in snapshot.data["players"]] == [pc.id]
        await pa.send("join", seq=0)
        assert (await at_pc.next()).data["from"] == pa.id


async def test_nothing_of_an_earlier_life_is_told_and_its_cursors_are_gaps(pa: Peer, pb: Peer) -> None:
    async with staying(pa):
        await handshake(pa, pb)
    await closed(pa)
    async with staying(pb):
        await pa.send("join", seq=0)
        await pb.send("start_game", seq=1)
        async with pa.events() as fresh:
            snapshot, started = [await fresh.next() for _ in range(2)]
            assert (snapshot.name, snapshot.id) == ("snapshot", "0")
            assert (started.name, started.data["action"]) == ("server_msg", "start_game")
        async with pa.events(0) as whole:
            assert (await whole.next()).data["action"] == "start_game"
        async with pa.events(3) as old:
            first = await old.next()
            assert (first.name, first.data["reason"]) == ("snapshot", "gap")


async def test_a_room_stays_open_while_somebody_listens(pa: Peer, pb: Peer, pc: Peer) -> None:
    pc.room = f"beside {pc.room}"
    async with staying(pa):
        await handshake(pa, pb)
        for _ in range(2):  # another room, in which nobody listens, tells the time
            await pc.send("join", seq=0)
            await closed(pc)
        assert (await pa.view())["phase"] == "playing"
    await closed(pa)


async def test_a_room_that_stays_closed_is_forgotten_and_begins_anew(room: str) -> None:
    settings = {"PARLOR_RELAY_IDLE_MS": "200", "PARLOR_RELAY_FORGET_MS": "200"}
    with short_directory() as home, Product(home, settings=settings) as forgetful:
        async with open_client(forgetful.url) as client, Redis(unix_socket_path=str(forgetful.redis_socket)) as redis:
            peer = Peer(await Player.guest(client, "PA"), room)
            for _ in range(2):  # the second time the process still has the room in memory
                assert (await peer.send("join", seq=0))["roomVersion"] == 1
                await eventually(lambda: redis.keys("relay:*:room:*"), lambda keys: keys == [])
            assert_problem(await peer.look(), 404, "not_found")
