"""A whole life in the lobby over real HTTP and server-sent events: from the search to the rematch and back to free."""

import asyncio
import time

import pytest

from shared.ids import new_id
from tests.conftest import Guest
from tests.support.client import Json, Player
from tests.support.lobby import Seat, begin, feed, make_table, search, transition
from tests.support.problems import assert_problem
from tests.support.waiting import eventually

pytestmark = pytest.mark.both_databases


@pytest.fixture
def queue() -> str:
    return f"q-{new_id()}"


async def test_two_find_each_other_play_rematch_leave_return_and_end(ann: Player, bob: Player, queue: str) -> None:
    a, b = await Seat.open(ann), await Seat.open(bob)
    async with feed(ann) as told:
        assert (await told.next("snapshot")).data["channels"][0]["id"] == a.id
        found = await a.do("find", search(queue))
        assert found == {
            "value": "find",
            "queue": {"name": queue, "criteria": search(queue, seats=[2], cash_bet=[0])["criteria"]},
        }
        await transition(told, a, "E2")
        await b.do("find", search(queue))
        matched = (await transition(told, a, "E3")).data["state"]
        assert matched["criteria"] == {"game_type": "xsos", "num_seats": 2, "cash_bet": 0}
        assert matched["match"] == (await b.until("begin"))["match"]

        first = await begin(a, b)
        await transition(told, a, "E4")
        assert (await transition(told, a, "E6")).data["state"] == {
            "value": "game",
            "game": {"id": first, "type": "xsos"},
            "table": matched["match"],
        }
        assert (await ann.view(first))["status"] == "active"
        assert_problem(await ann.join(first), 403, "forbidden")

        assert (await bob.resign(first)).status_code == 200
        revanche = (await transition(told, a, "E7")).data["state"]
        assert revanche["wait"]["name"] == "revanche"
        await b.until("revanche")
        await a.do("revanche")
        await transition(told, a, "E8")
        await b.do("revanche")
        second = (await transition(told, a, "E9")).data["state"]["game"]["id"]
        assert second != first
        assert [player["user"] for player in (await ann.view(second))["players"]] == [bob.id, ann.id], "seats rotate"

        assert (await a.do("leave"))["value"] == "leave"
        await transition(told, a, "E24")
        await eventually(lambda: bob.view(second), lambda view: view["players"][1]["away"])
        assert (await a.do("return"))["value"] == "game"
        await transition(told, a, "E25")
        await eventually(lambda: bob.view(second), lambda view: not view["players"][1]["away"])
        await a.do("leave")
        await transition(told, a, "E24")
        assert (await bob.resign(second)).status_code == 200
        ended = await transition(told, a, "E26")
        assert ended.data["state"] == {"value": "free"}
        assert ended.data["reason"] == "game_over"
    await b.until("free")
    assert (await ann.http.delete(f"/lobby/channels/{a.id}", headers=ann.credentials)).status_code == 204


async def test_four_find_each_other_and_play_a_rematch(guest: Guest, queue: str) -> None:
    seats = [await Seat.open(await guest(nick)) for nick in ("Ann", "Bob", "Cid", "Dan")]
    async with feed(seats[0].player) as told:
        await asyncio.gather(*(seat.do("find", search(queue, "tsuro", "2,4")) for seat in seats[:1]))
        for seat in seats[1:]:
            await seat.do("find", search(queue, "tsuro", [4]))
        for seat in seats:
            await seat.until("begin")
        game = await begin(*seats)
        first = [player["user"] for player in (await seats[0].player.view(game))["players"]]
        assert sorted(first) == sorted(seat.player.id for seat in seats)
        for seat in seats[:3]:
            await seat.player.resign(game)
        for seat in seats:
            await seat.until("revanche")
        for seat in seats:
            await seat.do("revanche")
        again = [(await seat.until("game"))["game"]["id"] for seat in seats]
        assert len(set(again)) == 1
        second = [player["user"] for player in (await seats[0].player.view(again[0]))["players"]]
        assert second == [first[-1], *first[:-1]]
        await seats[0].do("leave")
        for seat in seats[1:4]:
            await seat.player.resign(again[0])
        for seat in seats:
            await seat.until("free")
        told_of = [event.data["event"] for event in told.received if event.name == "channel"]
        assert told_of == ["E2", "E3", "E4", "E6", "E7", "E8", "E9", "E24", "E26"]


