from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from playwright.async_api import Browser, async_playwright

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


Invite = Callable[[], Awaitable[Visitor]]


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        await browser.close()


@pytest.fixture
async def invite(browser: Browser) -> AsyncIterator[Invite]:
    """Each call opens a browser of its own; at the end none may have had anything to complain about."""
    visitors: list[Visitor] = []

    async def open_browser() -> Visitor:
        context = await browser.new_context()
        visitors.append(Visitor(await context.new_page()))
        return visitors[-1]

    yield open_browser
    assert [complaint for visitor in visitors for complaint in visitor.complaints] == []
