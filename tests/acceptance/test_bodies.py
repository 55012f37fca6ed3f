"""Request bodies: what breaks the schema, what is too large, and what no server should trip over."""

import json
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.support.client import Player
from tests.support.problems import assert_problem
from tests.support.product import Product
from tests.support.wire import first_status
from tests.support.xsos import Match

LIMIT = 64 * 1024
AS_JSON = {"Content-Type": "application/json"}

MALFORMED = {
    "nothing": b"",
    "an open brace": b"{",
    "a trailing comma": b'{"nick":"Ann",}',
    "two documents": b'{"nick":"Ann"}{}',
    "single quotes": b"{'nick':'Ann'}",
    "not a number": b'{"nick":NaN}',
    "invalid UTF-8": b'{"nick":"\xff"}',
    "an overlong encoding": b'{"nick":"\xc0\xaf"}',
    "an encoded surrogate": b'{"nick":"\xed\xa0\x80"}',
    "a bare control character": b'{"nick":"a\x00b"}',
    "UTF-16": '{"nick":"Ann"}'.encode("utf-16"),
    "deep nesting": b'{"nick":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "deep unclosed nesting": b"[" * 60_000,
    "deep objects": b'{"nick":' * 7_000 + b"1" + b"}" * 7_000,
}
NO_OBJECT = {
    "null": b"null",
    "an array": b'[{"nick":"Ann"}]',
    "a number": b"1",
    "a string": b'"nick"',
    "true": b"true",
}
NO_NICK = {
    "none": b"{}",
    "null": b'{"nick":null}',
    "a number": b'{"nick":1}',
    "a boolean": b'{"nick":true}',
    "a list": b'{"nick":["Ann"]}',
    "an object": b'{"nick":{}}',
    "a lone high surrogate": b'{"nick":"\\ud800"}',
    "a lone low surrogate": b'{"nick":"a\\udc00"}',
    "a NUL": b'{"nick":"a\\u0000b"}',
    "a huge number": b'{"nick":1e999}',
    "a huge integer": b'{"nick":' + b"9" * 5_000 + b"}",
}


def cases(*tables: dict[str, bytes]) -> list[object]:
    return [pytest.param(body, id=name) for table in tables for name, body in table.items()]


@pytest.mark.parametrize("body", cases(MALFORMED, NO_OBJECT, NO_NICK))
async def test_a_guests_body_that_breaks_the_schema_is_invalid(http: httpx.AsyncClient, body: bytes) -> None:
    response = await http.post("/lobby/auth/guest", content=body, headers=AS_JSON)
    assert_problem(response, 422, "invalid_request")


@pytest.mark.parametrize("body", cases(MALFORMED, NO_OBJECT))
async def test_a_games_body_that_is_no_json_object_is_invalid(ann: Player, body: bytes) -> None:
    assert_problem(await ann.post("/session/games", content=body), 422, "invalid_request")


@pytest.mark.parametrize("body", cases(MALFORMED, NO_OBJECT))
async def test_a_move_that_is_no_json_object_is_invalid(match: Match, body: bytes) -> None:
    response = await match.x.post(f"/session/games/{match.id}/moves", content=body)
    assert_problem(response, 422, "invalid_request")


@pytest.mark.parametrize("avatar", [1, True, ["fox"], {"name": "fox"}])
async def test_an_avatar_is_a_string(http: httpx.AsyncClient, avatar: object) -> None:
    response = await http.post("/lobby/auth/guest", json={"nick": "Ann", "avatar": avatar})
    assert_problem(response, 422, "invalid_request")


@pytest.mark.parametrize("avatar", [b'"\\ud83d"', b'"fox\\u0000"'])
async def test_an_avatar_must_be_storable_text(http: httpx.AsyncClient, avatar: bytes) -> None:
    response = await http.post("/lobby/auth/guest", content=b'{"nick":"Ann","avatar":' + avatar + b"}", headers=AS_JSON)
    assert_problem(response, 422, "invalid_request")


