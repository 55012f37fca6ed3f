"""A room with nobody in it is closed after a while; its numbers go on."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from redis.asyncio import Redis

from tests.support.client import Player, open_client
from tests.support.problems import assert_problem
from tests.support.product import Product, short_directory
from tests.support.relay import Peer, handshake
from tests.support.waiting import eventually

IDLE_MS = 800


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
    answer = await eventually(peer.look, lambda response: response.status_code != 200, timeout=10.0)
    assert_problem(answer, 404, "not_found")


async def test_a_room_with_nobody_in_it_closes_and_continues_its_numbers(pa: Peer, pb: Peer, pc: Peer) -> None:
    await handshake(pa, pb)
    last = (await pa.send("update_game", game=[1]))["roomVersion"]
    assert_problem(await pc.post(pc.payload("join", seq=0)), 409, "room_full")
    await closed(pa)
    assert_problem(await pb.player.get(f"/relay/rooms/{pb.room}/events"), 404, "not_found")
    assert_problem(await pa.post(pa.payload("update_game", seq=3, game=[])), 409, "wrong_state")
    opened = await pc.send("join")
    assert opened["roomVersion"] > last
    assert opened["status"] == "stored"
    async with pc.events() as at_pc:
        snapshot = await at_pc.next()
        assert (snapshot.id, snapshot.data["version"]) == ("0", opened["roomVersion"])
        assert [player["from"] for player in snapshot.data["players"]] == [pc.id]
        await pa.send("join", seq=0)
        assert (await at_pc.next()).data["from"] == pa.id


async def test_nothing_of_an_earlier_life_is_told_and_its_cursors_are_gaps(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    await closed(pa)
    await pa.send("join", seq=0)
    await pb.send("join", seq=0)
    async with pa.events() as fresh:
        assert [(await fresh.next()).name for _ in range(2)] == ["snapshot", "server_msg"]
    async with pa.events(0) as whole:
        assert (await whole.next()).data["action"] == "join"
    async with pa.events(3) as old:
        first = await old.next()
        assert (first.name, first.data["reason"]) == ("snapshot", "gap")


async def test_a_room_stays_open_while_somebody_listens(pa: Peer, pb: Peer, pc: Peer) -> None:
    await handshake(pa, pb)
    pc.room = f"beside {pc.room}"
    async with pa.events():
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
                await eventually(lambda: redis.keys("relay:*:room:*"), lambda keys: keys == [], timeout=15.0)
            assert_problem(await peer.look(), 404, "not_found")
