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
# Seconds between looks whether what the system did not take at once has been sent: soon, since a client may read it and
# be gone, then ever later, since a slow reader may take its time.
_FIRST_LOOK, _LAST_LOOK = 0.0005, 0.05
OPENING = b"retry: 1000\n\n"
HEARTBEAT = b"4\r\n: \n\n\r\n"  # a comment, as a chunk

_CURSOR = re.compile(r"(0|[1-9][0-9]{0,14})(?:\.(0|[1-9][0-9]{0,5}))?")
_HEADERS = EventSourceResponse(iter(())).raw_headers
_encode = msgspec.json.Encoder().encode


class Verbatim(msgspec.Struct, frozen=True, gc=False):
    """An event whose data is somebody's own JSON, on one line, and is sent as it came."""

    event: str
    data: bytes


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


def cursor_of(scope: Scope) -> str | None:
    """The cursor that a request brings: in the header that a browser sends, or in the address."""
    header = scope["parlor.headers"].get(b"last-event-id")
    if header is not None:
        return str(header, "latin-1")
    for pair in scope["query_string"].split(b"&"):
        name, _, value = pair.partition(b"=")
        if name == b"last_event_id":
            return str(value, "latin-1")
    return None


def frame(event: str, data: Any, event_id: str | int | None = None) -> bytes:
    """One event as it goes over the wire."""
    return _framed(event, _encode(data), event_id)


def _framed(event: str, data: bytes, event_id: str | int | None) -> bytes:
    head = f"event: {event}\ndata: " if event_id is None else f"id: {event_id}\nevent: {event}\ndata: "
    return head.encode() + data + b"\n\n"


def frames(version: int, messages: Sequence[Message | Verbatim], after: int = -1) -> bytes:
    """A version's messages to one viewer, those after the k-th: the last has the version as its id."""
    parts = []
    last = len(messages) - 1
    for k, message in enumerate(messages):
        if k > after:
            event_id = version if k == last else f"{version}.{k}"
            if isinstance(message, Verbatim):
                parts.append(_framed(message.event, message.data, event_id))
            else:
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

    __slots__ = ("_closed", "_on_written", "_opening", "_reached", "_transport", "_unsure", "user")

    def __init__(self, user: UserId, opening: bytes) -> None:
        """`opening` may be large: it is what its reader has asked for."""
        self.user = user
        self._opening = opening
        self._transport: asyncio.Transport | None = None
        self._closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._reached = 0
        self._unsure: int | None = None
        self._on_written: Callable[[int], None] | None = None

    def on_written(self, reached: int, tell: Callable[[int], None]) -> None:
        """Be told up to which version the system has taken everything off us; the opening tells of `reached`."""
        self._reached, self._on_written = reached, tell

    def push(self, data: bytes, version: int = 0) -> None:
        """Send a chunk, perhaps with the events of a version; a reader that has stopped reading is cut off."""
        transport = self._transport
        if self._closed.done():
            return
        if transport is None:
            self._opening += data
            self._reached = version or self._reached
        elif transport.get_write_buffer_size() > UNREAD_LIMIT:
            metrics.STREAMS_CUT.inc()
            self.close()
            transport.abort()
        else:
            transport.write(data)
            if version:
                self._written(version)

    def _written(self, version: int) -> None:
        """Look at once whether it has been sent: by the next turn of the loop a client may have read it and be gone."""
        if self._on_written is None:
            return
        is_looked_for = self._unsure is not None
        self._unsure = version
        if not is_looked_for:
            self._look(_FIRST_LOOK)

    def _look(self, pause: float) -> None:
        transport, version = self._transport, self._unsure
        assert transport is not None and version is not None and self._on_written is not None, "something was written"
        if transport.is_closing():
            return
        if transport.get_write_buffer_size():
            asyncio.get_running_loop().call_later(pause, self._look, min(2 * pause, _LAST_LOOK))
        else:
            self._unsure = None
            self._on_written(version)

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
        self._written(self._reached)
        try:
            await self._closed
        finally:
            connection.on_hang_up = None


class EventStream:
    """The ASGI response around a stream.

    sse-starlette's own response keeps four tasks and a lock in each stream; here one heartbeat and one drain serve
    all, so that only its headers are taken.
    """

    __slots__ = ("_on_end", "headers", "stream")

    def __init__(self, stream: Stream, on_end: Callable[[], None]) -> None:
        self.headers = _HEADERS
        self.stream = stream
        self._on_end = on_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        metrics.STREAMS.inc()
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.headers})
            await self.stream.run(scope["parlor.connection"])
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            metrics.STREAMS.dec()
            self._on_end()
