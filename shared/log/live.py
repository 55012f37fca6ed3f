"""A log as this process holds it: the state folded so far, and the streams that follow it."""

import itertools
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from shared import metrics, sse, tracing
from shared.ids import UserId
from shared.kernel import Message
from shared.log.commit import Commit, Past
from shared.log.forms import NotUnderstood
from shared.log.keys import LogKeys
from shared.log.store import LogStore
from shared.problems import Problem

# Reconnecting clients are mostly a few events behind; older cursors are served by folding the log anew.
_REMEMBERED = 64

S = TypeVar("S")
E = TypeVar("E")


class Person(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Somebody who has a stream of the log open, or has said to be away from it, or both."""

    user: UserId
    nick: str
    avatar: str | None
    online: bool = True
    away: bool = False


Here = dict[UserId, Person]


class Machine(Protocol[S, E]):
    """How one kind of log is read. Every method is pure."""

    service: str
    kind: str

    def decode(self, state: S | None, raw: bytes) -> E: ...
    def evolve(self, state: S | None, entry: E) -> S: ...
    def encode_state(self, state: S) -> bytes: ...
    def decode_state(self, raw: bytes) -> S: ...

    def perspective(self, state: S, user: UserId) -> Hashable:
        """Users with equal perspectives are sent the same bytes."""

    def regroups(self, before: S | None, after: S) -> bool:
        """May somebody's perspective have changed?"""

    def messages(
        self, log_id: str, version: int, before: S | None, entry: E, after: S, user: UserId, here: Here, now: int | None
    ) -> Sequence[Message | sse.Verbatim]:
        """What an entry tells a user; `now` is None when it has just been written, else the time when it is told."""

    def snapshot(self, log_id: str, version: int, state: S, user: UserId, here: Here, now: int) -> dict[str, Any]:
        """All that a user may see now."""

    def presence(self, state: S, here: Here) -> dict[str, Any]:
        """Who is here, as the log's followers are told."""


class Transition(msgspec.Struct, Generic[S, E], frozen=True, gc=False):
    version: int
    before: S | None
    entry: E
    after: S


def transitions(machine: Machine[S, E], entries: Iterable[tuple[int, bytes]]) -> list[Transition[S, E]]:
    """A whole log, folded from its first entry."""
    steps: list[Transition[S, E]] = []
    state: S | None = None
    for version, raw in entries:
        entry = machine.decode(state, raw)
        after = machine.evolve(state, entry)
        steps.append(Transition(version, state, entry, after))
        state = after
    return steps


class Asked(NamedTuple):
    """After which version a log is read, and in which era."""

    after: int
    era: int


class LiveLog(Generic[S, E]):
    """One gate for every entry, whether from our own commit, the doorbell or a read: its version must be the next."""

    def __init__(
        self,
        machine: Machine[S, E],
        keys: LogKeys,
        store: LogStore,
        start_over: "Callable[[LiveLog[S, E]], Awaitable[None]] | None" = None,
    ) -> None:
        """`start_over` is called for when Redis does not have what we had seen."""
        self.machine = machine
        self.keys = keys
        self.version = 0
        self.streams: dict[UserId, list[sse.Stream]] = {}
        self._audiences: dict[Hashable, list[sse.Stream]] = {}  # empty: not known
        self.people: Here = {}  # those with streams in this process
        self.visits: Counter[UserId] = Counter()  # how many streams each of them has open or opening
        self.taps: list[Callable[[Transition[S, E]], None]] = []  # what else hears of every entry
        self.losses: list[Callable[[], None]] = []  # what else hears that it goes on otherwise or elsewhere
        self.here: Here = {}  # those with streams anywhere, and those who are away
        self._state: S | None = None
        self._own: tuple[bytes, E, S] | None = None
        self._last = b""  # the entry that made this version
        self._era = 0  # in which that was seen
        self._start_over = start_over
        self._store = store
        self._past: deque[Transition[S, E]] = deque(maxlen=_REMEMBERED)
        self._lag = metrics.EVENT_LAG.labels(machine.service)

    @property
    def state(self) -> S:
        if self._state is None:  # a log is only handed out once it has an entry, but Redis may have lost all of them
            raise Problem("not_found")
        return self._state

    @property
    def is_in_doubt(self) -> bool:
        """Redis was away since: it may have lost what we know."""
        return self._era != self._store.era.now

    async def load(self) -> bool:
        """Read the whole of it; False when there is no such log."""
        self._era = self._store.era.now
        stored = await self._store.load(self.keys)
        entries = stored.entries
        if stored.snapshot:
            try:
                self._state = self.machine.decode_state(stored.snapshot[1])
                self.version = stored.snapshot[0]
            except NotUnderstood:  # only a cache, and of another release; the log may be whole
                entries = await self._store.read(self.keys, 0)
                if not entries or entries[0][0] != 1:
                    raise
        for version, raw in entries:
            if version == self.version:
                self._last = raw
            self._take(version, raw)
        return self.version > 0

    async def restart(self) -> None:
        """Forget everything and read it anew, without a moment in which nothing is known."""
        anew = LiveLog(self.machine, self.keys, self._store)
        await anew.load()
        self._become(anew)

    def ask(self) -> Asked:
        """What to read; where there is doubt, our last entry once more."""
        era = self._store.era.now
        return Asked(self.version - 1 if self.version and self._era != era else self.version, era)

    async def catch_up(self) -> bool:
        """Read what came since; True if there was anything, be it that the doorbell told of it while we read."""
        before = self.version
        asked = self.ask()
        entries = await self._store.read(self.keys, asked.after)
        return await self.accept(entries, asked) or self.version != before

    async def _jump(self) -> None:
        """Go on from the cached snapshot; what happened until then cannot be told any more."""
        ahead = LiveLog(self.machine, self.keys, self._store)
        if await ahead.load() and ahead.version > self.version:
            self._become(ahead)
            for lost in list(self.losses):
                lost()

    def _become(self, other: "LiveLog[S, E]") -> None:
        self.version, self._state, self._own, self._past = other.version, other._state, None, other._past
        self._last, self._era = other._last, other._era

    async def accept(self, entries: Sequence[tuple[int, bytes]], asked: Asked) -> bool:
        """Take entries that were read as `ask` said; those already known pass by. True if there was anything new.

        Starts over if the log has another past than ours, so that nothing is ever folded onto what was lost.
        """
        before, now = self.version, self._store.era.now
        if before and (asked.era != now or (self._era != now and asked.after != before - 1)):
            return await self.catch_up()  # too much has happened since the question
        if before and self._era != now and (not entries or entries[0] != (before, self._last)):
            await self._lost()
            return True
        if entries and entries[0][0] > self.version + 1:  # trimmed beyond what we know
            await self._jump()
            return self.version > before
        self._era = now
        for version, raw in entries:
            self.ring(version, raw)
        return self.version > before

    async def _lost(self) -> None:
        if self._start_over is None:
            await self.restart()
        else:
            await self._start_over(self)

    @property
    def past_of_commit(self) -> Past:
        """What a commit that is decided now rests on."""
        return Past(self._last, self._era, self._store.era.now)

    def ring(self, version: int, raw: bytes) -> bool:
        """Take one entry; False if entries are missing before it, or what we know is in doubt."""
        if version < self.version or (version == self.version and raw == self._last):
            return True
        if not self.version:
            self._era = self._store.era.now  # nothing is known yet that could be wrong
        elif version == self.version:
            self._era = 0  # somebody has written another entry in its place
        if version != self.version + 1 or self.is_in_doubt:
            return False
        self._take(version, raw)
        return True

    def _take(self, version: int, raw: bytes) -> None:
        if version != self.version + 1:
            return
        if self._own is not None and self._own[0] == raw:
            _, entry, after = self._own
        else:
            entry = self.machine.decode(self._state, raw)
            after = self.machine.evolve(self._state, entry)
        self._advance(version, entry, after, raw)

    def expect(self, raw: bytes, entry: E, after: S) -> None:
        """Our own commit is on its way; should the doorbell be faster than its answer, nothing need be folded twice.

        `raw` is unlike any other entry, so meeting it means that the commit landed on the state it was decided on.
        """
        self._own = (raw, entry, after)

    def landed(self, commit: Commit, steps: Iterable[tuple[E, S]]) -> None:
        """Move on by what our own commit has written."""
        for version, raw, (entry, after) in zip(
            itertools.count(commit.expected + 1), commit.entries, steps, strict=False
        ):
            if version == self.version + 1:  # else the doorbell was faster
                self._advance(version, entry, after, raw)
                if commit.past is not None:
                    self._era = commit.past.decided

    def _advance(self, version: int, entry: E, after: S, raw: bytes) -> None:
        """Move on by one entry and tell everyone who follows."""
        step = Transition(version, self._state, entry, after)
        self._past.append(step)
        self.version = version
        self._state = after
        self._last = raw
        self._own = None
        if self.streams:
            if tracing.tracer is None:
                self._tell(step)
            else:
                with tracing.told(entry, self.keys.log, version):
                    self._tell(step)
        for tap in list(self.taps):
            tap(step)

    def add(self, stream: sse.Stream) -> None:
        self.streams.setdefault(stream.user, []).append(stream)
        self._audiences.clear()

    def remove(self, stream: sse.Stream) -> None:
        self.streams[stream.user].remove(stream)
        if not self.streams[stream.user]:
            del self.streams[stream.user]
        self._audiences.clear()

    def _tell(self, step: Transition[S, E]) -> None:
        if not self._audiences or self.machine.regroups(step.before, step.after):
            self._audiences = self._grouped(step.after)
        for streams in self._audiences.values():
            told = sse.frames(step.version, self._messages(step, streams[0].user))
            if told:
                data = sse.chunk(told)
                for stream in streams:
                    stream.push(data, step.version)
        if at := metrics.decided_at(step.entry):
            self._lag.observe(metrics.since(at))

    def _grouped(self, state: S) -> dict[Hashable, list[sse.Stream]]:
        """The streams that are sent the same bytes, together."""
        audiences: dict[Hashable, list[sse.Stream]] = {}
        for user, streams in self.streams.items():
            audiences.setdefault(self.machine.perspective(state, user), []).extend(streams)
        return audiences

    def _messages(
        self, step: Transition[S, E], user: UserId, now: int | None = None
    ) -> Sequence[Message | sse.Verbatim]:
        return self.machine.messages(
            self.keys.id, step.version, step.before, step.entry, step.after, user, self.here, now
        )

    def tell_presence(self) -> None:
        data = sse.chunk(sse.frame("presence", self.machine.presence(self.state, self.here)))
        for streams in self.streams.values():
            for stream in streams:
                stream.push(data)

    async def opening(self, user: UserId, cursor: str | None, here: Here, now: int) -> bytes:
        """What a new stream starts with: what came after its cursor, or a snapshot.

        No await lies between the last look at the version and the return: nothing is lost before it follows.
        """
        wanted = sse.parse_cursor(cursor) if cursor is not None else None
        resumed = await self._since(wanted, user, now) if wanted else None
        if resumed is None:
            resumed = self.anew(user, here, now, "connect" if cursor is None else "gap")
        return sse.OPENING + resumed + sse.frame("presence", self.machine.presence(self.state, here))

    def anew(self, user: UserId, here: Here, now: int, reason: str = "gap") -> bytes:
        """All that a user may see, as if nothing had been told before."""
        view = self.machine.snapshot(self.keys.id, self.version, self.state, user, here, now)
        return sse.frame("snapshot", {**view, "reason": reason}, self.version)

    def past(self, after: int) -> list[Transition[S, E]] | None:
        """What came after a version, if that is still in memory."""
        if after < self.version and (not self._past or self._past[0].version > after + 1):
            return None
        return [step for step in self._past if step.version > after]

    async def history(self) -> list[Transition[S, E]]:
        """Every transition from the first, read anew."""
        return transitions(self.machine, await self._store.read(self.keys, 0))

    async def _since(self, cursor: sse.Cursor, user: UserId, now: int) -> bytes | None:
        """Frames after a cursor, or None if they cannot be had."""
        if cursor.version > self.version:
            return None
        first = cursor.version + 1 if cursor.k is None else cursor.version
        if first > self.version:
            return b""
        steps: list[Transition[S, E]] = []
        if not self._past or self._past[0].version > first:
            steps = await self.history()
            if not steps or steps[0].version > first:
                return None
        known = steps[-1].version if steps else 0
        steps += [step for step in self._past if step.version > known]
        if steps[-1].version != self.version:
            return None  # it moved on faster than it could be read
        parts = []
        for step in steps:
            if step.version < first:
                continue
            messages = self._messages(step, user, now)
            after = -1
            if step.version == cursor.version and cursor.k is not None:
                if cursor.k >= len(messages) - 1:
                    return None  # an id that this version never had
                after = cursor.k
            parts.append(sse.frames(step.version, messages, after))
        return b"".join(parts)
