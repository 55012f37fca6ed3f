"""The numbered log in Redis: reading it, and appending to it if it stands where the writer thinks."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec
from redis.asyncio import Redis
from redis.exceptions import RedisError

from shared import tracing
from shared.log.commit import Commit, CommitOutcome, Committed, Conflict, Kept
from shared.log.era import Era
from shared.log.keys import LogKeys
from shared.log.lane import Errand, Lane
from shared.problems import Unavailable
from shared.servers.replicas import Replicas, Unconfirmed
from shared.servers.slots import slot_of
from shared.servers.topology import Server, Servers


class Stored(msgspec.Struct, frozen=True, gc=False):
    """A log as read: the cached snapshot, if any, and the entries from its last one on."""

    snapshot: tuple[int, bytes] | None
    entries: list[tuple[int, bytes]]


class LogStore:
    """Appends and reads."""

    def __init__(self, redis: "Redis", servers: Servers, replicas: Replicas | None = None) -> None:
        """`replicas` are waited for before anything counts as written."""
        self._redis = redis
        self._servers = servers
        self._replicas = replicas
        self.era = Era()
        self._lanes: dict[Server, Lane] = {}
        self._closing: set[asyncio.Future[None]] = set()
        servers.on_change(self.era.end)
        servers.on_change(self._tidy)

    def commit(self, commit: Commit) -> "asyncio.Future[CommitOutcome]":
        """Append, or learn why not; raises Unavailable when Redis stays away (the outcome is then unknown)."""
        future: asyncio.Future[CommitOutcome] = asyncio.get_running_loop().create_future()
        if tracing.tracer is not None and (span := tracing.commit(commit.keys.log, commit.expected)) is not None:
            future.add_done_callback(lambda _: span.end())
        self._lane(commit).add(Errand(commit, future))
        return future

    async def read(self, keys: LogKeys, after: int) -> list[tuple[int, bytes]]:
        """The entries after a version, in order."""
        return parse_entries(await self._redis.xrange(keys.log, f"({after}-0", "+"))

    async def read_many(self, asked: Sequence[tuple[LogKeys, int]]) -> list[list[tuple[int, bytes]]]:
        """`read` for many logs in one round trip."""
        pipe = self._redis.pipeline(transaction=False)
        for keys, after in asked:
            pipe.xrange(keys.log, f"({after}-0", "+")
        return [parse_entries(raw) for raw in await pipe.execute()]

    async def load(self, keys: LogKeys) -> Stored:
        """The latest snapshot, and the entries from the one that it was taken after."""
        kept: Any = await self._redis.get(keys.snapshot)
        snapshot = _split(kept) if kept else None
        entries = await self.read(keys, snapshot[0] - 1 if snapshot else 0)
        return Stored(snapshot, entries)

    async def recall(self, answer_key: str) -> bytes | None:
        """The kept answer of an earlier command."""
        kept: Any = await self._redis.get(answer_key)
        if kept is None:
            return None
        await self.confirm(answer_key)
        return bytes(kept)

    async def confirm(self, key: str) -> None:
        """Wait until replicas have all that was written beside a key so far; raises Unavailable if they do not.

        For answers that rest on what others have written: a commit is confirmed by itself.
        """
        if self._replicas is None:
            return
        pipe: Any = self._servers.owner(slot_of(key)).redis.pipeline(transaction=False)
        for words in self._replicas.question(key):
            pipe.execute_command(*words)
        try:
            _, confirmed = await pipe.execute()
        except (RedisError, OSError, TimeoutError):
            raise Unavailable from None
        if confirmed < self._replicas.number:
            raise Unconfirmed

    async def close(self) -> None:
        for lane in self._lanes.values():
            await lane.close()

    def _lane(self, commit: Commit) -> Lane:
        server = self._servers.owner(commit.keys.slot)
        lane = self._lanes.get(server)
        if lane is None:
            lane = self._lanes[server] = Lane(server, self._reroute, self._own, self._replicas, self.era)
        return lane

    async def _reroute(self, errands: list[Errand]) -> None:
        """Look who is to be asked now, and ask."""
        with suppress(RedisError, OSError, TimeoutError):  # what we know may still be right
            await self._servers.refresh()
        for errand in errands:
            self._lane(errand.commit).add(errand)

    async def _own(self, commit: Commit, outcome: CommitOutcome) -> CommitOutcome:
        """After a repeat: is the entry that stands where ours should be ours?"""
        if not commit.entries or not isinstance(outcome, Conflict | Kept):
            return outcome
        written = await self.read(commit.keys, commit.expected)
        ours = [raw for _, raw in written[: len(commit.entries)]] == list(commit.entries)
        return Committed(commit.expected + len(commit.entries)) if ours else outcome

    def _tidy(self) -> None:
        """Let go of the ways to servers that are no more."""
        there = self._servers.all()
        for server, lane in list(self._lanes.items()):
            if server not in there and lane.is_idle:
                del self._lanes[server]
                closing = asyncio.ensure_future(lane.close())
                self._closing.add(closing)
                closing.add_done_callback(self._closing.discard)


def parse_entries(raw: Any) -> list[tuple[int, bytes]]:
    """The answer of XRANGE as versions and entries."""
    return [(int(entry_id.split(b"-")[0]), fields[b"e"]) for entry_id, fields in raw]


def _split(snapshot: bytes) -> tuple[int, bytes]:
    version, _, body = snapshot.partition(b" ")
    return int(version), body
