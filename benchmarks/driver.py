"""A cheap HTTP/1.1 client: keep-alive requests and SSE streams on plain asyncio protocols.

It shares a core with Redis, so it does as little as it can: requests are encoded before the clock
starts, and streams are read by counting byte marks instead of parsing JSON.
"""

import asyncio
import re
from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias, cast

import msgspec

HOST = "127.0.0.1"

# Called with the box that the stream belongs to and the number of `response` events that came in.
OnResponse: TypeAlias = Callable[[int, int], None]

_GAME_OVER = b"event: game_over"
_SNAPSHOT = re.compile(rb"event: snapshot.*?\ndata: (.*?)\r?\n", re.DOTALL)
# Servers write whole events, chunked or not; only what ends in a blank line is looked at.
_WHOLE = (b"\n\r\n", b"\n\n")


class BenchmarkError(Exception):
    """The run cannot go on: a server did not start, or something was refused, lost or late."""


def request(method: str, path: str, token: str = "", body: Any = None) -> bytes:
    """A JSON request as a keep-alive connection can send it."""
    return encode(method, path, token, b"" if body is None else msgspec.json.encode(body))


def encode(method: str, path: str, token: str, payload: bytes) -> bytes:
    head = [f"{method} {path} HTTP/1.1", f"host: {HOST}"]
    if token:
        head.append(f"authorization: Bearer {token}")
    if method == "POST":
        head += ["content-type: application/json", f"content-length: {len(payload)}"]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + payload


def _line(raw: bytes) -> str:
    return raw.partition(b"\r\n")[0].decode()


class Connection(asyncio.Protocol):
    """A keep-alive connection with at most one request in flight; a second one waits for its turn."""

    __slots__ = ("_busy", "_held", "_next", "_transport", "on_answer")

    def __init__(self) -> None:
        self.on_answer: Callable[[int, bytes], None] | None = None
        self._busy = False
        self._next = b""
        self._held = b""
        self._transport: asyncio.Transport

    @classmethod
    async def open(cls, port: int) -> "Connection":
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(cls, HOST, port)
        return connection

    def send(self, raw: bytes) -> None:
        if self._busy:
            self._next = raw
        else:
            self._busy = True
            self._transport.write(raw)

    async def ask(self, raw: bytes, timeout: float = 20.0) -> Any:
        """Send a request and return its decoded answer, which must be a 2xx."""
        assert not self._busy
        answer: asyncio.Future[tuple[int, bytes]] = asyncio.get_running_loop().create_future()

        def take(status: int, body: bytes) -> None:
            if not answer.done():
                answer.set_result((status, body))

        self.on_answer = take
        self.send(raw)
        try:
            async with asyncio.timeout(timeout):
                status, body = await answer
        except TimeoutError:
            raise BenchmarkError(f"no answer within {timeout:.0f} s: {_line(raw)}") from None
        if not 200 <= status < 300:
            raise BenchmarkError(f"{_line(raw)} was answered {status}: {body[:300]!r}")
        return msgspec.json.decode(body) if body else None

    def close(self) -> None:
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:

        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._busy and self.on_answer:
            self.on_answer(0, b"the connection was closed")

    def data_received(self, data: bytes) -> None:
        if self._held:
            data = self._held + data
            self._held = b""
        head = data.find(b"\r\n\r\n")
        length = data.find(b"ontent-length: ", 0, head)
        end = head + 4
        if head >= 0 and length >= 0:
            end += int(data[length + 15 : data.find(b"\r", length)])
        if head < 0 or len(data) < end:
            self._held = data
            return
        if self._next:
            self._transport.write(self._next)
            self._next = b""
        else:
            self._busy = False
        if self.on_answer:
            self.on_answer(int(data[9:12]), data[head + 4 : end])


class Stream(asyncio.Protocol):
    """An open SSE stream that counts its `response` and `game_over` events."""

    mark: ClassVar = b"event: response"

    __slots__ = ("_box", "_held", "_on_response", "_opened", "_transport", "last", "lost", "overs", "seen")

    def __init__(self, box: int, on_response: OnResponse | None) -> None:
        self.seen = 0
        self.overs = 0
        self.lost = False
        self.last = b""
        self._box = box
        self._on_response = on_response
        self._held = b""
        self._opened: asyncio.Future[bytes] | None = None
        self._transport: asyncio.Transport

    @classmethod
    async def open(
        cls, port: int, raw: bytes, box: int, on_response: OnResponse | None, timeout: float = 20.0
    ) -> tuple["Stream", Any]:
        """Open the stream and return it with the body of its `snapshot`."""
        loop = asyncio.get_running_loop()
        stream = cls(box, on_response)
        stream._opened = loop.create_future()
        try:
            async with asyncio.timeout(timeout):
                await loop.create_connection(lambda: stream, HOST, port)
                stream._transport.write(raw)
                snapshot = await stream._opened
        except TimeoutError:
            raise BenchmarkError(f"no snapshot within {timeout:.0f} s: {_line(raw)}") from None
        stream._opened = None
        return stream, msgspec.json.decode(snapshot)

    def close(self) -> None:
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:

        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = True
        if self._opened and not self._opened.done():
            self._opened.set_exception(BenchmarkError("a stream was closed before its snapshot"))

    def data_received(self, data: bytes) -> None:
        if self._held:
            data = self._held + data
            self._held = b""
        if self._opened:
            self._opening(data)
            return
        if not data.endswith(_WHOLE):
            self._held = data
            return
        count = data.count(self.mark)
        if count:
            self.seen += count
            self.overs += data.count(_GAME_OVER)
            self.last = data
            if self._on_response:
                self._on_response(self._box, count)
        elif _GAME_OVER in data:
            self.overs += 1
            self.last += data

    def _opening(self, data: bytes) -> None:
        assert self._opened is not None
        snapshot = _SNAPSHOT.search(data)
        if self._opened.done():
            return
        if data.startswith(b"HTTP/1.1 ") and not data.startswith(b"HTTP/1.1 200"):
            self._opened.set_exception(BenchmarkError(f"a stream was refused: {data[:300]!r}"))
        elif snapshot and data.endswith(_WHOLE):
            self._opened.set_result(snapshot[1])
        else:
            self._held = data
