"""The product on a primary that sentinels name."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest

from tests.servers.riding import ridden_out
from tests.support.deployment import settings_for
from tests.support.product import Product, short_directory
from tests.support.sentinels import Watched
from tests.support.xsos import Match


@pytest.fixture(scope="module")
def product(watched: Watched) -> Iterator[Product]:
    with short_directory() as home:
        settings = settings_for(watched.url, f"sqlite+aiosqlite:///{home / 'parlor.db'}")
        with Product(home, settings={**settings, "PARLOR_REDIS_WAIT_REPLICAS": "1"}) as running:
            yield running
            running.stop()
            assert "Traceback" not in running.log()


@pytest.mark.parametrize("service", ["lobby", "session", "relay"])
async def test_every_service_is_ready(http: httpx.AsyncClient, service: str) -> None:
    assert (await http.get(f"/{service}/health/ready")).status_code == 200


async def test_a_game_rides_out_that_another_primary_is_named(match: Match, watched: Watched) -> None:
    await ridden_out(match, asyncio.to_thread(watched.fail_over))
