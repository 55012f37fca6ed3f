"""A crash in the middle of recovering from a crash is one more crash, no more."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.chaos.campaign import ready
from tests.chaos.clients import open_client
from tests.chaos.crashes import Crash, Crashable
from tests.support.product import short_directory

TIMES = 5


@pytest.fixture
def product() -> Iterator[Crashable]:
    with short_directory() as home, closing(Crashable(home)) as launched:
        launched.launch()
        yield launched


async def test_a_redis_that_is_killed_while_it_starts_is_started_again(product: Crashable) -> None:
    async with open_client(product.url) as http:
        await ready(http)
        for _ in range(TIMES):
            product.crash(Crash.REDIS)
        await ready(http)


async def test_a_service_whose_redis_is_killed_while_both_start_becomes_ready(product: Crashable) -> None:
    async with open_client(product.url) as http:
        for _ in range(TIMES):
            product.crash(Crash.REDIS)
        await ready(http)
