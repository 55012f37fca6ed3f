"""A whole game of each kind, through the page, in two browsers."""

import re
from contextlib import suppress

import pytest
from playwright.async_api import TimeoutError, expect

from tests.support.product import Product
from tests.web.conftest import Guest, Invite
from tests.web.pairs import cells, seated, sit_down
from tests.web.visitor import QUICKLY_MS, Visitor, play_to_the_end

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_xs_and_os_to_a_line(product: Product, invite: Invite) -> None:
    pair = await sit_down(invite, product.url, "Xs and Os")
    await pair.play(*cells(4, 0, 2, 1, 6))
    await expect(pair.first.headline).to_have_text("You won")
    await expect(pair.second.headline).to_have_text("You lost")
    await expect(pair.first.page.locator(".strike")).to_have_count(1)


async def test_xs_and_os_to_a_full_board(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "xsos")
    await pair.play(*cells(0, 1, 2, 4, 3, 5, 7, 6, 8))
    for visitor in pair.both:
        await expect(visitor.headline).to_have_text("A draw")


async def test_gomoku_to_five_in_a_row(product: Product, invite: Invite) -> None:
    pair = await sit_down(invite, product.url, "Gomoku")
    await pair.play("D8", "D9", "E8", "E9", "F8", "F9", "G8", "G9", "H8")
    await expect(pair.first.headline).to_have_text("You won")
    await expect(pair.second.headline).to_have_text("You lost")
    await expect(pair.second.page.locator(".winning")).to_have_count(5)
    await pair.second.page.reload()
    await expect(pair.second.page.locator(".winning")).to_have_count(5)


async def test_go_with_a_capture_to_two_passes(product: Product, invite: Invite) -> None:
    pair = await sit_down(invite, product.url, "Go")
    await pair.play("A2", "A1", "B1")
    await pair.second.sees("A1", "empty")
    await expect(pair.second.said).to_have_text("black at B1 and captured 1 stone")
    await pair.second.button("Pass").click()
    await expect(pair.first.said).to_have_text("white passed")
    await pair.first.button("Pass").click()
    await expect(pair.first.headline).to_have_text("You won on points")
    await expect(pair.second.headline).to_have_text("You lost on points")


async def lay_a_tile(visitor: Visitor) -> None:
    """The first square that is free, or the first way that the server lists."""
    start = visitor.page.locator(".board .start").first
    if await start.count():
        await start.click()
    await visitor.button("Lay the tile").click()


async def test_tsuro_until_one_is_left(product: Product, invite: Invite) -> None:
    host, other = await invite(), await invite()
    link = await host.host(product.url, "Ann", "Tsuro")
    await other.take_seat(link, "Bob")
    then = "document.querySelector('.tray .main:enabled') ?? document.querySelector('.board .start')"
    await play_to_the_end([host, other], lay_a_tile, by_hand=5, then=then)
    outcome = {await visitor.headline.inner_text() for visitor in (host, other)}
    assert outcome in ({"You won", "You lost"}, {"You share the win"})
    await expect(host.page.locator(".board .tile").first).to_be_visible()


async def take_and_stop(visitor: Visitor) -> None:
    """Starts the round, then stops it as soon as possible; whoever cannot takes a card and throws it away.

    Where a power is to be used, it is on the first card that there is; an exchange needs one of ours, then theirs.
    """
    page = visitor.page
    for name in ("Start the round", "Stop the round", "Discard it", "Take from the heap"):
        button = visitor.button(name).and_(page.locator(".tray button:enabled"))
        if await button.count():
            await button.click(timeout=QUICKLY_MS)
            return
    theirs = page.locator(".board [role=button]:not([aria-label^='Your card'])")
    cards = theirs if await theirs.count() else page.locator(".board [role=button]")
    await cards.first.click(timeout=QUICKLY_MS)


