"""Playing for stakes, over real HTTP and server-sent events."""

import asyncio
from collections.abc import Iterator

import pytest

from shared.ids import new_id
from tests.conftest import Guest
from tests.support.client import Player, open_client
from tests.support.lobby import Seat, begin, feed, make_table, search, transition
from tests.support.problems import assert_problem
from tests.support.product import Product, short_directory
from tests.support.stakes import GRANTED, balance, changes, entries, matched, movements, play_to_the_end
from tests.support.waiting import eventually

pytestmark = pytest.mark.both_databases


@pytest.fixture(scope="module")
def hasty() -> Iterator[Product]:
    """A product that is quick to give up a game that all have left."""
    settings = {"PARLOR_ABANDON_MS": "100", "PARLOR_GRANT_FUN": "500", "PARLOR_GRACE_MS": "100"}
    with short_directory() as home, Product(home, settings=settings) as running:
        yield running


@pytest.fixture
def queue() -> str:
    return f"q-{new_id()}"


async def test_a_newcomer_is_granted_something_once(ann: Player) -> None:
    assert await balance(ann) == GRANTED
    [granted] = await entries(ann)
    assert {**granted, "ts": 0} == {"id": 1, "ts": 0, "change": GRANTED, "balance": GRANTED, "reason": "GRANT"}
    response = await ann.post("/lobby/auth/register", {"nick": f"Ann {new_id()[:8]}", "password": "a good password"})
    assert response.status_code == 201
    ann.http.cookies.clear()
    assert response.json()["user"]["id"] == ann.id
    assert len(await entries(ann)) == 1
    assert_problem(await ann.get("/lobby/me/wallets/GOLD/entries"), 404, "not_found")
    assert_problem(await ann.get("/lobby/me/wallets/FUN/entries", {"before": "x"}), 422, "invalid_request")
    assert (await ann.get("/lobby/me/wallets/FUN/entries", {"before": "1"})).json() == {"entries": []}


async def test_wallets_are_for_those_who_are_signed_in(ann: Player) -> None:
    for path in ("/lobby/me/wallets", "/lobby/me/wallets/FUN/entries"):
        assert_problem(await ann.http.get(path), 401, "unauthenticated")


async def test_the_grant_is_told_once_however_often_the_feed_is_opened(ann: Player) -> None:
    for _ in range(2):
        async with feed(ann) as told:
            assert (await told.next("snapshot")).data["wallets"] == [{"currency": "FUN", "balance": GRANTED}]
    async with feed(ann, "0") as told:
        assert await movements(told, 1) == [("GRANT", GRANTED, GRANTED)]
        await Seat.open(ann)
        await told.next("channel")
        assert [event.name for event in told.received] == ["wallet", "channel"]


async def test_the_catalogue_tells_what_can_be_played_for(ann: Player) -> None:
    games = {game["name"]: game["types"] for game in (await ann.get("/lobby/games")).json()["games"]}
    ladder = [0, 100, 200, 500, 1000, 5000, 10000, 20000]
    for name in ("durak", "xsos", "gomoku", "go"):
        assert all((t["bets"], t["currency"], t["rake"]) == (ladder, "FUN", 5) for t in games[name])


