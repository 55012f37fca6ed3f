"""While Redis is away: 503 with a time to retry, and everything is there again when it is back."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from tests.support.client import Player, open_client
from tests.support.deployment import settings_for
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


def assert_unavailable(response: httpx.Response) -> None:
    assert_problem(response, 503, "unavailable")
    assert int(response.headers["retry-after"]) >= 1


async def test_what_needs_redis_is_unavailable_until_it_is_back(
    match: Match, redis: RedisServer, http: httpx.AsyncClient
) -> None:
    version = await match.play(0)
    await asyncio.to_thread(redis.kill)
    try:
        assert_unavailable(await match.o.play(match.id, 1))
        assert_unavailable(await match.o.post("/session/games", {"game_type": "xsos", "seats": ["me", "open"]}))
        for service in ("lobby", "session", "relay"):
            assert (await http.get(f"/{service}/health/ready")).status_code == 503
            assert (await http.get(f"/{service}/health/live")).status_code == 200
    finally:
        await asyncio.to_thread(redis.start)
    await eventually(lambda: http.get("/session/health/ready"), lambda each: each.status_code == 200, timeout=10.0)
    view = await match.x.view(match.id)
    assert view["version"] == version
    assert view["gamestate"]["board"][:2] == ["X", None]
    assert await match.play(1, after=1) == version + 1


async def test_a_stream_open_through_an_outage_misses_nothing(match: Match, redis: RedisServer) -> None:
    async with match.o.events(match.id) as events:
        before = await events.until(await match.play(0))
        await asyncio.to_thread(redis.kill)
        await asyncio.to_thread(redis.start)
        answer = await eventually(lambda: match.o.play(match.id, 1), lambda each: each.status_code == 200, timeout=10.0)
        last = answer.json()["version"]
        # The server may keep the stream or close it; a client that resumes as told misses nothing either way.
        try:
            seen = await events.until(last)
        except AssertionError:
            await events.end(timeout=1.0)
            async with match.o.events(match.id, cursor=events.logged[-1].id) as resumed:
                seen = [*before, *await resumed.until(last)]
    assert [event.data["cell"] for event in seen if event.name == "response"] == [0, 1]
