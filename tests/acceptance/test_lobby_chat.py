"""Chats of rooms and tables."""

import pytest

from shared.ids import new_id
from tests.conftest import Guest
from tests.support.client import Json, Player
from tests.support.lobby import Seat, feed, make_table
from tests.support.problems import assert_problem
from tests.support.waiting import eventually

pytestmark = pytest.mark.both_databases


@pytest.fixture
async def table(ann: Player) -> str:
    return await make_table(ann)


@pytest.fixture
async def a(ann: Player, table: str) -> Seat:
    seat = await Seat.open(ann)
    await seat.do("chatjoin", {"room": table})
    return seat


@pytest.fixture
async def b(bob: Player, table: str) -> Seat:
    seat = await Seat.open(bob)
    await seat.do("chatjoin", {"room": table})
    return seat


async def test_what_is_said_is_told_to_everyone_in_the_chat(a: Seat, bob: Player, table: str) -> None:
    async with feed(a.player) as told:
        await told.next("snapshot")
        b = await Seat.open(bob)
        joined = await b.do("chatjoin", {"room": table})
        assert joined["id"] == table
        assert joined["chat"]["users"] == 2
        assert joined["chat"]["messages"][-1]["event"] == "join"
        said = await b.do("chatmsg", {"text": "  hello\x07 there "})
        assert said["chat"]["messages"][-1]["text"] == "hello there"
        await b.do("chatleave")
        heard = [(await told.next("chat")).data for _ in range(3)]
    assert [(each["event"], each["uid"]) for each in heard] == [(e, bob.id) for e in ("join", "msg", "leave")]
    assert {each["channel"] for each in heard} == {a.id}
    assert heard[1]["text"] == "hello there"
    assert heard[1]["nick"] == "Bob"


async def test_a_version_rises_only_by_transitions(a: Seat) -> None:
    before = await a.version()
    await a.do("chatmsg", {"text": "hello"})
    assert await a.version() == before


async def test_a_newcomer_is_told_from_its_own_joining_on(a: Seat, bob: Player, table: str) -> None:
    await a.do("chatmsg", {"text": "before"})
    b = await Seat.open(bob)

    async def spoken() -> int:
        return len((await a.open_state())["chat"]["messages"])

    await eventually(spoken, lambda n: n == 2)
    async with feed(bob) as told:
        await b.do("chatjoin", {"room": table})
        joining = await told.next("channel")
        assert [m.get("text") for m in joining.data["state"]["chat"]["messages"]] == [None, "before"]
        assert [(await told.next("chat")).data["event"] for _ in range(2)] == ["setup", "join"]


@pytest.mark.parametrize("text", ["", "   ", "\x00\x01", "x" * 501])
async def test_a_message_has_1_to_500_characters(a: Seat, text: str) -> None:
    assert_problem(await a.send("chatmsg", {"text": text}), 422, "invalid_request")


async def test_ten_messages_in_ten_seconds_over_all_channels(a: Seat, table: str) -> None:
    second = await Seat.open(a.player)
    await second.do("chatjoin", {"room": table})
    sent = 0
    while (answer := await (a, second)[sent % 2].send("chatmsg", {"text": str(sent)})).status_code == 200:
        sent += 1
        assert sent < 90, "so many can be shown, and nobody is that slow for ever"
    assert_problem(answer, 429, "rate_limited")
    assert int(answer.headers["retry-after"]) >= 1
    assert sent >= 10

    async def spoken() -> list[int]:
        said: list[Json] = (await a.open_state())["chat"]["messages"]
        return [each["ts"] for each in said if each["event"] == "msg"]

    at = await eventually(spoken, lambda times: len(times) == sent)
    assert all(later - earlier >= 10_000 for earlier, later in zip(at, at[10:], strict=False))


async def test_the_full_state_has_the_last_hundred_entries(guest: Guest, table: str) -> None:
    reader = await Seat.open(await guest("Reader"))
    await reader.do("chatjoin", {"room": table})
    for i in range(11):
        speaker = await Seat.open(await guest(f"Speaker {i}"))
        await speaker.do("chatjoin", {"room": table})
        for j in range(9):
            await speaker.do("chatmsg", {"text": f"{i} {j}"})

    async def shown() -> list[str | None]:
        return [each.get("text") for each in (await reader.open_state())["chat"]["messages"]]

    messages = await eventually(shown, lambda texts: texts[-1] == "10 8")
    assert len(messages) == 100


async def test_the_creator_of_a_table_mutes_in_its_chat(a: Seat, b: Seat, ann: Player, bob: Player, table: str) -> None:
    mutes = f"/lobby/rooms/{table}/mutes"
    assert_problem(await bob.post(mutes, {"user": ann.id, "seconds": 60}), 403, "forbidden")
    assert (await ann.post(mutes, {"user": bob.id, "seconds": 60})).status_code == 200
    assert_problem(await b.send("chatmsg", {"text": "hello"}), 403, "forbidden")
    assert (await ann.post(mutes, {"user": bob.id, "seconds": 0})).status_code == 200
    await b.do("chatmsg", {"text": "hello"})


async def test_a_room_belongs_to_the_administrators(ann: Player, bob: Player) -> None:
    body = {"user": bob.id, "seconds": 60}
    assert_problem(await ann.post("/lobby/rooms/xsos/mutes", body), 403, "forbidden")
    assert_problem(await ann.post("/lobby/rooms/nowhere/mutes", body), 404, "not_found")


async def test_an_unknown_room_has_no_chat(ann: Player) -> None:
    seat = await Seat.open(ann)
    assert_problem(await seat.send("chatjoin", {"room": "nowhere"}), 404, "not_found")
    assert_problem(await seat.send("chatjoin", {"room": new_id()}), 404, "not_found")
