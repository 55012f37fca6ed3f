"""Idempotency keys: a command sent twice is one command."""

import asyncio
import json

import httpx
import pytest

from tests.conftest import Guest
from tests.support.client import Player
from tests.support.facts import facts
from tests.support.problems import assert_problem
from tests.support.xsos import X_WINS, Match

REPLAYED = "idempotent-replayed"
A_GAME = {"game_type": "xsos", "seats": ["me", "open"]}
REPEATS = 100


def assert_one_effect(responses: list[httpx.Response], status: int) -> None:
    """All answers are the first one's, and only the first is not marked as a repeat."""
    assert {response.status_code for response in responses} == {status}, responses[0].text
    assert len({response.content for response in responses}) == 1
    marks = [response.headers.get(REPLAYED) for response in responses]
    assert marks.count(None) == 1
    assert set(marks) == {None, "true"}


async def test_a_move_repeated_100_times_at_once_is_played_once(match: Match) -> None:
    responses = await asyncio.gather(*(match.x.play(match.id, 4, key="k") for _ in range(REPEATS)))
    assert_one_effect(responses, 200)
    assert responses[0].json()["accepted"] is True
    after = await match.x.view(match.id)
    assert after["gamestate"]["board"] == [None] * 4 + ["X"] + [None] * 4
    # Not by the version alone: a clock may have been credited with a time in which nobody served it.
    assert [fact["type"] for fact in await facts(match.x, match.id)].count("played") == 1


async def test_a_creation_repeated_100_times_at_once_makes_one_game(ann: Player) -> None:
    responses = await asyncio.gather(*(ann.post("/session/games", A_GAME, key="k") for _ in range(REPEATS)))
    assert_one_effect(responses, 201)


async def test_a_join_repeated_100_times_at_once_takes_one_seat(ann: Player, bob: Player) -> None:
    game = (await ann.create())["id"]
    responses = await asyncio.gather(*(bob.join(game, key="k") for _ in range(REPEATS)))
    assert_one_effect(responses, 200)
    assert [player["user"] for player in (await ann.view(game))["players"]] == [ann.id, bob.id]


async def test_a_resignation_repeated_100_times_at_once_ends_the_game_once(match: Match) -> None:
    responses = await asyncio.gather(*(match.x.resign(match.id, key="k") for _ in range(REPEATS)))
    assert_one_effect(responses, 200)
    assert (await match.x.view(match.id))["version"] == responses[0].json()["version"]


async def test_a_repeat_gets_the_first_answer_even_when_the_state_would_now_refuse_it(match: Match) -> None:
    first = await match.x.play(match.id, X_WINS[0], key="k")
    await match.play(*X_WINS[1:], after=1)
    repeat = await match.x.play(match.id, X_WINS[0], key="k")
    assert (repeat.status_code, repeat.content) == (200, first.content)
    assert repeat.headers[REPLAYED] == "true"


async def test_a_key_is_looked_up_before_the_body_is_understood(match: Match) -> None:
    await match.x.play(match.id, 0, key="k")
    response = await match.x.post(f"/session/games/{match.id}/moves", content=b"{", key="k")
    assert_problem(response, 422, "idempotency_mismatch")


@pytest.mark.parametrize(
    "body",
    [
        b'{"type":"play","cell":1}',
        b'{"type": "play", "cell": 0}',
        b'{"cell":0,"type":"play"}',
        b'{"type":"play","cell":0}\n',
    ],
)
async def test_the_same_key_with_another_body_is_a_mismatch(match: Match, body: bytes) -> None:
    path = f"/session/games/{match.id}/moves"
    assert (await match.x.post(path, content=b'{"type":"play","cell":0}', key="k")).status_code == 200
    assert_problem(await match.x.post(path, content=body, key="k"), 422, "idempotency_mismatch")


@pytest.mark.parametrize("command", ["resign", "leave", "return"])
async def test_a_key_is_looked_up_before_the_body_of_a_command_that_needs_none(match: Match, command: str) -> None:
    path = f"/session/games/{match.id}/{command}"
    assert (await match.x.post(path, content=b"{}", key="k")).status_code == 200
    assert_problem(await match.x.post(path, content=b"[]", key="k"), 422, "idempotency_mismatch")


async def test_the_same_key_with_another_body_makes_no_second_game(ann: Player) -> None:
    await ann.post("/session/games", A_GAME, key="k")
    other = {**A_GAME, "seats": ["open", "me"]}
    assert_problem(await ann.post("/session/games", other, key="k"), 422, "idempotency_mismatch")


