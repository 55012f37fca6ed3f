"""The first page is small and quick, and cards move smoothly.

Work is told in the processor time of the page's main thread, since on the wall everything is slow when the machine has
other work. That still costs a little, so each figure is the best of some tries; the first good one ends them.
"""

import json

import pytest
from playwright.async_api import Browser, Page, expect

from tests.support.product import Product
from tests.web.conftest import Invite

pytestmark = pytest.mark.asyncio(loop_scope="session")

TRIES = 10
FIRST_PAGE_BYTES = 150_000
USABLE_MS = 250  # several times what it takes; most of the second that it may take is for the network and slow devices
LONG_TASK_MS = 50

MARK_WHEN_USABLE = """
    let marked = false;
    const usable = () => {
        if (marked || !document.querySelector(".game button:enabled")) return;
        marked = true;
        performance.mark("done");
    };
    new MutationObserver(usable).observe(document, { childList: true, subtree: true });
"""
TRANSFERRED = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .reduce((sum, entry) => sum + entry.transferSize, 0)"""


async def start_noting(browser: Browser, page: Page) -> None:
    await browser.start_tracing(page=page, categories=["toplevel", "blink.user_timing"])


async def tasks_until_done(browser: Browser) -> list[float]:
    """How long each task took the processor, in ms, on the thread that has set the mark `done`, and before it did."""
    events = json.loads(await browser.stop_tracing())["traceEvents"]
    [done] = [event for event in events if event["name"] == "done" and "blink.user_timing" in event["cat"]]
    return [
        event["tdur"] / 1000
        for event in events
        if event["name"].endswith("RunTask")
        and "tdur" in event
        and (event["pid"], event["tid"]) == (done["pid"], done["tid"])
        and event["ts"] <= done["ts"]
    ]


async def test_the_first_page_is_small_and_soon_usable(product: Product, invite: Invite, browser: Browser) -> None:
    times, sizes = [], []
    for _ in range(TRIES):
        visitor = await invite(fresh=True)
        await visitor.page.add_init_script(MARK_WHEN_USABLE)
        await start_noting(browser, visitor.page)
        await visitor.page.goto(product.url)
        await expect(visitor.button("Play a bot: Go")).to_be_enabled()
        times.append(sum(await tasks_until_done(browser)))
        sizes.append(await visitor.page.evaluate(TRANSFERRED))
        if times[-1] < USABLE_MS:
            break
    print(f"first page: {sizes[0]} bytes, usable after {min(times):.0f} ms of work")
    assert 10_000 < sizes[0] < FIRST_PAGE_BYTES
    assert 0 < min(times) < USABLE_MS


PRELOADED = """() => {
    const wanted = [...document.querySelectorAll("link[rel=modulepreload]")].map((link) => link.href);
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
    const asked = loaded.filter((name) => name.endsWith(".js"));
    return [wanted.filter((name) => !loaded.includes(name)), asked.filter((name) => !wanted.includes(name))];
}"""


async def test_what_the_first_page_needs_is_asked_for_at_once(product: Product, invite: Invite) -> None:
    visitor = await invite(fresh=True)
    await visitor.page.goto(product.url)
    await expect(visitor.link("Tables: Go")).to_be_visible()
    missing, later = await visitor.page.evaluate(PRELOADED)
    assert missing == []
    assert later == [f"{product.url}/main.js", f"{product.url}/views/home-lobby.js"]


async def test_no_task_is_long_while_cards_move(product: Product, invite: Invite, browser: Browser) -> None:
    """Every card that we or the bots play flies over the table."""
    visitor = await invite(fresh=True)
    await visitor.page.goto(product.url)
    await visitor.button("Play a bot: Durak").click()
    longest: list[float] = []
    for _ in range(TRIES):
        await visitor.has_something_to_do()
        before = await visitor.said.inner_text()
        await start_noting(browser, visitor.page)
        await visitor.page.locator(".board [role=button], .tray button:enabled").first.click()
        if await visitor.page.locator(".thing[data-chosen]").count():  # the card could be played in several ways
            await visitor.page.locator(".tray button.main:enabled").first.click()
        await expect(visitor.said).not_to_have_text(before)
        await visitor.settles()
        await visitor.page.evaluate("performance.mark('done')")
        longest.append(max(await tasks_until_done(browser)))
        if longest[-1] <= LONG_TASK_MS:
            break
    print(f"longest tasks while cards moved: {longest} ms of work")
    assert 0 < min(longest) <= LONG_TASK_MS
