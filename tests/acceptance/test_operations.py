"""What operators and tools ask of each service: health, metrics, its description and the catalogue."""

import json

import httpx
import pytest

from tests.support.client import Player
from tests.support.problems import assert_problem

pytestmark = pytest.mark.both_databases

SERVICES = ["lobby", "session", "relay"]


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("check", ["live", "ready"])
async def test_a_running_service_is_healthy(http: httpx.AsyncClient, service: str, check: str) -> None:
    response = await http.get(f"/{service}/health/{check}")
    assert response.status_code == 200


@pytest.mark.parametrize("service", SERVICES)
async def test_metrics_are_in_the_text_format_of_prometheus(http: httpx.AsyncClient, service: str) -> None:
    response = await http.get(f"/{service}/metrics")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")
    assert "# TYPE " in response.text


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_describes_itself(http: httpx.AsyncClient, service: str) -> None:
    description = (await http.get(f"/{service}/openapi.json")).json()
    assert description["openapi"].startswith("3.")
    assert description["info"]["title"]
    docs = await http.get(f"/{service}/docs")
    assert docs.status_code == 200
    assert docs.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    ("service", "routes"),
    [
        ("lobby", ["/auth/guest", "/auth/register", "/auth/login", "/auth/logout", "/me", "/games"]),
        ("session", ["/game-types", "/games", "/join", "/moves", "/resign", "/events", "/replay"]),
    ],
)
async def test_every_route_is_described(http: httpx.AsyncClient, service: str, routes: list[str]) -> None:
    paths = (await http.get(f"/{service}/openapi.json")).json()["paths"]
    missing = [route for route in routes if not any(path.endswith(route) for path in paths)]
    assert missing == []


async def test_the_page_at_the_root_is_open_to_all(http: httpx.AsyncClient) -> None:
    response = await http.get("/")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/html")


async def test_the_catalogue_lists_xs_and_os(http: httpx.AsyncClient) -> None:
    games = (await http.get("/lobby/games")).json()["games"]
    types = {game_type["game_type"]: game_type for game in games for game_type in game["types"]}
    assert "xsos" in {game["name"] for game in games}
    xsos = types["xsos"]
    assert xsos["title"]
    assert xsos["seats"] == [2]
    assert all(isinstance(bet, int) for bet in xsos["bets"])
    for option in ("move_time", "time_bank"):
        assert f'"{option}"' in json.dumps(xsos["options"])


async def test_the_catalogue_has_the_schema_of_a_move(http: httpx.AsyncClient) -> None:
    types = (await http.get("/session/game-types")).json()["types"]
    schema = next(each for each in types if each["game_type"] == "xsos")["moves"]
    assert isinstance(schema, dict)
    for name in ("type", "cell"):
        assert f'"{name}"' in json.dumps(schema)


async def test_lobby_and_session_tell_the_same_of_a_game_type(http: httpx.AsyncClient) -> None:
    games = (await http.get("/lobby/games")).json()["games"]
    in_lobby = [game_type for game in games for game_type in game["types"]]
    in_session = (await http.get("/session/game-types")).json()["types"]
    assert sorted(in_lobby, key=str) == sorted(in_session, key=str)


@pytest.mark.parametrize("service", SERVICES)
async def test_an_unknown_path_of_a_service_is_a_problem(ann: Player, service: str) -> None:
    assert_problem(await ann.get(f"/{service}/no-such-thing"), 404, "not_found")
    assert_problem(await ann.post(f"/{service}/no-such-thing", {}), 404, "not_found")
