"""Load, decide, commit: the one way in which a log of the lobby changes, by a command, a letter or a timer."""

import asyncio
import itertools
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

import msgspec
from redis.asyncio import Redis

from services.lobby.letters import Out
from shared import bridge, metrics
from shared.ids import UserId, new_id
from shared.kernel import Message
from shared.log import forms
from shared.log.commit import Commit, Committed, Conflict, KeptAnswer
from shared.log.hub import Hub
from shared.log.keys import log_keys
from shared.log.live import Here, LiveLog, Transition
from shared.log.outbox import Letter, is_after
from shared.log.store import LogStore
from shared.problems import Unavailable

SERVICE = "lobby"
FORM = 1
"""Of entries and snapshots; raise it when a release before this one would misread what this one writes."""

_ATTEMPTS = 12  # commits that may lose against a newer version before the caller is told to try again
_SNAPSHOT_EVERY = 64
_OVER_LIVES_ON = 24 * 3600  # seconds that Redis keeps what is over

S = TypeVar("S")
F = TypeVar("F")


class Entry(msgspec.Struct, Generic[F], frozen=True, gc=False, omit_defaults=True):
    """One fact; `letter` is the partition and the place of the letter that made it."""

    id: str
    at: int
    fact: F
    letter: tuple[str, str] | None = None
    form: int = 1  # not said unless it is another


class Kind(Generic[S, F]):
    """One kind of log: how its facts and its state are written, and how the state follows from the facts.

    Nobody follows such a log by itself: users are told by their feed.
    """

    service = SERVICE
    kind = "log"

    def __init__(
        self,
        name: str,
        facts: Any,
        state: Any,
        fold: Callable[[S | None, F, int], S],
        deadline: Callable[[S], int] = lambda _: 0,
        over: Callable[[S], bool] = lambda _: False,
        kept: int | None = None,
    ) -> None:
        """`deadline` is when the state must be looked at again, 0 for never; `kept` how many entries are kept."""
        self.name = name
        self.deadline = deadline
        self.over = over
        self.kept = kept
        self._fold = fold
        self._entries = msgspec.json.Decoder(Entry[facts]).decode
        self._states = msgspec.json.Decoder(state).decode

    def id(self, name: str) -> str:
        return f"{self.name}:{name}"

    def decode(self, state: S | None, raw: bytes) -> Entry[F]:
        entry: Entry[F] = forms.entry(self._entries, raw, FORM)
        return entry

    def evolve(self, state: S | None, entry: Entry[F]) -> S:
        after: Any = self._fold(state, entry.fact, entry.at)
        if entry.letter is not None:
            partition, place = entry.letter
            after = msgspec.structs.replace(after, handled={**after.handled, partition: place})
        return after  # type: ignore[no-any-return]  # `replace` keeps the type

    def encode_state(self, state: S) -> bytes:
        return forms.stamped(bridge.write(state), FORM)

    def decode_state(self, raw: bytes) -> S:
        state: S = forms.state(self._states, raw, FORM)
        return state

    def perspective(self, state: S, user: UserId) -> Hashable:
        return None

    def regroups(self, before: S | None, after: S) -> bool:
        return False

    def messages(
        self,
        log_id: str,
        version: int,
        before: S | None,
        entry: Entry[F],
        after: S,
        user: UserId,
        here: Here,
        now: int | None,
    ) -> list[Message]:
        return []

    def snapshot(self, log_id: str, version: int, state: S, user: UserId, here: Here, now: int) -> dict[str, Any]:
        return {}

    def presence(self, state: S, here: Here) -> dict[str, Any]:
        return {}


class Decided(Generic[S, F]):
    """The facts that a decision makes, the letters that go out with them, and the answer to keep."""

    __slots__ = ("answer", "facts", "letters")

    def __init__(
        self,
        facts: Sequence[F] = (),
        letters: Sequence[Out] = (),
        answer: Callable[[S, int], KeptAnswer | None] = lambda state, version: None,
    ) -> None:
        self.facts = facts
        self.letters = letters
        self.answer = answer


