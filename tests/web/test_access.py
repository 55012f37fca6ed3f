"""Every view is usable by everyone: axe finds nothing serious, nothing is wider than the screen, keys suffice."""

from collections.abc import AsyncIterator
from typing import Literal

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import expect

from tests.support.product import Product
from tests.web.conftest import Guest, Invite
from tests.web.pairs import cell, cells, seated
from tests.web.visitor import Visitor

pytestmark = pytest.mark.asyncio(loop_scope="session")

GAMES = ["Xs and Os", "Gomoku", "Go", "Tsuro", "Cabo", "Durak"]
SERIOUS = {"serious", "critical"}
TABLET = 768
WIDTHS = [360, TABLET, 1440]
SCHEMES: list[Literal["light", "dark"]] = ["light", "dark"]
MOST_DEALS = 30  # of which one has a card to play, as seven of eight have
ONE_BOT = ["me", "bot:cautious"]


async def violations(visitor: Visitor) -> list[str]:
    """What axe calls serious, once everything that moves has come to rest."""
    page = visitor.page
    await visitor.settles()
    if not await page.evaluate("Boolean(window.axe)"):
        await page.evaluate(Axe().axe_script)
    found = await page.evaluate("axe.run({ resultTypes: ['violations'] }).then((results) => results.violations)")
    return [
        f"{page.url} {each['id']}: {each['help']}: {node['html'][:200]}"
        for each in found
        if each["impact"] in SERIOUS
        for node in each["nodes"][:3]
    ]


async def views(visitor: Visitor, product: Product, guest: Guest) -> AsyncIterator[str]:
    """Goes through the views one by one and says where it is."""
    page = visitor.page
    await page.goto(product.url)
    await expect(visitor.button("Play a bot: Go")).to_be_visible()
    yield "home"
    await visitor.button("Settings").click()
    await expect(page.get_by_label("Look")).to_be_visible()
    yield "settings"
    ann = await guest("Ann")
    game = (await ann.create())["id"]
    await page.goto(f"{product.url}/#/game/{game}")
    await expect(visitor.button("Enter")).to_be_visible()
    yield "sign-in"
    await page.get_by_label("Your name").fill("W" * 32)
    await visitor.button("Enter").click()
    await expect(visitor.button("Take the seat")).to_be_visible()
    yield "an open seat"
    await page.goto(f"{product.url}/#/new/durak")
    await expect(visitor.button("Start")).to_be_visible()
    yield "a new game"
    for name in GAMES:
        await page.goto(f"{product.url}/#/")
        await visitor.button(f"Play a bot: {name}").click()
        await expect(page.locator(".board > svg")).to_be_visible()
        await visitor.has_something_to_do()
        yield name
    await visitor.button("Resign").click()
    await page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    await expect(visitor.replay_link).to_be_visible()
    yield "the end"
    await visitor.replay_link.click()
    await visitor.button("Verify this deal").click()
    await expect(page.locator(".checks li").first).to_be_visible()
    yield "replay"
    await page.goto(f"{product.url}/#/me")
    await expect(visitor.button("Make an account")).to_be_visible()
    yield "profile"


async def faults_of(visitor: Visitor) -> list[str]:
    """What sticks out at any width, and what axe finds on a phone and at a desk, by day and by night.

    The page is left as wide as a desk.
    """
    faults = []
    for width in WIDTHS:
        await visitor.page.set_viewport_size({"width": width, "height": 740})
        widest = await visitor.page.evaluate("document.documentElement.scrollWidth")
        if widest > width:
            faults.append(f"{widest} wide on a screen of {width}")
        for scheme in SCHEMES if width != TABLET else ():
            await visitor.page.emulate_media(color_scheme=scheme)
            faults += [f"{scheme}: {each}" for each in await violations(visitor)]
    return faults


async def test_every_view_fits_the_screen_and_has_nothing_serious(
    product: Product, invite: Invite, guest: Guest
) -> None:
    visitor = await invite(fresh=True, reduced_motion="reduce")
    faults = {name: await faults_of(visitor) async for name in views(visitor, product, guest)}
    assert {name: found for name, found in faults.items() if found} == {}
    assert len(faults) == len(GAMES) + 8, "every view was looked at"


async def test_a_question_of_the_other_side_has_nothing_serious(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "xsos")
    await pair.play(*cells(4))
    await pair.first.button("Take back").click()
    await expect(pair.second.page.get_by_role("alertdialog")).to_be_visible()
    for visitor in pair.both:
        assert await violations(visitor) == []


