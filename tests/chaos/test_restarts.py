"""What the crashes of a campaign meet too seldom: a crash in the middle of recovering, and a slow disk."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from redis.asyncio import Redis

from tests.chaos.campaign import ready
from tests.chaos.clients import open_client
from tests.chaos.crashes import Crash
from tests.chaos.fragile import OneProcess
from tests.support.product import short_directory

TIMES = 5


@pytest.fixture(scope="module")
def product() -> Iterator[OneProcess]:
    """The product, running; its Redis may be killed, but is waited for."""
    with short_directory() as home, OneProcess(home) as running:
        yield running


@pytest.fixture
def launched() -> Iterator[OneProcess]:
    """Another one, just launched."""
    with short_directory() as home, closing(OneProcess(home)) as starting:
        starting.launch()
        yield starting


async def test_a_redis_that_is_killed_while_it_starts_is_started_again(product: OneProcess) -> None:
    async with open_client(product.url) as http:
        for _ in range(TIMES):
            product.crash(Crash.REDIS)
        await ready(http)


async def test_a_service_whose_redis_is_killed_while_both_start_becomes_ready(launched: OneProcess) -> None:
    async with open_client(launched.url) as http:
        for _ in range(TIMES):
            launched.crash(Crash.REDIS)
        await ready(http)


async def test_redis_never_answers_before_its_file_is_written(product: OneProcess) -> None:
    """With `everysec` it does, for up to 2 s while an fsync is under way; kill -9 then loses what was answered."""
    async with Redis.from_url(f"unix://{product.data_dir / 'redis.sock'}") as redis:
        settings = await redis.config_get("appendonly", "appendfsync")
    assert settings["appendonly"] == "yes"
    assert settings["appendfsync"] in {"no", "always"}
