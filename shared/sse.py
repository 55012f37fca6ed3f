"""Server-sent events: frames, cursors, and a response that writes each event once it is there."""

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec
from sse_starlette import EventSourceResponse
from starlette.types import Receive, Scope, Send

from shared import metrics
from shared.ids import UserId
from shared.kernel import Message

# A reader this far behind, beyond what the sockets hold, has stopped reading; it can resume from its cursor.
UNREAD_LIMIT = 256 * 1024
OPENING = b"retry: 1000\n\n"
HEARTBEAT = b"4\r\n: \n\n\r\n"  # a comment, as a chunk

_CURSOR = re.compile(r"(0|[1-9][0-9]{0,14})(?:\.(0|[1-9][0-9]{0,5}))?")
_HEADERS = EventSourceResponse(iter(())).raw_headers
_encode = msgspec.json.Encoder().encode


class Cursor(msgspec.Struct, frozen=True):
    """The last id that a client has: a version, or the k-th of several messages of one version."""

    version: int
    k: int | None = None


def parse_cursor(text: str) -> Cursor | None:
    """None for what was never an id of ours."""
    found = _CURSOR.fullmatch(text)
    if not found:
        return None
    version, k = found.groups()
    if version == "0" and k is not None:
        return None
    return Cursor(int(version), int(k) if k is not None else None)


def frame(event: str, data: Any, event_id: str | int | None = None) -> bytes:
    """One event as it goes over the wire."""
    head = f"event: {event}\ndata: " if event_id is None else f"id: {event_id}\nevent: {event}\ndata: "
    return head.encode() + _encode(data) + b"\n\n"


def frames(version: int, messages: Sequence[Message], after: int = -1) -> bytes:
    """A version's messages to one viewer, those after the k-th: the last has the version as its id."""
    parts = []
    last = len(messages) - 1
    for k, message in enumerate(messages):
        if k > after:
            event_id = version if k == last else f"{version}.{k}"
            parts.append(frame(message.event, {"version": version, **message.data}, event_id))
    return b"".join(parts)


def chunk(data: bytes) -> bytes:
    """A piece of a chunked response; encoded once, written to every stream."""
    return b"%x\r\n%s\r\n" % (len(data), data)


class Connection(Protocol):
    """The connection under a stream; `shared.serve` puts it into the scope."""

    on_hang_up: Callable[[], None] | None

    def is_gone(self) -> bool:
        """Has the other side hung up already?"""

    @property
    def transport(self) -> asyncio.Transport:
        """Where a piece of the response can be written while it is open."""


class Stream:
    """One client's open stream. What is pushed goes straight to the connection: no queue, no task to wake."""

    __slots__ = ("_closed", "_opening", "_transport", "user")

    def __init__(self, user: UserId, opening: bytes) -> None:
        """`opening` may be large: it is what its reader has asked for."""
        self.user = user
        self._opening = opening
        self._transport: asyncio.Transport | None = None
        self._closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def push(self, data: bytes) -> None:
        """Send a chunk; a reader that has stopped reading is cut off."""
        transport = self._transport
        if self._closed.done():
            return
        if transport is None:
            self._opening += data
        elif transport.get_write_buffer_size() > UNREAD_LIMIT:
            metrics.STREAMS_CUT.inc()
            self.close()
            transport.abort()
        else:
            transport.write(data)

    def close(self) -> None:
        """End the response once what was pushed is sent."""
        if not self._closed.done():
            self._closed.set_result(None)

    async def run(self, connection: Connection) -> None:
        """Write until closed, from either side."""
        if connection.is_gone():
            return
        connection.on_hang_up = self.close
        self._transport = connection.transport
        self._transport.write(self._opening)
        self._opening = b""
        try:
            await self._closed
        finally:
            connection.on_hang_up = None


class EventStream:
    """The ASGI response around a stream.

    sse-starlette's own response keeps four tasks and a lock in each stream; here one heartbeat and one drain serve
    all, so that only its headers are taken.
    """

    __slots__ = ("_on_end", "_stream", "headers")

    def __init__(self, stream: Stream, on_end: Callable[[], None]) -> None:
        self.headers = _HEADERS
        self._stream = stream
        self._on_end = on_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        metrics.STREAMS.inc()
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.headers})
            await self._stream.run(scope["parlor.connection"])
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            metrics.STREAMS.dec()
            self._on_end()
