"""Channels over HTTP: their form, the order of refusals, repeats, and the stream that tells of them."""

import asyncio

import pytest

from shared.ids import new_id
from tests.conftest import Guest
from tests.support.client import Player
from tests.support.lobby import Seat, feed, make_table, search, transition
from tests.support.problems import assert_problem

pytestmark = pytest.mark.both_databases

COMMANDS = {
    "find": search("anything"), "findcancel": None, "begin": None, "revanche": None, "cancelrevanche": None,
    "leave": None, "return": None, "join": {"table": "x"}, "watch": {"table": "x"}, "unwatch": None,
    "subscribe": {"room": "x"}, "unsubscribe": None, "taketurn": {"table": "x"}, "sitdown": None,
    "takeplace": {"table": "x", "box": 0}, "chatjoin": {"room": "x"}, "chatmsg": {"text": "x"}, "chatleave": None,
}  # fmt: skip


@pytest.fixture
async def seat(ann: Player) -> Seat:
    return await Seat.open(ann, "mine")


async def test_a_new_user_has_no_channel_and_opens_up_to_sixteen(ann: Player) -> None:
    assert (await ann.get("/lobby/channels")).json() == {"channels": []}
    made = (await ann.post("/lobby/channels", {"tag": "left"})).json()
    assert made == {"id": made["id"], "tag": "left", "version": 1, "state": {"value": "free"}}
    for _ in range(15):
        assert (await ann.post("/lobby/channels")).status_code == 201
    assert_problem(await ann.post("/lobby/channels"), 409, "too_many_channels")
    listed = (await ann.get("/lobby/channels")).json()["channels"]
    assert len(listed) == 16
    assert listed[0] == {"id": made["id"], "tag": "left", "state": {"value": "free"}}


async def test_a_channel_belongs_to_its_user(seat: Seat, bob: Player) -> None:
    assert_problem(await bob.get(f"/lobby/channels/{seat.id}"), 404, "not_found")
    assert_problem(await Seat(bob, seat.id).send("subscribe", {"room": "xsos"}), 404, "not_found")


async def test_the_tag_is_at_most_64_characters(ann: Player) -> None:
    assert_problem(await ann.post("/lobby/channels", {"tag": "x" * 65}), 422, "invalid_request")


@pytest.mark.parametrize("name", ["free", "subscribed", "find", "chat", "watch", "takeplace", "game"])
async def test_in_any_other_state_a_command_is_wrong_and_changes_nothing(ann: Player, name: str) -> None:
    seat = await Seat.open(ann)
    legal = await _bring_to(seat, name)
    before = (await ann.get(f"/lobby/channels/{seat.id}")).json()
    for command, body in COMMANDS.items():
        if command not in legal:
            assert_problem(await seat.send(command, body), 409, "wrong_state")
    after = (await ann.get(f"/lobby/channels/{seat.id}")).json()
    assert (after["version"], after["state"]["value"]) == (before["version"], name)


async def _bring_to(seat: Seat, name: str) -> set[str]:
    """Lead a free channel to a state; answers what may be commanded there."""
    free = {"find", "join", "watch", "subscribe", "taketurn", "takeplace", "chatjoin"}
    match name:
        case "subscribed":
            await seat.do("subscribe", {"room": "xsos"})
        case "find":
            await seat.do("find", search(new_id()))
        case "chat":
            await seat.do("chatjoin", {"room": "xsos"})
        case "watch":
            await seat.do("watch", {"table": await make_table(seat.player)})
        case "takeplace":
            await seat.do("takeplace", {"table": await make_table(seat.player), "box": 0})
        case "game":
            await seat.do("join", {"table": await make_table(seat.player)})
    return {
        "free": free, "subscribed": {"unsubscribe"}, "find": {"findcancel"}, "chat": {"chatmsg", "chatleave"},
        "watch": {"unwatch"}, "takeplace": {"sitdown", "leave"}, "game": {"leave"},
    }[name]  # fmt: skip


async def test_refusals_come_in_the_contracts_order(seat: Seat, ann: Player) -> None:
    assert_problem(await Seat(ann, new_id()).send("find", content_free := {"queue": 1}), 404, "not_found")
    assert_problem(await seat.send("dance"), 404, "not_found")
    assert_problem(await seat.send("find", content_free), 422, "invalid_request")
    await seat.do("subscribe", {"room": "xsos"})
    assert_problem(await seat.send("takeplace", {"table": 5, "box": 0}), 422, "invalid_request")
    assert_problem(await seat.send("takeplace", {"table": new_id(), "box": 0}), 409, "wrong_state")
    await seat.do("unsubscribe")
    assert_problem(await seat.send("takeplace", {"table": new_id(), "box": 0}), 404, "not_found")
    table = await make_table(ann)
    assert_problem(await seat.send("takeplace", {"table": table, "box": 2}), 422, "invalid_request")
    assert_problem(await seat.send("takeplace", {"table": table, "box": -1}), 422, "invalid_request")


