"""Refusals: which code, in which order, and always as a problem document."""

import httpx
import pytest

from tests.support.client import Player
from tests.support.problems import assert_problem
from tests.support.xsos import X_WINS, Match

NEED_A_TOKEN = [
    ("GET", "/lobby/me"),
    ("POST", "/session/games"),
    ("GET", "/session/games/some-game"),
    ("POST", "/session/games/some-game/join"),
    ("POST", "/session/games/some-game/moves"),
    ("POST", "/session/games/some-game/resign"),
    ("GET", "/session/games/some-game/events"),
    ("GET", "/session/games/some-game/replay"),
]
GAME_COMMANDS = ["moves", "resign", "join"]


@pytest.mark.parametrize(("method", "path"), NEED_A_TOKEN)
async def test_without_a_token_one_is_unauthenticated(http: httpx.AsyncClient, method: str, path: str) -> None:
    assert_problem(await http.request(method, path), 401, "unauthenticated")


@pytest.mark.parametrize("path", [path for method, path in NEED_A_TOKEN if method == "POST"])
async def test_a_missing_token_is_noticed_before_a_malformed_body(http: httpx.AsyncClient, path: str) -> None:
    assert_problem(await http.post(path, content=b"{"), 401, "unauthenticated")


async def test_a_missing_token_is_noticed_before_a_malformed_key(http: httpx.AsyncClient) -> None:
    response = await http.post("/session/games", json={}, headers={"Idempotency-Key": "x" * 200})
    assert_problem(response, 401, "unauthenticated")


UNKNOWN = ["/no-such-page", "/lobbyists", "/session", "/session/games/a/b/c", "/lobby/auth/x", "/lobby/me/"]


@pytest.mark.parametrize("path", UNKNOWN)
async def test_an_unknown_path_is_a_problem(ann: Player, path: str) -> None:
    assert_problem(await ann.get(path), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("DELETE", "/lobby/me"),
        ("PUT", "/session/games"),
        ("GET", "/session/games/some-game/moves"),
        ("GET", "/lobby/auth/guest"),
        ("PATCH", "/relay/health/live"),
    ],
)
async def test_an_unknown_method_is_a_problem(ann: Player, method: str, path: str) -> None:
    assert_problem(await ann.http.request(method, path, headers=ann.credentials), 404, "not_found")


@pytest.mark.parametrize("path", ["", "/events", "/replay"])
async def test_a_game_that_does_not_exist_is_not_found(ann: Player, path: str) -> None:
    assert_problem(await ann.get(f"/session/games/no-such-game{path}"), 404, "not_found")


@pytest.mark.parametrize("command", GAME_COMMANDS)
async def test_a_command_to_a_game_that_does_not_exist_is_not_found(ann: Player, command: str) -> None:
    body = {"type": "play", "cell": 0}
    assert_problem(await ann.post(f"/session/games/no-such-game/{command}", body), 404, "not_found")


@pytest.mark.parametrize(
    "game",
    ["%00", "%FF", "..%2F..", "%7B1%7D", "🂡", "x" * 4000, "a%0D%0Ab", "*", "%20", "1;2", "%F0%9F%82%A1"],
)
async def test_a_strange_game_id_is_merely_not_found(ann: Player, game: str) -> None:
    for path in ("", "/events", "/replay"):
        response = await ann.get(f"/session/games/{game}{path}")
        assert response.status_code in {404, 422}, response.text
        assert response.headers["content-type"].startswith("application/problem+json")


@pytest.mark.parametrize("command", ["moves", "resign"])
async def test_someone_without_a_seat_may_not_command(eve: Player, match: Match, command: str) -> None:
    body = {"type": "play", "cell": 0}
    assert_problem(await eve.post(f"/session/games/{match.id}/{command}", body), 403, "forbidden")


async def test_a_seat_is_asked_for_before_a_moves_schema_is_checked(eve: Player, match: Match) -> None:
    assert_problem(await eve.play(match.id, "not a cell"), 403, "forbidden")


async def test_a_game_is_looked_for_before_a_moves_schema_is_checked(ann: Player) -> None:
    assert_problem(await ann.play("no-such-game", "not a cell"), 404, "not_found")


async def test_a_moves_schema_is_checked_before_the_state(ann: Player, match: Match) -> None:
    waiting = (await ann.create())["id"]
    assert_problem(await ann.play(waiting, "not a cell"), 422, "invalid_request")
    assert_problem(await match.o.play(match.id, "not a cell"), 422, "invalid_request")
    await match.play(*X_WINS)
    assert_problem(await match.o.play(match.id, "not a cell"), 422, "invalid_request")


async def test_the_state_of_the_game_is_checked_before_the_turn_and_the_cell(match: Match) -> None:
    await match.play(*X_WINS)
    assert_problem(await match.o.play(match.id, X_WINS[0]), 409, "wrong_state")
    assert_problem(await match.x.play(match.id, 9), 409, "wrong_state")


async def test_the_turn_is_checked_before_the_cell(match: Match) -> None:
    await match.play(4)
    assert_problem(await match.x.play(match.id, 4), 409, "not_your_turn")
    assert_problem(await match.x.play(match.id, 9), 409, "not_your_turn")


async def test_a_full_game_is_refused_to_a_newcomer_and_a_second_seat_to_its_player(eve: Player, match: Match) -> None:
    assert_problem(await eve.join(match.id), 409, "room_full")
    for player in match.seats:
        assert_problem(await player.join(match.id), 409, "already_seated")


async def test_refused_commands_change_no_version(eve: Player, match: Match) -> None:
    before = await match.x.view(match.id)
    await match.x.play(match.id, "not a cell")
    await match.x.play(match.id, 9)
    await match.o.play(match.id, 0)
    await eve.play(match.id, 0)
    await eve.join(match.id)
    after = await match.x.view(match.id)
    assert after["version"] == before["version"]
    assert after["gamestate"] == before["gamestate"]
