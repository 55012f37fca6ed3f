"""Players who know a room."""

from collections.abc import Awaitable, Callable
from secrets import token_hex

import pytest

from tests.conftest import Guest
from tests.support.relay import Peer

Seat = Callable[[str], Awaitable[Peer]]


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
