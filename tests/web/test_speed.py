"""The first page is small and quick, and cards move smoothly.

Other work on the machine can only make these figures worse, so each is the best of some tries; the first good one ends
them.
"""

import pytest
from playwright.async_api import expect

from tests.support.product import Product
from tests.web.conftest import Invite

pytestmark = pytest.mark.asyncio(loop_scope="session")

TRIES = 10
FIRST_PAGE_BYTES = 150_000
INTERACTIVE_MS = 1_000
LONG_TASK_MS = 50

NOTE_WHEN_USABLE = """
    const usable = () => document.querySelector(".game button:enabled") && (window.usableAt ??= performance.now());
    new MutationObserver(usable).observe(document, { childList: true, subtree: true });
"""
TRANSFERRED = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .reduce((sum, entry) => sum + entry.transferSize, 0)"""


async def test_the_first_page_is_small_and_soon_usable(product: Product, invite: Invite) -> None:
    times, sizes = [], []
    for _ in range(TRIES):
        visitor = await invite()
        await visitor.page.add_init_script(NOTE_WHEN_USABLE)
        await visitor.page.goto(product.url)
        await expect(visitor.button("Play a bot: Go")).to_be_enabled()
        times.append(await visitor.page.evaluate("window.usableAt"))
        sizes.append(await visitor.page.evaluate(TRANSFERRED))
        if times[-1] < INTERACTIVE_MS:
            break
    print(f"first page: {sizes[0]} bytes, usable after {min(times):.0f} ms")
    assert 10_000 < sizes[0] < FIRST_PAGE_BYTES
    assert min(times) < INTERACTIVE_MS


WATCH_TASKS = """() => {
    window.longest = 0;
    const note = (list) => list.getEntries().forEach((task) => (window.longest = Math.max(window.longest, task.duration)));
    new PerformanceObserver(note).observe({ type: "longtask" });
}"""  # noqa: E501


PRELOADED = """() => {
    const wanted = [...document.querySelectorAll("link[rel=modulepreload]")].map((link) => link.href);
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
    const asked = loaded.filter((name) => name.endsWith(".js"));
    return [wanted.filter((name) => !loaded.includes(name)), asked.filter((name) => !wanted.includes(name))];
}"""


async def test_what_the_first_page_needs_is_asked_for_at_once(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.page.goto(product.url)
    await expect(visitor.link("Tables: Go")).to_be_visible()
    missing, later = await visitor.page.evaluate(PRELOADED)
    assert missing == []
    assert later == [f"{product.url}/main.js", f"{product.url}/views/home-lobby.js"]


async def test_no_task_is_long_while_cards_move(product: Product, invite: Invite) -> None:
    """Every card that we or the bots play flies over the table."""
    visitor = await invite()
    await visitor.page.goto(product.url)
    await visitor.button("Play a bot: Durak").click()
    await visitor.has_something_to_do()
    await visitor.page.evaluate(WATCH_TASKS)
    longest = []
    for _ in range(TRIES):
        await visitor.page.evaluate("window.longest = 0")
        before = await visitor.said.inner_text()
        await visitor.page.locator(".board [role=button], .tray button:enabled").first.click()
        if await visitor.page.locator(".thing[data-chosen]").count():  # the card could be played in several ways
            await visitor.page.locator(".tray button.main:enabled").first.click()
        await expect(visitor.said).not_to_have_text(before)
        await visitor.page.evaluate("Promise.allSettled(document.getAnimations().map((each) => each.finished))")
        longest.append(await visitor.page.evaluate("window.longest"))
        if longest[-1] <= LONG_TASK_MS:
            break
        await visitor.has_something_to_do()
    print(f"longest tasks while cards moved: {longest} ms (0: none above 50)")
    assert min(longest) <= LONG_TASK_MS