async def test_the_way_over_a_table(guest: Guest) -> None:
    ann, bob, cid, dan = [await guest(nick) for nick in ("Ann", "Bob", "Cid", "Dan")]
    a, b, c, d = [await Seat.open(player) for player in (ann, bob, cid, dan)]
    room = await Seat.open(dan)
    async with feed(dan) as told:
        await room.do("subscribe", {"room": "xsos"})
        await transition(told, room, "E15")  # what is there by then is in its state, and told of as `changed`
        table = await make_table(ann)
        while (created := await told.next("room")).data["table"]["id"] != table:
            pass
        assert created.data["change"] == "created"
        assert created.data["channel"] == room.id
        place = await a.do("takeplace", {"table": table, "box": 1})
        assert (place["tableId"], place["box"], place["wait"]["name"]) == (table, 1, "sitdown")
        assert_problem(await b.send("takeplace", {"table": table, "box": 1}), 409, "box_taken")
        seated = await a.do("sitdown")
        game = seated["game"]["id"]
        assert (await a.open_state())["gamestate"] == {}
        assert (await b.do("taketurn", {"table": table}))["value"] == "takeplace"
        assert (await c.do("taketurn", {"table": table}))["value"] == "taketurn"
        assert (await d.do("watch", {"table": table}))["game"]["id"] == game
        assert (await b.do("sitdown"))["game"]["id"] == game
        assert (await eventually(lambda: ann.view(game), lambda view: view["status"] == "active"))["table"] == table
        boxes = (await ann.get(f"/lobby/tables/{table}")).json()["boxes"]
        assert boxes == [
            {"box": 0, "user": bob.id, "state": "taken"},
            {"box": 1, "user": ann.id, "state": "taken"},
        ]
        talk = await Seat.open(cid)
        await talk.do("chatjoin", {"room": table})
        await talk.do("chatmsg", {"text": "good luck"})
        assert (await ann.resign(game)).status_code == 200
        await a.until("revanche")
        await a.do("cancelrevanche")
        await b.until("free")
        assert (await c.until("takeplace"))["box"] == 0, "whoever waited longest moves in"
        await c.do("leave")
        await c.until("free")


async def test_changes_of_a_table_are_told_together_and_the_last_one_is_the_truth(ann: Player, bob: Player) -> None:
    """At most one in a quarter of a second."""
    room, e = await Seat.open(ann), await Seat.open(bob)
    await room.do("subscribe", {"room": "go"})
    async with feed(ann) as told:
        await told.next("snapshot")
        table = await make_table(bob, game_type="go")
        changes: list[Json] = []

        async def until(watchers: int) -> None:
            while not changes or changes[-1]["watchers"] != watchers:
                if (news := (await told.next("room")).data)["table"]["id"] == table:
                    changes.append(news["table"])

        await until(watchers=0)
        began = time.monotonic()
        for _ in range(20):
            await e.do("watch", {"table": table})
            await e.do("unwatch")
        for seat in (e, await Seat.open(bob)):
            await seat.do("watch", {"table": table})
        await until(watchers=2)
        most = 2 + (time.monotonic() - began) / 0.25
    assert len(changes) <= 1 + most


async def test_a_table_that_nobody_is_at_disappears_with_its_watchers(guest: Guest) -> None:
    """A game that ends without a rematch closes its table at once."""
    ann, bob, eve = [await guest(nick) for nick in ("Ann", "Bob", "Eve")]
    a, b, e = [await Seat.open(player) for player in (ann, bob, eve)]
    table = await make_table(ann)
    game = (await a.do("join", {"table": table, "box": 0}))["game"]["id"]
    await e.do("watch", {"table": table})
    await b.do("join", {"table": table})
    await ann.resign(game)
    await b.until("revanche")
    await b.do("revanche")
    await a.until("revanche")
    async with feed(eve) as told:
        await a.do("cancelrevanche")
        assert (await transition(told, e, "E18")).data["reason"] == "table_closed"
    await b.until("free")
    assert_problem(await ann.get(f"/lobby/tables/{table}"), 404, "not_found")


