"""The numbered log in Redis: reading it, and appending to it if it stands where the writer thinks."""

import asyncio
from collections.abc import Sequence
from importlib import resources
from typing import Any

import msgspec
import structlog
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import NoScriptError, RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from shared import metrics, tracing
from shared.log.keys import LogKeys
from shared.log.wire import Wire, pack_command
from shared.problems import Unavailable

_SCRIPT = resources.files(__package__).joinpath("commit.lua").read_text()
_REPLIES_WITHIN = 5.0  # seconds
_PATIENCE = 3.0  # seconds a commit may wait for Redis to come back; an embedded one needs about one
_LARGEST_BATCH = 256  # bounds how long the first commit of a batch waits for the last

_NO_VOTE = ("", "", "", b"")

log = structlog.get_logger()

AWAY = (RedisConnectionError, RedisTimeoutError, TimeoutError, OSError)


class KeptAnswer(msgspec.Struct, frozen=True, gc=False):
    """An answer to store with the commit, so that a repeat of the command gets it again."""

    key: str
    record: bytes
    ttl: int


class Vote(msgspec.Struct, frozen=True, gc=False):
    """Kept beside the log; the entries are appended by the vote that completes the ballot."""

    voter: str
    on: str
    others: Sequence[str]
    until_then: bytes = b""  # the answer's record while others have not voted


class Commit(msgspec.Struct, frozen=True, gc=False):
    """What one command writes; `timer` is the log's next deadline in ms, 0 for none, None for unchanged."""

    keys: LogKeys
    expected: int
    entries: Sequence[bytes]
    timer: int | None = None
    outbox: Sequence[bytes] = ()
    answer: KeptAnswer | None = None
    snapshot: bytes = b""
    vote: Vote | None = None


class Committed(msgspec.Struct, frozen=True, gc=False):
    """The log stands at this version now; the expected one, if a vote did not complete its ballot."""

    version: int


class Conflict(msgspec.Struct, frozen=True, gc=False):
    """The log stands at another version than the writer thought."""

    version: int


class Kept(msgspec.Struct, frozen=True, gc=False):
    """The same command was answered before, with this."""

    record: bytes


CommitOutcome = Committed | Conflict | Kept


class Stored(msgspec.Struct, frozen=True, gc=False):
    """A log as read: the cached snapshot, if any, and the entries after it."""

    snapshot: tuple[int, bytes] | None
    entries: list[tuple[int, bytes]]


