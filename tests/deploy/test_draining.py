"""SIGTERM lets go gently: what is under way is answered, streams end whole, and the process leaves with 0."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.support.client import Json, Player, open_client
from tests.support.databases import Sqlite
from tests.support.deployment import at_once, fleet
from tests.support.lobby import feed
from tests.support.product import Product, Server, short_directory
from tests.support.redis_server import RedisServer
from tests.support.relay import CLIENT_MSG, Peer
from tests.support.sse import Events
from tests.support.waiting import eventually
from tests.support.xsos import Match

GRACE = 15.0  # seconds, so that no command is cut off on a busy machine; nothing waits for all of it
SETTINGS = {"PARLOR_GRACE_MS": str(round(1000 * GRACE))}
SERVICES = ("lobby", "session", "relay")
ACCOUNT = {"nick": "Annabel", "password": "correct horse"}

Parlor = dict[str, Server]
Answer = tuple[int, bytes]  # status and body


@contextmanager
def apart(home: Path) -> Iterator[Parlor]:
    database = Sqlite(home).url("draining")
    with RedisServer(home) as redis, fleet(home, redis.url, database, dict.fromkeys(SERVICES, 1), SETTINGS) as servers:
        yield {name: replicas[0] for name, replicas in servers.items()}


@contextmanager
def in_one_process(home: Path) -> Iterator[Parlor]:
    with Product(home, settings=SETTINGS) as product:
        yield dict.fromkeys(SERVICES, product)


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
        async with asyncio.timeout(30):
            assert await self._reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"

    async def finish(self) -> Answer:
        """The answer, and that nothing follows it."""
        self._writer.write(self._body)
        async with asyncio.timeout(30):
            answer = await self._reader.read()
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), body


@dataclass
class Drained:
    """What became of commands that were under way, and of what they were to do."""

    move: Answer
    joining: Answer
    sign_up: Answer
    statuses: list[int]
    board: list[str | None]
    room: list[Json]
    logged_in: int
    broken: list[str]


@pytest.fixture(scope="module", params=[apart, in_one_process])
def drained(request: pytest.FixtureRequest) -> Iterator[Drained]:
    """Every service is told to stop in the middle of a command, and started again; once for all the tests."""
    with short_directory() as home, request.param(home) as parlor:
        yield asyncio.run(drain(parlor))


async def drain(parlor: Parlor) -> Drained:
    servers = list({server.port: server for server in parlor.values()}.values())
    async with (
        open_client(parlor["lobby"].url) as lobby,
        open_client(parlor["session"].url) as session,
        open_client(parlor["relay"].url) as relay,
    ):
        ann, bob = [await Player.guest(lobby, nick) for nick in ("Ann", "Bob")]
        match = await Match.start(ann.at(session), bob.at(session))
        first, second = Peer(ann.at(relay), "draining"), Peer(bob.at(relay), "draining")
        await first.send("join")
        commands = [
            HalfSent(parlor["session"], f"/session/games/{match.id}/moves", match.x.token, {"type": "play", "cell": 4}),
            HalfSent(parlor["relay"], CLIENT_MSG, second.player.token, second.payload("join")),
            HalfSent(parlor["lobby"], "/lobby/auth/register", ann.token, ACCOUNT),
        ]
        async with match.o.events(match.id) as game, first.events() as room, feed(bob) as channels:
            streams = {"game": game, "room": room, "channels": channels}
            for stream in streams.values():
                await stream.next("snapshot")
            for command in commands:
                await command.begin()
            stopping = [asyncio.create_task(asyncio.to_thread(server.stop)) for server in servers]
            for server in servers:
                await eventually(partial(refuses_connections, server), bool, timeout=GRACE)
            move, joining, sign_up = [await command.finish() for command in commands]
            statuses = [await each for each in stopping]
            broken = [name for name, stream in streams.items() if not await ended_whole(stream)]
        at_once(server.start for server in servers)
        board = (await match.o.view(match.id))["gamestate"]["board"]
        players = (await first.view())["players"]
        logged_in = (await lobby.post("/lobby/auth/login", json=ACCOUNT)).status_code
    return Drained(move, joining, sign_up, statuses, board, players, logged_in, broken)


async def refuses_connections(server: Server) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    except ConnectionRefusedError:
        return True
    writer.close()
    return False


async def ended_whole(stream: Events) -> bool:
    try:
        await stream.end()
    except AssertionError:
        return False
    return True


def test_a_move_under_way_is_answered_and_kept(drained: Drained) -> None:
    status, body = drained.move
    assert (status, json.loads(body)["accepted"]) == (200, True)
    assert drained.board[4] == "X"


def test_a_relayed_message_under_way_is_answered_and_kept(drained: Drained) -> None:
    status, body = drained.joining
    assert status == 200, body
    assert len(drained.room) == 2


def test_a_sign_up_under_way_is_answered_and_kept(drained: Drained) -> None:
    status, body = drained.sign_up
    assert status == 201, body
    assert drained.logged_in == 200


def test_every_stream_ends_whole_and_every_process_leaves_with_0(drained: Drained) -> None:
    assert drained.broken == []
    assert set(drained.statuses) == {0}
