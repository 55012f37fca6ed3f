"""Two people at two browsers, one link, one game that has begun."""

from dataclasses import dataclass

from playwright.async_api import expect

from tests.web.conftest import Invite
from tests.web.visitor import Visitor


@dataclass
class Pair:
    """Who moves first was drawn."""

    link: str
    first: Visitor
    second: Visitor
    nicks: tuple[str, str]
    """Of the first and of the second to move."""

    @property
    def both(self) -> list[Visitor]:
        return [self.first, self.second]

    @property
    def game(self) -> str:
        return self.link.rsplit("/", 1)[1]

    async def play(self, *labels: str) -> None:
        """Plays points in turn from the beginning, each seen by both before the next."""
        for number, label in enumerate(labels):
            await self.both[number % 2].point(label).click()
            for visitor in self.both:
                await expect(visitor.point(label)).not_to_have_accessible_name(f"{label}: empty")


async def sit_down(
    invite: Invite, address: str, game: str, nicks: tuple[str, str] = ("Ann", "Bob"), link_at: str | None = None
) -> Pair:
    """A host makes a game and a guest takes the other seat; `link_at` lets the guest come another way."""
    host, guest = await invite(), await invite()
    link = await host.host(address, nicks[0], game)
    await guest.take_seat(link.replace(address, link_at) if link_at else link, nicks[1])
    await expect(guest.button("Resign")).to_be_visible()
    await expect(host.button("Resign")).to_be_visible()
    if await guest.headline.inner_text() == "Your turn":
        return Pair(link, guest, host, (nicks[1], nicks[0]))
    return Pair(link, host, guest, nicks)


def cell(number: int) -> str:
    """A cell of Xs and Os, from 0 at the top left."""
    return f"Row {number // 3 + 1}, column {number % 3 + 1}"


def cells(*numbers: int) -> list[str]:
    return [cell(number) for number in numbers]