class LogStore:
    """Appends and reads. Commits that are ready at the same moment share one round trip."""

    def __init__(self, redis: "Redis", writer: "Redis") -> None:
        """`writer` gives one connection of its own for the commits."""
        self._redis = redis
        self._pool = writer.connection_pool
        self._wire: Wire | None = None
        self._sha = ""
        self._waiting: list[tuple[Commit, asyncio.Future[CommitOutcome]]] = []
        self._flushing = False
        self._flights: set[asyncio.Task[None]] = set()

    def commit(self, commit: Commit) -> "asyncio.Future[CommitOutcome]":
        """Append, or learn why not; raises Unavailable when Redis stays away (the outcome is then unknown)."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[CommitOutcome] = loop.create_future()
        self._waiting.append((commit, future))
        if tracing.tracer is not None and (span := tracing.commit(commit.keys.log, commit.expected)) is not None:
            future.add_done_callback(lambda _: span.end())
        if not self._flushing:
            self._flushing = True
            loop.call_soon(self._take_off)
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
        """The latest snapshot and what came after it."""
        kept: Any = await self._redis.get(keys.snapshot)
        snapshot = _split(kept) if kept else None
        entries = await self.read(keys, snapshot[0] if snapshot else 0)
        return Stored(snapshot, entries)

    async def recall(self, answer_key: str) -> bytes | None:
        """The kept answer of an earlier command."""
        kept: Any = await self._redis.get(answer_key)
        return bytes(kept) if kept is not None else None

    def _take_off(self) -> None:
        task = asyncio.ensure_future(self._fly())
        self._flights.add(task)
        task.add_done_callback(self._flights.discard)

    async def _fly(self) -> None:
        """Send what has gathered, batch after batch, until nothing waits."""
        while self._waiting:
            batch = self._waiting[:_LARGEST_BATCH]
            del self._waiting[: len(batch)]
            try:
                outcomes = await self._send(batch)
            except Exception as error:
                failure = (
                    Unavailable("The log cannot be written just now.")
                    if isinstance(error, RedisError | TimeoutError | OSError)
                    else error
                )
                for _, future in batch:
                    if not future.done():
                        future.set_exception(failure)
                continue
            for (_, future), outcome in zip(batch, outcomes, strict=True):
                if future.done():
                    continue
                if isinstance(outcome, Exception):
                    future.set_exception(outcome)
                else:
                    future.set_result(outcome)
        self._flushing = False

    async def _send(
        self, batch: list[tuple[Commit, "asyncio.Future[CommitOutcome]"]]
    ) -> list[CommitOutcome | Exception]:
        """One round trip, repeated while Redis is away.

        A commit whose connection broke may or may not have landed. Repeating it is safe, because it names the version
        it expects; if it did land, the repeat meets its own entry in the log.
        """
        give_up = asyncio.get_running_loop().time() + _PATIENCE
        pause, repeated = 0.02, False
        while True:
            try:
                replies = await self._round_trip([commit for commit, _ in batch])
                break
            except AWAY:
                if asyncio.get_running_loop().time() + pause > give_up:
                    raise
                repeated = True
                await asyncio.sleep(pause)
                pause = min(pause * 2, 0.5)
        outcomes: list[CommitOutcome | Exception] = [_outcome(reply) for reply in replies]
        if repeated:
            for i, (commit, _) in enumerate(batch):
                outcomes[i] = await self._own(commit, outcomes[i])
        return outcomes

    async def _round_trip(self, commits: list[Commit]) -> list[Any]:
        replies = await self._evaluate(commits)
        unknown = [i for i, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
        if unknown:  # a restarted Redis has forgotten its scripts
            self._sha = ""
            for i, reply in zip(unknown, await self._evaluate([commits[i] for i in unknown]), strict=True):
                replies[i] = reply
        return replies

    async def _evaluate(self, commits: list[Commit]) -> list[Any]:
        """All commits in one write, packed in C: redis-py's pipeline costs as much as the rest of a move."""
        if self._wire is None:
            self._wire = await Wire.open(self._pool)
        wire = self._wire
        try:
            if not self._sha:
                self._sha = (await _talk(wire, [pack_command(("SCRIPT", "LOAD", _SCRIPT))]))[0].decode()
            metrics.COMMIT_BATCH.observe(len(commits))
            return await _talk(wire, [self._packed(commit) for commit in commits])
        except BaseException:
            self._wire = None
            await wire.close()
            raise

    def _packed(self, c: Commit) -> bytes:
        k, answer, vote = c.keys, c.answer, c.vote
        return pack_command(
            (
                "EVALSHA", self._sha, 6,
                k.log, k.timers, k.outbox, answer.key if answer else k.log, k.snapshot, k.ballots,
                c.expected, k.id, "" if c.timer is None else c.timer,
                answer.record if answer else b"", answer.ttl if answer else 0, c.snapshot,
                *((vote.voter, vote.on, " ".join(vote.others), vote.until_then) if vote else _NO_VOTE),
                len(c.outbox), *c.outbox, *c.entries,
            )
        )  # fmt: skip

    async def close(self) -> None:
        if self._wire is not None:
            await self._wire.close()

    async def _own(self, commit: Commit, outcome: CommitOutcome | Exception) -> CommitOutcome | Exception:
        """After a repeat: is the entry that stands where ours should be ours?"""
        if not commit.entries or not isinstance(outcome, Conflict | Kept):
            return outcome
        written = await self.read(commit.keys, commit.expected)
        ours = [raw for _, raw in written[: len(commit.entries)]] == list(commit.entries)
        return Committed(commit.expected + len(commit.entries)) if ours else outcome


async def _talk(wire: Wire, commands: list[bytes]) -> list[Any]:
    """Send commands and read as many replies."""
    async with asyncio.timeout(_REPLIES_WITHIN):
        await wire.send(b"".join(commands))
        replies: list[Any] = []
        while len(replies) < len(commands):
            replies += await wire.replies()
        return replies


def _outcome(reply: Any) -> CommitOutcome | Exception:
    if isinstance(reply, int):
        return Committed(reply) if reply >= 0 else Conflict(-1 - reply)
    if isinstance(reply, bytes):
        return Kept(reply)
    if isinstance(reply, ResponseError) and "equal or smaller" in str(reply):
        return Conflict(-1)  # a trimmed log that is ahead of the writer
    return reply if isinstance(reply, Exception) else TypeError(f"an unknown reply to a commit: {reply!r}")


def parse_entries(raw: Any) -> list[tuple[int, bytes]]:
    """The answer of XRANGE as versions and entries."""
    return [(int(entry_id.split(b"-")[0]), fields[b"e"]) for entry_id, fields in raw]


def _split(snapshot: bytes) -> tuple[int, bytes]:
    version, _, body = snapshot.partition(b" ")
    return int(version), body
