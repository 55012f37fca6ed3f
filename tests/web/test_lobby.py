"""People find each other: queues, rooms, seats, rematches and talk, by clicks."""

import re
from functools import partial
from typing import Any

import pytest
from playwright.async_api import Locator, Route, expect

from tests.support.product import Product
from tests.support.waiting import eventually
from tests.web.conftest import Invite
from tests.web.pairs import Pair, cell, cells, drawn
from tests.web.test_access import violations
from tests.web.visitor import Visitor

pytestmark = pytest.mark.asyncio(loop_scope="session")


LOOKS_EVERY_MS = 4_000  # how often the first page asks who waits


def dock(visitor: Visitor) -> Locator:
    return visitor.page.locator("#dock")


async def at_home(invite: Invite, product: Product, nick: str, **settings: Any) -> Visitor:
    return await at(f"{product.url}/", invite, product, nick, **settings)


async def in_room(room: str, invite: Invite, product: Product, nick: str, **settings: Any) -> Visitor:
    return await at(f"{product.url}/#/room/{room}", invite, product, nick, **settings)


async def at(address: str, invite: Invite, product: Product, nick: str, **settings: Any) -> Visitor:
    visitor = await invite(**settings)
    await visitor.sign_in(product.url, nick)
    await visitor.page.goto(address)
    return visitor


async def found(invite: Invite, product: Product) -> Pair:
    ann, bob = await at_home(invite, product, "Ann"), await at_home(invite, product, "Bob")
    for visitor in (ann, bob):
        await visitor.button(re.compile("^Find players: Xs and Os")).click()
    for visitor in (ann, bob):
        await expect(dock(visitor)).to_contain_text("Found! Xs and Os begins in")
        await visitor.button("I am ready").click()
    return await drawn(ann, bob, ("Ann", "Bob"))


async def test_a_queue_shows_who_waits_and_can_be_left(product: Product, invite: Invite) -> None:
    ann, bob = await at_home(invite, product, "Ann"), await invite(fresh=True)
    await bob.page.clock.install()
    await bob.sign_in(product.url, "Bob")
    await bob.page.goto(product.url)
    await expect(bob.button("Find players: Gomoku")).to_be_visible()
    await ann.button("Find players: Gomoku").click()
    await expect(dock(ann)).to_contain_text("Looking for players: Gomoku")
    await bob.page.clock.fast_forward(LOOKS_EVERY_MS)
    await expect(bob.button("Find players: Gomoku · 1 waits")).to_be_visible()
    await ann.page.reload()
    await ann.button("Stop looking").click()
    await expect(dock(ann)).to_be_hidden()


async def test_two_who_look_for_players_meet_and_play_a_rematch(product: Product, invite: Invite) -> None:
    pair = await found(invite, product)
    await pair.play(*cells(4, 0, 2, 1, 6))
    first = pair.first.page.url
    question = re.compile(r"Another game with the same players\? \d+ second")
    for visitor in pair.both:
        await expect(visitor.page.get_by_text(question)).to_be_visible()
    await pair.first.button("Rematch").click()
    await expect(pair.first.page.get_by_text("Waiting for the others to say yes")).to_be_visible()
    await pair.second.button("Rematch").click()
    for visitor in pair.both:
        await expect(visitor.page).not_to_have_url(first)
    again = await drawn(pair.first, pair.second, pair.nicks)
    await again.play(*cells(4, 0, 2, 1, 6))
    await again.second.button("No, thanks").click()
    await again.first.is_told("There will be no rematch.")


async def test_leaving_and_returning_go_through_the_channel(product: Product, invite: Invite) -> None:
    pair = await found(invite, product)
    await pair.first.button("Leave for a while").click()
    await expect(pair.second.player(pair.nicks[0])).to_contain_text("away")
    await expect(dock(pair.first)).to_contain_text("You have left Xs and Os for a while.")
    await dock(pair.first).get_by_role("button", name="I am back").click()
    await expect(pair.second.player(pair.nicks[0])).to_contain_text("online")
    await pair.play(*cells(4))


