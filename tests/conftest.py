"""The product as the tests meet it: one per database for the whole run, started like a user starts it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import httpx
import pytest

from tests.support.client import Player, open_client
from tests.support.databases import Database, Sqlite, postgresql
from tests.support.product import Product, short_directory
from tests.support.xsos import Match

Guest = Callable[[str], Awaitable[Player]]


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Where the product keeps what outlives a game; what depends on it runs once for each kind."""
    if request.param == "sqlite":
        yield Sqlite(tmp_path_factory.mktemp("sqlite"))
    else:
        with postgresql() as server:
            yield server


@pytest.fixture(scope="session")
def product(database: Database) -> Iterator[Product]:
    """The whole product on that database, without rate limits, shared by all tests that do not harm it."""
    settings = {"PARLOR_DATABASE_URL": database.url("product"), "PARLOR_RATE_LIMIT": "off"}
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
