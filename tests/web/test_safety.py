"""What others write does no harm, and the page runs nobody's code but its own."""

import pytest
from playwright.async_api import expect

from tests.support.product import Product
from tests.web.conftest import Guest, Invite
from tests.web.pairs import cells, sit_down

pytestmark = pytest.mark.asyncio(loop_scope="session")

SCRIPT = "<img src=x onerror=alert(1)>"
BACKWARDS = "\u202e\u2067evil"
PILED = "a" + "\u0301" * 31
HOSTILE = [SCRIPT, BACKWARDS, PILED, "{nick} ${1} %s", "</bdi></p><b>"]

HEIGHTS = """() => [".players [data-self]", ".players li"].flatMap((which) =>
    [...document.querySelectorAll(which)].map((row) => row.getBoundingClientRect().height))"""


async def test_a_hostile_name_is_only_text(product: Product, invite: Invite) -> None:
    pair = await sit_down(invite, product.url, "Xs and Os", (SCRIPT, f"</bdi>{SCRIPT[:26]}"))
    watcher = await invite()
    await watcher.come_in(pair.link, SCRIPT)
    await pair.play(*cells(4, 0, 2, 1, 6))
    await expect(watcher.headline).to_contain_text("won")
    await expect(watcher.page.get_by_text("Watching:")).to_contain_text(SCRIPT)
    for visitor in (pair.first, pair.second, watcher):
        await expect(visitor.player(SCRIPT[:26])).to_have_count(2)
        await expect(visitor.page.locator("main img, main b")).to_have_count(0)


async def test_hostile_names_keep_to_their_places(product: Product, invite: Invite, guest: Guest) -> None:
    """They neither turn the sentence around them nor run over their neighbours, on the page or on a drawn table."""
    others = [await guest(nick) for nick in HOSTILE]
    game = (await others[0].create(seats=["me"] + ["open"] * len(HOSTILE), game_type="durak_podkidnoi"))["id"]
    for other in others[1:]:
        assert (await other.join(game)).status_code == 200
    visitor = await invite(viewport={"width": 360, "height": 740})
    await visitor.take_seat(f"{product.url}/#/game/{game}", "Ann")
    await expect(visitor.page.locator(".card-table .name")).to_have_count(len(HOSTILE))
    await visitor.settles()
    own, *heights = await visitor.page.evaluate(HEIGHTS)  # at one moment: each piece of news draws the list anew
    assert len(heights) == 1 + len(HOSTILE)
    assert max(heights) <= own * 2.2
    assert await visitor.page.evaluate("document.documentElement.scrollWidth") <= 360
    for drawn in await visitor.page.locator(".card-table .name").all_text_contents():
        assert "\u202e" not in drawn
        assert len(drawn) < 40


async def test_ten_thousand_combining_characters_are_refused_in_words(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.page.goto(f"{product.url}/#/game/whatever")
    await visitor.page.get_by_label("Your name").evaluate(
        "(input) => { input.removeAttribute('maxlength'); input.value = 'a' + '\\u0301'.repeat(10000); }"
    )
    await visitor.button("Enter").click()
    await visitor.is_told("")
    await expect(visitor.button("Enter")).to_be_enabled()
    visitor.complaints.clear()  # the browser notes the refusal; here it is the point


async def test_the_page_forbids_foreign_and_inline_code(product: Product, invite: Invite) -> None:
    visitor = await invite()
    response = await visitor.page.goto(product.url)
    assert response is not None
    policy = await response.header_value("content-security-policy") or ""
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    await expect(visitor.button("Play a bot: Go")).to_be_visible()
    html = await response.text()
    assert "<style" not in html
    assert "style=" not in html
    assert "onclick" not in html
    ran = await visitor.page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.harmed = true";
            document.body.append(script);
            return Boolean(window.harmed);
        }"""
    )
    assert not ran
    visitor.complaints.clear()  # the policy said no, and the browser notes it; here it is the point