@pytest.mark.parametrize("password", [b"12345678", b"null", b'["long enough"]', b"true"])
@pytest.mark.parametrize("way", ["register", "login"])
async def test_a_password_is_a_string(http: httpx.AsyncClient, way: str, password: bytes) -> None:
    body = b'{"nick":"Ann","password":' + password + b"}"
    assert_problem(await http.post(f"/lobby/auth/{way}", content=body, headers=AS_JSON), 422, "invalid_request")


@pytest.mark.parametrize("password", [b'"12345678\\ud800"', b'"12345678\\u0000"'])
@pytest.mark.parametrize("way", ["register", "login"])
async def test_no_password_upsets_the_server(http: httpx.AsyncClient, way: str, password: bytes) -> None:
    body = b'{"nick":"nobody at all","password":' + password + b"}"
    assert (await http.post(f"/lobby/auth/{way}", content=body, headers=AS_JSON)).status_code < 500


@pytest.mark.parametrize("nick", [b'"\\ud800"', b'"a\\u0000b"'])
@pytest.mark.parametrize("way", ["register", "login"])
async def test_a_nick_that_cannot_be_stored_is_invalid(http: httpx.AsyncClient, way: str, nick: bytes) -> None:
    body = b'{"nick":' + nick + b',"password":"long enough"}'
    assert_problem(await http.post(f"/lobby/auth/{way}", content=body, headers=AS_JSON), 422, "invalid_request")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"game_type": "xsos"},
        {"seats": ["me", "open"]},
        {"game_type": "no-such-game", "seats": ["me", "open"]},
        {"game_type": 1, "seats": ["me", "open"]},
        {"game_type": None, "seats": ["me", "open"]},
        {"game_type": ["xsos"], "seats": ["me", "open"]},
        {"game_type": "xsos", "seats": []},
        {"game_type": "xsos", "seats": ["me"]},
        {"game_type": "xsos", "seats": ["me", "open", "open"]},
        {"game_type": "xsos", "seats": ["me", "somebody"]},
        {"game_type": "xsos", "seats": ["me", "bot:no-such-bot"]},
        {"game_type": "xsos", "seats": ["me", 1]},
        {"game_type": "xsos", "seats": ["me", None]},
        {"game_type": "xsos", "seats": ["me", ["open"]]},
        {"game_type": "xsos", "seats": "me"},
        {"game_type": "xsos", "seats": {"0": "me", "1": "open"}},
        {"game_type": "xsos", "seats": ["me", "open"], "options": []},
        {"game_type": "xsos", "seats": ["me", "open"], "options": {"no_such_option": 1}},
        {"game_type": "xsos", "seats": ["me", "open"], "options": {"move_time": "30"}},
        {"game_type": "xsos", "seats": ["me", "open"], "options": {"move_time": True}},
        {"game_type": "xsos", "seats": ["me", "open"], "options": {"move_time": -1}},
        {"game_type": "xsos", "seats": ["me", "open"], "options": {"time_bank": None}},
        {"game_type": "xsos", "seats": ["me", "open"], "options": {"time_bank": 10**30}},
    ],
    ids=json.dumps,
)
async def test_a_game_is_made_only_as_its_type_allows(ann: Player, body: object) -> None:
    assert_problem(await ann.post("/session/games", body), 422, "invalid_request")


async def test_nobody_sits_on_two_seats_of_one_game(ann: Player) -> None:
    response = await ann.post("/session/games", {"game_type": "xsos", "seats": ["me", "me"]})
    assert_problem(response, 422, "invalid_request")