async def open_table(invite: Invite, product: Product, bet: str = "0") -> tuple[Visitor, Visitor, str]:
    """Ann opens a table in the room and sits down; Bob looks on from the room. Returns the table's id too."""
    bob, ann = await in_room("xsos", invite, product, "Bob"), await in_room("xsos", invite, product, "Ann")
    await ann.page.get_by_text("Open a table").click()
    await ann.page.get_by_label("Bet").select_option(bet)
    async with ann.page.expect_response("**/lobby/rooms/xsos/tables") as made:
        await ann.button("Open the table").click()
    table = (await (await made.value).json())["id"]
    await expect(dock(ann)).to_contain_text(re.compile(r"Seat 1 is kept for you for \d+ second"))
    await ann.button("Sit down").click()
    await expect(ann.headline).to_have_text("Waiting for players")
    return ann, bob, table


def row(visitor: Visitor, table: str) -> Locator:
    """A table in the room's list, where tables of other tests may be."""
    return visitor.page.locator(f'[data-table="{table}"]')


async def at_table(invite: Invite, product: Product, bet: str = "0") -> tuple[Pair, str]:
    """Bob sits down too."""
    ann, bob, table = await open_table(invite, product, bet)
    await row(bob, table).get_by_role("button", name="Sit here").click()
    await bob.button("Sit down").click()
    return await drawn(ann, bob, ("Ann", "Bob")), table


async def test_a_table_of_a_room_is_opened_joined_watched_and_talked_at(product: Product, invite: Invite) -> None:
    pair, table = await at_table(invite, product)

    watcher = await in_room("xsos", invite, product, "Wanda")
    await row(watcher, table).get_by_role("button", name="Watch").click()
    await expect(watcher.player("Ann")).to_be_visible()
    await pair.play(*cells(4))
    await watcher.sees(cell(4), "X")

    hostile = "<img src=x onerror=alert(1)> \u202eevil " + "a" + "\u0301" * 200
    await pair.first.page.get_by_label("Say something").fill(hostile)
    await pair.first.button("Send").click()
    for visitor in (*pair.both, watcher):
        log = visitor.page.get_by_role("log", name="Chat")
        await expect(log).to_contain_text("<img src=x onerror=alert(1)>")
        await expect(log.locator("img")).to_have_count(0)
        width = await visitor.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert width <= 0

    await pair.first.page.reload()
    await expect(pair.first.page.get_by_role("log", name="Chat")).to_contain_text("<img src=x onerror=alert(1)>")

    await pair.first.button("Resign").click()
    await pair.first.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    for visitor in pair.both:
        await visitor.button("Rematch").click()
    await expect(watcher.page).not_to_have_url(pair.link)
    await expect(watcher.headline).to_have_text(re.compile("to play"))