@pytest.mark.parametrize(
    "criteria",
    [
        [],
        [{"game_type": "nothing", "num_seats": 2}],
        [{"game_type": "xsos", "num_seats": 3}],
        [{"game_type": "xsos", "num_seats": "two"}],
        [{"game_type": "xsos", "num_seats": 2, "cash_bet": 77}],
        [{"game_type": "xsos"}],
    ],
)
async def test_what_cannot_be_played_cannot_be_searched_for(seat: Seat, criteria: list[object]) -> None:
    assert_problem(await seat.send("find", {"queue": "xsos", "criteria": criteria}), 422, "invalid_request")


@pytest.mark.parametrize("name", ["", "X", "x!", "x y", "x\n", "x" * 65])
async def test_a_queues_name_is_1_to_64_of_a_few_characters(seat: Seat, name: str) -> None:
    assert_problem(await seat.send("find", search(name)), 422, "invalid_request")


async def test_a_search_can_be_cancelled_and_its_queue_tells_of_it(seat: Seat) -> None:
    queue = new_id()
    unknown = (await seat.player.get(f"/lobby/queues/{queue}")).json()
    assert unknown == {"name": queue, "waiting": 0, "criteria": [], "recent_wait_ms": None, "mine": None}
    await seat.do("find", search(queue))
    assert (await seat.do("findcancel")) == {"value": "free"}
    await seat.do("find", search(queue))
    shown = (await seat.player.get(f"/lobby/queues/{queue}")).json()
    assert shown["waiting"] == 1, "a search that was answered is in the queue for whoever made it"
    assert shown["criteria"] == [{"game_type": "xsos", "num_seats": 2, "cash_bet": 0, "waiting": 1}]
    assert shown["mine"]["channel"] == seat.id
    assert shown["mine"]["reason"] == "nobody_else"


async def test_a_search_that_was_answered_is_in_the_queue_for_everyone(guest: Guest) -> None:
    people = [await guest(nick) for nick in ("Ann", "Bob", "Cid")]
    for _ in range(5):
        queue = new_id()
        for n, player in enumerate(people, start=1):
            await (await Seat.open(player)).do("find", search(queue, "tsuro", 4))
            shown = (await people[0].get(f"/lobby/queues/{queue}")).json()
            assert (shown["waiting"], shown["mine"]["reason"]) == (n, "nobody_else" if n == 1 else "too_few_players")


async def test_of_a_cancellation_and_a_match_exactly_one_wins(guest: Guest) -> None:
    ann, bob = await guest("Ann"), await guest("Bob")
    outcomes = set()
    for _ in range(12):
        queue = new_id()
        a, b = await Seat.open(ann), await Seat.open(bob)
        await a.do("find", search(queue))
        found, cancelled = await asyncio.gather(b.send("find", search(queue)), a.send("findcancel"))
        assert found.status_code == 200
        outcomes.add(cancelled.status_code)
        if cancelled.status_code == 200:
            assert (await a.open_state()) == {"value": "free"}
            assert (await b.do("findcancel")) == {"value": "free"}
        else:
            assert_problem(cancelled, 409, "wrong_state")
            assert (await a.until("begin"))["match"] == (await b.until("begin"))["match"]
            for seat in (a, b):
                await seat.do("begin")
            game = (await a.until("game"))["game"]["id"]
            await ann.resign(game)
            await a.until("revanche")
            await a.do("cancelrevanche")
            await b.until("free")
        for seat in (a, b):
            deleted = await seat.player.http.delete(f"/lobby/channels/{seat.id}", headers=seat.player.credentials)
            assert deleted.status_code == 204
    assert outcomes <= {200, 409}


async def test_a_repeat_of_a_command_gets_its_first_answer(ann: Player) -> None:
    made = [await ann.post("/lobby/channels", {"tag": "x"}, key="make") for _ in range(2)]
    assert made[0].content == made[1].content
    assert made[1].headers["idempotent-replayed"] == "true"
    seat = Seat(ann, made[0].json()["id"])
    table = await make_table(ann)
    for command, body in (("takeplace", {"table": table, "box": 0}), ("sitdown", None), ("leave", None)):
        first, again = [await seat.send(command, body, key=command) for _ in range(2)]
        assert (first.status_code, again.status_code) == (200, 200), first.text
        assert first.content == again.content
        assert "idempotent-replayed" not in first.headers
        assert again.headers["idempotent-replayed"] == "true"
    assert_problem(
        await seat.send("takeplace", {"table": table, "box": 1}, key="takeplace"), 422, "idempotency_mismatch"
    )


