"""The protocol's handshake, gameplay and leave, step by step, over real HTTP and event streams."""

import asyncio
import json

from tests.relay.conftest import Seat
from tests.support.relay import Peer, handshake
from tests.support.sse import Events

X_WINS = [
    [-1, 0, 0, 0, 0, 0, 0, 0, 0],
    [-1, 0, 0, 1, 0, 0, 0, 0, 0],
    [-1, -1, 0, 1, 0, 0, 0, 0, 0],
    [-1, -1, 0, 1, 1, 0, 0, 0, 0],
    [-1, -1, -1, 1, 1, 0, 0, 0, 0],
]


async def test_the_handshake_step_by_step(pa: Peer, pb: Peer) -> None:
    # 1, 2: PA joins, then listens
    assert await pa.send("join", imgURL="https://pics.test/a") == {
        "roomVersion": 1, "status": "stored", "expected": 1,
    }  # fmt: skip
    async with pa.events() as at_pa:
        snapshot = await at_pa.next()
        assert (snapshot.name, snapshot.id, snapshot.data["phase"]) == ("snapshot", "0", "waiting")
        # 3, 4: PB joins, then listens
        assert await pb.send("join") == {"roomVersion": 2, "status": "forwarded", "expected": 1}
        async with pb.events() as at_pb:
            assert (await at_pb.next()).data["phase"] == "handshake"
            # 5: PA receives PB's join
            joined = await at_pa.next()
            assert (joined.id, joined.name, joined.data) == ("2", "server_msg", pb.sent[0])
            # 6, 7: PA sends start_game, PB receives it
            assert (await pa.send("start_game"))["status"] == "forwarded"
            assert (await at_pb.next()).data == pa.sent[1]
            # 8, 9: PB acknowledges, PA receives that
            assert (await pb.send("start_game_ack"))["status"] == "forwarded"
            assert (await at_pa.next()).data == pb.sent[1]
    view = await pb.view()
    assert view["phase"] == "playing"
    assert [{**player, "online": None} for player in view["players"]] == [
        {"from": pa.id, "name": "PA", "imgURL": "https://pics.test/a", "expectedSeq": 2, "online": None},
        {"from": pb.id, "name": "PB", "imgURL": None, "expectedSeq": 2, "online": None},
    ]


