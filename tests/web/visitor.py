"""A person at a browser: the page's controls in the words of the one who uses them."""

import re
from dataclasses import dataclass, field
from typing import Literal

from playwright.async_api import ConsoleMessage, Error, Locator, Page, expect

Mark = Literal["X", "O"]


def place(cell: int) -> str:
    return f"Row {cell // 3 + 1}, column {cell % 3 + 1}"


@dataclass
class Visitor:
    page: Page
    complaints: list[str] = field(default_factory=list)
    """What the browser itself reported: uncaught errors, console errors, breaches of the security policy."""

    def __post_init__(self) -> None:
        self.page.on("console", self._note_console)
        self.page.on("pageerror", self._note_error)
        # Only the page's own question before "Resign" may open a dialog.
        self.page.on("dialog", lambda dialog: dialog.accept())

    def _note_console(self, message: ConsoleMessage) -> None:
        asked_who_we_are = message.location["url"].endswith("/lobby/me") and "401" in message.text
        network_was_cut = "net::ERR_" in message.text
        if message.type in ("error", "warning") and not asked_who_we_are and not network_was_cut:
            self.complaints.append(f"{message.text} ({message.location['url']})")

    def _note_error(self, error: Error) -> None:
        self.complaints.append(f"uncaught: {error}")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def cell(self, cell: int) -> Locator:
        return self.page.get_by_role("button", name=re.compile(f"^Row {cell // 3 + 1}, column {cell % 3 + 1}:"))

    @property
    def playable(self) -> Locator:
        return self.page.locator("#board button:enabled")

    @property
    def headline(self) -> Locator:
        return self.page.get_by_role("heading", level=1)

    @property
    def badge(self) -> Locator:
        return self.page.locator("header").get_by_role("status")

    def player(self, nick: str) -> Locator:
        return self.page.get_by_role("list", name="Players").get_by_role("listitem").filter(has_text=nick)

    async def come_in(self, address: str, nick: str) -> None:
        await self.page.goto(address)
        await self.page.get_by_label("Your name").fill(nick)
        await self.button("Enter").click()

    async def new_game(self) -> str:
        """Makes a game and returns the link to share."""
        await self.button("New game").click()
        await expect(self.headline).to_have_text("Waiting for an opponent")
        return await self.page.get_by_label("Send this link to your opponent").input_value()

    async def play(self, cell: int) -> None:
        await self.cell(cell).click()

    async def sees(self, cell: int, mark: Mark | Literal["empty"]) -> None:
        await expect(self.cell(cell)).to_have_accessible_name(f"{place(cell)}: {mark}")