async def cabo_for_two(product: Product, invite: Invite, guest: Guest) -> tuple[str, Visitor, Visitor]:
    """A game that ends after the first round in which anybody has a point."""
    ann = await guest("Maker")
    response = await ann.post(
        "/session/games", {"game_type": "cabo", "seats": ["open", "open"], "options": {"limit": 1}}
    )
    link = f"{product.url}/#/game/{response.json()['id']}"
    host, other = await invite(), await invite()
    await host.take_seat(link, "Ann")
    await other.take_seat(link, "Bob")
    return link, host, other


async def test_cabo_until_the_limit(product: Product, invite: Invite, guest: Guest) -> None:
    _, host, other = await cabo_for_two(product, invite, guest)
    await play_to_the_end([host, other], take_and_stop)
    outcome = {await visitor.headline.inner_text() for visitor in (host, other)}
    assert outcome in ({"You won", "You lost"}, {"You share the win"})
    await expect(host.page.get_by_role("table", name="The last round")).to_be_visible()


async def test_how_a_round_of_cabo_ended_is_there_to_read_until_one_plays_on(product: Product, invite: Invite) -> None:
    """Bots start the next round at once; the figures of the last one stay."""
    visitor = await invite()
    await visitor.page.goto(product.url)
    await visitor.button("Play a bot: Cabo").click()
    figures = visitor.page.get_by_role("table", name="The last round")
    while True:
        await figures.or_(visitor.to_do).first.wait_for()
        if await figures.count():
            break
        with suppress(TimeoutError):  # a bot may start the round before us
            await take_and_stop(visitor)
    start = visitor.button("Start the round")
    take = visitor.button("Take from the heap")
    await expect(start.or_(take).first).to_be_visible()
    if await start.count():
        with suppress(TimeoutError):
            await start.click(timeout=QUICKLY_MS)
    await expect(take).to_be_visible()
    await expect(figures).to_be_visible()
    await take.click()
    await expect(figures).to_be_hidden()
    await visitor.page.get_by_text("The last round").first.click()
    await expect(figures).to_be_visible()


async def play_a_card(visitor: Visitor) -> None:
    """The first card that can be played, else the first button; a chosen card is played in the first way there is."""
    card = visitor.page.locator(".board [role=button]").first
    if await card.count():
        await card.click(timeout=QUICKLY_MS)
    offered = visitor.page.locator(".tray button:enabled")
    if await offered.count():
        await offered.first.click(timeout=QUICKLY_MS)


async def test_durak_until_somebody_is_the_fool(product: Product, invite: Invite) -> None:
    host, other = await invite(), await invite()
    link = await host.host(product.url, "Ann", "Durak")
    await other.take_seat(link, "Bob")
    then = """(document.querySelector('.thing[data-chosen]') ? null : document.querySelector('.board [role=button]'))
              ?? document.querySelector('.tray button:enabled')"""
    await play_to_the_end([host, other], play_a_card, by_hand=8, then=then)
    outcome = {await visitor.headline.inner_text() for visitor in (host, other)}
    assert outcome in ({"You won", "You lost"}, {"A draw"})


async def test_only_the_one_to_move_has_moves(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "xsos")
    await expect(pair.first.headline).to_have_text("Your turn")
    await expect(pair.first.playable).to_have_count(9)
    await expect(pair.second.playable).to_have_count(0)
    await pair.play(*cells(4))
    await expect(pair.second.headline).to_have_text("Your turn")
    await expect(pair.second.playable).to_have_count(8)
    await expect(pair.first.playable).to_have_count(0)
    await expect(pair.second.page.locator("[data-last]")).to_have_accessible_name("Row 2, column 2: X")


async def test_the_clock_of_the_one_to_move_runs(product: Product, invite: Invite) -> None:
    pair = await sit_down(invite, product.url, "Xs and Os")
    clock = pair.second.player(pair.nicks[0]).get_by_role("timer")
    await expect(clock).to_have_text(re.compile(r"^\d+:\d\d$"))
    shown = await clock.inner_text()
    await expect(clock).not_to_have_text(shown)
    await expect(pair.second.player("(you)").get_by_role("timer")).to_have_text("bank 1:00")
