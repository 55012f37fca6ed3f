"""SIGTERM lets go gently: what is under way is answered, streams end whole, and the process leaves with 0."""

import asyncio
import json
from collections.abc import Iterator

import pytest

from tests.support.client import Player, open_client
from tests.support.databases import Sqlite
from tests.support.deployment import fleet
from tests.support.product import Product, Server, short_directory
from tests.support.redis_server import RedisServer
from tests.support.relay import CLIENT_MSG, Peer
from tests.support.waiting import eventually
from tests.support.xsos import Match

GRACE = 5.0  # seconds, the default


@pytest.fixture(scope="module", params=["apart", "in one process"])
def parlor(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Server]]:
    """Each service by its name; in one process they are all the same one."""
    with short_directory() as home:
        if request.param == "apart":
            database = Sqlite(tmp_path_factory.mktemp("draining"))
            counts = dict.fromkeys(("lobby", "session", "relay"), 1)
            with RedisServer(home) as redis, fleet(home, redis.url, database.url("draining"), counts) as servers:
                yield {name: replicas[0] for name, replicas in servers.items()}
        else:
            with Product(home) as product:
                yield dict.fromkeys(("lobby", "session", "relay"), product)


class HalfSent:
    """A command whose body is still on its way while the service is told to stop."""

    def __init__(self, server: Server, path: str, token: str, body: object) -> None:
        self._server = server
        self._body = json.dumps(body).encode()
        self._head = (
            f"POST {path} HTTP/1.1\r\nHost: parlor\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(self._body)}\r\nExpect: 100-continue\r\n\r\n"
        ).encode()

    async def begin(self) -> None:
        """Return once the service has taken the request up and waits for its body."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._server.port)
        self._writer.write(self._head)
        async with asyncio.timeout(10):
            assert await self._reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"

    async def finish(self) -> tuple[int, bytes]:
        """The answer, and that nothing follows it."""
        self._writer.write(self._body)
        async with asyncio.timeout(10):
            answer = await self._reader.read()
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), body


async def refuses_connections(server: Server) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    except ConnectionRefusedError:
        return True
    writer.close()
    return False


async def stopped_meanwhile(server: Server, command: HalfSent) -> tuple[int, bytes]:
    """Tell the service to stop while it waits for the rest of a command, and only then send that."""
    await command.begin()
    stopping = asyncio.create_task(asyncio.to_thread(server.stop))
    await eventually(lambda: refuses_connections(server), bool, timeout=GRACE)
    answer = await command.finish()
    assert await stopping == 0
    await asyncio.to_thread(server.start)
    return answer


async def test_a_move_under_way_is_answered_and_kept(parlor: dict[str, Server]) -> None:
    async with open_client(parlor["lobby"].url) as lobby, open_client(parlor["session"].url) as session:
        match = await Match.start(
            (await Player.guest(lobby, "Ann")).at(session), (await Player.guest(lobby, "Bob")).at(session)
        )
        async with match.o.events(match.id) as events:
            await events.next("snapshot")
            path, move = f"/session/games/{match.id}/moves", {"type": "play", "cell": 4}
            status, body = await stopped_meanwhile(
                parlor["session"], HalfSent(parlor["session"], path, match.x.token, move)
            )
            await events.end()
        assert (status, json.loads(body)["accepted"]) == (200, True)
        assert (await match.o.view(match.id))["gamestate"]["board"][4] == "X"


async def test_a_relayed_message_under_way_is_answered_and_kept(parlor: dict[str, Server]) -> None:
    async with open_client(parlor["lobby"].url) as lobby, open_client(parlor["relay"].url) as relay:
        first, second = [Peer((await Player.guest(lobby, nick)).at(relay), "draining") for nick in ("PA", "PB")]
        await first.send("join")
        async with first.events() as events:
            await events.next("snapshot")
            command = HalfSent(parlor["relay"], CLIENT_MSG, second.player.token, second.payload("join"))
            status, body = await stopped_meanwhile(parlor["relay"], command)
            await events.end()
        assert status == 200, body
        assert len((await first.view())["players"]) == 2


async def test_a_sign_up_under_way_is_answered_and_kept(parlor: dict[str, Server]) -> None:
    async with open_client(parlor["lobby"].url) as lobby:
        ann = await Player.guest(lobby, "Ann")
        account = {"nick": "Annabel", "password": "correct horse"}
        status, _ = await stopped_meanwhile(
            parlor["lobby"], HalfSent(parlor["lobby"], "/lobby/auth/register", ann.token, account)
        )
        assert status == 201
        assert (await lobby.post("/lobby/auth/login", json=account)).is_success
