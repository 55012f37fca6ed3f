"""What is kept for whom, and from where a stream goes on: with a cursor, without one, after kills."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from services.relay.machine import room_id
from services.relay.marks import Marks
from shared.ids import UserId
from shared.log.keys import log_keys
from shared.runtime import clients
from shared.servers.address import parsed
from shared.servers.topology import servers_at
from tests.support.client import Player, open_client
from tests.support.product import Product, short_directory
from tests.support.relay import Peer, handshake, marked
from tests.support.sse import Event, Events
from tests.support.waiting import eventually


async def numbers(events: Events, count: int) -> list[int]:
    return [(await events.next("server_msg")).data["seq"] for _ in range(count)]


async def test_messages_for_an_absent_peer_are_kept_in_order(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    for value in range(5):
        assert (await pa.send("update_game", game=[value]))["status"] == "stored"
    async with pb.events() as at_pb:
        assert (await at_pb.next()).id == "0"
        assert await numbers(at_pb, 6) == [1, 2, 3, 4, 5, 6]


async def test_without_a_cursor_a_stream_goes_on_after_what_was_taken(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    async with pb.events() as at_pb:
        assert await numbers(at_pb, 1) == [1]
        live = await pa.send("update_game", game=[1])
        assert await numbers(at_pb, 1) == [2]
    await gone(pb)
    away = await pa.send("update_game", game=[2])
    assert away["status"] == "stored"
    async with pb.events() as at_pb:
        snapshot = await at_pb.next()
        assert (snapshot.name, snapshot.id) == ("snapshot", str(live["roomVersion"]))
        assert {**snapshot.data, "reason": None, "players": None} == {
            **await pb.view(), "reason": None, "players": None,
        }  # fmt: skip
        message = await at_pb.next()
        assert (message.id, message.data["seq"]) == (str(away["roomVersion"]), 3)


async def test_a_cursor_repeats_what_came_after_it_whatever_was_taken(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    last = [await pa.send("update_game", game=[value]) for value in range(3)][-1]["roomVersion"]
    async with pb.events() as at_pb:
        whole = (await at_pb.until(last))[1:]
    for place, cursor in enumerate(["0", *[event.id for event in whole]]):
        async with pb.events(cursor) as resumed:
            if place < len(whole):
                assert await resumed.until(last) == whole[place:]
            else:
                await resumed.next("presence")
                assert resumed.logged == []


@pytest.mark.parametrize("cursor", ["nonsense", "99", "-1", "3.7", "03", "0.0", ""])
async def test_a_cursor_that_was_never_given_starts_over(pa: Peer, pb: Peer, cursor: str) -> None:
    await handshake(pa, pb)
    async with pb.events(cursor) as at_pb:
        snapshot = await at_pb.next()
        assert (snapshot.name, snapshot.data["reason"]) == ("snapshot", "gap")
        assert (await at_pb.next()).data["action"] == "start_game"


async def test_two_streams_of_one_player_are_told_the_same(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    async with pb.events() as one, pb.events() as two:
        last = await pa.send("update_game", game=[1])
        for events in (one, two):
            assert (await events.until(last["roomVersion"]))[-1].data["game"] == [1]


async def test_an_old_cursor_is_served_from_the_log(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    for value in range(150):  # more than are kept in memory, with snapshots of the room in between
        last = await pa.send("update_game", game=[value])
    async with pb.events(4) as at_pb:
        told = await at_pb.until(last["roomVersion"])
    assert [event.data["game"] for event in told] == [[value] for value in range(150)]


async def test_a_cursor_beyond_the_leave_proves_that_it_was_taken(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    left = await pa.send("leave_game")
    async with pa.events(left["roomVersion"]) as at_pa, pb.events(left["roomVersion"]):
        assert (await at_pa.next()).data["action"] == "leave_game_ack"


async def test_who_comes_later_is_sent_nothing_of_the_games_before(pa: Peer, pb: Peer) -> None:
    await pa.send("join")
    await pa.send("update_game", game=[1])
    await pa.send("leave_game")
    pa.seq = 0
    await handshake(pa, pb)
    last = await pa.send("update_game", game=[2])
    async with pb.events() as at_pb:
        told = await at_pb.until(last["roomVersion"])
    assert [event.data.get("action") for event in told] == [None, "start_game", "update_game"]


async def gone(peer: Peer) -> None:
    """Until the room knows that this player has no stream."""
    await eventually(peer.view, lambda view: not any(p["online"] for p in view["players"] if p["from"] == peer.id))


# -- kills ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fragile() -> Iterator[Product]:
    """A product of one's own, to be killed."""
    with short_directory() as home, Product(home, settings={"PARLOR_RATE_LIMIT": "off"}) as running:
        yield running