async def test_of_two_bodies_racing_under_one_key_one_takes_effect(ann: Player) -> None:
    bodies = [A_GAME, {**A_GAME, "seats": ["open", "me"]}] * 10
    responses = await asyncio.gather(*(ann.post("/session/games", body, key="k") for body in bodies))
    for response in responses:
        if response.status_code != 201:
            assert_problem(response, 422, "idempotency_mismatch")
    assert len({response.json()["id"] for response in responses if response.status_code == 201}) == 1


async def test_a_refused_command_is_decided_anew(match: Match) -> None:
    assert_problem(await match.o.play(match.id, 1, key="k"), 409, "not_your_turn")
    assert_problem(await match.o.play(match.id, 1, key="k"), 409, "not_your_turn")
    await match.play(0)
    accepted = await match.o.play(match.id, 1, key="k")
    assert accepted.status_code == 200
    assert REPLAYED not in accepted.headers
    repeat = await match.o.play(match.id, 1, key="k")
    assert repeat.headers[REPLAYED] == "true"
    assert repeat.content == accepted.content


async def test_a_key_belongs_to_its_caller(ann: Player, bob: Player) -> None:
    first = await ann.post("/session/games", A_GAME, key="k")
    second = await bob.post("/session/games", A_GAME, key="k")
    assert second.status_code == 201
    assert REPLAYED not in second.headers
    assert first.json()["id"] != second.json()["id"]


async def test_a_key_belongs_to_its_path(ann: Player, bob: Player) -> None:
    games = [await Match.start(ann, bob) for _ in range(2)]
    for match in games:
        response = await match.x.play(match.id, 0, key="k")
        assert response.status_code == 200
        assert REPLAYED not in response.headers


async def test_a_key_used_for_one_command_is_free_for_another_of_the_same_game(ann: Player, bob: Player) -> None:
    game = (await ann.create())["id"]
    joined = await bob.join(game, key="k")
    resigned = await bob.resign(game, key="k")
    assert (joined.status_code, resigned.status_code) == (200, 200)
    assert REPLAYED not in resigned.headers
    assert (await ann.view(game))["status"] == "finished"


async def test_without_a_key_every_creation_is_a_new_one(ann: Player) -> None:
    first, second = await ann.create(), await ann.create()
    assert first["id"] != second["id"]


@pytest.mark.parametrize("key", ["k", "x" * 128, "!~", '"quoted"', "a,b", "{p1}:*"])
async def test_a_key_is_1_to_128_visible_characters(ann: Player, key: str) -> None:
    first = await ann.post("/session/games", A_GAME, key=key)
    repeat = await ann.post("/session/games", A_GAME, key=key)
    assert first.status_code == 201
    assert repeat.headers[REPLAYED] == "true"
    assert repeat.content == first.content


@pytest.mark.parametrize("key", [b"", b"x" * 129, b"a b", b"a\tb", "ключ".encode(), b"\xff"])
async def test_any_other_key_is_invalid(ann: Player, match: Match, key: bytes) -> None:
    assert_problem(await ann.post("/session/games", A_GAME, key=key), 422, "invalid_request")
    move = {"type": "play", "cell": 0}
    response = await match.x.post(f"/session/games/{match.id}/moves", move, key=key)
    assert_problem(response, 422, "invalid_request")


@pytest.mark.parametrize("key", ["k", "", "x" * 200])
async def test_keys_are_ignored_when_signing_in(http: httpx.AsyncClient, key: str) -> None:
    users = set()
    for nick in ("Ann", "Ann", "Bob"):
        response = await http.post("/lobby/auth/guest", json={"nick": nick}, headers={"Idempotency-Key": key})
        assert response.status_code == 201
        assert REPLAYED not in response.headers
        users.add(response.json()["user"]["id"])
    assert len(users) == 3


async def test_a_key_does_not_outlive_its_token_check(guest: Guest) -> None:
    leaver = await guest("Leaver")
    assert (await leaver.post("/session/games", A_GAME, key="k")).status_code == 201
    await leaver.post("/lobby/auth/logout")
    assert_problem(await leaver.post("/session/games", A_GAME, key="k"), 401, "unauthenticated")


async def test_a_keyed_body_too_large_is_refused_before_the_key_is_looked_up(ann: Player) -> None:
    await ann.post("/session/games", A_GAME, key="k")
    padded = json.dumps(A_GAME).encode().ljust(64 * 1024 + 1)
    assert_problem(await ann.post("/session/games", content=padded, key="k"), 413, "too_large")