async def test_a_watcher_is_told_of_each_game_of_a_table(guest: Guest) -> None:
    ann, bob, eve = [await guest(nick) for nick in ("Ann", "Bob", "Eve")]
    a, b, e = [await Seat.open(player) for player in (ann, bob, eve)]
    table = await make_table(ann)
    async with feed(eve) as told:
        assert (await e.do("watch", {"table": table}))["game"]["id"] is None
        first = (await a.do("join", {"table": table}))["game"]["id"]
        news = await told.next("watch")
        shown = {"value": "watch", "game": {"id": first, "type": "xsos"}, "table": table}
        assert news.data == {"channel": e.id, "version": 2, "state": shown}
        await b.do("join", {"table": table})
        await eventually(lambda: ann.view(first), lambda view: view["status"] == "active")
        await ann.resign(first)
        for seat in (a, b):
            await seat.until("revanche")
            await seat.do("revanche")
        second = (await a.until("game"))["game"]["id"]
        again = await told.next("watch")
        assert again.data["state"]["game"]["id"] == second
        watched = await e.open_state()
        assert (watched["value"], watched["game"]["id"]) == ("watch", second)
        assert "self" not in watched
        assert await e.version() == 2, "it is no transition"
    async with feed(eve, news.id) as resumed:
        assert (await resumed.next()).data == again.data
    assert (await e.do("unwatch")) == {"value": "free"}


async def test_whoever_watches_a_game_follows_its_table(guest: Guest) -> None:
    ann, bob, eve = [await guest(nick) for nick in ("Ann", "Bob", "Eve")]
    a, b, e = [await Seat.open(player) for player in (ann, bob, eve)]
    table = await make_table(ann)
    first = (await a.do("join", {"table": table}))["game"]["id"]
    await b.do("join", {"table": table})
    assert (await e.do("watch", {"game": first}))["table"] == table
    await eventually(lambda: ann.view(first), lambda view: view["status"] == "active")
    await ann.resign(first)
    for seat in (a, b):
        await seat.until("revanche")
        await seat.do("revanche")
    second = (await a.until("game"))["game"]["id"]
    await eventually(e.open_state, lambda state: state["game"]["id"] == second)


async def test_a_channel_at_a_game_names_the_table_whose_chat_is_there(guest: Guest, queue: str) -> None:
    """For a second device, which has not seen how the first one came there."""
    ann, bob = [await guest(nick) for nick in ("Ann", "Bob")]
    a, b = await Seat.open(ann), await Seat.open(bob)
    for seat in (a, b):
        await seat.do("find", search(queue))
    match = (await a.until("begin"))["match"]
    game = await begin(a, b)
    listed = (await ann.get("/lobby/channels")).json()["channels"][0]["state"]
    assert listed == {"value": "game", "game": {"id": game, "type": "xsos"}, "table": match}
    assert (await a.open_state())["table"] == match
    assert (await a.do("leave"))["table"] == match
    talk = await Seat.open(bob)
    assert (await talk.do("chatjoin", {"room": match}))["value"] == "chat"
    made = (await ann.create())["id"]
    alone = await Seat.open(ann)
    assert "table" not in await alone.do("join", {"game": made}), "a game that was made without the lobby has none"


async def test_a_game_made_without_the_lobby_can_be_joined_and_watched(guest: Guest) -> None:
    ann, bob, eve = [await guest(nick) for nick in ("Ann", "Bob", "Eve")]
    a, b, e = [await Seat.open(player) for player in (ann, bob, eve)]
    game = (await ann.create())["id"]
    assert (await a.do("join", {"game": game}))["game"]["id"] == game, "attached to the seat that is there"
    assert (await b.do("join", {"game": game}))["game"]["id"] == game, "takes the open seat"
    assert (await ann.view(game))["status"] == "active"
    assert_problem(await e.send("join", {"game": game}), 409, "table_full")
    assert (await e.do("watch", {"game": game}))["game"]["id"] == game
    async with feed(ann) as told:
        await bob.resign(game)
        assert (await transition(told, a, "E23")).data["reason"] == "game_over"
    await b.until("free")
    assert (await e.open_state())["value"] == "watch"


async def test_whoever_comes_to_a_game_as_it_ends_is_refused_or_freed(guest: Guest) -> None:
    """The lobby does not listen to games that nobody has come to by a channel."""
    ann, bob = await guest("Ann"), await guest("Bob")
    a = await Seat.open(ann)
    for _ in range(12):
        game = (await ann.create())["id"]
        await bob.join(game)
        joined, _ = await asyncio.gather(a.send("join", {"game": game}), bob.resign(game))
        if joined.status_code != 200:
            assert_problem(joined, 409, "wrong_state")
        await a.until("free")
