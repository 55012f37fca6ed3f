"""A network path that a test can cut, since a browser's own offline switch leaves open streams alone."""

import asyncio
from typing import Self
from urllib.parse import urlsplit


class Wire:
    """Carries TCP connections to one server until it is cut; mended, it has the same address as before."""

    def __init__(self, target: str) -> None:
        parts = urlsplit(target)
        self._target = (parts.hostname, parts.port)
        self._port = 0
        self._is_cut = False
        self._ends: set[asyncio.StreamWriter] = set()
        self.answers: list[bytearray] = []
        """What the server has sent, connection by connection."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.cut()

    def cut(self) -> None:
        """Breaks every connection, and each new one as soon as it is made; the port stays ours."""
        self._is_cut = True
        for end in self._ends:
            end.transport.abort()

    def mend(self) -> None:
        self._is_cut = False

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(*self._target)
        ends = {writer, far_writer}
        self._ends |= ends
        if self._is_cut:
            self.cut()
        try:
            answers = bytearray()
            self.answers.append(answers)
            await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer, answers))
        finally:
            self._ends -= ends


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter, noted: bytearray | None = None) -> None:
    try:
        while chunk := await source.read(65536):
            if noted is not None:
                noted += chunk
            sink.write(chunk)
            await sink.drain()
    except ConnectionError:
        pass  # a cut ends the way, whichever side notices first
    finally:
        sink.close()
