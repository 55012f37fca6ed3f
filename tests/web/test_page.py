"""The first page, in real browsers: two people, one link, one game of Xs and Os."""

import re
from dataclasses import dataclass

import pytest
from playwright.async_api import Page, expect

from tests.support.product import Product
from tests.web.conftest import Invite
from tests.web.visitor import Mark, Visitor
from tests.web.wire import Wire

WIDTHS = [360, 768, 1440]
ANN_AND_BOB = ("Ann", "Bob")


@dataclass
class Game:
    """A game that has begun; who moves first was drawn."""

    link: str
    x: Visitor
    o: Visitor
    nicks: dict[Mark, str]

    async def play(self, *cells: int) -> None:
        """Plays the cells in turn from the empty board, each seen by both before the next."""
        for number, cell in enumerate(cells):
            mark: Mark = "O" if number % 2 else "X"
            await (self.o if number % 2 else self.x).play(cell)
            await self.x.sees(cell, mark)
            await self.o.sees(cell, mark)


async def begin(host: Visitor, guest: Visitor, address: str, nicks: tuple[str, str] = ANN_AND_BOB) -> Game:
    await host.come_in(address, nicks[0])
    link = await host.new_game()
    await guest.come_in(link, nicks[1])
    await guest.button("Take the seat").click()
    await expect(guest.player("(you)")).to_contain_text("plays")
    if "plays X" in await guest.player("(you)").inner_text():
        return Game(link, x=guest, o=host, nicks={"X": nicks[1], "O": nicks[0]})
    return Game(link, x=host, o=guest, nicks={"X": nicks[0], "O": nicks[1]})


async def widest(page: Page) -> int:
    width: int = await page.evaluate("document.documentElement.scrollWidth")
    return width


async def test_two_people_play_to_a_win_over_the_shared_link(product: Product, invite: Invite) -> None:
    game = await begin(await invite(), await invite(), product.url)
    await game.play(4, 0, 2, 1, 6)
    await expect(game.x.headline).to_have_text("You won")
    await expect(game.o.headline).to_have_text("You lost")


async def test_play_again_makes_a_new_game_to_share(product: Product, invite: Invite) -> None:
    game = await begin(await invite(), await invite(), product.url)
    await game.play(4, 0, 2, 1, 6)
    await game.o.button("Play again").click()
    await expect(game.o.headline).to_have_text("Waiting for an opponent")
    assert game.o.page.url != game.link


async def test_only_the_one_to_move_has_moves(product: Product, invite: Invite) -> None:
    game = await begin(await invite(), await invite(), product.url)
    await expect(game.x.headline).to_have_text("Your turn")
    await expect(game.x.playable).to_have_count(9)
    await expect(game.o.playable).to_have_count(0)
    await game.play(4)
    await expect(game.o.headline).to_have_text("Your turn")
    await expect(game.o.playable).to_have_count(8)
    await expect(game.x.playable).to_have_count(0)


async def test_a_full_board_without_a_line_is_a_draw(product: Product, invite: Invite) -> None:
    game = await begin(await invite(), await invite(), product.url)
    await game.play(0, 1, 2, 4, 3, 5, 7, 6, 8)
    await expect(game.x.headline).to_have_text("A draw")
    await expect(game.o.headline).to_have_text("A draw")


async def test_resigning_gives_the_game_to_the_other(product: Product, invite: Invite) -> None:
    game = await begin(await invite(), await invite(), product.url)
    await game.x.button("Resign").click()
    await expect(game.o.headline).to_have_text("You won by resignation")
    await expect(game.x.headline).to_have_text("You lost by resignation")
    await expect(game.x.button("Resign")).to_be_hidden()


async def test_the_clock_of_the_one_to_move_runs(product: Product, invite: Invite) -> None:
    game = await begin(await invite(), await invite(), product.url)
    clock = game.o.player(game.nicks["X"]).get_by_role("timer")
    await expect(clock).to_have_text(re.compile(r"^\d+:\d\d$"))
    first = await clock.inner_text()
    await expect(clock).not_to_have_text(first)
    await expect(game.o.player("(you)").get_by_role("timer")).to_have_text("")


async def test_a_reload_in_the_middle_keeps_seat_and_board(product: Product, invite: Invite) -> None:
    game = await begin(await invite(), await invite(), product.url)
    await game.play(4, 0)
    await game.x.page.reload()
    await game.x.sees(4, "X")
    await game.x.sees(0, "O")
    await game.x.play(2)
    await game.o.sees(2, "X")


async def test_whoever_comes_third_watches(product: Product, invite: Invite) -> None:
    game = await begin(await invite(), await invite(), product.url)
    watcher = await invite()
    await watcher.come_in(game.link, "Wanda")
    await expect(game.x.page.get_by_text("Watching:")).to_contain_text("Wanda")
    await game.play(4, 0, 2, 1)
    await watcher.sees(1, "O")
    await expect(watcher.headline).to_contain_text(game.nicks["X"])
    await expect(watcher.playable).to_have_count(0)
    await expect(watcher.button("Take the seat")).to_be_hidden()
    await expect(watcher.button("Resign")).to_be_hidden()
    await game.x.play(6)
    await expect(watcher.headline).to_contain_text("won")


