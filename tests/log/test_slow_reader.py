"""A client that stops reading costs a bounded amount of memory, is cut off, and can resume; one that is in a hurry has
taken what it has read."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import httpx
import uvicorn
import uvloop
from starlette.types import ASGIApp, Receive, Scope, Send

from shared import sse
from shared.ids import UserId
from shared.log.keys import LogKeys
from shared.log.live import Person
from shared.serve import Protocol, listen
from tests.log.conftest import Replica

NOTE = "x" * 16_000


@asynccontextmanager
async def serving(replica: Replica, keys: LogKeys) -> AsyncIterator[int]:
    """One path that follows the log."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        cursor = headers.get(b"last-event-id", b"").decode() or None
        live = await replica.log(keys)
        response = await replica.hub.follow(live, Person(UserId("ann"), "ann", None), cursor)
        await response(scope, receive, send)

    async with served(app) as port:
        try:
            yield port
        finally:
            await replica.hub.drain(0)


@asynccontextmanager
async def served(app: ASGIApp) -> AsyncIterator[int]:
    """An app on a port of its own, by the product's own protocol."""
    sock = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, http=Protocol, lifespan="off", log_config=None))
    serving = asyncio.ensure_future(server._serve([sock]))
    try:
        yield sock.getsockname()[1]
    finally:
        server.should_exit = True
        await serving


def lazy_client(port: int, beginning: bytes = b"snapshot") -> socket.socket:
    """Asks for the stream, reads its beginning, and then nothing more."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", port))
    client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    while beginning not in client.recv(4096):
        pass
    return client


async def test_a_reader_that_stops_is_cut_off_and_can_resume(here: Replica, keys: LogKeys) -> None:
    await here.write(keys, 0, "first")
    async with serving(here, keys) as port:
        client = await asyncio.to_thread(lazy_client, port)
        live = await here.log(keys)
        (stream,) = live.streams[UserId("ann")]
        transport = stream._transport
        assert transport is not None
        version, most = 1, 0
        while UserId("ann") in live.streams:
            await here.write(keys, version, NOTE)
            version += 1
            most = max(most, transport.get_write_buffer_size())
            assert version < 1_000, "it was never cut off"
            await asyncio.sleep(0)
        assert most <= sse.UNREAD_LIMIT + 2 * len(NOTE)
        with client:
            while await asyncio.to_thread(client.recv, 65536):
                pass  # what the sockets held; then the end, since the server hung up

        async with httpx.AsyncClient(timeout=None, trust_env=False) as http:
            request = http.stream("GET", f"http://127.0.0.1:{port}/", headers={"Last-Event-ID": "1"})
            async with asyncio.timeout(60), request as response:
                ids = []
                async for line in response.aiter_lines():
                    if line.startswith("id: "):
                        ids.append(int(line[4:]))
                    if ids and ids[-1] == version:
                        break
        assert ids == list(range(2, version + 1))


async def test_what_its_reader_leaves_unread_is_not_taken(here: Replica, keys: LogKeys) -> None:
    await here.write(keys, 0, "first")
    async with serving(here, keys) as port:
        with await asyncio.to_thread(lazy_client, port) as client:
            live = await here.log(keys)
            (stream,) = live.streams[UserId("ann")]
            taken: list[int] = []
            stream.on_written(1, taken.append)
            transport = stream._transport
            assert transport is not None
            version = 1
            while transport.get_write_buffer_size() < sse.UNREAD_LIMIT / 2:  # the sockets may yet take a little more
                await here.write(keys, version, NOTE)
                version += 1
                await live.catch_up()  # now the stream has it, whether the doorbell has told of it or not
                assert version < 1_000, "the sockets hold everything"
            await asyncio.sleep(0.1)  # in which it is looked often whether the bytes have left us
            assert version not in taken, "its last bytes have not left us"
            client.settimeout(0.1)
            async with asyncio.timeout(30):
                while version not in taken:
                    await asyncio.to_thread(_read_some, client)
            assert taken == sorted(taken)


def _read_some(client: socket.socket) -> None:
    with suppress(TimeoutError):
        client.recv(65536)


def test_what_a_client_has_read_before_it_hung_up_is_taken() -> None:
    """On the loop that the product runs on: it hears of the end before anything that is put off."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(_taken_in_a_hurry()) == [1, 2]


async def _taken_in_a_hurry() -> list[int]:
    taken: list[int] = []
    ended = asyncio.Event()
    stream = sse.Stream(UserId("ann"), sse.chunk(b"data: opening\n\n"))
    stream.on_written(1, taken.append)
    async with served(sse.EventStream(stream, ended.set)) as port:
        with await asyncio.to_thread(lazy_client, port, b"opening") as client:
            client.settimeout(30)
            stream.push(sse.chunk(b"data: more\n\n"), 2)
            assert b"more" in client.recv(4096)  # the loop has had no time for anything else
        async with asyncio.timeout(30):
            await ended.wait()
    return taken
