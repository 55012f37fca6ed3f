"""A round: both servers started anew, and every measure taken of both, beat by beat.

Two processes of the very same code differ by a few per cent for as long as they live (how hashes fall, where memory
lies). Beats of one pair of processes are therefore no independent evidence; rounds are.
"""

import asyncio
import gc
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from random import Random
from statistics import median
from typing import TypeVar

from benchmarks.compare.games import Acks, Moves, Openings, Pushes
from benchmarks.compare.loads import PLAYERS, Load
from benchmarks.compare.talk import Lines, Looks, Messages
from benchmarks.compare.trees import Tree
from benchmarks.driver import BenchmarkError
from benchmarks.players import Player, sign_in
from benchmarks.server import SERVER_CORE, Server, parlor

# What is written lies in memory where that can be: how long a disk takes decides how many commits go to it together.
_DATA_IN = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
# Tables whose chats are measured stay, and nobody waits for streams to be closed gently.
_SETTINGS = {"PARLOR_EMPTY_TABLE_MS": "3600000", "PARLOR_GRACE_MS": "0"}
_WARM_UP = 2  # beats

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Measure:
    what: str
    unit: str
    per: float  # so many units are one second, or one byte


_US, _MS, _KB = ("µs", 1e6), ("ms", 1e3), ("KB", 1 / 1024)

MEASURES: Mapping[str, Measure] = {
    "start": Measure("start-up until ready", *_MS),
    "memory": Measure("an idle match, two streams open", *_KB),
    "move": Measure("a move", *_US),
    "event": Measure("a pushed event", *_US),
    "ack": Measure("an acknowledgement", *_US),
    "relay": Measure("a relayed message", *_US),
    "channels": Measure("GET /lobby/channels", *_US),
    "chat": Measure("POST …/chatmsg", *_US),
    "open": Measure("opening a stream", *_US),
}

_LOADS: Mapping[str, type[Load]] = {
    "event": Pushes, "ack": Acks, "relay": Messages, "channels": Looks, "chat": Lines, "open": Openings,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cost:
    """What one thing costs either side, in seconds or bytes, and the ratio new/old."""

    new: float
    old: float
    ratio: float


def _cost(new: float, old: float) -> Cost:
    if not (new > 0 and old > 0):
        raise BenchmarkError(f"a cost is not above nothing: {new} and {old}")
    return Cost(new, old, new / old)


@dataclass(frozen=True, slots=True)
class Side:
    server: Server
    players: Sequence[Player]


async def play(new: Tree, old: Tree, wanted: Sequence[str], lot: Random, say: Callable[[str], None]) -> dict[str, Cost]:
    """A whole round; answers the cost of each wanted measure."""
    this = _Round(wanted, lot, say)
    await this.play(new, old)
    return this.costs


class _Round:
    def __init__(self, wanted: Sequence[str], lot: Random, say: Callable[[str], None]) -> None:
        self._wanted = wanted
        self._lot = lot
        self._say = say
        self.costs: dict[str, Cost] = {}

    async def play(self, new: Tree, old: Tree) -> None:
        # The same seed for both, so that how hashes fall is no difference between them; another one in each round, so
        # that the result is not that of one seed.
        settings = {**_SETTINGS, "PYTHONHASHSEED": str(self._lot.randrange(2**32))}
        async with AsyncExitStack() as stack:
            servers = await self._start(stack, settings, new, old)
            if "start" in self._wanted:
                self.costs["start"] = _cost(servers[new].started, servers[old].started)
            if list(self._wanted) != ["start"]:
                self._say("signing in")
                ordered = servers[new], servers[old]
                players = await asyncio.gather(*(sign_in(server.port, PLAYERS) for server in ordered))
                await self._measure(list(map(Side, ordered, players)))

    async def _start(self, stack: AsyncExitStack, settings: Mapping[str, str], *both: Tree) -> dict[Tree, Server]:
        """Both at the same time and on the same core, so that whatever slows down one start slows down the other."""
        self._say("starting both")
        trees = self._shuffled(*both)
        starts = (parlor(settings, program=tree.program, data_in=_DATA_IN, redis_core=SERVER_CORE) for tree in trees)
        started = await asyncio.gather(*map(stack.enter_async_context, starts), return_exceptions=True)
        servers: dict[Tree, Server] = {}
        for tree, server in zip(trees, started, strict=True):
            if isinstance(server, BaseException):
                raise server
            servers[tree] = server
        return servers

    async def _measure(self, sides: Sequence[Side]) -> None:
        """Of the two sides, the new one first."""
        # First, since a server that has been busy has memory to spare.
        if {"memory", "move"} & set(self._wanted):
            matches = [Moves(side.server, side.players, "memory" in self._wanted) for side in sides]
            await self._take("move", matches, beats="move" in self._wanted)
            if "memory" in self._wanted:
                self.costs["memory"] = _cost(*(load.weight for load in matches))
        for name, kind in _LOADS.items():
            if name in self._wanted:
                await self._take(name, [kind(side.server, side.players) for side in sides])

    async def _take(self, name: str, loads: Sequence[Load], beats: bool = True) -> None:
        self._say(name)
        await asyncio.gather(*(load.prepare() for load in self._shuffled(*loads)))
        gc.collect()
        if beats:
            for _ in range(_WARM_UP):
                await asyncio.gather(*(load.beat() for load in loads))
            await self._settle(loads)
            self.costs[name] = await self._beats(*loads)
        for load in loads:
            load.close()
        await self._settle(loads)

    async def _settle(self, loads: Sequence[Load]) -> None:
        await asyncio.gather(*(load.server.settle() for load in loads))

    async def _beats(self, new: Load, old: Load) -> Cost:
        """Beats of both at the same time, a request of the one after a request of the other.

        While a server waits, others take its core and its caches. Beats one after the other are hit unlike by that; on
        a busy machine the ratios of such pairs spread up to twice as far.
        """
        pairs: list[tuple[float, float]] = []
        for _ in range(new.beats):
            before = new.server.cpu(), old.server.cpu()
            await asyncio.gather(*(load.beat() for load in self._shuffled(new, old)))
            pairs.append((new.server.cpu() - before[0], old.server.cpu() - before[1]))
        # A collection of garbage or a disturbed beat is no matter to a median.
        each_new, each_old = (median(sides) / new.each for sides in zip(*pairs, strict=True))
        return Cost(each_new, each_old, median(spent / other for spent, other in pairs))

    def _shuffled(self, *items: T) -> list[T]:
        return self._lot.sample(items, len(items))
