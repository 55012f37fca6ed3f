"""While Redis is away: 503 with a time to retry, and everything is there again when it is back."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import httpx
import pytest
from redis import Redis

from tests.support.client import Player, open_client
from tests.support.deployment import settings_for
from tests.support.lobby import Seat, feed, make_table
from tests.support.outboxes import handed_over
from tests.support.problems import assert_problem
from tests.support.product import Product, short_directory
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually
from tests.support.xsos import Match


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with short_directory() as home, RedisServer(home) as running:
        yield running


@pytest.fixture(scope="module")
def product(redis: RedisServer) -> Iterator[Product]:
    """The whole product on a Redis that is not its child."""
    with short_directory() as home:
        settings = settings_for(redis.url, f"sqlite+aiosqlite:///{home / 'parlor.db'}")
        with Product(home, settings=settings) as running:
            yield running


@pytest.fixture
async def http(product: Product) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(product.url) as client:
        yield client


@pytest.fixture
async def match(http: httpx.AsyncClient) -> Match:
    return await Match.start(await Player.guest(http, "Ann"), await Player.guest(http, "Bob"))


@asynccontextmanager
async def outage(redis: RedisServer, http: httpx.AsyncClient) -> AsyncIterator[None]:
    """Redis is away inside the context; after it, the product has found it again."""
    await asyncio.to_thread(redis.kill)
    try:
        yield
    finally:
        await asyncio.to_thread(redis.start)
        await eventually(lambda: http.get("/session/health/ready"), lambda each: each.status_code == 200)


async def test_what_needs_redis_is_unavailable_while_it_is_away(
    match: Match, redis: RedisServer, http: httpx.AsyncClient
) -> None:
    game = f"/session/games/{match.id}"
    async with outage(redis, http):
        requests = {
            "create": match.x.post("/session/games", {"game_type": "xsos", "seats": ["me", "open"]}),
            "keyed": match.x.play(match.id, 1, key="k"),
            "play": match.x.play(match.id, 0),
            "resign": match.x.resign(match.id),
            "view": match.x.get(game),
            "unknown game": match.x.get(f"/session/games/{'a' * 20}"),
            "resume": match.x.get(f"{game}/events", {"last_event_id": "1"}),
            "events": match.x.get(f"{game}/events"),
        }
        answers = await asyncio.gather(*requests.values(), return_exceptions=True)
    refused = {
        name: answer.status_code if isinstance(answer, httpx.Response) else repr(answer)
        for name, answer in zip(requests, answers, strict=True)
    }
    assert refused == dict.fromkeys(requests, 503)
    for answer in answers:
        assert isinstance(answer, httpx.Response)
        assert_problem(answer, 503, "unavailable")
        assert int(answer.headers["retry-after"]) >= 1


async def test_a_service_without_redis_is_alive_but_not_ready(redis: RedisServer, http: httpx.AsyncClient) -> None:
    services = ("lobby", "session", "relay")
    async with outage(redis, http):
        ready = await asyncio.gather(*(http.get(f"/{service}/health/ready") for service in services))
        live = await asyncio.gather(*(http.get(f"/{service}/health/live") for service in services))
    assert [response.status_code for response in ready] == [503, 503, 503]
    assert [response.status_code for response in live] == [200, 200, 200]


async def test_what_was_accepted_before_an_outage_is_there_after_it(
    match: Match, redis: RedisServer, http: httpx.AsyncClient
) -> None:
    version = await match.play(0)
    async with outage(redis, http):
        refused = await match.o.play(match.id, 1)
    assert_problem(refused, 503, "unavailable")
    view = await match.x.view(match.id)
    assert view["version"] == version
    assert view["gamestate"]["board"][:2] == ["X", None]
    assert await match.play(1, after=1) == version + 1


async def test_a_stream_open_through_an_outage_misses_nothing(match: Match, redis: RedisServer) -> None:
    async with match.o.events(match.id) as events:
        before = await events.until(await match.play(0))
        await asyncio.to_thread(redis.kill)
        await asyncio.to_thread(redis.start)
        answer = await eventually(lambda: match.o.play(match.id, 1, key="k"), lambda each: each.status_code == 200)
        last = answer.json()["version"]
        # The server may keep the stream or close it; a client that resumes as told misses nothing either way.
        try:
            seen = await events.until(last)
        except AssertionError:
            await events.end()
            async with match.o.events(match.id, cursor=events.logged[-1].id) as resumed:
                seen = [*before, *await resumed.until(last)]
    assert [event.data["cell"] for event in seen if event.name == "response"] == [0, 1]


async def test_what_a_room_rang_while_nobody_could_hear_it_is_told(redis: RedisServer, http: httpx.AsyncClient) -> None:
    ann = await Player.guest(http, "Ann")
    seat, table = await Seat.open(ann), await make_table(ann)
    await seat.do("subscribe", {"room": "xsos"})
    await handed_over(redis.url)  # else what it owes to its making would be written over what we write
    async with feed(ann) as told:
        await told.next("snapshot")
        with Redis.from_url(redis.url) as directly, directly.pipeline(transaction=True) as pipe:
            pipe.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
            pipe.hdel("lobby:room:xsos:tables", table)  # as another process does when the table has disappeared
            pipe.zadd("lobby:room:xsos:gone", {table: time.time() * 1000})
            pipe.execute_command("SPUBLISH", "lobby:room:xsos:tables", table)
            pipe.execute()
        news = await told.next("room")
        while news.data["change"] == "changed":  # rung for before the break
            news = await told.next("room")
        assert (news.data["change"], news.data["table"]) == ("removed", {"id": table})
