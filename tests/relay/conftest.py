"""The relay keeps nothing in SQL, so its tests run on one database."""

from collections.abc import Awaitable, Callable, Iterator
from secrets import token_hex

import pytest

from tests.conftest import Guest
from tests.support.product import Product, short_directory
from tests.support.relay import Peer

Seat = Callable[[str], Awaitable[Peer]]


@pytest.fixture(scope="session")
def product(redis_settings: dict[str, str]) -> Iterator[Product]:
    settings = {"PARLOR_RATE_LIMIT": "off", **redis_settings}
    with short_directory() as home, Product(home, settings=settings) as running:
        yield running
        running.stop()
        log = running.log()
        trouble = log.find("Traceback")
        assert trouble < 0, f"a request upset the server:\n{log[max(trouble - 300, 0) : trouble + 3_000]}"


@pytest.fixture
def room() -> str:
    return f"room-{token_hex(8)}"


@pytest.fixture
def seat(guest: Guest, room: str) -> Seat:
    """Somebody who knows the room, under a nick."""

    async def take(nick: str) -> Peer:
        return Peer(await guest(nick), room)

    return take


@pytest.fixture
async def pa(seat: Seat) -> Peer:
    return await seat("PA")


@pytest.fixture
async def pb(seat: Seat) -> Peer:
    return await seat("PB")
