"""The product as the tests meet it: one per database for the whole run, started like a user starts it."""

import os
import random
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import httpx
import pytest
from _pytest.terminal import TerminalReporter
from xdist.workermanage import WorkerController

from parlor_sdk import AsyncClient
from tests.support import order
from tests.support.client import Player, open_client
from tests.support.databases import Database, Sqlite, postgresql
from tests.support.journals import journals
from tests.support.lasting import Lasting
from tests.support.product import Product, short_directory
from tests.support.redis_cluster import RedisCluster, redis_cluster
from tests.support.xsos import Match

Guest = Callable[[str], Awaitable[Player]]

LONG_FORMS = ("chaos", "soak")
MEMORY, ROOM = "/dev/shm", 2 << 30


# -- what runs, and in which order ---------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--order", type=int, metavar="SEED", help="repeat the order of a run that printed this seed")


def pytest_configure(config: pytest.Config) -> None:
    """Draw an order, and let servers keep their files in memory where there is room, since every commit waits for its
    file.

    A killed process has lost nothing that it wrote there; what a disk loses with the power is not tested here.
    """
    if config.option.order is None:
        drawn = random.randrange(1_000_000)
        config.option.order = getattr(config, "workerinput", {}).get("order", drawn)
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
        tempfile.tempdir = MEMORY


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerController) -> None:
    """All processes that share the tests have one order."""
    node.workerinput["order"] = node.config.option.order


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """What asks something of SQL says so with the marker `both_databases`; all else would only do the same twice."""
    if "database_kind" in metafunc.fixturenames:
        both = metafunc.definition.get_closest_marker("both_databases") or os.environ.get("PARLOR_TEST_DATABASES")
        metafunc.parametrize("database_kind", ["sqlite", "postgresql"] if both else ["sqlite"], scope="session")


@pytest.hookimpl(tryfirst=True)  # pytest brings together afterwards what shares a parameter of a longer scope
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The long forms run only when they are asked for: `make chaos`, `make soak`."""
    unwanted = [mark for mark in LONG_FORMS if mark not in config.option.markexpr]
    items[:] = [item for item in items if not any(item.get_closest_marker(mark) for mark in unwanted)]
    if "PARLOR_TEST_REDIS" in os.environ:  # others bring a Redis of their own
        items[:] = [item for item in items if "redis_settings" in getattr(item, "fixturenames", ())]
    items[:] = order.drawn(items, config.option.order)


# -- what is needed to mend a failure that is seen only once --------------------------------------------------


def pytest_sessionstart(session: pytest.Session) -> None:
    _tell_the_order(session.config)


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    _tell_the_order(terminalreporter.config)


def _tell_the_order(config: pytest.Config) -> None:
    terminal: TerminalReporter | None = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and not hasattr(config, "workerinput"):
        terminal.write_line(f"The order of this run: --order {config.option.order}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    journals.begin()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        report.sections += [(f"meanwhile {name} said", text) for name, text in journals.said().items()]
    return report


# -- what the tests stand on ----------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def lasting() -> Iterator[Lasting]:
    kept = Lasting()
    yield kept
    kept.close()


@pytest.fixture(scope="session")
def database(database_kind: str, lasting: Lasting, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Where the product keeps what outlives a game."""

    def start() -> AbstractContextManager[Database]:
        return postgresql() if database_kind == "postgresql" else nullcontext(Sqlite(tmp_path_factory.mktemp("sqlite")))

    return lasting.get(database_kind, start)


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
def product(database_kind: str, database: Database, redis_settings: dict[str, str], lasting: Lasting) -> Product:
    """The whole product on that database, without rate limits, shared by all tests that do not harm it."""

    def start() -> AbstractContextManager[Product]:
        return _faultless({"PARLOR_DATABASE_URL": database.url("product"), **redis_settings})

    return lasting.get(("product", database_kind), start)


@contextmanager
def _faultless(settings: dict[str, str]) -> Iterator[Product]:
    """A product without rate limits that no request may upset."""
    with short_directory() as home, Product(home, settings={"PARLOR_RATE_LIMIT": "off", **settings}) as running:
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
    with _faultless({"PARLOR_BOT_DELAY_MS": "0"}) as running:
        yield running


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
