"""The relayed message: posted, committed and pushed to the peer's open stream, against a bare FastAPI POST.

Two hundred rooms have one message in flight each; the peer posts the next once its stream shows it. Both streams of
every room are open, and what they take is remembered, as in life.
"""

import asyncio
import math
import random
import time
from collections.abc import Sequence
from typing import Any, Protocol
from uuid import uuid4

import jwt

from benchmarks.arena import Window
from benchmarks.driver import BenchmarkError, OnResponse, Stream, request
from benchmarks.moves import Latency
from benchmarks.players import Player, in_parallel
from benchmarks.server import Server

ROOMS = 200
_WINDOW_SECONDS = 60.0
_BOARD = [-1, 0, 0, 0, 1, 0, 0, 0, -1]


class RelayStream(Stream):
    """A stream that counts its `server_msg` events."""

    __slots__ = ()
    mark = b"event: server_msg"


class Listener(Protocol):
    """Hears of every message that is answered, and of every one that arrives."""

    def answered(self, status: int, body: bytes) -> None: ...
    def arrived(self, room: "Room", sent: float, more: bool) -> None: ...


class Room:
    """Two players who tell each other something in turns."""

    def __init__(self, hall: Listener, pair: Sequence[Player]) -> None:
        self._hall = hall
        self._pair = pair
        self._users = [jwt.decode(player.token, options={"verify_signature": False})["sub"] for player in pair]
        self._name = uuid4().hex
        self._streams: list[Stream] = []
        self._requests: list[list[bytes]] = []
        self._count = 0
        self._sent = 0.0

    async def prepare(self, messages: int) -> None:
        """Shake hands, open both streams, and write down all that will be said."""
        for box, action in ((0, "join"), (1, "join"), (0, "start_game"), (1, "start_game_ack")):
            await self._pair[box].post("/relay/client_msg", self._payload(box, action, int(action[0] == "s")))
        for box, player in enumerate(self._pair):
            raw = request("GET", f"/relay/rooms/{self._name}/events", player.token)
            on_push: OnResponse = self._pushed
            stream, _ = await RelayStream.open(player.port, raw, box, on_push)
            stream.seen = 0
            self._streams.append(stream)
            player.connection.on_answer = self._hall.answered
        self._requests = [
            [
                request("POST", "/relay/client_msg", player.token, self._payload(box, "update_game", seq, game=_BOARD))
                for seq in range(2, 2 + math.ceil(messages / 2))
            ]
            for box, player in enumerate(self._pair)
        ]

    def post(self) -> None:
        box, number = self._count % 2, self._count // 2
        self._sent = time.perf_counter()
        self._pair[box].connection.send(self._requests[box][number])

    def _pushed(self, box: int, count: int) -> None:
        if box == self._count % 2 or count != 1:
            raise BenchmarkError(f"room {self._name}: {count} messages came to box {box}")
        self._count += 1
        more = self._count // 2 < len(self._requests[self._count % 2])
        self._hall.arrived(self, self._sent, more)

    def check(self) -> None:
        seen = sum(stream.seen for stream in self._streams)
        if seen != self._count or any(stream.lost for stream in self._streams):
            raise BenchmarkError(f"room {self._name}: {seen} of {self._count} messages arrived")

    def close(self) -> None:
        for stream in self._streams:
            stream.close()

    def _payload(self, box: int, action: str, seq: int, **fields: Any) -> dict[str, Any]:
        user = self._users[box]
        return {
            "version": 3, "seq": seq, "from": user, "utouId": self._name, "action": action, "name": user, **fields,
        }  # fmt: skip


class Hall:
    """Rooms side by side; a window lasts from the warm-up until the first of them has nothing more to say."""

    def __init__(self, server: Server, players: Sequence[Player], interval: float = 0.0) -> None:
        self.latencies: list[float] = []
        self._server = server
        self._rooms = [Room(self, players[2 * n : 2 * n + 2]) for n in range(ROOMS)]
        self._interval = interval
        self._loop = asyncio.get_running_loop()
        self._arrived = 0
        self._ended = asyncio.Event()
        self._trouble = ""

    async def talk(self, messages: int) -> Window:
        """Each room says so many things."""
        await in_parallel(lambda room: room.prepare(messages), self._rooms)
        await self._server.settle()
        try:
            async with asyncio.timeout(_WINDOW_SECONDS):
                for room in self._rooms:
                    self._post(room, time.perf_counter())
                while self._arrived < 2 * ROOMS:
                    await asyncio.sleep(0.002)
                    self._check()
                self.latencies.clear()
                count, before = self._arrived, self._server.usage()
                await self._ended.wait()
                window = Window(self._arrived - count, self._server.usage() - before)
            await asyncio.sleep(0.3)
            self._check()
        except TimeoutError:
            raise BenchmarkError(f"the rooms did not finish within {_WINDOW_SECONDS:.0f} s") from None
        finally:
            for room in self._rooms:
                room.close()
        await self._server.settle()
        return window

    def answered(self, status: int, body: bytes) -> None:
        if status != 200 or b'"forwarded"' not in body:
            self._trouble = f"a message was answered {status}: {body[:300]!r}"
            self._ended.set()

    def arrived(self, room: Room, sent: float, more: bool) -> None:
        self._arrived += 1
        self.latencies.append(time.perf_counter() - sent)
        if more and not self._ended.is_set():
            self._post(room, sent)
        else:
            self._ended.set()

    def _post(self, room: Room, sent: float) -> None:
        if self._interval:
            # Spread over the interval, so that rooms do not talk in step.
            due = sent + self._interval * random.uniform(0.5, 1.5)
            self._loop.call_later(max(0.0, due - time.perf_counter()), room.post)
        else:
            room.post()

    def _check(self) -> None:
        if self._trouble:
            raise BenchmarkError(self._trouble)
        if self._ended.is_set():
            for room in self._rooms:
                room.check()


async def window(server: Server, players: Sequence[Player], messages: int) -> Window:
    """Messages flat out, about that many in all."""
    return await Hall(server, players).talk(_each(messages))


async def latency(server: Server, players: Sequence[Player], rate: float, seconds: float) -> Latency:
    """From the POST to the peer's stream, when the rooms are paced to so many messages a second in all."""
    hall = Hall(server, players, interval=ROOMS / rate)
    talked = await hall.talk(_each(rate * seconds))
    ordered = sorted(hall.latencies[: talked.count])
    return Latency(window=talked, p50=ordered[len(ordered) // 2], p99=ordered[len(ordered) * 99 // 100])


def _each(messages: float) -> int:
    return max(8, math.ceil(messages / ROOMS))