async def test_when_another_tab_was_faster_with_a_channel_another_one_is_used(product: Product, invite: Invite) -> None:
    ann = await invite()
    await ann.sign_in(product.url, "Ann")
    channel = (await ann.send(f"{product.url}/lobby/channels", tag="web"))["id"]
    asked = []

    async def come_first(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 1:
            await ann.send(f"{product.url}/lobby/channels/{channel}/chatjoin", room="go")
        await route.continue_()

    await ann.page.route("**/find", come_first)
    await ann.page.goto(product.url)
    await ann.button(re.compile("^Find players: Gomoku")).click()
    await expect(dock(ann)).to_contain_text("Looking for players: Gomoku")
    assert await ann.toasts() == []
    assert [channel in url for url in asked] == [True, False]
    await ann.button("Stop looking").click()
    await expect(dock(ann)).to_be_hidden()  # whoever still looked would meet the next test's people
    ann.complaints.clear()  # the browser notes the refusal; here it is the point


async def test_giving_a_seat_up_before_the_game_is_called_so(product: Product, invite: Invite) -> None:
    ann, _, _ = await open_table(invite, product)
    await expect(ann.button("Leave for a while")).to_have_count(0)
    await ann.button("Give the seat up").click()
    await expect(ann.page).to_have_url(f"{product.url}/#/")
    await expect(dock(ann)).to_be_hidden()


async def test_whoever_signs_out_of_a_room_is_not_thrown_out(product: Product, invite: Invite) -> None:
    """Nothing is asked or said any more as the one who has gone: the browser would note each refusal."""
    visitor = await in_room("durak", invite, product, "Ann")
    await expect(visitor.page.get_by_role("log", name="Chat")).to_be_visible()
    await visitor.button("Settings").click()
    await visitor.button("Sign out").click()
    await expect(visitor.page.get_by_label("Your name")).to_be_visible()
    assert await visitor.toasts() == []


async def test_a_match_stays_in_sight_while_one_scrolls(product: Product, invite: Invite) -> None:
    ann = await at_home(invite, product, "Ann", viewport={"width": 360, "height": 740})
    bob = await at_home(invite, product, "Bob")
    for visitor in (ann, bob):
        await visitor.button(re.compile("^Find players: Xs and Os")).click()
    await expect(ann.button("I am ready")).to_be_visible()
    await ann.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    await expect(ann.button("I am ready")).to_be_in_viewport(ratio=1)
    for visitor in (ann, bob):
        await visitor.button("I am ready").click()
    await expect(ann.button("Resign")).to_be_visible()


async def test_whoever_waits_for_a_seat_gets_the_first_that_is_freed(product: Product, invite: Invite) -> None:
    pair, table = await at_table(invite, product)
    carl = await in_room("xsos", invite, product, "Carl")
    await row(carl, table).get_by_role("button", name="Wait for a seat").click()
    await expect(dock(carl)).to_contain_text("You wait for a free seat.")
    await carl.page.reload()
    await expect(dock(carl)).to_contain_text("You wait for a free seat.")
    await pair.play(*cells(4, 0, 2, 1, 6))
    await pair.first.button("No, thanks").click()
    await expect(dock(carl)).to_contain_text(re.compile(r"Seat \d is kept for you for \d+ second"))
    await carl.button("Sit down").click()
    await expect(carl.headline).to_have_text("Waiting for players")
    await expect(carl.player("(you)")).to_contain_text("Carl")


async def test_a_bet_goes_from_the_loser_to_the_winner(product: Product, invite: Invite) -> None:
    pair, _ = await at_table(invite, product, bet="200")
    await pair.play(*cells(4, 0, 2, 1, 6))

    async def latest(visitor: Visitor) -> int:
        entries = (await visitor.get(f"{product.url}/lobby/me/wallets/FUN/entries"))["entries"]
        return int(entries[0]["balance"])

    for visitor, change, balance in ((pair.first, "+380", "10180"), (pair.second, "-200", "9800")):
        await expect(visitor.page.get_by_text("Another game with the same players?")).to_be_visible()
        await eventually(partial(latest, visitor), lambda found: str(found) == balance)  # noqa: B023  # the bank works on
        await visitor.page.goto(f"{product.url}/#/me")
        await expect(visitor.page.get_by_role("row").filter(has_text=balance)).to_contain_text(change)
        await expect(visitor.page.get_by_text(f"{balance} FUN")).to_be_visible()


async def test_who_cannot_pay_a_bet_is_told_so(product: Product, invite: Invite) -> None:
    visitor = await in_room("durak", invite, product, "Ann")
    await visitor.page.get_by_text("Open a table").click()
    await visitor.page.get_by_label("Bet").select_option("20000")
    await visitor.button("Open the table").click()
    await visitor.is_told("You cannot pay this bet.")
    visitor.complaints.clear()  # the browser notes every 409; here it is the point


async def test_a_newcomer_looks_for_players_with_one_click(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.page.goto(product.url)
    await visitor.page.get_by_label("Your name").fill("Nina")
    await visitor.button("Find players: Tsuro").click()
    await expect(dock(visitor)).to_contain_text("Looking for players: Tsuro")
    await expect(visitor.page.get_by_text("You are Nina")).to_be_visible()
    await visitor.button("Stop looking").click()
    await expect(dock(visitor)).to_be_hidden()


async def test_the_name_is_kept_on_the_way_to_a_room(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.page.goto(product.url)
    await visitor.page.get_by_label("Your name").fill("Nina")
    await visitor.link("Tables: Tsuro").click()
    await expect(visitor.button("Enter")).to_be_visible()
    await expect(visitor.page.get_by_label("Your name")).to_have_value("Nina")


async def test_the_best_are_listed_and_have_profiles(product: Product, invite: Invite) -> None:
    pair = await found(invite, product)
    await pair.play(*cells(4, 0, 2, 1, 6))
    visitor = pair.second
    winner = (await pair.first.get(f"{product.url}/lobby/me"))["user"]["id"]

    async def best() -> list[str]:
        entries = (await visitor.get(f"{product.url}/lobby/leaderboards/xsos"))["entries"]
        return [entry["user"] for entry in entries]

    await eventually(best, lambda users: winner in users)  # ratings are reckoned a moment after the end
    await visitor.page.goto(f"{product.url}/#/leaders/xsos")
    await visitor.page.locator(f'a[href="#/user/{winner}"]').click()
    await expect(visitor.headline).to_have_text(pair.nicks[0])
    await expect(visitor.page.get_by_role("row").filter(has_text="Xs and Os")).to_be_visible()
    assert await violations(visitor) == []


PILED = "a" + "\u0301" * 499


async def test_a_chat_shows_what_was_said_before_and_who_is_there(product: Product, invite: Invite) -> None:
    ann = await in_room("gomoku", invite, product, "Ann")
    await ann.page.get_by_label("Say something").fill("Good evening")
    await ann.button("Send").click()
    await expect(ann.page.get_by_role("log")).to_contain_text("Good evening")
    bob = await in_room("gomoku", invite, product, "Bob", viewport={"width": 360, "height": 740})
    await expect(bob.page.get_by_role("log")).to_contain_text("Good evening")
    await bob.page.get_by_label("Say something").fill(PILED)
    await bob.button("Send").click()
    for visitor in (ann, bob):
        await expect(visitor.page.get_by_text("2 here")).to_be_visible()
        log = visitor.page.get_by_role("log")
        await expect(log.locator(".line")).to_have_count(2)
        room, line = await log.bounding_box(), await log.locator(".line").last.bounding_box()
        assert room
        assert line
        assert line["height"] < 100, "what is piled up is cut off"
        assert line["width"] <= room["width"]


async def test_ten_thousand_combining_characters_are_no_message(product: Product, invite: Invite) -> None:
    visitor = await in_room("tsuro", invite, product, "Ann")
    text = visitor.page.get_by_label("Say something")
    await text.fill("a" + "\u0301" * 9_999)
    await expect(text).to_have_value(PILED)
    await text.evaluate("(input) => { input.removeAttribute('maxlength'); input.value = 'a' + '\u0301'.repeat(9999); }")
    await visitor.button("Send").click()
    await visitor.is_told("")
    await expect(visitor.page.get_by_role("log")).to_have_text("Nobody has said anything yet.")
    visitor.complaints.clear()  # the browser notes the refusal; here it is the point


async def test_a_reserved_seat_can_be_given_up(product: Product, invite: Invite) -> None:
    _, bob, table = await open_table(invite, product)
    await row(bob, table).get_by_role("button", name="Sit here").click()
    await expect(dock(bob)).to_contain_text("is kept for you")
    await bob.button("Give it up").click()
    await expect(dock(bob)).to_be_hidden()


async def test_the_lobbys_views_have_nothing_serious(product: Product, invite: Invite) -> None:
    ann, bob, _ = await open_table(invite, product)
    assert await violations(bob) == []
    for visitor in (ann, bob):
        await visitor.page.get_by_label("Say something").fill("Good evening")
        await visitor.button("Send").click()
        await expect(visitor.page.get_by_role("log")).to_contain_text("Good evening")
        assert await violations(visitor) == []
    await bob.page.goto(f"{product.url}/#/leaders/xsos")
    await expect(bob.page.get_by_label("Game")).to_have_value("xsos")
    assert await violations(bob) == []
    await bob.page.goto(f"{product.url}/#/")
    await expect(bob.button(re.compile("^Find players: Go"))).to_have_count(2)
    assert await violations(bob) == []


async def test_reloads_leave_no_channels_behind(product: Product, invite: Invite) -> None:
    """Sixteen is all that a user may have; a room and its chat take two, however often one comes back."""
    visitor = await in_room("go", invite, product, "Ann")

    async def channels() -> list[tuple[str, str]]:
        found = (await visitor.get(f"{product.url}/lobby/channels"))["channels"]
        return sorted((channel["state"]["value"], channel["id"]) for channel in found)

    first = await eventually(channels, lambda them: [state for state, _ in them] == ["chat", "subscribed"])
    for _ in range(3):
        async with visitor.page.expect_response(f"**/lobby/channels/{first[1][1]}"):  # the room finds its own again
            await visitor.page.reload()
        await expect(visitor.page.get_by_role("log", name="Chat")).to_be_visible()
    assert await channels() == first
