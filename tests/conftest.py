"""The product as the tests meet it: one per database for the whole run, started like a user starts it."""

import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import httpx
import pytest
from xdist.scheduler import LoadScopeScheduling

from parlor_sdk import AsyncClient
from tests.support.client import Player, open_client
from tests.support.databases import Database, Sqlite, postgresql
from tests.support.product import Product, short_directory
from tests.support.redis_cluster import RedisCluster, redis_cluster
from tests.support.xsos import Match

Guest = Callable[[str], Awaitable[Player]]

LONG_FORMS = ("chaos", "soak")
# What asks nothing of SQL but a sign-in runs on one of the databases, or `make test` would take a quarter longer; on
# both with PARLOR_TEST_DATABASES=both.
GAMES_ALONE = re.compile(
    r"acceptance/test_(bodies|bots|cabo|cabo_flows|clock|convergence|draw|durak|errors|idempotency|presence|reconnects"
    r"|seats|streams|tsuro|undo|undo_limits|xsos)\.py::.*\bpostgresql\b"
)
MEMORY, ROOM = "/dev/shm", 2 << 30


def pytest_configure(config: pytest.Config) -> None:
    """Let servers keep their files in memory where there is room, since every commit waits for its file.

    A killed process has lost nothing that it wrote there; what a disk loses with the power is not tested here.
    """
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
        tempfile.tempdir = MEMORY


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The long forms run only when they are asked for: `make chaos`, `make soak`."""
    unwanted = [mark for mark in LONG_FORMS if mark not in config.option.markexpr]
    items[:] = [item for item in items if not any(item.get_closest_marker(mark) for mark in unwanted)]
    if os.environ.get("PARLOR_TEST_DATABASES") != "both":
        items[:] = [item for item in items if not GAMES_ALONE.search(item.nodeid)]
    if "PARLOR_TEST_REDIS" in os.environ:  # others bring a Redis of their own
        items[:] = [item for item in items if "redis_settings" in getattr(item, "fixturenames", ())]


class ByDatabaseOrFile(LoadScopeScheduling):  # type: ignore[misc]  # the plugin has no types
    """When processes share the tests, each has one database, and takes other files whole as it finds time."""

    def _split_scope(self, nodeid: str) -> str:
        path, _, test = nodeid.partition("::")
        database = re.search(r"[\[-](sqlite|postgresql)[]-]", test)
        return database[1] if database else path


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByDatabaseOrFile:
    return ByDatabaseOrFile(config, log)


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Where the product keeps what outlives a game; what depends on it runs once for each kind."""
    if request.param == "sqlite":
        yield Sqlite(tmp_path_factory.mktemp("sqlite"))
    else:
        with postgresql() as server:
            yield server


@pytest.fixture(scope="session")
def cluster() -> Iterator[RedisCluster]:
    """A Redis Cluster, for all who do not mind that others make it fail over."""
    with redis_cluster() as running:
        yield running


@pytest.fixture(scope="session")
def redis_settings(request: pytest.FixtureRequest) -> dict[str, str]:
    """Where the product finds Redis: embedded, unless PARLOR_TEST_REDIS=cluster asks for another (`make cluster`)."""
    if os.environ.get("PARLOR_TEST_REDIS") != "cluster":
        return {}
    running: RedisCluster = request.getfixturevalue("cluster")
    return {"PARLOR_REDIS_URL": running.url}


@pytest.fixture(scope="session")
def product(database: Database, redis_settings: dict[str, str]) -> Iterator[Product]:
    """The whole product on that database, without rate limits, shared by all tests that do not harm it."""
    settings = {"PARLOR_DATABASE_URL": database.url("product"), "PARLOR_RATE_LIMIT": "off", **redis_settings}
    with short_directory() as home, Product(home, settings=settings) as running:
        yield running
        running.stop()
        log = running.log()
        trouble = log.find("Traceback")
        assert trouble < 0, f"a request upset the server:\n{log[max(trouble - 300, 0) : trouble + 3_000]}"


@pytest.fixture(scope="session")
def default_product() -> Iterator[Product]:
    """The whole product with no setting but its port and data directory."""
    with short_directory() as home, Product(home) as running:
        yield running


@pytest.fixture(scope="session")
def arena() -> Iterator[Product]:
    """The whole product with bots that answer at once, for programs that play against them."""
    settings = {"PARLOR_RATE_LIMIT": "off", "PARLOR_BOT_DELAY_MS": "0"}
    with short_directory() as home, Product(home, settings=settings) as running:
        yield running
        running.stop()
        assert "Traceback" not in running.log()


@pytest.fixture
async def client(arena: Product) -> AsyncIterator[AsyncClient]:
    """Someone signed in there, with the client kit."""
    async with AsyncClient(arena.url) as signed_in:
        await signed_in.sign_in_as_guest("Ann")
        yield signed_in


@pytest.fixture
async def http(product: Product) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(product.url) as client:
        yield client


@pytest.fixture
def guest(http: httpx.AsyncClient) -> Guest:
    """Sign a guest in under a nick."""

    async def sign_in(nick: str) -> Player:
        return await Player.guest(http, nick)

    return sign_in


@pytest.fixture
async def ann(guest: Guest) -> Player:
    return await guest("Ann")


@pytest.fixture
async def bob(guest: Guest) -> Player:
    return await guest("Bob")


@pytest.fixture
async def eve(guest: Guest) -> Player:
    """Someone who has no seat in the game."""
    return await guest("Eve")


@pytest.fixture
async def match(ann: Player, bob: Player) -> Match:
    """Ann and Bob have just started a game; X is to move."""
    return await Match.start(ann, bob)
