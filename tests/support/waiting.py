"""Waiting for something that the contract promises to become true."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


async def eventually(probe: Callable[[], Awaitable[T]], accept: Callable[[T], bool], timeout: float = 30.0) -> T:
    """Ask again and again until the answer is accepted; the last one is in the failure if none is."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout
    while not accept(answer := await probe()):
        assert loop.time() < deadline, f"still {answer!r} after {timeout} s"
        await asyncio.sleep(0.02)
    return answer
