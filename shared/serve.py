"""Running an app under uvicorn: built at start-up, drained at shutdown."""

import asyncio
import gc
import logging
import os
import resource
import signal
import socket
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from dataclasses import dataclass

import structlog
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

COULD_NOT_START = 1  # exit code
_BACKLOG = 4096
_DEAD_AFTER_MS = 60_000  # a peer that acknowledges nothing for this long is gone

log = structlog.get_logger()


class PortTaken(Exception):
    pass


@dataclass(frozen=True)
class Service:
    """An app, and how to let go of its streams within some seconds."""

    app: ASGIApp
    drain: Callable[[float], Awaitable[None]]


class Hosted:
    """An ASGI app whose inside exists between start-up and shutdown."""

    def __init__(self, build: Callable[[], AbstractAsyncContextManager[Service]], grace: float) -> None:
        self._build = build
        self._service: Service | None = None
        self.grace = grace
        self.failure: Exception | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            assert self._service is not None, "the server starts up before it accepts connections"
            await self._service.app(scope, receive, send)

    async def drain(self) -> None:
        if self._service is not None:
            await self._service.drain(self.grace)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with AsyncExitStack() as stack:
            try:
                self._service = await stack.enter_async_context(self._build())
            except Exception as error:
                self.failure = error
                logging.getLogger("uvicorn.error").disabled = True  # whoever started us tells the reason
                await send({"type": "lifespan.startup.failed", "message": ""})
                return
            _settle_memory()
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


class Server(uvicorn.Server):
    """Closes the event streams first; uvicorn would wait for them for ever."""

    def __init__(self, config: uvicorn.Config, hosted: Hosted) -> None:
        super().__init__(config)
        self._hosted = hosted

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        draining = asyncio.ensure_future(self._hosted.drain())
        await super().shutdown(sockets)
        await draining


class Protocol(HttpToolsProtocol):
    """Lets those who are in a hurry write to the connection by a call.

    An event stream writes chunks to `transport`, where ASGI would take a task and a queue for each. That is sound as
    long as its response has been started without a length: uvicorn then frames it in chunks too. It halves what an
    event costs and what an idle stream holds. `answer` writes a head and a body at once.
    """

    on_hang_up: Callable[[], None] | None = None
    _lost = False

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["parlor.connection"] = self  # type: ignore[typeddict-unknown-key]

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._lost = True
        if self.on_hang_up:
            self.on_hang_up()

    def is_gone(self) -> bool:
        return self._lost

    def answer(self, scope: Scope, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> bool:
        """Write a whole response in one system call; False if it is to be sent as usual, as in anything but plain
        keep-alive. Does what uvicorn does when it is sent a head and a body."""
        cycle = self.cycle
        if cycle.scope is not scope or cycle.disconnected or not cycle.keep_alive or self.flow.write_paused:
            return False
        head = [b"%s: %s\r\n" % each for each in (*cycle.default_headers, *headers)]
        cycle.response_started = cycle.response_complete = True
        cycle.waiting_for_100_continue = False
        cycle.message_event.set()
        self.transport.write(b"".join((STATUS_LINE[status], *head, b"\r\n", body)))
        cycle.on_response()
        return True


def listen(host: str, port: int) -> socket.socket:
    """Bind before anything else is started, so that a taken port costs nothing."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _DEAD_AFTER_MS)
    try:
        sock.bind((host, port))
        sock.listen(_BACKLOG)
    except OSError as error:
        sock.close()
        raise PortTaken(f"Cannot listen on {host}:{port}: {error.strerror}.") from None
    sock.set_inheritable(True)
    return sock


def run(hosted: Hosted, sock: socket.socket) -> Exception | None:
    """Serve until a signal; answers why it could not start, if so."""
    _allow_many_files()
    config = uvicorn.Config(
        hosted,
        http=Protocol,
        ws="none",
        loop="uvloop",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # the lobby, which alone asks for addresses, reads them itself
        server_header=False,
        backlog=_BACKLOG,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=round(hosted.grace) + 3,
    )
    # uvicorn raises the signal again once it has shut down in good order; that is then no error.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: None)
    try:
        Server(config, hosted).run(sockets=[sock])
    except SystemExit:
        return hosted.failure or RuntimeError("The server did not start.")
    return None


def run_many(workers: int, work: Callable[[int], int]) -> int:
    """Run `work` in as many processes; one that dies is replaced, one that cannot start ends them all.

    Each is told its number, which its successor has too. Answers an exit code.
    """
    children: dict[int, int] = {}  # by process id
    stopping = False
    code = 0

    def stop(*_: object) -> None:
        nonlocal stopping
        stopping = True
        for pid in children:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

    def fork(number: int) -> None:
        pid = os.fork()
        if pid == 0:
            os._exit(work(number))
        children[pid] = number

    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, stop)
    for number in range(workers):
        fork(number)
    while children:
        pid, status = os.wait()
        number = children.pop(pid)
        if stopping:
            continue
        if os.waitstatus_to_exitcode(status) == COULD_NOT_START:
            code = COULD_NOT_START
            stop()
        else:
            log.warning("worker_died", pid=pid, status=os.waitstatus_to_exitcode(status))
            fork(number)
    return code


def _settle_memory() -> None:
    """What was made at start-up stays; collecting it again and again costs latency under load."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def _allow_many_files() -> None:
    """Every stream is an open file."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
