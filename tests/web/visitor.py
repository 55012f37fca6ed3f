"""A person at a browser: the page's controls in the words of the one who uses them."""

import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import ConsoleMessage, Error, Locator, Page, TimeoutError, expect

from tests.support.waiting import eventually

PATIENCE_MS = 60_000  # for a click or a sight; this only bounds a failure, and a busy machine may be very slow
PATIENCE_S = PATIENCE_MS / 1000
QUICKLY_MS = 3_000  # to click on what may be gone, since another may act too

NOTE_TOASTS = """
    window.toasted = []; // a toast is gone after some seconds, whether or not anybody was quick enough to see it
    const note = (node) => node.classList?.contains("toast") && toasted.push(node.textContent);
    new MutationObserver((changes) => changes.forEach(({ addedNodes }) => addedNodes.forEach(note)))
        .observe(document, { childList: true, subtree: true });
"""

AT_REST = """async () => {
    await document.fonts.ready;
    await Promise.allSettled(document.getAnimations().map((each) => each.finished));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""


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
        wanted_an_icon = message.location["url"].endswith("/favicon.ico")  # of a file that is no page, as in `forget`
        expected = asked_who_we_are or network_was_cut or wanted_an_icon
        if message.type in ("error", "warning") and not expected:
            self.complaints.append(f"{message.text} ({message.location['url']})")

    def _note_error(self, error: Error) -> None:
        self.complaints.append(f"uncaught: {error}")

    async def forget(self, address: str) -> None:
        """Leaves as if nobody had been there, but for the files that the browser keeps."""
        context = self.page.context
        for window in context.pages:
            if window is not self.page:
                await window.close()
        await context.set_offline(False)
        await self.page.unroute_all()
        await self.page.goto(f"{address}/favicon.svg")  # where no script of ours notes anything any more
        await self.page.evaluate("localStorage.clear(), sessionStorage.clear()")
        await context.clear_cookies()
        self.complaints.clear()

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
    def to_do(self) -> Locator:
        """Whatever of a game can be clicked."""
        return self.page.locator(
            ".board [role=button]:not([aria-disabled=true]), .tray button:enabled, .actions .question button:visible"
        )

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

    async def toasts(self) -> list[str]:
        """What the page has said at its edge since it was loaded."""
        said: list[str] = await self.page.evaluate("toasted")
        return said

    async def is_told(self, words: str) -> None:
        await eventually(self.toasts, lambda said: any(words in each for each in said), PATIENCE_S)

    async def settles(self) -> None:
        """Returns once everything that moves has come to rest, and has the room that it needs."""
        await self.page.evaluate(AT_REST)

    def player(self, nick: str) -> Locator:
        return self.page.get_by_role("list", name="Players").get_by_role("listitem").filter(has_text=nick)

    # --- what one does ---

    async def sign_in(self, address: str, nick: str) -> str:
        """Is somebody before any page is opened, for tests of other things; returns the id."""
        return str((await self.send(f"{address}/lobby/auth/guest", nick=nick))["user"]["id"])

    async def send(self, address: str, **body: Any) -> Any:
        """Does something behind the page's back, as another tab of this browser would; returns the answer."""
        answer = await self.page.context.request.post(address, data=body, timeout=PATIENCE_MS)
        assert answer.ok, await answer.text()
        return await answer.json()

    async def get(self, address: str) -> Any:
        answer = await self.page.context.request.get(address, timeout=PATIENCE_MS)
        assert answer.ok, await answer.text()
        return await answer.json()

    async def come_in(self, address: str, nick: str) -> None:
        """Comes over a link to a game, and in."""
        await self.page.goto(address)
        await self.page.get_by_label("Your name").fill(nick)
        await self.button("Enter").click()
        await expect(self.button("Enter")).to_be_hidden()

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
        await self.to_do.first.wait_for()


async def next_to_act(visitors: list[Visitor]) -> Visitor | None:
    """Somebody who has something to do; nobody once the first of them is offered the replay."""

    async def look() -> tuple[bool, Visitor | None]:
        if await visitors[0].replay_link.is_visible():
            return True, None
        able = [visitor for visitor in visitors if await visitor.to_do.count()]
        return bool(able), able[0] if able else None

    _, who = await eventually(look, lambda found: found[0], PATIENCE_S)
    return who


CLICK_ON = """(pick) => {
    const choose = new Function("return " + pick);
    const click = () => choose()?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    const watch = { subtree: true, childList: true, attributes: true };
    new MutationObserver(() => requestAnimationFrame(click)).observe(document.querySelector(".table"), watch);
    click();
}"""


async def play_to_the_end(
    visitors: list[Visitor],
    act: Callable[[Visitor], Awaitable[None]],
    by_hand: int | None = None,
    then: str | None = None,
) -> None:
    """Lets whoever has something to do do it, until everyone is offered the replay.

    A long game is played by hand, with the mouse, for so many moves; then the pages click on by themselves, on what
    the expression `then` picks.
    """
    acts = 0
    while (by_hand is None or acts < by_hand) and (who := await next_to_act(visitors)):
        with suppress(TimeoutError):  # where several may act, another can be faster with what we were about to do
            await act(who)
        acts += 1
    if then:
        for visitor in visitors:
            await visitor.page.evaluate(CLICK_ON, then)
    for visitor in visitors:
        await expect(visitor.replay_link).to_be_visible(timeout=3 * PATIENCE_MS)
