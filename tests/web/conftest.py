from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

from tests.support.client import Player, open_client
from tests.support.product import Product, short_directory
from tests.web.visitor import Visitor

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",  # Chromium's sandbox refuses to run as root, which a CI container is
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE_MS = 15_000  # for a click or a sight; a busy machine is slow, but not that slow
expect.set_options(timeout=PATIENCE_MS)

Invite = Callable[..., Awaitable[Visitor]]
Guest = Callable[[str], Awaitable[Player]]


@pytest.fixture(scope="session")
def product() -> Iterator[Product]:
    """The whole product; pages do not care for the kind of database, and bots need not pretend to think."""
    settings = {"PARLOR_RATE_LIMIT": "off", "PARLOR_BOT_DELAY_MS": "30"}
    with short_directory() as home, Product(home, settings=settings) as running:
        yield running


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def invite(browser: Browser) -> AsyncIterator[Invite]:
    """Each call opens a browser of its own; at the end none may have had anything to complain about."""
    visitors: list[Visitor] = []

    async def open_browser(**settings: Any) -> Visitor:
        context = await browser.new_context(**settings)
        context.set_default_timeout(PATIENCE_MS)
        visitors.append(Visitor(await context.new_page()))
        return visitors[-1]

    yield open_browser
    complaints = [complaint for visitor in visitors for complaint in visitor.complaints]
    for visitor in visitors:
        await visitor.page.context.close()
    assert complaints == []


@pytest_asyncio.fixture(loop_scope="session")
async def guest(product: Product) -> AsyncIterator[Guest]:
    """Somebody who plays without a page."""
    async with open_client(product.url) as client:

        async def sign_in(nick: str) -> Player:
            return await Player.guest(client, nick)

        yield sign_in