async def test_a_game_step_by_step(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    async with pa.events(4) as at_pa, pb.events(4) as at_pb:
        for number, board in enumerate(X_WINS):
            mover, listener = (pa, at_pb) if number % 2 == 0 else (pb, at_pa)
            assert (await mover.send("update_game", game=board))["status"] == "forwarded"
            assert (await listener.next()).data["game"] == board
            assert (await pa.view())["game"] == board
        await pb.send("game_over")
        assert (await at_pa.next()).data["action"] == "game_over"
    view = await pa.view()
    assert (view["phase"], view["game"]) == ("over", X_WINS[-1])


async def test_leaving_is_acknowledged_when_the_peer_has_taken_it(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    async with pa.events(4) as at_pa:
        assert (await pa.send("leave_game"))["status"] == "stored"
        assert (await pa.view())["phase"] == "over"
        assert at_pa.logged == []  # PB is not there yet
        async with pb.events() as at_pb:
            assert [(await at_pb.next()).data for _ in range(3)][1:] == [pa.sent[1], pa.sent[2]]
            ack = await at_pa.next()
    assert ack.name == "server_msg"
    assert ack.data == {
        "version": 3, "seq": 2, "from": pa.id, "utouId": pa.room, "action": "leave_game_ack",
    }  # fmt: skip


async def test_after_a_leave_the_two_play_again(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    await pa.send("leave_game")
    pa.seq = pb.seq = 0
    await handshake(pb, pa)  # now PB is the one that starts
    view = await pa.view()
    assert (view["phase"], view["game"]) == ("playing", None)
    assert {player["from"]: player["expectedSeq"] for player in view["players"]} == {pa.id: 2, pb.id: 2}


async def test_a_payload_arrives_byte_for_byte_but_for_line_breaks(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    odd = (
        '{ "game":[1.0, 1e2, -0, 18446744073709551617],\r\n "z": {"b": 1, "a": [null, true]},\n'
        f'  "from":"{pa.id}","é": "\\u00e9 \\"\\n\U0001f600", "action":"update_game","utouId":"{pa.room}",'
        '"seq":2,"version":3 } '
    )
    response = await pa.player.post("/relay/client_msg", content=odd.encode())
    assert response.status_code == 200
    async with pb.events(4) as at_pb:
        await at_pb.next()
        raw = bytes(at_pb.raw)
    line = next(line for line in raw.split(b"\n") if line.startswith(b"data: {"))
    assert line == b"data: " + odd.strip().replace("\r", " ").replace("\n", " ").encode()
    assert json.loads(line[6:]) == json.loads(odd)


async def test_messages_out_of_order_arrive_in_order_each_with_an_id_of_its_own(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    async with pb.events(4) as at_pb:
        for seq in (4, 3):
            assert await pa.send("update_game", seq=seq, game=[seq]) == {
                "roomVersion": 9 - seq, "status": "held", "expected": 2,
            }  # fmt: skip
        assert (await pa.send("update_game", seq=4, game=[4]))["status"] == "held"
        filled = await pa.send("update_game", seq=2, game=[2])
        assert filled == {"roomVersion": 7, "status": "forwarded", "expected": 5}
        assert [(e.id, e.data["seq"]) for e in await at_pb.until(7)] == [("7.0", 2), ("7.1", 3), ("7", 4)]
    for cursor, rest in (("4", [2, 3, 4]), ("7.0", [3, 4]), ("7.1", [4])):
        async with pb.events(cursor) as resumed:
            assert [event.data["seq"] for event in await resumed.until(7)] == rest


async def test_many_messages_at_once_all_come_through_in_order(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    async with pb.events(4) as at_pb:
        sent = [pa.send("update_game", seq=seq, game=[seq]) for seq in range(65, 1, -1)]
        answers = await asyncio.gather(*sent)
        last = max(answer["roomVersion"] for answer in answers)
        assert [event.data["seq"] for event in await at_pb.until(last)] == list(range(2, 66))


async def test_a_repeat_is_answered_and_goes_nowhere(pa: Peer, pb: Peer) -> None:
    await handshake(pa, pb)
    async with pb.events(4) as at_pb:
        first = await pa.send("update_game", game=[1])
        again = await pa.send("update_game", seq=2, game=[1])
        assert again == {"roomVersion": first["roomVersion"], "status": "duplicate", "expected": 3}
        last = await pa.send("update_game", game=[2])
        assert [event.data["game"] for event in await at_pb.until(last["roomVersion"])] == [[1], [2]]


async def test_a_room_may_have_any_name(seat: Seat) -> None:
    for room in ("a/b", "a/events", "events", "ü {p1}:*?#%2F", " ", "x" * 64, "\u2028"):
        peer = await seat("PA")
        peer.room = room
        await peer.send("join")
        assert (await peer.view())["utouId"] == room
        async with peer.events() as events:
            assert (await events.next()).data["utouId"] == room


async def test_presence_tells_who_is_there(pa: Peer, pb: Peer) -> None:
    async def online(events: Events) -> dict[str, bool]:
        presence = await events.next("presence")
        assert presence.id is None
        return {player["from"]: player["online"] for player in presence.data["players"]}

    await handshake(pa, pb)
    async with pa.events() as at_pa:
        assert await online(at_pa) == {pa.id: True, pb.id: False}
        async with pb.events():
            assert await online(at_pa) == {pa.id: True, pb.id: True}
        assert await online(at_pa) == {pa.id: True, pb.id: False}


async def test_a_strict_room_refuses_a_false_move_and_a_false_end(pa: Peer, pb: Peer) -> None:
    await pa.send("join", strict=True)
    await pb.send("join")
    await pa.send("start_game")
    await pb.send("start_game_ack")
    for refused in (
        pb.payload("update_game", seq=2, game=[1, 0, 0, 0, 0, 0, 0, 0, 0]),
        pb.payload("game_over", seq=2),
    ):
        response = await pb.post(refused)
        assert (response.status_code, response.json()["code"]) == (409, "illegal_update")
    assert (await pa.view())["strict"] is True
    for number, board in enumerate(X_WINS):
        await (pa, pb)[number % 2].send("update_game", game=board)
    await pb.send("game_over")
    assert (await pa.view())["phase"] == "over"
