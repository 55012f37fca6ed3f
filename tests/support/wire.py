"""Bytes on a plain socket, for what a well-mannered HTTP client would not send."""

import asyncio
import re

from tests.support.sse import PATIENCE


async def first_status(port: int, request: bytes) -> int:
    """Send bytes and return the status of the answer, without closing our side first."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        async with asyncio.timeout(PATIENCE):
            writer.write(request)
            await writer.drain()
            line = await reader.readline()
    finally:
        writer.close()
    return int(line.split()[1])


async def posted_at_once(port: int, path: str, token: str, bodies: list[bytes]) -> list[int]:
    """POST to a path again and again without waiting for an answer; return the statuses as they come."""
    head = f"POST {path} HTTP/1.1\r\nHost: parlor\r\nAuthorization: Bearer {token}\r\n"
    lengths = [f"Content-Length: {len(body)}\r\n" for body in bodies]
    lengths[-1] += "Connection: close\r\n"
    requests = [(head + length + "\r\n").encode() + body for length, body in zip(lengths, bodies, strict=True)]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        async with asyncio.timeout(PATIENCE):
            writer.write(b"".join(requests))
            await writer.drain()
            answers = await reader.read()
    finally:
        writer.close()
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answers)]


async def pipeline(port: int, path: str, token: str, times: int, body: bytes | None = None) -> list[bytes]:
    """GET a path, or POST a body there, so often and as fast as one connection carries it; return the answers."""
    head = f"{'GET' if body is None else 'POST'} {path} HTTP/1.1\r\nHost: parlor\r\nAuthorization: Bearer {token}\r\n"
    if body is not None:
        head += f"Content-Length: {len(body)}\r\n"
    body = body or b""
    again, last = [(head + end).encode() + body for end in ("\r\n", "Connection: close\r\n\r\n")]
    requests = again * (times - 1) + last
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    async def send() -> None:
        writer.write(requests)
        await writer.drain()

    try:
        async with asyncio.timeout(2 * PATIENCE):  # for hundreds of them
            _, answers = await asyncio.gather(send(), reader.read())
    finally:
        writer.close()
    return re.split(rb"(?=HTTP/1\.1 \d{3} )", answers)[1:]