@pytest.fixture
async def there(fragile: Product) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(fragile.url) as client:
        yield client


async def crash(product: Product) -> None:
    await asyncio.to_thread(product.kill)
    await asyncio.to_thread(product.start)


async def test_nothing_that_was_answered_is_lost_in_a_crash(
    fragile: Product, there: httpx.AsyncClient, room: str
) -> None:
    pa, pb = [Peer(await Player.guest(there, nick), room) for nick in ("PA", "PB")]
    await handshake(pa, pb)
    await pa.send("update_game", game=[2])
    await pa.send("update_game", seq=4, game=[4])  # held
    await crash(fragile)
    assert (await pa.send("update_game", seq=4, game=[4]))["status"] == "held"
    assert (await pa.send("update_game", seq=2, game=[2]))["status"] == "duplicate"
    await pa.send("update_game", seq=3, game=[3])
    async with pb.events() as at_pb:
        assert await numbers(at_pb, 4) == [1, 2, 3, 4]


async def test_a_room_goes_on_when_redis_comes_back(fragile: Product, there: httpx.AsyncClient, room: str) -> None:
    pa, pb = [Peer(await Player.guest(there, nick), room) for nick in ("PA", "PB")]
    await handshake(pa, pb)
    async with pb.events(4) as at_pb:
        await pa.send("update_game", game=[1])
        assert (await at_pb.next()).data["game"] == [1]
        await asyncio.to_thread(fragile.kill_redis)
        payload = pa.payload("update_game", game=[2])
        await eventually(lambda: pa.post(payload), lambda response: response.status_code == 200, timeout=60.0)
        assert (await at_pb.next(timeout=60.0)).data["game"] == [2]
    await gone(pb)
    async with pb.events() as again:  # the mark was made in spite of the outage
        assert (await again.next()).id == at_pb.logged[-1].id


async def test_what_was_taken_and_who_left_is_remembered_through_a_crash(
    fragile: Product, there: httpx.AsyncClient, room: str
) -> None:
    pa, pb = [Peer(await Player.guest(there, nick), room) for nick in ("PA", "PB")]
    await handshake(pa, pb)
    async with pb.events() as at_pb:
        taken = await at_pb.next("server_msg")
    await pa.send("leave_game")
    await gone(pb)
    assert taken.id is not None
    await marked(f"unix://{fragile.redis_socket}", pb, int(taken.id))
    await crash(fragile)
    async with pa.events() as at_pa:
        told: list[Event] = [await at_pa.next() for _ in range(3)]
        assert [event.data.get("action") for event in told] == [None, "join", "start_game_ack"]
        async with pb.events() as at_pb:
            snapshot = await at_pb.next()
            assert snapshot.id == taken.id
            assert (await at_pb.next()).data["action"] == "leave_game"
            assert (await at_pa.next()).data["action"] == "leave_game_ack"


async def test_who_left_is_told_so_though_a_process_died_before_it_could_say_that_the_leave_was_taken(
    fragile: Product, there: httpx.AsyncClient, room: str
) -> None:
    pa, pb = [Peer(await Player.guest(there, nick), room) for nick in ("PA", "PB")]
    await handshake(pa, pb)
    left = await pa.send("leave_game")
    servers = servers_at(parsed(f"unix://{fragile.redis_socket}"))
    await servers.refresh()
    redis, _ = clients(servers)
    marks = Marks(redis, servers)  # the last that the process that died has written
    marks.take(log_keys("relay", "room", room_id(room)), UserId(pb.id), left["roomVersion"])
    await marks.settle()
    async with pa.events() as at_pa:
        told = [(await at_pa.next("server_msg")).data["action"] for _ in range(3)]
    assert told == ["join", "start_game_ack", "leave_game_ack"]
    await marks.close()
    await redis.aclose()
    await servers.close()
