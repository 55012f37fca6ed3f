"""Two people at two browsers, one link, one game that has begun."""

from dataclasses import dataclass

from playwright.async_api import expect

from tests.web.conftest import Invite
from tests.web.visitor import Visitor

UNHURRIED = {"move_time": 3600, "undo_time": 120}


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


async def sit_down(invite: Invite, address: str, game: str, nicks: tuple[str, str] = ("Ann", "Bob")) -> Pair:
    """By clicks: a host makes a game, and a guest who was sent the link takes the other seat."""
    host, guest = await invite(), await invite()
    link = await host.host(address, nicks[0], game)
    await guest.take_seat(link, nicks[1])
    return await drawn(host, guest, nicks)


async def seated(invite: Invite, address: str, game_type: str) -> Pair:
    """Two who sit at a game when their pages open, and have all the time that they need."""
    ann, bob = await invite(), await invite()
    await ann.sign_in(address, "Ann")
    await bob.sign_in(address, "Bob")
    made = await ann.send(f"{address}/session/games", game_type=game_type, seats=["me", "open"], options=UNHURRIED)
    await bob.send(f"{address}/session/games/{made['id']}/join")
    for visitor in (ann, bob):
        await visitor.page.goto(f"{address}/#/game/{made['id']}")
    return await drawn(ann, bob, ("Ann", "Bob"))


async def drawn(one: Visitor, other: Visitor, nicks: tuple[str, str]) -> Pair:
    """Two at a game that has begun, as the draw has put them."""
    for visitor in (one, other):
        await expect(visitor.button("Resign")).to_be_visible()
    link = one.page.url
    if await one.headline.inner_text() == "Your turn":
        return Pair(link, one, other, nicks)
    return Pair(link, other, one, (nicks[1], nicks[0]))


def cell(number: int) -> str:
    """A cell of Xs and Os, from 0 at the top left."""
    return f"Row {number // 3 + 1}, column {number % 3 + 1}"


def cells(*numbers: int) -> list[str]:
    return [cell(number) for number in numbers]
