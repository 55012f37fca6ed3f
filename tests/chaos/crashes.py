"""Sudden deaths: kill -9 of Redis, of a service process and of both, at moments that chance chooses."""

import asyncio
import random
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from tests.chaos.tally import Tally

RECOVERY = 120.0  # seconds; a start takes about two, many more on a machine that is busy otherwise
HASTE = 0.25  # how often the next crash does not wait for recovery from the last


class Crash(StrEnum):
    REDIS = "redis"
    SERVICE = "service"
    BOTH = "both"


class Fragile(Protocol):
    """Something that runs Parlor and can be made to crash. Every method may block for a while."""

    @property
    def home(self) -> Path:
        """The directory in which all its processes work."""

    @property
    def lobby(self) -> str:
        """Where players sign in."""

    @property
    def sessions(self) -> list[str]:
        """Where games are played; any of them serves any request."""

    def crash(self, crash: Crash) -> None:
        """Kill, and start again what nobody else starts again; fails if something had ended by itself."""

    def crash_all(self) -> None:
        """Kill everything that could remember something, and start it again."""

    def log(self) -> str:
        """All that the processes under attack have printed."""


async def inflict(fragile: Fragile, crashes: Iterable[Crash], chance: random.Random, tally: Tally) -> None:
    """Crash after crash, most of them in full flow, some while the last is being recovered from."""
    for crash in crashes:
        if chance.random() >= HASTE:
            await tally.more_moves(chance.randint(1, 200), within=RECOVERY)
        await asyncio.sleep(chance.uniform(0, 0.3))
        with tally.calm():
            await asyncio.to_thread(fragile.crash, crash)
        tally.crashes[crash] += 1
    await tally.more_moves(1, within=RECOVERY)