async def test_a_player_who_goes_away_is_shown_offline(product: Product, invite: Invite) -> None:
    game = await begin(await invite(), await invite(), product.url)
    await expect(game.x.player(game.nicks["O"])).to_contain_text("online")
    await game.o.page.close()
    await expect(game.x.player(game.nicks["O"])).to_contain_text("offline")


async def test_a_hostile_name_is_only_text(product: Product, invite: Invite) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    game = await begin(await invite(), await invite(), product.url, (hostile, f"</bdi>{hostile[:26]}"))
    watcher = await invite()
    await watcher.come_in(game.link, hostile)
    await game.play(4, 0, 2, 1, 6)
    await expect(watcher.headline).to_contain_text("won")
    await expect(watcher.page.get_by_text("Watching:")).to_contain_text(hostile)
    for visitor in (game.x, game.o, watcher):
        await expect(visitor.player(hostile[:26])).to_have_count(2)
        await expect(visitor.page.locator("main img")).to_have_count(0)


async def test_a_device_that_was_offline_catches_up_and_plays_on(product: Product, invite: Invite) -> None:
    game = await begin(await invite(), await invite(), product.url)
    await game.o.page.context.set_offline(True)
    await expect(game.o.badge).to_have_text("reconnecting")
    await game.x.play(4)
    await game.x.sees(4, "X")
    await game.o.sees(4, "empty")
    await game.o.page.context.set_offline(False)
    await expect(game.o.badge).to_have_text("live")
    await game.o.sees(4, "X")
    await game.o.play(0)
    await game.x.sees(0, "O")


async def test_a_move_made_offline_arrives_once_the_network_is_back(product: Product, invite: Invite) -> None:
    game = await begin(await invite(), await invite(), product.url)
    await game.x.page.context.set_offline(True)
    await game.x.play(4)
    await expect(game.x.playable).to_have_count(0)
    await game.o.sees(4, "empty")
    await game.x.page.context.set_offline(False)
    await game.o.sees(4, "X")
    await game.x.sees(4, "X")


async def test_a_broken_stream_is_resumed_where_it_stopped(product: Product, invite: Invite) -> None:
    async with Wire(product.url) as wire:
        game = await begin(await invite(), await invite(), wire.url)
        watcher = await invite()
        await watcher.come_in(game.link.replace(wire.url, product.url), "Wanda")
        await game.play(4)
        wire.cut()
        await expect(game.o.badge).to_have_text("reconnecting")
        async with game.o.page.expect_request("**/events") as resumed:
            await wire.mend()
        assert "last-event-id" in await (await resumed.value).all_headers()
        await expect(game.o.badge).to_have_text("live")
        await game.o.play(0)
        await game.x.sees(0, "O")
        await watcher.sees(0, "O")


async def test_a_game_that_does_not_exist_is_said_so(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.come_in(f"{product.url}/#/game/nowhere", "Ann")
    await expect(visitor.page.get_by_role("alert")).to_have_text("There is no such game.")
    await expect(visitor.button("New game")).to_be_enabled()
    visitor.complaints.clear()  # the browser notes every 404; here it is the point


async def test_a_game_can_be_played_with_the_keyboard_alone(product: Product, invite: Invite) -> None:
    game = await begin(await invite(), await invite(), product.url)
    keyboard = game.x.page.keyboard
    await expect(game.x.playable).to_have_count(9)
    await game.x.cell(0).focus()
    await keyboard.press("Tab")
    await keyboard.press("Enter")
    await game.o.sees(1, "X")
    await game.o.play(0)
    await expect(game.x.cell(2)).to_be_focused()
    await keyboard.press("Space")
    await game.o.sees(2, "X")


async def test_signing_out_ends_at_the_door(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.come_in(product.url, "Ann")
    await visitor.button("Sign out").click()
    await expect(visitor.page.get_by_label("Your name")).to_be_visible()
    await visitor.page.reload()
    await expect(visitor.page.get_by_label("Your name")).to_be_visible()


@pytest.mark.parametrize("width", WIDTHS)
async def test_nothing_is_wider_than_the_screen(product: Product, invite: Invite, width: int) -> None:
    visitor = await invite()
    await visitor.page.set_viewport_size({"width": width, "height": 740})
    await visitor.come_in(product.url, "W" * 32)
    await expect(visitor.button("New game")).to_be_visible()
    assert await widest(visitor.page) <= width
    await visitor.new_game()
    assert await widest(visitor.page) <= width


async def test_the_page_forbids_foreign_and_inline_code(product: Product, invite: Invite) -> None:
    visitor = await invite()
    response = await visitor.page.goto(product.url)
    assert response is not None
    assert "default-src 'self'" in (await response.header_value("content-security-policy") or "")
    await expect(visitor.page.get_by_label("Your name")).to_be_visible()