async def test_durak_for_stakes_from_the_search_to_the_rematch(guest: Guest, queue: str) -> None:
    ann, bob, _ = people = [await guest(nick) for nick in ("Ann", "Bob", "Cid")]
    wish = {"game_type": "durak_podkidnoi", "num_seats": [2, 3], "cash_bet": [200, 1000]}
    three = {**wish, "num_seats": 3, "cash_bet": "200"}
    a, b, c = seats = [await Seat.open(player) for player in people]
    async with feed(ann) as told, feed(bob) as told_bob:
        found = await a.do("find", {"queue": queue, "criteria": [wish]})
        assert found["queue"]["criteria"] == [wish]
        for seat in (b, c):
            await seat.do("find", {"queue": queue, "criteria": [three]})
        matched_as = (await a.until("begin"))["criteria"]
        assert matched_as == {"game_type": "durak_podkidnoi", "num_seats": 3, "cash_bet": 200}
        assert await balance(ann) == GRANTED, "nobody pays before the game is there"
        first = await begin(*seats)
        assert (await a.open_state())["game"] == {"id": first, "type": "durak_podkidnoi", "currency": "FUN"}
        assert [await balance(player) for player in people] == [GRANTED - 200] * 3
        assert await movements(told, 1) == [("BET", -200, GRANTED - 200)]

        winners = await play_to_the_end(people, first, seed=7)
        by_box = [player["user"] for player in (await ann.view(first))["players"]]
        won = {by_box[box] for box in winners}
        # The pot is 600, of which the house keeps 30; rarely all three get rid of their cards in the same bout.
        paid = {p.id: [("WIN", 285)] if p.id in won else [] if won else [("REFUND", 200)] for p in people}
        for player in people:
            expected = [("GRANT", GRANTED), ("BET", -200), *paid[player.id]]
            assert await changes(player, len(expected)) == expected
        assert all(entry["game"] == first for entry in (await entries(ann))[:-1])

        for seat in seats:
            await seat.until("revanche")
            await seat.do("revanche")
        second = (await a.until("game"))["game"]["id"]
        await b.until("game")
        assert second != first
        assert (await entries(bob))[0]["game"] == second, "a rematch is paid for anew"
        assert (await entries(bob))[0]["change"] == -200
        moved = [("BET", -200), *paid[bob.id], ("BET", -200)]
        assert [(reason, change) for reason, change, _ in await movements(told_bob, len(moved))] == moved
        heard = [event for event in told_bob.received if event.name == "wallet"]
    async with feed(bob, heard[0].id) as again:
        assert [(await again.next("wallet")).data for _ in heard[1:]] == [event.data for event in heard[1:]]

    async def rated() -> list[tuple[str, int]]:
        ratings = (await ann.get(f"/lobby/users/{bob.id}")).json()["ratings"]
        return [(each["game_type"], each["games"]) for each in ratings]

    assert await eventually(rated, bool) == [("durak_podkidnoi", 1)]


async def test_a_seat_that_cannot_pay_means_no_game_and_nobody_is_charged(guest: Guest, queue: str) -> None:
    """Ann has enough for one of her two games."""
    ann, bob, cid = [await guest(nick) for nick in ("Ann", "Bob", "Cid")]
    first, second, b, c = [await Seat.open(player) for player in (ann, ann, bob, cid)]
    wish = {"game_type": "xsos", "num_seats": 2, "cash_bet": GRANTED}
    for seat, name in ((first, "1"), (b, "1"), (second, "2"), (c, "2")):
        await seat.do("find", {"queue": queue + name, "criteria": [wish]})
    for seat in (first, b, second, c):
        await seat.until("begin")
    await begin(first, b)
    assert await balance(ann) == 0
    async with feed(cid) as told:
        await told.next("snapshot")
        await asyncio.gather(second.send("begin"), c.send("begin"))
        await transition(told, c, "E4")
        on = await transition(told, c, "E6")
        over = await transition(told, c, "E23")
        assert over.data["state"] == {"value": "free"}
        assert over.data["reason"] == "insufficient_funds"
        game = on.data["state"]["game"]
        assert game["currency"] == "FUN"
        assert (await cid.view(game["id"]))["status"] == "aborted"
    await second.until("free")
    assert len(await entries(cid)) == 1
    assert [(entry["reason"], entry["change"]) for entry in await entries(ann)] == [
        ("BET", -GRANTED),
        ("GRANT", GRANTED),
    ]


async def test_a_rematch_that_somebody_cannot_pay_is_given_up(guest: Guest, queue: str) -> None:
    ann, bob = [await guest(nick) for nick in ("Ann", "Bob")]
    (a, b), game = await matched([ann, bob], queue, GRANTED)
    await ann.resign(game)
    async with feed(bob) as told:
        for seat in (a, b):
            await seat.until("revanche")
            await seat.do("revanche")
        while (event := await told.next("channel")).data["event"] != "E9":
            pass
        assert (await transition(told, b, "E23")).data["reason"] == "insufficient_funds"
        assert event.data["state"]["game"]["id"] != game
    await a.until("free")
    assert await changes(bob, 3) == [("GRANT", GRANTED), ("BET", -GRANTED), ("WIN", 19_000)]
    assert await balance(ann) == 0


