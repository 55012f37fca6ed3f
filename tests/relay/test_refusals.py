"""What the relay refuses, and with which word."""

from typing import Any

import httpx
import pytest

from tests.relay.conftest import Seat
from tests.support.client import Player
from tests.support.problems import assert_problem
from tests.support.relay import CLIENT_MSG, Peer, handshake, room_path


async def test_one_must_be_signed_in(http: httpx.AsyncClient) -> None:
    assert_problem(await http.post(CLIENT_MSG, content=b"{"), 401, "unauthenticated")
    for path in (room_path("r"), f"{room_path('r')}/events"):
        assert_problem(await http.get(path), 401, "unauthenticated")


async def test_a_message_is_from_its_caller(pa: Peer, pb: Peer) -> None:
    assert_problem(await pb.post(pa.payload("join")), 403, "forbidden")


async def test_a_third_player_is_refused(pa: Peer, pb: Peer, seat: Seat) -> None:
    await handshake(pa, pb)
    third = await seat("PC")
    assert_problem(await third.post(third.payload("join", seq=0)), 409, "room_full")


async def test_a_room_is_a_secret(pa: Peer, seat: Seat) -> None:
    await pa.send("join")
    stranger = await seat("PC")
    for room in (pa.room, "no such room", "x" * 500):
        stranger.room = room
        assert_problem(await stranger.look(), 404, "not_found")
        assert_problem(await stranger.player.get(f"{room_path(room)}/events"), 404, "not_found")
    assert_problem(await pa.player.get(f"{room_path(pa.room)}/else"), 404, "not_found")


@pytest.mark.parametrize(
    "changes",
    [
        {"seq": -1}, {"seq": True}, {"seq": 1.5}, {"seq": "0"}, {"seq": None}, {"seq": 0.0},
        {"action": "leave"}, {"action": "leave_game_ack"}, {"action": None}, {"action": 1},
        {"utouId": ""}, {"utouId": "x" * 65}, {"utouId": 5},
        {"from": None}, {"name": None}, {"name": 5}, {"imgURL": 5}, {"version": "3"}, {"version": True},
        {"action": "update_game"}, {"action": "update_game", "game": "board"},
        {"action": "update_game", "game": [0, "X"]}, {"action": "update_game", "game": [True]},
        {"action": "start_game", "name": None},
    ],
)  # fmt: skip
async def test_a_malformed_payload_is_refused(pa: Peer, changes: dict[str, Any]) -> None:
    response = await pa.post({**pa.payload("join", seq=0), **changes})
    assert_problem(response, 422, "invalid_request")


@pytest.mark.parametrize("missing", ["version", "seq", "from", "utouId", "action", "name"])
async def test_a_payload_has_all_its_fields(pa: Peer, missing: str) -> None:
    payload = pa.payload("join", seq=0)
    del payload[missing]
    assert_problem(await pa.post(payload), 422, "invalid_request")


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b"3", b'"join"', b"\xff\xfe", b"{} {}", b"[" * 30_000,
        b'{"version":3,"seq":%s}' % (b"9" * 5_000), b'{"version":3,"action":"join","x":' + b"[" * 30_000,
    ],
)  # fmt: skip
async def test_what_is_no_payload_at_all_is_refused(ann: Player, body: bytes) -> None:
    assert_problem(await ann.post(CLIENT_MSG, content=body), 422, "invalid_request")


async def test_text_that_is_not_utf_8_is_refused_wherever_it_stands(pa: Peer) -> None:
    body = f'{{"version":3,"seq":0,"from":"{pa.id}","utouId":"r","action":"join","name":"n","x":"'.encode()
    assert_problem(await pa.player.post(CLIENT_MSG, content=body + b'\xff"}'), 422, "invalid_request")


@pytest.mark.parametrize("version", [2, 4, 0, -1, 10**30])
async def test_another_version_is_refused(pa: Peer, version: int) -> None:
    response = await pa.post({**pa.payload("join", seq=0), "version": version})
    assert_problem(response, 422, "unsupported_version")


async def test_a_payload_has_a_size(pa: Peer) -> None:
    assert_problem(await pa.post(pa.payload("join", seq=0, x="x" * 66_000)), 413, "too_large")
    assert (await pa.send("join", x="x" * 65_000))["status"] == "stored"


async def test_a_number_far_ahead_is_a_gap(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    for seq in (67, 10**30):
        assert_problem(await pa.post(pa.payload("update_game", seq=seq, game=[])), 409, "seq_gap")
    assert (await pa.send("update_game", seq=66, game=[]))["status"] == "held"


async def test_a_join_outside_a_game_has_number_zero(pa: Peer) -> None:
    assert_problem(await pa.post(pa.payload("join", seq=1)), 409, "seq_gap")


async def test_nothing_but_a_join_begins(pa: Peer, pb: Peer) -> None:
    assert_problem(await pa.post(pa.payload("start_game", seq=0)), 409, "wrong_state")
    await pa.send("join")
    assert_problem(await pb.post(pb.payload("start_game_ack", seq=0)), 409, "wrong_state")


async def test_a_number_of_an_older_game_is_refused(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    await pa.send("leave_game")
    await pa.send("join", seq=0)
    assert_problem(await pb.post(pb.payload("update_game", seq=2, game=[])), 409, "wrong_state")


async def test_a_refused_message_changes_nothing(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    before = await pa.view()
    for payload in (pa.payload("update_game", seq=100, game=[]), pa.payload("update_game", seq=2, game=5)):
        assert (await pa.post(payload)).status_code in (409, 422)
    assert await pa.view() == before


# -- keys -----------------------------------------------------------------------------------------------------


async def test_a_repeat_with_its_key_gets_the_first_answer(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    payload = pa.payload("update_game", game=[1])
    first = await pa.post(payload, key="k")
    again = await pa.post(payload, key="k")
    assert first.json()["status"] == "stored"
    assert (again.content, again.headers["idempotent-replayed"]) == (first.content, "true")


async def test_a_key_outlives_the_game(pa: Peer, pb: Peer) -> None:
    join = pa.payload("join")
    first = await pa.post(join, key="k")
    await pb.send("join")
    await pa.send("leave_game")
    again = await pa.post(join, key="k")
    assert again.content == first.content
    assert (await pa.view())["phase"] == "over"  # without the key it would have opened a new game


async def test_a_key_belongs_to_one_body_in_any_room(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    await pa.post(pa.payload("update_game", game=[1]), key="k")
    others = [
        pa.payload("update_game", game=[2]),
        {**pa.payload("join", seq=0), "utouId": f"another {pa.room}"},
        {"not": "a payload"},
    ]
    for other in others:
        assert_problem(await pa.post(other, key="k"), 422, "idempotency_mismatch")


async def test_a_key_of_a_refused_message_can_be_used_again(pa: Peer) -> None:
    assert_problem(await pa.post(pa.payload("start_game", seq=0), key="k"), 409, "wrong_state")
    other = {**pa.payload("join", seq=0), "utouId": f"another {pa.room}"}
    assert (await pa.post(other, key="k")).status_code == 200


async def test_a_key_has_a_form(pa: Peer) -> None:
    assert_problem(await pa.post(pa.payload("join", seq=0), key="x" * 129), 422, "invalid_request")