@pytest.mark.parametrize(
    "move",
    [
        {},
        {"cell": 0},
        {"type": "play"},
        {"type": "pass"},
        {"type": "no_move"},  # by which the service itself knows what is no move
        {"type": None, "cell": 0},
        {"type": 1, "cell": 0},
        {"type": ["play"], "cell": 0},
        {"type": "play", "cell": "0"},
        {"type": "play", "cell": "a"},
        {"type": "play", "cell": True},
        {"type": "play", "cell": False},
        {"type": "play", "cell": None},
        {"type": "play", "cell": 1.5},
        {"type": "play", "cell": [0]},
        {"type": "play", "cell": {"x": 0}},
        {"type": "play", "cell": 0, "seen": "1"},
        {"type": "play", "cell": 0, "seen": True},
        {"type": "play", "cell": 0, "seen": 1.5},
    ],
    ids=json.dumps,
)
async def test_a_move_that_breaks_its_schema_is_invalid(match: Match, move: object) -> None:
    assert_problem(await match.x.move(match.id, move), 422, "invalid_request")


@pytest.mark.parametrize("body", [*MALFORMED.values(), b'{"type":"\xff"}', b'{"type":"\xed\xa0\x80","cell":0}'])
async def test_a_move_that_cannot_be_read_is_invalid_and_changes_nothing(match: Match, body: bytes) -> None:
    path = f"/session/games/{match.id}/moves"
    answer = await match.x.http.post(path, content=body, headers={**match.x.credentials, **AS_JSON})
    assert_problem(answer, 422, "invalid_request")
    assert (await match.x.view(match.id))["version"] == 2


HUGE = {
    "2^63": str(2**63),
    "-2^63-1": str(-(2**63) - 1),
    "10^30": "1" + "0" * 30,
    "10^5000": "1" + "0" * 5_000,
}


@pytest.mark.parametrize("digits", HUGE.values(), ids=HUGE.keys())
async def test_a_huge_cell_is_refused(match: Match, digits: str) -> None:
    body = b'{"type":"play","cell":' + digits.encode() + b"}"
    response = await match.x.post(f"/session/games/{match.id}/moves", content=body)
    assert response.status_code in {409, 422}, response.text
    assert response.json()["code"] in {"illegal_move", "invalid_request"}


@pytest.mark.parametrize("body", cases(MALFORMED, NO_OBJECT, NO_NICK))
async def test_no_body_upsets_a_command_that_needs_none(ann: Player, match: Match, body: bytes) -> None:
    for path in (f"/session/games/{match.id}/join", "/session/games/no-such-game/resign"):
        assert (await ann.post(path, content=body)).status_code < 500


LARGE_BODY_PATHS = [
    "/lobby/auth/guest",
    "/lobby/auth/login",
    "/session/games",
    "/session/games/some-game/moves",
]


@pytest.mark.parametrize("path", LARGE_BODY_PATHS)
async def test_a_body_over_64_kib_is_too_large(ann: Player, path: str) -> None:
    assert_problem(await ann.post(path, content=b" " * (LIMIT + 1)), 413, "too_large")


@pytest.mark.parametrize("path", LARGE_BODY_PATHS)
async def test_a_body_of_undeclared_length_over_64_kib_is_too_large(ann: Player, path: str) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(9):
            yield b" " * (LIMIT // 8)

    response = await ann.http.post(path, content=chunks(), headers={**ann.credentials, **AS_JSON})
    assert "content-length" not in response.request.headers
    assert_problem(response, 413, "too_large")


async def test_a_body_of_exactly_64_kib_is_not_too_large(http: httpx.AsyncClient) -> None:
    body = b'{"nick":"Ann"}'.ljust(LIMIT)
    assert (await http.post("/lobby/auth/guest", content=body, headers=AS_JSON)).status_code == 201


async def test_size_is_checked_before_the_key_and_the_game(ann: Player) -> None:
    response = await ann.post("/session/games/no-such-game/moves", content=b" " * (LIMIT + 1), key="x" * 200)
    assert_problem(response, 413, "too_large")


async def test_a_body_declared_too_large_is_not_waited_for(product: Product) -> None:
    request = b"POST /lobby/auth/guest HTTP/1.1\r\nHost: parlor\r\nContent-Length: 10000000000\r\n\r\n{"
    assert await first_status(product.port, request) == 413
