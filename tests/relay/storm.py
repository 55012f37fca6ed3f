"""A network path in bad weather: requests are lost, late, doubled and overtake each other, and streams are cut."""

import asyncio
import random
from collections.abc import Coroutine
from contextlib import suppress
from typing import Self
from urllib.parse import urlsplit

_END = b"\r\n\r\n"


class Storm:
    """Carries HTTP requests to one server, each on a connection of its own; a seed decides what befalls them."""

    def __init__(self, target: str, seed: int) -> None:
        parts = urlsplit(target)
        self._target = (parts.hostname, parts.port)
        self._random = random.Random(seed)
        self._tasks: set[asyncio.Task[None]] = set()
        self.befell: dict[str, int] = {}

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(_END)
            length = next(
                (int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if b"content-length" in line), 0
            )
            request = head + await reader.readexactly(length)
            if request.startswith(b"GET"):
                await self._stream(request, writer)
            else:
                await self._post(request, writer)
        writer.transport.abort()

    async def _post(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        fate = self._befall({"passes": 55, "lost": 12, "answer lost": 12, "doubled": 12, "late": 9})
        if fate == "lost":
            return
        if fate == "doubled":
            self._spawn(self._again(request, self._random.uniform(0.0, 0.08)))
        await asyncio.sleep(self._random.uniform(0.03, 0.1) if fate == "late" else self._random.uniform(0.0, 0.01))
        answer = await self._ask(request)
        if fate != "answer lost":
            writer.write(answer)
            await writer.drain()

    async def _stream(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        """A stream is cut after some pieces, at once or a moment later, perhaps in the middle of an event.

        Not after some time: the slower the machine, the more there would be to do.
        """
        reader, upstream = await asyncio.open_connection(*self._target)
        upstream.write(request)
        pieces = 1 + int(self._random.expovariate(1 / 2))
        try:
            for _ in range(pieces):
                if not (data := await reader.read(65536)):
                    return
                whole = len(data) if self._random.random() < 0.9 else self._random.randrange(len(data))
                writer.write(data[:whole])
                await writer.drain()
                if whole < len(data):
                    return
            await asyncio.sleep(self._random.uniform(0.0, 0.1))
        finally:
            self.befell["cut"] = self.befell.get("cut", 0) + 1
            upstream.transport.abort()

    async def _again(self, request: bytes, later: float) -> None:
        await asyncio.sleep(later)
        await self._ask(request)

    async def _ask(self, request: bytes) -> bytes:
        reader, upstream = await asyncio.open_connection(*self._target)
        try:
            upstream.write(request)
            head = await reader.readuntil(_END)
            length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if b"content-length" in line)
            return head + await reader.readexactly(length)
        finally:
            upstream.close()

    def _befall(self, weights: dict[str, int]) -> str:
        fate = self._random.choices(list(weights), weights=list(weights.values()))[0]
        self.befell[fate] = self.befell.get(fate, 0) + 1
        return fate

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
