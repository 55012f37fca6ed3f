"""Two relay processes on one Redis, a player at each: none owns a room, and losing one loses nothing."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from tests.support.client import Json, Player, open_client
from tests.support.databases import Sqlite
from tests.support.deployment import Deployment, deployment
from tests.support.relay import Peer, handshake, marked
from tests.support.waiting import eventually


@pytest.fixture(scope="module")
def parlor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    database = Sqlite(tmp_path_factory.mktemp("relays"))
    with deployment(database.url("relays"), replicated="relay") as running:
        yield running


@pytest.fixture
async def lobby(parlor: Deployment) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(parlor.lobby.url) as http:
        yield http


@pytest.fixture
async def first(parlor: Deployment) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(parlor.replicas[0].url) as http:
        yield http


@pytest.fixture
async def second(parlor: Deployment) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(parlor.replicas[1].url) as http:
        yield http


@pytest.fixture
async def pa(lobby: httpx.AsyncClient, first: httpx.AsyncClient, room: str) -> Peer:
    """A player at the first process."""
    return Peer((await Player.guest(lobby, "PA")).at(first), room)


@pytest.fixture
async def pb(lobby: httpx.AsyncClient, second: httpx.AsyncClient, room: str) -> Peer:
    """A player at the second process."""
    return Peer((await Player.guest(lobby, "PB")).at(second), room)


async def test_a_message_is_forwarded_to_the_stream_at_the_other_process(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    async with pa.events(4) as at_pa, pb.events(4) as at_pb:
        for value in range(5):
            assert (await pa.send("update_game", game=[value]))["status"] == "forwarded"
            assert (await at_pb.next()).data["game"] == [value]
            assert (await pb.send("update_game", game=[-value]))["status"] == "forwarded"
            assert (await at_pa.next()).data["game"] == [-value]


async def test_a_sender_without_a_stream_learns_whether_its_peer_is_at_the_other_process(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    assert (await pa.send("update_game", game=[1]))["status"] == "stored"
    async with pb.events() as at_pb:
        await at_pb.next()
        assert (await pa.send("update_game", game=[2]))["status"] == "forwarded"


async def test_nobody_is_refused_by_a_process_that_has_not_heard_of_the_join(
    pa: Peer, pb: Peer, first: httpx.AsyncClient
) -> None:
    await pa.send("join")  # so the first process knows the room, and nobody else in it
    await pb.send("join")
    assert (await pb.at(first).send("update_game", game=[1]))["expected"] == 2


async def test_what_was_taken_at_one_process_is_not_repeated_at_the_other(
    parlor: Deployment, pa: Peer, pb: Peer, first: httpx.AsyncClient
) -> None:
    await handshake(pa, pb)
    async with pb.events() as at_pb:
        sent = await pa.send("update_game", game=[1])
        await at_pb.until(sent["roomVersion"])
    await eventually(pb.view, lambda view: not view["players"][1]["online"])
    await marked(parlor.redis.url, pb, sent["roomVersion"])
    async with pb.at(first).events() as elsewhere:
        assert (await elsewhere.next()).id == str(sent["roomVersion"])
        later = await pa.send("update_game", game=[2])
        assert (await elsewhere.next()).id == str(later["roomVersion"])


async def test_a_leave_is_acknowledged_across_processes(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    async with pa.events(4) as at_pa, pb.events(4) as at_pb:
        await pa.send("leave_game")
        assert (await at_pb.next()).data["action"] == "leave_game"
        assert (await at_pa.next()).data["action"] == "leave_game_ack"


async def test_of_two_joins_at_different_processes_one_starts(
    lobby: httpx.AsyncClient, first: httpx.AsyncClient, second: httpx.AsyncClient, room: str
) -> None:
    players = [(await Player.guest(lobby)).at(http) for http in (first, second)]
    for game in range(40):
        rivals = [Peer(player, f"{room} {game}") for player in players]
        answers = await asyncio.gather(*(rival.send("join") for rival in rivals))
        assert sorted(answer["roomVersion"] for answer in answers) == [1, 2]
        earlier = rivals[[answer["roomVersion"] for answer in answers].index(1)]
        async with earlier.events() as events:
            assert [(await events.next()).name for _ in range(2)] == ["snapshot", "server_msg"]


async def test_the_game_goes_on_when_a_process_is_killed(
    parlor: Deployment, pa: Peer, pb: Peer, first: httpx.AsyncClient
) -> None:
    await handshake(pa, pb)
    async with pb.events(4) as at_pb:
        sent = await pa.send("update_game", game=[1])
        seen = await at_pb.until(sent["roomVersion"])
        await asyncio.to_thread(parlor.replicas[1].kill)
    try:
        await pa.send("update_game", game=[2])
        survivor = pb.at(first)
        async with survivor.events(seen[-1].id) as at_pb, pa.events(4) as at_pa:
            assert (await at_pb.next()).data["game"] == [2]
            await survivor.send("update_game", game=[3])
            assert (await at_pa.next()).data["game"] == [3]
            await survivor.send("game_over")
            assert (await at_pa.next()).data["action"] == "game_over"
        assert (await pa.view())["phase"] == "over"
    finally:
        await asyncio.to_thread(parlor.replicas[1].start)
    assert known(await pb.view()) == known(await pa.view())


def known(view: Json) -> Json:
    """A room as the log has it: who is online may change at any moment."""
    return {**view, "players": [{**player, "online": None} for player in view["players"]]}
