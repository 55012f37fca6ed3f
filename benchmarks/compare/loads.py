"""What a load is: things made beforehand, and beats, each of which is the same work for either side."""

import asyncio
from collections.abc import Sequence

from benchmarks.driver import BenchmarkError, Stream
from benchmarks.players import Player
from benchmarks.server import Server

PLAYERS = 100
_BEAT_SECONDS = 30.0


class Tally:
    """Counts down the answers and events that a beat waits for."""

    def __init__(self) -> None:
        self._left = 0
        self._trouble = ""
        self._done = asyncio.Event()

    def expect(self, count: int) -> None:
        self._left = count
        self._done.clear()

    def answered(self, status: int, body: bytes) -> None:
        if status != 200:
            self._trouble = f"a request was answered {status}: {body[:300]!r}"
            self._done.set()
        self.came(1)

    def pushed(self, box: int, count: int) -> None:
        self.came(count)

    def came(self, count: int) -> None:
        self._left -= count
        if self._left <= 0:
            self._done.set()

    async def all_in(self) -> None:
        try:
            async with asyncio.timeout(_BEAT_SECONDS):
                await self._done.wait()
        except TimeoutError:
            raise BenchmarkError(f"{self._left} answers or events did not come") from None
        if self._trouble:
            raise BenchmarkError(self._trouble)
        if self._left:
            raise BenchmarkError(f"{-self._left} more events came than were expected")


class Load:
    """One server's share of a measure, in beats.

    A beat is so short that whatever else the machine does at the time hits the other server's beat as well.
    """

    beats: int  # how many there are
    each: int  # how many things there are in one

    def __init__(self, server: Server, players: Sequence[Player]) -> None:
        self.server = server
        self.players = players
        self.tally = Tally()
        self.streams: list[Stream] = []

    async def prepare(self) -> None:
        raise NotImplementedError

    async def beat(self) -> None:
        raise NotImplementedError

    def listen(self) -> None:
        """From now on the players' answers count."""
        for player in self.players:
            player.connection.on_answer = self.tally.answered

    def close(self) -> None:
        if any(stream.lost for stream in self.streams):
            raise BenchmarkError("a stream was closed while it was measured")
        for stream in self.streams:
            stream.close()
        self.streams.clear()
