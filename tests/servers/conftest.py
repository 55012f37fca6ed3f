"""Redis as it runs where one server is not enough."""

from collections.abc import Iterator

import pytest

from tests.support.sentinels import Watched, watched_redis


@pytest.fixture(scope="session")
def watched() -> Iterator[Watched]:
    with watched_redis() as running:
        yield running
