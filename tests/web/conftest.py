from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

from tests.support.client import Player, open_client
from tests.support.product import Product, short_directory
from tests.web.visitor import NOTE_TOASTS, PATIENCE_MS, Visitor

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",  # Chromium's sandbox refuses to run as root, which a CI container is
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
expect.set_options(timeout=PATIENCE_MS)

SETTINGS = {
    "PARLOR_RATE_LIMIT": "off",
    "PARLOR_BOT_DELAY_MS": "0",  # bots need not pretend to think
    # On a busy machine a page may be slow to answer a question, which is to stay open until it does.
    "PARLOR_BEGIN_WAIT_MS": "600000",
    "PARLOR_REVANCHE_WAIT_MS": "600000",
    "PARLOR_SITDOWN_WAIT_MS": "600000",
    "PARLOR_EMPTY_TABLE_MS": "600000",
}

Idle = dict[str, list[Visitor]]
Invite = Callable[..., Awaitable[Visitor]]
Guest = Callable[[str], Awaitable[Player]]


@pytest.fixture(scope="session")
def product() -> Iterator[Product]:
    """The whole product; pages do not care for the kind of database."""
    with short_directory() as home, Product(home, settings=SETTINGS) as running:
        yield running


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        await browser.close()


@pytest.fixture(scope="session")
def idle() -> Idle:
    """Browsers that nobody uses, by their settings: to start one and to fill its cache takes most of a short test."""
    return defaultdict(list)


@pytest_asyncio.fixture(loop_scope="session")
async def invite(browser: Browser, product: Product, idle: Idle) -> AsyncIterator[Invite]:
    """Each call gives a browser of its own; at the end none may have had anything to complain about.

    It may have been another test's, and knows nothing of that one. Whoever changes one for good, as by a clock or a
    script of its own, or measures how it starts, asks for a `fresh` one.
    """
    visitors: list[tuple[Visitor, list[Visitor]]] = []

    async def open_browser(*, fresh: bool = False, **settings: Any) -> Visitor:
        alike = [] if fresh else idle[repr(sorted(settings.items()))]
        visitor = alike.pop() if alike else await newcomer(**settings)
        visitors.append((visitor, alike))
        return visitor

    async def newcomer(**settings: Any) -> Visitor:
        context = await browser.new_context(**settings)
        context.set_default_timeout(PATIENCE_MS)
        await context.add_init_script(NOTE_TOASTS)
        return Visitor(await context.new_page())

    yield open_browser
    complaints = [complaint for visitor, _ in visitors for complaint in visitor.complaints]
    for visitor, alike in visitors:
        if visitor.page.url.startswith(product.url) and not complaints:
            await visitor.forget(product.url)
            alike.append(visitor)
        else:
            await visitor.page.context.close()
    assert complaints == []


@pytest_asyncio.fixture(loop_scope="session")
async def guest(product: Product) -> AsyncIterator[Guest]:
    """Somebody who plays without a page."""
    async with open_client(product.url) as client:

        async def sign_in(nick: str) -> Player:
            return await Player.guest(client, nick)

        yield sign_in
