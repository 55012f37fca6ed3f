"""What every request passes on its way in and out: an id, a bounded body, problems in their one form."""

import itertools
import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from redis.exceptions import RedisError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared import metrics, tracing
from shared.ids import new_id
from shared.problems import Problem, Unavailable
from shared.telemetry import request_id

MOST_BYTES = 64 * 1024
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")

# What the clients of Redis and of the database raise when the other side is away.
AWAY = (RedisError, OSError, DBAPIError, PoolTimeoutError)

# A route around the framework for the few paths that must be fast; None when the path is not one of them.
HotRoute = Callable[[str, str], Callable[[Scope, Receive, Send], Awaitable[int]] | None]

log = structlog.get_logger()


class Edge:
    """Wraps a service's app. Leaves `parlor.headers`, `parlor.body` and `parlor.reply_headers` in the scope."""

    def __init__(self, app: ASGIApp, service: str, hot: HotRoute = lambda method, path: None) -> None:
        self._app = app
        self._hot = hot
        self._service = service
        self._process = new_id()[:8]
        self._count = itertools.count()
        self._counters: dict[int, Any] = {}
        self._tell_all = logging.getLogger().isEnabledFor(logging.DEBUG)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = scope["parlor.headers"] = dict(scope["headers"])
        given = headers.get(b"x-request-id")
        name = given if given and _REQUEST_ID.fullmatch(given) else f"{self._process}-{next(self._count)}".encode()
        request_id.set(name.decode())
        extra = scope["parlor.reply_headers"] = [(b"x-request-id", name)]
        method = scope["method"]
        if tracing.tracer is None:
            status = await self._answer(scope, receive, send, extra)
        else:
            with tracing.request(method, scope["path"], headers, name.decode()) as span:
                status = await self._answer(scope, receive, send, extra)
                tracing.answered(span, status)
        self._counted(status)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, extra: list[tuple[bytes, bytes]]) -> int:
        """Let the request be answered, come what may; returns the status."""
        headers, method = scope["parlor.headers"], scope["method"]
        guard = None
        try:
            body = scope["parlor.body"] = b"" if method in ("GET", "HEAD") else await _body(headers, receive)
            route = self._hot(method, scope["path"])
            if route is not None:
                status = await route(scope, receive, send)
            else:
                guard = _Guard(send, extra)
                await self._app(scope, _replayed(body, receive), guard)
                status = guard.status
        except Exception as error:
            if guard is not None and guard.status:
                status = guard.status  # the framework has answered and only passes the error on
            else:
                problem = as_problem(error)
                status = problem.status
                if "parlor.started" not in scope:  # else it is too late, and the server closes the connection
                    await problem.send(send, extra)
        if self._tell_all:
            log.debug("request", method=method, path=scope["path"], status=status)
        return status

    def _counted(self, status: int) -> None:
        counter = self._counters.get(status)
        if counter is None:
            counter = self._counters[status] = metrics.REQUESTS.labels(self._service, str(status))
        counter.inc()


def as_problem(error: Exception) -> Problem:
    """Any failure as the client is told of it; what we did not foresee is logged."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, HTTPException):
        return Problem("not_found" if error.status_code in (404, 405) else "invalid_request")
    if isinstance(error, AWAY):
        log.warning("a_part_is_away", error=repr(error))
        return Unavailable()
    log.error("unforeseen", exc_info=error)
    return Problem("internal")


class _Guard:
    """Adds our headers to the framework's answers and remembers the status."""

    __slots__ = ("_extra", "_send", "status")

    def __init__(self, send: Send, extra: list[tuple[bytes, bytes]]) -> None:
        self._send = send
        self._extra = extra
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), *self._extra]
        await self._send(message)


async def _body(headers: dict[bytes, bytes], receive: Receive) -> bytes:
    """The whole body, which is never large; the limit holds with or without a stated length."""
    stated = headers.get(b"content-length", b"0")
    if stated.isdigit() and int(stated) > MOST_BYTES:
        raise Problem("too_large")
    message = await receive()
    body: bytes = message.get("body", b"")
    if not message.get("more_body"):
        _checked(body)
        return body
    parts, size = [body], len(body)
    while message.get("more_body"):
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MOST_BYTES:
            raise Problem("too_large")
    return b"".join(parts)


def _checked(body: bytes) -> None:
    if len(body) > MOST_BYTES:
        raise Problem("too_large")


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body once more for the framework, then whatever comes."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again
