"""Two joins at the same moment, on two real connections: exactly one player becomes the one that starts."""

import asyncio
import json
from secrets import token_hex
from typing import Any

import pytest

from tests.conftest import Guest
from tests.support.client import Player
from tests.support.product import Product
from tests.support.relay import CLIENT_MSG, Peer, room_path


class Line:
    """A connection that is open before the race begins."""

    def __init__(self, player: Player, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.player = player
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, player: Player, port: int) -> "Line":
        return cls(player, *await asyncio.open_connection("127.0.0.1", port))

    def join(self, room: str) -> None:
        body = json.dumps(Peer(self.player, room).payload("join")).encode()
        head = (
            f"POST {CLIENT_MSG} HTTP/1.1\r\nHost: relay\r\nAuthorization: Bearer {self.player.token}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)

    async def answer(self) -> Any:
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if b"content-length" in line)
        body = json.loads(await self._reader.readexactly(length))
        assert head.startswith(b"HTTP/1.1 200"), body
        return body

    def close(self) -> None:
        self._writer.close()


async def hears_a_join(player: Player, room: str, port: int) -> bool:
    """Whether the player's stream begins with the other's join, which makes it the one that starts."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    path = f"{room_path(room)}/events"
    writer.write(f"GET {path} HTTP/1.1\r\nHost: relay\r\nAuthorization: Bearer {player.token}\r\n\r\n".encode())
    opening = await reader.readuntil(b"event: presence")
    writer.close()
    return b'"action": "join"' in opening


async def race(lines: tuple[Line, Line], room: str, port: int, first: int) -> None:
    for line in (lines[first], lines[1 - first]):
        line.join(room)
    answers = await asyncio.gather(*(line.answer() for line in lines))
    assert sorted(answer["roomVersion"] for answer in answers) == [1, 2], answers
    starts = await asyncio.gather(*(hears_a_join(line.player, room, port) for line in lines))
    assert sorted(starts) == [False, True], f"{room}: {starts}"
    assert starts[[answer["roomVersion"] for answer in answers].index(1)], "the earlier joiner starts"


async def races(guest: Guest, port: int, count: int) -> None:
    async def lane(number: int) -> None:
        lines = (await Line.open(await guest("PA"), port), await Line.open(await guest("PB"), port))
        for game in range(number, count, 8):
            await race(lines, f"race {game} {token_hex(4)}", port, game % 2)
        for line in lines:
            line.close()

    await asyncio.gather(*(lane(number) for number in range(8)))


@pytest.fixture
def port(product: Product) -> int:
    return product.port


async def test_of_two_joins_at_once_one_starts(guest: Guest, port: int) -> None:
    await races(guest, port, 200)


@pytest.mark.soak
async def test_of_two_joins_at_once_one_starts_ten_thousand_times(guest: Guest, port: int) -> None:
    await races(guest, port, 10_000)