async def test_a_game_can_be_played_with_the_keyboard_alone(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "xsos")
    keyboard = pair.first.page.keyboard
    await expect(pair.first.playable).to_have_count(9)
    await pair.first.point(cell(4)).focus()
    await keyboard.press("ArrowLeft")
    await keyboard.press("Enter")
    await pair.second.sees(cell(3), "X")
    await pair.second.point(cell(0)).click()
    await pair.first.sees(cell(0), "O")
    await expect(pair.first.point(cell(3))).to_be_focused()
    await keyboard.press("ArrowDown")
    await keyboard.press("Space")
    await pair.second.sees(cell(6), "X")


async def test_cards_can_be_played_with_the_keyboard_alone(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.sign_in(product.url, "Ann")
    hand = visitor.page.locator(".board .thing[role=button]")
    for _ in range(MOST_DEALS):
        made = await visitor.send(f"{product.url}/session/games", game_type="durak_podkidnoi", seats=ONE_BOT)
        await visitor.page.goto(f"{product.url}/#/game/{made['id']}")
        await visitor.has_something_to_do()
        if await hand.count():
            break  # else this deal leaves nothing to beat with
    async with visitor.page.expect_response("**/moves") as played:
        await hand.first.focus()
        await visitor.page.keyboard.press("Enter")
        offered = visitor.page.locator(".tray button.main:enabled")
        if await visitor.page.locator(".thing[data-chosen]").count():
            await offered.first.focus()
            await visitor.page.keyboard.press("Enter")
    assert (await played.value).ok


async def test_what_happens_is_said_to_those_who_do_not_see(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "gomoku")
    live = pair.second.page.locator(".status [role=status]")
    await expect(live).to_contain_text("to play")
    await pair.play("H8")
    await expect(live).to_contain_text("Your turn")
    await expect(live).to_contain_text("black at H8")


async def test_whoever_wants_stillness_gets_it(product: Product, invite: Invite) -> None:
    visitor = await invite(reduced_motion="reduce")
    await visitor.page.goto(product.url)
    await visitor.button("Play a bot: Durak").click()
    await visitor.has_something_to_do()
    assert await visitor.page.evaluate("document.getAnimations().length") == 0


COVERED = """() => {
    const tray = document.querySelector(".tray").getBoundingClientRect();
    const cards = [...document.querySelectorAll(".cards .thing")].map((card) => card.getBoundingClientRect());
    const end = (card) => (tray.height && tray.left < card.right ? Math.min(innerHeight, tray.top) : innerHeight);
    return cards.filter((card) => card.bottom > end(card)).length;
}"""
UPRIGHT = {"width": 360, "height": 740}
SIDEWAYS = {"width": 740, "height": 360}


@pytest.mark.parametrize("screen", [UPRIGHT, SIDEWAYS], ids=["upright", "sideways"])
@pytest.mark.parametrize("game", ["Durak", "Cabo"])
async def test_on_a_phone_the_own_hand_is_in_sight_and_free(
    product: Product, invite: Invite, game: str, screen: dict[str, int]
) -> None:
    visitor = await invite(viewport=screen, reduced_motion="reduce")
    await visitor.page.goto(product.url)
    await visitor.button(f"Play a bot: {game}").click()
    await visitor.has_something_to_do()
    await visitor.settles()
    assert await visitor.page.evaluate(COVERED) == 0
    await expect(visitor.player("(you)").get_by_role("timer")).to_be_in_viewport(ratio=1)


async def test_the_own_hand_stays_free_when_what_stands_above_the_table_grows(
    product: Product, invite: Invite, guest: Guest
) -> None:
    """The table is drawn while one waits; when the game begins, notes on the players push it down."""
    visitor = await invite(viewport=UPRIGHT, reduced_motion="reduce")
    link = await visitor.host(product.url, "Ann", "Durak")
    await expect(visitor.page.locator(".board > svg")).to_be_visible()
    await expect(visitor.page.get_by_label("Send this link")).to_be_in_viewport()
    bob = await guest("Bob")
    assert (await bob.join(link.rsplit("/", 1)[1])).status_code == 200
    await expect(visitor.page.locator(".cards .thing").first).to_be_visible()
    await visitor.settles()
    assert await visitor.page.evaluate(COVERED) == 0


async def test_figures_in_russian_fit_a_phone(product: Product, invite: Invite) -> None:
    visitor = await invite(viewport=UPRIGHT, locale="ru-RU")
    await visitor.page.goto(f"{product.url}/#/me")
    await visitor.button("Войти").click()
    await expect(visitor.page.get_by_role("heading", name="Кошелёк")).to_be_visible()
    assert await visitor.page.evaluate("document.documentElement.scrollWidth") == UPRIGHT["width"]
