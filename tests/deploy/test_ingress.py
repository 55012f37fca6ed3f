"""The ingress with the configuration of `deploy/nginx`: events pass at once, a lost replica is passed over, and what
nginx says by itself has the form that the services' clients know."""

import socket
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.client import Player, open_client
from tests.support.databases import Sqlite
from tests.support.deployment import fleet
from tests.support.ingress import Ingress, nginx_binary
from tests.support.problems import assert_problem
from tests.support.product import Server, short_directory
from tests.support.redis_server import RedisServer
from tests.support.xsos import Match

FIRST_RUN = Path(__file__).parents[2] / "deploy" / "first_run.py"

pytestmark = pytest.mark.skipif(nginx_binary() is None, reason="Debian's package nginx-light is not installed")


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Ingress, list[Server]]]:
    """An ingress before a lobby, two sessions and no relay; and those sessions."""
    database = Sqlite(tmp_path_factory.mktemp("ingress")).url("ingress")
    secrets = tmp_path_factory.mktemp("secrets")
    subprocess.run([sys.executable, FIRST_RUN, secrets], env={}, check=True, timeout=120)
    with (
        short_directory() as home,
        RedisServer(home) as redis,
        fleet(home, redis.url, database, {"lobby": 1, "session": 2}) as servers,
    ):
        ports = {name: [server.port for server in replicas] for name, replicas in servers.items()}
        with Ingress(home, ports, secrets) as ingress:
            yield ingress, servers["session"]


@pytest.fixture
def ingress(sessions: tuple[Ingress, list[Server]]) -> Ingress:
    return sessions[0]


@pytest.fixture
async def http(ingress: Ingress) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(ingress.url) as client:
        yield client


@pytest.fixture
async def match(http: httpx.AsyncClient) -> Match:
    return await Match.start(await Player.guest(http, "Ann"), await Player.guest(http, "Bob"))


async def test_events_pass_as_they_are_written(match: Match) -> None:
    async with match.o.events(match.id) as events:
        for number, cell in enumerate((0, 3, 1, 4)):
            await events.until(await match.play(cell, after=number))


async def test_a_replica_that_is_gone_is_passed_over(sessions: tuple[Ingress, list[Server]], match: Match) -> None:
    _, (gone, _) = sessions
    gone.kill()
    try:
        for _ in range(10):
            assert (await match.x.view(match.id))["status"] == "active"
        await match.play(0, 3, 1)
    finally:
        gone.start()


async def test_a_service_without_replicas_is_unavailable_for_a_while(http: httpx.AsyncClient) -> None:
    answer = await http.get("/relay/rooms/any")
    assert_problem(answer, 503, "unavailable")
    assert int(answer.headers["retry-after"]) >= 1


async def test_a_body_that_is_too_large_is_refused_as_a_service_would(match: Match) -> None:
    answer = await match.x.post(f"/session/games/{match.id}/moves", content=b" " * (64 * 1024 + 1))
    assert_problem(answer, 413, "too_large")


@pytest.mark.parametrize("service", ["lobby", "session", "relay"])
async def test_metrics_are_not_for_the_outside(http: httpx.AsyncClient, service: str) -> None:
    assert (await http.get(f"/{service}/metrics")).status_code == 404


def test_browsers_are_offered_http_2(ingress: Ingress) -> None:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2", "http/1.1"])
    with (
        socket.create_connection(("127.0.0.1", ingress.tls_port), timeout=30) as plain,
        context.wrap_socket(plain) as secured,
    ):
        assert secured.selected_alpn_protocol() == "h2"