class Done(msgspec.Struct, Generic[S], frozen=True):
    """The state after a decision; `kept` is the answer that the same command was given before."""

    state: S | None
    version: int
    kept: bytes | None = None


Decide = Callable[[S | None, int, int], Decided[S, F]]
"""From a log's state (None before its first entry), its version and the time; may raise a Problem."""


class Logs:
    def __init__(self, hub: Hub, store: LogStore, redis: "Redis", clock: Callable[[], int]) -> None:
        self._hub = hub
        self._store = store
        self._redis = redis
        self.clock = clock
        self._process = new_id()
        self._count = itertools.count()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def live(self, kind: Kind[S, F], name: str) -> LiveLog[S, Entry[F]] | None:
        """The log as far as this process knows it; None if there is none."""
        return await self._hub.log(kind, kind.id(name))

    async def current(self, kind: Kind[S, F], name: str) -> S | None:
        """The state of the log as it is now."""
        live = await self.live(kind, name)
        if live is None:
            return None
        await live.catch_up()
        return live.state if live.version else None

    async def followed(
        self,
        kind: Kind[S, F],
        name: str,
        hear: Callable[[Transition[S, Entry[F]]], None],
        lost: Callable[[], None],
    ) -> tuple[LiveLog[S, Entry[F]], Callable[[], None]]:
        """The log, up to date and heard from now on, even if it has no entry yet; and how to end that.

        `lost` is called should what was heard have been lost.
        """
        live = await self.live(kind, name)
        if live is None:
            live = self._hub.hold(self._hub.fresh(kind, kind.id(name)))
        return live, await self._hub.tap(live, hear, lost)

    async def missing(self, kind: Kind[S, F], names: Collection[str]) -> set[str]:
        """Those of which there is no log, asked for in one round trip."""
        if not names:
            return set()
        asked = sorted(set(names))
        pipe = self._redis.pipeline(transaction=False)
        for name in asked:
            pipe.exists(log_keys(kind.service, kind.kind, kind.id(name)).log)
        return {name for name, found in zip(asked, await pipe.execute(), strict=True) if not found}

    async def since(self, kind: Kind[S, F], name: str, after: int) -> list[tuple[int, Entry[F]]] | None:
        """The entries after a version; None if they are not kept any more."""
        keys = log_keys(kind.service, kind.kind, kind.id(name))
        read = await self._store.read(keys, after)
        if read and read[0][0] != after + 1:
            return None
        return [(version, kind.decode(None, raw)) for version, raw in read]

    async def kept(self, kind: Kind[S, F], name: str) -> list[tuple[int, Entry[F]]]:
        """Every entry that is kept."""
        keys = log_keys(kind.service, kind.kind, kind.id(name))
        return [(version, kind.decode(None, raw)) for version, raw in await self._store.read(keys, 0)]

    async def submit(self, kind: Kind[S, F], name: str, decide: Decide[S, F], letter: Letter | None = None) -> Done[S]:
        """Decide and append what that makes, again while others are faster; a repeated letter does nothing."""
        async with self._turns.setdefault(kind.id(name), asyncio.Lock()):
            live = await self.live(kind, name)
            for attempt in range(_ATTEMPTS):
                if live is None:
                    live = self._hub.fresh(kind, kind.id(name))
                done = await self._attempt(kind, live, decide, letter)
                if done is not None:
                    return done
                metrics.CONFLICTS.inc()
                await asyncio.sleep(0.001 * attempt)
                await live.catch_up()
        raise Unavailable("Too many others are acting on this at the same moment.")

    async def _attempt(
        self, kind: Kind[S, F], live: LiveLog[S, Entry[F]], decide: Decide[S, F], letter: Letter | None
    ) -> Done[S] | None:
        """None if what was known was old news."""
        version = live.version
        state = live.state if version else None
        if letter is not None and state is not None and _is_repeat(state, letter):
            await self._store.confirm(live.keys.log)
            return Done(state, version)
        now = self.clock()
        try:
            decided = decide(state, version, now)
        except Exception:  # a refusal, whatever its kind, counts only if it was decided on the latest news
            if await live.catch_up():
                return None
            raise
        if not decided.facts:
            if await live.catch_up():
                return None
            await self._answer_only(live, decided.letters)
            await self._store.confirm(live.keys.log)
            return Done(state, version)
        entries = self._entries(decided.facts, now, letter)
        states: list[S] = []
        for entry in entries:
            states.append(kind.evolve(states[-1] if states else state, entry))
        outcome = await self._commit(kind, live, state, states, entries, decided)
        if isinstance(outcome, bytes):
            return Done(state, version, outcome)
        if outcome is None:
            return None
        self._hub.hold(live)
        await self._tidy(kind, live, states[-1], outcome // _SNAPSHOT_EVERY > version // _SNAPSHOT_EVERY)
        return Done(states[-1], outcome)

    async def _commit(
        self,
        kind: Kind[S, F],
        live: LiveLog[S, Entry[F]],
        before: S | None,
        states: list[S],
        entries: list[Entry[F]],
        decided: Decided[S, F],
    ) -> int | bytes | None:
        """Append, and move our own copy of the log on."""
        after, version = states[-1], live.version + len(entries)
        due = kind.deadline(after)
        unchanged = before is not None and kind.deadline(before) == due
        snapshot = version // _SNAPSHOT_EVERY > live.version // _SNAPSHOT_EVERY
        commit = Commit(
            keys=live.keys,
            expected=live.version,
            entries=[bridge.write(entry) for entry in entries],
            timer=None if unchanged else due,
            outbox=[envelope(to, version, body) for to, body in decided.letters],
            answer=decided.answer(after, version),
            snapshot=b"%d %s" % (version, kind.encode_state(after)) if snapshot else b"",
            past=live.past_of_commit,
        )
        outcome = await self._store.commit(commit)
        if isinstance(outcome, Committed):
            live.landed(commit, zip(entries, states, strict=True))
            return outcome.version
        if isinstance(outcome, Conflict) and 0 <= outcome.version < live.version:
            await self._hub.start_over(live)
        return getattr(outcome, "record", None)

    async def _answer_only(self, live: LiveLog[S, Entry[F]], letters: Sequence[Out]) -> None:
        """A decision that changes nothing here may still have to be told."""
        if letters:
            outbox = [envelope(to, live.version, body) for to, body in letters]
            await self._store.commit(Commit(live.keys, live.version, [], outbox=outbox))

    def _entries(self, facts: Sequence[F], now: int, letter: Letter | None) -> list[Entry[F]]:
        last = len(facts) - 1
        source = (letter.partition, letter.place) if letter else None
        return [
            Entry(f"{self._process}-{next(self._count)}", now, fact, source if i == last else None, FORM)
            for i, fact in enumerate(facts)
        ]

    async def _tidy(self, kind: Kind[S, F], live: LiveLog[S, Entry[F]], state: S, snapped: bool) -> None:
        """Let go of what nobody will read again; should we die before, that costs some memory only."""
        if kind.over(state):
            await self._redis.expire(live.keys.log, _OVER_LIVES_ON)
            await self._redis.expire(live.keys.snapshot, _OVER_LIVES_ON)
        elif kind.kept and snapped and live.version > kind.kept:
            await self._redis.xtrim(live.keys.log, minid=f"{live.version - kind.kept}-0", approximate=False)

    async def right_timer(self, kind: Kind[S, F], name: str) -> None:
        """Set a log's timer to what its state says, after a change of settings or a loss of data."""
        live = await self.live(kind, name) or self._hub.fresh(kind, kind.id(name))
        due = kind.deadline(live.state) if live.version else 0
        await self._store.commit(Commit(live.keys, live.version, [], timer=due))


def envelope(to: str, version: int, body: Any) -> bytes:
    return bridge.write(bridge.Envelope(to, version, msgspec.Raw(bridge.write(body))))


def _is_repeat(state: Any, letter: Letter) -> bool:
    last = state.handled.get(letter.partition)
    return last is not None and not is_after(letter.place, last)