async def test_whoever_cannot_pay_the_lowest_bet_is_refused(ann: Player, bob: Player, queue: str) -> None:
    seat = await Seat.open(ann)

    def wish(*bets: int) -> object:
        return {"queue": queue, "criteria": [{"game_type": "durak_podkidnoi", "num_seats": 2, "cash_bet": list(bets)}]}

    assert_problem(await seat.send("find", wish(20_000)), 409, "insufficient_funds")
    table = await make_table(bob, cash_bet=20_000)
    shown = (await ann.get(f"/lobby/tables/{table}")).json()
    assert (shown["bet"], shown["currency"]) == (20_000, "FUN")
    assert_problem(await seat.send("join", {"table": table}), 409, "insufficient_funds")
    assert_problem(await seat.send("takeplace", {"table": table, "box": 0}), 409, "insufficient_funds")
    assert_problem(await seat.send("takeplace", {"table": table, "box": 7}), 422, "invalid_request")
    assert_problem(await seat.send("taketurn", {"table": table}), 409, "insufficient_funds")
    assert_problem(await seat.send("taketurn", {"table": new_id()}), 404, "not_found")
    assert_problem(await seat.send("find", wish(300)), 422, "invalid_request")
    assert (await seat.do("find", wish(20_000, 10_000)))["value"] == "find"


async def test_a_search_for_pairs_may_be_spelled_with_a_cyrillic_letter(ann: Player, queue: str) -> None:
    wish = {"game_type": "durak_podkidnoi_2\N{CYRILLIC SMALL LETTER HA}2", "num_seats": "4", "cash_bet": "100,1000"}
    state = await (await Seat.open(ann)).do("find", {"queue": queue, "criteria": [wish]})
    assert state["queue"]["criteria"] == [
        {"game_type": "durak_podkidnoi_2x2", "num_seats": [4], "cash_bet": [100, 1000]}
    ]


async def test_a_draw_returns_the_bets(ann: Player, bob: Player, queue: str) -> None:
    _, game = await matched([ann, bob], queue, 500)
    assert (await ann.draw(game, "offer")).status_code == 200
    assert (await bob.draw(game, "accept")).status_code == 200
    for player in (ann, bob):
        assert await changes(player, 3) == [("GRANT", GRANTED), ("BET", -500), ("REFUND", 500)]


async def test_a_table_is_paid_for_when_its_last_seat_is_taken(ann: Player, bob: Player) -> None:
    a, b = await Seat.open(ann), await Seat.open(bob)
    table = await make_table(ann, cash_bet=100)
    game = (await a.do("join", {"table": table}))["game"]
    assert game["currency"] == "FUN"
    assert await balance(ann) == GRANTED, "until then a seat can be given up"
    await b.do("join", {"table": table})
    await eventually(lambda: ann.view(game["id"]), lambda view: view["status"] == "active")
    assert [await balance(player) for player in (ann, bob)] == [GRANTED - 100] * 2
    assert (await bob.resign(game["id"])).status_code == 200
    assert (await changes(ann, 3))[-1] == ("WIN", 190)


async def test_a_game_that_is_aborted_returns_the_bets(hasty: Product, queue: str) -> None:
    async with open_client(hasty.url) as http:
        ann, bob = [await Player.guest(http, nick) for nick in ("Ann", "Bob")]
        (a, b), game = await matched([ann, bob], queue, 200)
        await a.do("leave")
        await b.do("leave")
        await eventually(lambda: ann.view(game), lambda view: view["status"] == "aborted")
        for player in (ann, bob):
            assert await changes(player, 3) == [("GRANT", 500), ("BET", -200), ("REFUND", 200)]
        await a.until("free")
        assert_problem(await a.send("find", search(queue, cash_bet=1000)), 409, "insufficient_funds")
