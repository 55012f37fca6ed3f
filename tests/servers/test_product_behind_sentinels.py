"""The product on a primary that sentinels name."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest

from tests.servers.conftest import careful_product
from tests.servers.riding import ridden_out
from tests.support.product import Product
from tests.support.sentinels import Watched
from tests.support.xsos import Match


@pytest.fixture(scope="module")
def product(watched: Watched) -> Iterator[Product]:
    with careful_product(watched.url) as running:
        yield running


@pytest.mark.parametrize("service", ["lobby", "session", "relay"])
async def test_every_service_is_ready(http: httpx.AsyncClient, service: str) -> None:
    assert (await http.get(f"/{service}/health/ready")).status_code == 200


async def test_a_game_rides_out_that_another_primary_is_named(match: Match, watched: Watched) -> None:
    await ridden_out(match, asyncio.to_thread(watched.fail_over))
