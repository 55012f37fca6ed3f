"""Sudden deaths: kill -9 of the embedded Redis, of the service process and of both, at moments that chance chooses."""

import asyncio
import random
import time
from collections.abc import Iterable
from contextlib import suppress
from enum import StrEnum

import psutil

from tests.chaos.tally import Tally
from tests.support.product import Product

RECOVERY = 45.0  # seconds; a start takes about two, more on a machine that is busy otherwise
HASTE = 0.25  # how often the next crash does not wait for recovery from the last


class Crash(StrEnum):
    REDIS = "redis"
    SERVICE = "service"
    BOTH = "both"


class Crashable(Product):
    """The whole product, to be killed at any moment, also while it starts."""

    def crash(self, crash: Crash) -> None:
        """Kill, and start again what nobody else starts again."""
        if crash is not Crash.SERVICE:
            self._kill_redis(required=crash is Crash.REDIS)
        if crash is not Crash.REDIS:
            self.kill()
            self.launch()

    def _kill_redis(self, *, required: bool) -> None:
        deadline = time.monotonic() + RECOVERY
        while not (servers := self._redis_servers()) and required:
            assert self.is_running(), "the service ended by itself"
            assert time.monotonic() < deadline, f"there is no Redis, after {RECOVERY:.0f} s"
            time.sleep(0.005)
        for server in servers:
            with suppress(psutil.NoSuchProcess):
                server.kill()

    def _redis_servers(self) -> list[psutil.Process]:
        """The embedded Redis; none in the moments between its death and its next start."""
        return [child for child in self.process.children() if _is_alive(child, "valkey-server")]


def _is_alive(process: psutil.Process, name: str) -> bool:
    try:
        return process.name() == name and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def inflict(product: Crashable, crashes: Iterable[Crash], chance: random.Random, tally: Tally) -> None:
    """Crash after crash, most of them in full flow, some while the last is being recovered from."""
    for crash in crashes:
        if chance.random() >= HASTE:
            await tally.more_moves(chance.randint(1, 300), within=RECOVERY)
        await asyncio.sleep(chance.uniform(0, 0.3))
        assert product.is_running(), "the service ended by itself"
        await asyncio.to_thread(product.crash, crash)
        tally.crashes[crash] += 1
    await tally.more_moves(1, within=RECOVERY)
