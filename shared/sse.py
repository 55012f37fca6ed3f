"""Server-sent events: frames, cursors, and a response that writes what is ready without copying or queueing tasks."""

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
HEARTBEAT = b": \n\n"

_CURSOR = re.compile(r"(0|[1-9][0-9]{0,14})(?:\.(0|[1-9][0-9]{0,5}))?")
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
    head = b"" if event_id is None else f"id: {event_id}\n".encode()
    return b"%sevent: %s\ndata: %s\n\n" % (head, event.encode(), _encode(data))


def frames(version: int, messages: Sequence[Message], after: int = -1) -> bytes:
    """A version's messages to one viewer, those after the k-th: the last has the version as its id."""
    parts = []
    last = len(messages) - 1
    for k, message in enumerate(messages):
        if k > after:
            event_id = version if k == last else f"{version}.{k}"
            parts.append(frame(message.event, {"version": version, **message.data}, event_id))
    return b"".join(parts)


class Connection(Protocol):
    """What a stream needs of the connection under it; `shared.serve` puts it into the scope."""

    on_hang_up: Callable[[], None] | None

    def abort(self) -> None: ...


class Stream:
    """One client's open stream: bytes that wait to be written, and a way to end it."""

    __slots__ = ("_abort", "_closing", "_ready", "_unread", "_waiter", "user")

    def __init__(self, user: UserId) -> None:
        self.user = user
        self._ready: list[bytes] = []
        self._unread = 0
        self._waiter: asyncio.Future[None] | None = None
        self._closing = False
        self._abort: Callable[[], None] | None = None

    def begin(self, data: bytes) -> None:
        """Hand over what the stream starts with, however much that is: its reader has had no chance to read yet."""
        self._ready.append(data)

    def push(self, data: bytes) -> None:
        """Hand over bytes to be written; a reader that is too far behind is cut off."""
        if self._closing:
            return
        self._ready.append(data)
        self._unread += len(data)
        if self._unread > UNREAD_LIMIT:
            self._cut()
        else:
            self._wake()

    def close(self) -> None:
        """End the response cleanly once what is ready has been written."""
        self._closing = True
        self._wake()

    def _cut(self) -> None:
        metrics.STREAMS_CUT.inc()
        self._closing = True
        self._ready.clear()
        if self._abort:
            self._abort()
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def write_to(self, send: Send, abort: Callable[[], None]) -> None:
        """Write whatever is ready, all of it in one go, until closed."""
        self._abort = abort
        loop = asyncio.get_running_loop()
        while True:
            if self._ready:
                chunk = self._ready[0] if len(self._ready) == 1 else b"".join(self._ready)
                self._ready.clear()
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
                self._unread = sum(map(len, self._ready))
            elif self._closing:
                return
            else:
                self._waiter = loop.create_future()
                await self._waiter
                self._waiter = None


class EventStream(EventSourceResponse):
    """sse-starlette's response with a lean loop: one heartbeat and one drain for all streams, not tasks in each."""

    def __init__(self, stream: Stream, on_end: Callable[[], None]) -> None:
        super().__init__(iter(()), ping=0)
        self._stream = stream
        self._on_end = on_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "HEAD":
            self._on_end()
            await super().__call__(scope, receive, send)
            return
        connection: Connection = scope["parlor.connection"]
        connection.on_hang_up = self._stream.close
        metrics.STREAMS.inc()
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await self._stream.write_to(send, connection.abort)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            metrics.STREAMS.dec()
            connection.on_hang_up = None
            self._on_end()
