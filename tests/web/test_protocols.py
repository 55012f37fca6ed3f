"""What is said at a table besides moves, by clicks."""

import re

import pytest
from playwright.async_api import expect

from tests.support.product import Product
from tests.support.waiting import eventually
from tests.web.conftest import Guest, Invite
from tests.web.pairs import cell, cells, seated

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_an_approved_undo_takes_the_move_back(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "gomoku")
    await pair.play("H8")
    await pair.first.button("Take back").click()
    question = pair.second.page.get_by_role("alertdialog")
    await expect(question).to_contain_text("asks to take the last move back")
    await expect(question).to_contain_text(re.compile(r"\d+ seconds? left"))
    await expect(pair.first.page.get_by_text(re.compile(r"Asked to take it back: \d+ second"))).to_be_visible()
    await pair.second.button("Allow").click()
    for visitor in pair.both:
        await visitor.sees("H8", "empty")
    await expect(question).to_be_hidden()
    await pair.first.is_told("You may take it back.")
    await pair.first.point("G8").click()
    await pair.second.sees("G8", "black")


async def test_a_rejected_undo_leaves_the_move_and_cannot_be_asked_again(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "gomoku")
    await pair.play("H8")
    await pair.first.button("Take back").click()
    await pair.second.button("Refuse").click()
    await pair.first.is_told("Your opponent refused to take it back.")
    await expect(pair.first.button("Take back")).to_be_hidden()
    await pair.first.sees("H8", "black")


async def test_whoever_plays_on_refuses_an_undo(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "xsos")
    await pair.play(*cells(4))
    await pair.first.button("Take back").click()
    await expect(pair.second.page.get_by_role("alertdialog")).to_be_visible()
    await pair.second.point(cell(0)).click()
    await pair.first.is_told("your opponent has played on")
    await pair.first.sees(cell(0), "O")
    await pair.first.sees(cell(4), "X")


async def test_an_undo_request_is_still_there_after_a_reload(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "xsos")
    await pair.play(*cells(4))
    await pair.first.button("Take back").click()
    await expect(pair.second.page.get_by_role("alertdialog")).to_be_visible()
    await pair.second.page.reload()
    await pair.second.button("Allow").click()
    await pair.first.sees(cell(4), "empty")


async def test_a_draw_is_offered_refused_offered_again_and_accepted(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "xsos")
    await pair.first.button("Offer a draw").click()
    await expect(pair.first.page.get_by_text("You have offered a draw.")).to_be_visible()
    await pair.second.button("Play on").click()
    await pair.first.is_told("The draw was refused.")
    await pair.second.button("Offer a draw").click()
    await pair.first.button("Accept the draw").click()
    for visitor in pair.both:
        await expect(visitor.headline).to_have_text("A draw by agreement")


async def test_resigning_is_asked_twice_and_gives_the_game_to_the_other(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "xsos")
    await pair.first.button("Resign").click()
    dialog = pair.first.page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Cancel").click()
    await expect(dialog).to_be_hidden()
    await pair.first.button("Resign").click()
    await dialog.get_by_role("button", name="Resign").click()
    await expect(pair.second.headline).to_have_text("You won by resignation")
    await expect(pair.first.headline).to_have_text("You lost by resignation")
    await expect(pair.first.button("Resign")).to_be_hidden()


async def test_who_has_resigned_while_others_play_on_cannot_resign_again(
    product: Product, invite: Invite, guest: Guest
) -> None:
    others = [await guest("Bob"), await guest("Carl")]
    game = (await others[0].create(["open", "me", "open"], {"move_time": 0}, "tsuro"))["id"]
    await others[1].join(game)
    ann = await invite()
    await ann.take_seat(f"{product.url}/#/game/{game}", "Ann")
    await ann.button("Resign").click()
    await ann.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    await expect(ann.player("(you)")).to_contain_text("off the board")
    await expect(ann.button("Leave for a while")).to_be_visible()
    await expect(ann.button("Resign")).to_be_hidden()


async def test_who_leaves_for_a_while_is_shown_away_and_can_come_back(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "xsos")
    await pair.first.button("Leave for a while").click()
    await expect(pair.second.player(pair.nicks[0])).to_contain_text("away")
    await pair.first.page.get_by_role("region", name="Come back to").get_by_role("link").first.click()
    await pair.first.button("I am back").click()
    await expect(pair.second.player(pair.nicks[0])).to_contain_text("online")
    await pair.play(*cells(4))


async def test_play_again_makes_a_new_game_to_share(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "xsos")
    await pair.play(*cells(4, 0, 2, 1, 6))
    await pair.second.button("Play again").click()
    await expect(pair.second.headline).to_have_text("Waiting for players")
    assert pair.second.page.url != pair.link


async def test_an_open_wave_is_said_and_acknowledged_by_itself(product: Product, invite: Invite, guest: Guest) -> None:
    """Somebody without a page is slow to acknowledge. The page is not: with the slow one's word the wave is out."""
    slow = await guest("Slow")
    options = {"ack_time": 120, "move_time": 0, "start_time": 600}
    body = {"game_type": "cabo", "seats": ["me", "open"], "options": options}
    game = (await slow.post("/session/games", body)).json()["id"]
    ann = await invite()
    await ann.take_seat(f"{product.url}/#/game/{game}", "Ann")
    await ann.button("Start the round").click()
    await expect(ann.headline).to_have_text("Waiting for the others")
    await expect(ann.page.get_by_text("Waiting for the others to see the last move.")).to_be_visible()

    async def owing_after_the_slow_ones_word() -> list[int]:
        view = await slow.view(game)
        await slow.post(f"/session/games/{game}/acks", {"version": view["version"]})
        return [wait["box"] for wait in view["waits"] if wait["name"] == "ack"]

    await eventually(owing_after_the_slow_ones_word, lambda boxes: boxes == [])  # by the ack_time it would take longer
    await expect(ann.said).to_have_text(re.compile("begins"))
