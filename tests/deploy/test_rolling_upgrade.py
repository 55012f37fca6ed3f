"""Old and new replicas side by side: what a newer release writes makes an older one neither deaf nor wrong.

The newer release is played by this test, which writes to the logs as one would.
"""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from redis.asyncio import Redis

from shared.log.keys import LogKeys, log_keys
from tests.support.client import Json, Player, open_client
from tests.support.databases import Sqlite
from tests.support.deployment import fleet
from tests.support.lobby import Seat, feed
from tests.support.problems import assert_problem
from tests.support.product import Server, short_directory
from tests.support.redis_server import RedisServer
from tests.support.relay import Peer, room_path
from tests.support.xsos import Match

Fleet = dict[str, Server]


class Newer:
    """A replica of the next release, as far as the logs can tell."""

    def __init__(self, url: str) -> None:
        self.redis: Any = Redis.from_url(url, protocol=2)  # its stubs know nothing of bytes

    async def last(self, keys: LogKeys) -> tuple[int, bytes]:
        """The last entry, with its version."""
        [(entry_id, fields)] = await self.redis.xrevrange(keys.log, count=1)
        return int(entry_id.split(b"-")[0]), fields[b"e"]

    async def write(self, keys: LogKeys, entry: Json | bytes) -> int:
        """Append an entry and ring the doorbell."""
        version = (await self.last(keys))[0] + 1
        raw = entry if isinstance(entry, bytes) else json.dumps(entry).encode()
        await self.redis.xadd(keys.log, {"e": raw}, id=f"{version}-0")
        await self.redis.execute_command("SPUBLISH", keys.log, b"%d %s" % (version, raw))
        return version

    async def close(self) -> None:
        await self.redis.aclose()


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with short_directory() as home, RedisServer(home) as server:
        yield server


@pytest.fixture(scope="module")
def parlor(redis: RedisServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    database = Sqlite(tmp_path_factory.mktemp("rolling")).url("rolling")
    counts = dict.fromkeys(("lobby", "session", "relay"), 1)
    with short_directory() as home, fleet(home, redis.url, database, counts) as servers:
        yield {name: replicas[0] for name, replicas in servers.items()}
        log = "".join(replicas[0].log() for replicas in servers.values())
        assert "Traceback" not in log, log


@pytest.fixture
async def newer(redis: RedisServer) -> AsyncIterator[Newer]:
    made = Newer(redis.url)
    yield made
    await made.close()


@pytest.fixture
async def session(parlor: Fleet) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(parlor["session"].url) as http:
        yield http


@pytest.fixture
async def lobby(parlor: Fleet) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(parlor["lobby"].url) as http:
        yield http


async def seated(lobby: httpx.AsyncClient, session: httpx.AsyncClient) -> Match:
    ann, bob = [(await Player.guest(lobby, nick)).at(session) for nick in ("Ann", "Bob")]
    return await Match.start(ann, bob)


def game_log(match: Match) -> LogKeys:
    return log_keys("session", "game", match.id)


UNKNOWN = [
    pytest.param({"facts": [{"type": "hourglass_turned", "box": 0}], "form": 2}, id="a fact that is not known"),
    pytest.param({"facts": [{"type": "draw_offered", "by": 0}], "form": 2}, id="a fact that means something else"),
    pytest.param({"facts": [{"type": "hourglass_turned", "box": 0}], "form": 1}, id="a form that was not raised"),
]


@pytest.mark.parametrize("entry", UNKNOWN)
async def test_a_game_that_is_beyond_a_replica_is_left_to_others_and_every_other_game_goes_on(
    lobby: httpx.AsyncClient, session: httpx.AsyncClient, newer: Newer, entry: Json
) -> None:
    beyond, other = await seated(lobby, session), await seated(lobby, session)
    async with beyond.x.events(beyond.id) as lost, other.o.events(other.id) as kept:
        await lost.next("snapshot")
        await kept.next("snapshot")
        await newer.write(game_log(beyond), {"id": "newer-1", "at": 1, **entry})
        await lost.end()

        for answer in (
            await beyond.x.play(beyond.id, 4),
            await beyond.x.get(f"/session/games/{beyond.id}"),
            await beyond.x.get(f"/session/games/{beyond.id}/events"),
        ):
            assert_problem(answer, 503, "unavailable")
            assert int(answer.headers["retry-after"]) >= 1

        await kept.until(await other.play(4))
        assert (await session.get("/session/health/ready")).status_code == 200


async def test_fields_that_a_replica_does_not_know_pass_by(
    lobby: httpx.AsyncClient, session: httpx.AsyncClient, newer: Newer
) -> None:
    match = await seated(lobby, session)
    await match.play(0)
    _, played = await newer.last(game_log(match))
    offered = {"type": "draw_offered", "by": 0, "because": "tired"}
    async with match.o.events(match.id) as events:
        version = await newer.write(
            game_log(match), {**json.loads(played), "id": "newer-2", "facts": [offered], "mood": "calm"}
        )
        assert [event.name for event in await events.until(version)][-1] == "draw_offered"
    assert (await match.x.view(match.id))["draw"] == {"by": 0}


async def test_a_snapshot_of_a_newer_release_is_passed_over(
    parlor: Fleet, lobby: httpx.AsyncClient, session: httpx.AsyncClient, newer: Newer
) -> None:
    match = await seated(lobby, session)
    version = await match.play(4)
    before = await match.x.view(match.id)
    await newer.redis.set(game_log(match).snapshot, f'{version} 2 {{"game_type":"xsos","hourglass":1}}')
    parlor["session"].restart()  # so that it has to read the game anew
    after = await match.x.view(match.id)
    assert after["version"] >= version  # a restart that took long is credited to the clock
    assert after["gamestate"] == before["gamestate"]


async def test_a_feed_that_is_beyond_a_replica_ends_and_others_go_on(lobby: httpx.AsyncClient, newer: Newer) -> None:
    ann, bob = await Player.guest(lobby, "Ann"), await Player.guest(lobby, "Bob")
    for player in (ann, bob):
        await Seat.open(player)
    async with feed(ann) as lost, feed(bob) as kept:
        await lost.next("snapshot")
        await kept.next("snapshot")
        keys = log_keys("lobby", "log", f"user:{ann.id}")
        await newer.write(keys, {"id": "newer-3", "at": 1, "fact": {"type": "knighted"}, "form": 2})
        await lost.end()
        assert_problem(await ann.post("/lobby/channels", {}), 503, "unavailable")
        await Seat.open(bob)
        assert (await kept.next("channel")).data["event"] == "created"


async def test_a_room_that_is_beyond_a_replica_is_left_to_others(
    parlor: Fleet, lobby: httpx.AsyncClient, newer: Newer
) -> None:
    async with open_client(parlor["relay"].url) as relay:
        peer = Peer((await Player.guest(lobby, "PA")).at(relay), "rolling")
        await peer.send("join")
        (key,) = [each async for each in newer.redis.scan_iter("relay:*:room:*:log")]
        keys = log_keys("relay", "room", key.decode().split(":")[-2])
        async with peer.events() as lost:
            await lost.next("snapshot")
            await newer.write(keys, b"\x94\xa1n\x01\x90\x02")  # MessagePack: ["n", 1, [], 2]
            await lost.end()
        assert_problem(await peer.player.get(room_path("rolling")), 503, "unavailable")
