"""A person at a browser: the page's controls in the words of the one who uses them."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from playwright.async_api import ConsoleMessage, Error, Locator, Page, TimeoutError, expect

SOMETHING_TO_DO = (
    ".board [role=button]:not([aria-disabled=true]), .tray button:enabled, .actions .question button:visible"
)


@dataclass
class Visitor:
    page: Page
    complaints: list[str] = field(default_factory=list)
    """What the browser itself reported: uncaught errors, console errors, breaches of the security policy."""

    def __post_init__(self) -> None:
        self.page.on("console", self._note_console)
        self.page.on("pageerror", self._note_error)

    def _note_console(self, message: ConsoleMessage) -> None:
        asked_who_we_are = message.location["url"].endswith("/lobby/me") and "401" in message.text
        network_was_cut = "net::ERR_" in message.text
        expected = asked_who_we_are or network_was_cut
        if message.type in ("error", "warning") and not expected:
            self.complaints.append(f"{message.text} ({message.location['url']})")

    def _note_error(self, error: Error) -> None:
        self.complaints.append(f"uncaught: {error}")

    # --- what is on the page ---

    def button(self, name: str | re.Pattern[str]) -> Locator:
        return self.page.get_by_role("button", name=name, exact=isinstance(name, str))

    def link(self, name: str) -> Locator:
        return self.page.get_by_role("link", name=name, exact=True)

    @property
    def headline(self) -> Locator:
        return self.page.get_by_role("heading", level=1)

    @property
    def said(self) -> Locator:
        return self.page.locator(".said")

    @property
    def badge(self) -> Locator:
        return self.page.locator("header").get_by_role("status")

    @property
    def toasts(self) -> Locator:
        return self.page.locator("#toasts")

    @property
    def replay_link(self) -> Locator:
        return self.link("Watch the replay")

    @property
    def playable(self) -> Locator:
        return self.page.locator(".board .point[aria-disabled=false]")

    def point(self, label: str) -> Locator:
        """A point of a board by the beginning of its name."""
        return self.page.locator(f'[role=button][aria-label^="{label}:"], button[aria-label^="{label}:"]')

    async def sees(self, label: str, what: str) -> None:
        await expect(self.point(label)).to_have_accessible_name(f"{label}: {what}")

    def player(self, nick: str) -> Locator:
        return self.page.get_by_role("list", name="Players").get_by_role("listitem").filter(has_text=nick)

    # --- what one does ---

    async def come_in(self, address: str, nick: str) -> None:
        """Comes over a link to a game."""
        await self.page.goto(address)
        await self.page.get_by_label("Your name").fill(nick)
        await self.button("Enter").click()

    async def host(self, address: str, nick: str, game: str) -> str:
        """Makes a game for a friend from the first page and returns the link to share."""
        await self.page.goto(address)
        await self.page.get_by_label("Your name").fill(nick)
        await self.button(f"Play a friend: {game}").click()
        await expect(self.headline).to_have_text("Waiting for players")
        return await self.page.get_by_label("Send this link to whom you want to play").input_value()

    async def take_seat(self, link: str, nick: str) -> None:
        await self.come_in(link, nick)
        await self.button("Take the seat").click()

    async def has_something_to_do(self) -> None:
        await self.page.locator(SOMETHING_TO_DO).first.wait_for(timeout=20_000)


async def first_of(*waiting: Awaitable[None]) -> int:
    """Which of these comes first."""
    tasks = [asyncio.ensure_future(each) for each in waiting]
    done, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
    winner = tasks.index(next(iter(done)))
    tasks[winner].result()
    return winner


CLICK_ON = """(pick) => {
    const choose = new Function("return " + pick);
    const click = () => choose()?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    const watch = { subtree: true, childList: true, attributes: true };
    new MutationObserver(() => requestAnimationFrame(click)).observe(document.querySelector(".table"), watch);
    click();
}"""


async def play_to_the_end(
    visitors: list[Visitor], act: Callable[[Visitor], Awaitable[None]], by_hand: int, then: str | None = None
) -> None:
    """Lets whoever has something to do do it, until everyone is offered the replay.

    A long game is played by hand, with the mouse, for so many moves; then the pages click on by themselves, on what
    the expression `then` picks.
    """
    for _ in range(by_hand):
        over = visitors[0].replay_link.wait_for(timeout=20_000)
        who = await first_of(over, *(visitor.has_something_to_do() for visitor in visitors))
        if who == 0:
            break
        with suppress(TimeoutError):  # where several may act, another can be faster with what we were about to do
            await act(visitors[who - 1])
    if then:
        for visitor in visitors:
            await visitor.page.evaluate(CLICK_ON, then)
    for visitor in visitors:
        await expect(visitor.replay_link).to_be_visible(timeout=30_000)