async def test_repeats_of_opening_the_last_channel_get_its_answer(ann: Player) -> None:
    for _ in range(15):
        await ann.post("/lobby/channels")
    answers = await asyncio.gather(*(ann.post("/lobby/channels", key="last") for _ in range(10)))
    assert {answer.status_code for answer in answers} == {201}, [answer.text for answer in answers]
    assert len({answer.content for answer in answers}) == 1


async def test_repeats_at_the_same_moment_have_one_effect(ann: Player) -> None:
    seat, table = await Seat.open(ann), await make_table(ann)
    sent = [seat.send("takeplace", {"table": table, "box": 0}, key="once") for _ in range(10)]
    answers = await asyncio.gather(*sent)
    assert {answer.status_code for answer in answers} == {200}, [answer.text for answer in answers]
    assert len({answer.content for answer in answers}) == 1
    assert await seat.version() == 2


async def test_repeats_at_the_same_moment_are_refused_alike(seat: Seat, bob: Player) -> None:
    """A refused command is decided anew, be it that its repeat came while it was decided."""
    table = await make_table(bob)
    await (await Seat.open(bob)).do("takeplace", {"table": table, "box": 0})
    sent = [seat.send("takeplace", {"table": table, "box": 0}, key="once") for _ in range(10)]
    for refused in await asyncio.gather(*sent):
        assert_problem(refused, 409, "box_taken")


async def test_only_a_free_channel_can_be_deleted(seat: Seat, ann: Player) -> None:
    await seat.do("subscribe", {"room": "xsos"})
    path = f"/lobby/channels/{seat.id}"
    assert_problem(await ann.http.delete(path, headers=ann.credentials), 409, "wrong_state")
    await seat.do("unsubscribe")
    assert (await ann.http.delete(path, headers=ann.credentials)).status_code == 204
    assert_problem(await ann.get(path), 404, "not_found")


async def test_every_transition_is_one_event_on_every_connection(ann: Player) -> None:
    async with feed(ann) as one, feed(ann) as two:
        seat = await Seat.open(ann)
        await seat.do("subscribe", {"room": "xsos"})
        await seat.do("unsubscribe")
        await ann.http.delete(f"/lobby/channels/{seat.id}", headers=ann.credentials)
        for events in (one, two):
            for n, event in enumerate(("created", "E15", "E16", "deleted"), start=1):
                assert (await transition(events, seat, event)).data["version"] == n


async def test_a_stream_resumes_at_every_event_with_nothing_lost_or_repeated(ann: Player) -> None:
    async with feed(ann, "0") as events:
        seat = await Seat.open(ann)
        await seat.do("subscribe", {"room": "xsos"})
        await seat.do("unsubscribe")
        await seat.do("chatjoin", {"room": "xsos"})
        for i in range(3):
            await seat.do("chatmsg", {"text": f"word {i}"})
        while (await events.next("chat", "channel")).data.get("text") != "word 2":
            pass
        whole = [event for event in events.received if event.name in ("channel", "chat")]
    assert len({event.id for event in whole}) == len(whole)
    for i, event in enumerate(whole[:-1]):
        expected = [(e.name, e.data.get("text"), e.data["event"]) for e in whole[i + 1 :] if "!" not in str(e.id)]
        async with feed(ann, event.id) as rest:
            while len(got := [e for e in rest.received if e.name != "room" and "!" not in str(e.id)]) < len(expected):
                await rest.next("channel", "chat", "snapshot")
        assert [(e.name, e.data.get("text"), e.data["event"]) for e in got] == expected


@pytest.mark.parametrize("cursor", ["999999", "nonsense", "1~x", "-1", "1.5"])
async def test_a_cursor_that_cannot_be_served_is_a_gap(seat: Seat, ann: Player, cursor: str) -> None:
    async with feed(ann, cursor) as events:
        snapshot = await events.next("snapshot")
        assert snapshot.data["reason"] == "gap"
        assert [channel["id"] for channel in snapshot.data["channels"]] == [seat.id]


async def test_a_client_restores_itself_from_a_snapshot(ann: Player, guest: Guest) -> None:
    """What the snapshot shows of each channel is what opening it shows."""
    seats = [await Seat.open(ann, str(i)) for i in range(4)]
    table = await make_table(ann)
    await seats[0].do("join", {"table": table})
    await seats[1].do("chatjoin", {"room": table})
    await seats[2].do("find", search(new_id()))
    async with feed(ann) as events:
        shown = (await events.next("snapshot")).data["channels"]
    for seat, channel in zip(seats, shown, strict=True):
        assert channel == (await ann.get(f"/lobby/channels/{seat.id}")).json()


async def test_presence_lingers(ann: Player, bob: Player) -> None:
    profile = f"/lobby/users/{ann.id}"
    assert (await bob.get(profile)).json()["online"] is False
    async with feed(ann) as events:
        await events.next("snapshot")
        assert (await bob.get(profile)).json()["online"] is True
    assert (await bob.get(profile)).json()["online"] is True, "for two minutes"
