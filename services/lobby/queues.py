"""The queues: each is a log that decides who is matched and whose search is cancelled."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeAlias, assert_never

import msgspec

from services.lobby import matching
from services.lobby.channels import FREE
from services.lobby.letters import CancelFind, Find, Granted, MatchMade, Out, Step, Ticket, ToQueue, to_user
from services.lobby.logs import FORM, SERVICE, Entry, envelope
from services.lobby.matching import Combo, Match, Tickets
from shared import bridge, metrics
from shared.ids import UserId, derived_id, new_id
from shared.log import forms
from shared.log.commit import Commit, Committed, Conflict, Past
from shared.log.keys import LogKeys, log_keys
from shared.log.outbox import Letter, is_after
from shared.log.store import LogStore
from shared.problems import Unavailable

_ATTEMPTS = 12
_LETTERS_ARRIVE_WITHIN = 1.0  # seconds for which somebody who looks waits for what was answered before
_LOOKS = 50  # at the queue, within that time
_SNAPSHOT_EVERY = 256  # entries, and as many as there are tickets
_LOOKS_EVERY_MS = 250  # windows that widen within this are looked at together
_COUNTED_EVERY_MS = 15_000  # a queue in which somebody waits is looked at this often, if only to be counted
_KIND = "queue"


class Added(msgspec.Struct, frozen=True, gc=False, tag="added"):
    ticket: Ticket


class Cancelled(msgspec.Struct, frozen=True, gc=False, tag="cancelled"):
    ticket: str


class Paired(msgspec.Struct, frozen=True, gc=False, tag="paired"):
    tickets: tuple[str, ...]
    combo: Combo


QueueFact: TypeAlias = Added | Cancelled | Paired


class _Snapshot(msgspec.Struct, frozen=True, gc=False):
    tickets: list[Ticket]
    recent: list[int]
    handled: dict[str, str]


_entry = msgspec.json.Decoder(Entry[QueueFact]).decode
_snapshot = msgspec.json.Decoder(_Snapshot).decode
_letter = msgspec.json.Decoder(ToQueue)


class Draft:
    """What a batch of letters does to a queue; it can be taken back until it is committed."""

    def __init__(self, tickets: Tickets, now: int, process: str) -> None:
        self.tickets = tickets
        self.now = now
        self.entries: list[Entry[QueueFact]] = []
        self.letters: list[Out] = []
        self.waited: list[tuple[str, int]] = []  # game type, ms
        self._process = process
        self._undo: list[Callable[[], Any]] = []

    def take(self, command: ToQueue, source: tuple[str, str]) -> None:
        match command:
            case Find(ticket=ticket):
                if ticket.id not in self.tickets.by_id:
                    self._add(ticket, source)
                    if found := matching.match_with(self.tickets, ticket, self.now):
                        self.pair(found)
            case CancelFind(ticket=ticket_id, who=who, ask=ask):
                # One that is not there has been matched, and its channel hears of that.
                if ticket_id in self.tickets.by_id:
                    self._remove(ticket_id)
                    self._write(Cancelled(ticket_id), source)
                    self.letters.append(to_user(who, Granted(who.channel, ask, (Step("E12", FREE),))))
            case _:
                assert_never(command)

    def pair(self, match: Match) -> None:
        ids = tuple(ticket.id for ticket in match.tickets)
        game_type, _, bet = match.combo
        for ticket in match.tickets:
            self._remove(ticket.id)
            self.waited.append((game_type, max(0, self.now - ticket.since)))
            self.tickets.recent.append(self.waited[-1][1])
        self._write(Paired(ids, match.combo))
        currency = match.tickets[0].currencies.get(game_type) if bet else None
        players = tuple(ticket.who for ticket in match.tickets)
        self.letters.append((f"table:{derived_id('match', *ids)}", MatchMade(game_type, bet, currency, players, ids)))

    def take_back(self) -> None:
        for undo in reversed(self._undo):
            undo()

    def _add(self, ticket: Ticket, source: tuple[str, str]) -> None:
        self.tickets.add(ticket)
        self._undo.append(lambda: self.tickets.remove(ticket.id))
        self._write(Added(ticket), source)

    def _remove(self, ticket_id: str) -> None:
        ticket = self.tickets.remove(ticket_id)
        self._undo.append(lambda: self.tickets.add(ticket))

    def _write(self, fact: QueueFact, source: tuple[str, str] | None = None) -> None:
        self.entries.append(Entry(f"{self._process}-{new_id()}", self.now, fact, source, FORM))


class Queue:
    """One queue as this process knows it."""

    def __init__(self, name: str, store: LogStore) -> None:
        self.keys: LogKeys = log_keys(SERVICE, "log", f"{_KIND}:{name}")
        self.tickets = Tickets()
        self.version = 0
        self.handled: dict[str, str] = {}
        self.looked_at = 0  # until when widening windows have been looked at; this process need not have done all
        self.counted_at = 0  # when we last looked as the one who has the lease
        self.turn = asyncio.Lock()
        self._store = store
        self._last, self._era = b"", 0
        self._sent: dict[str, float] = {}  # tickets on their way here from this process, the oldest first

    @property
    def past(self) -> Past:
        return Past(self._last, self._era, self._store.era.now)

    @property
    def is_known(self) -> bool:
        """Nobody can have lost what was read since the last break."""
        return self.version > 0 and self._era == self._store.era.now

    def on_their_way(self) -> set[str]:
        now = asyncio.get_running_loop().time()
        while self._sent and now - next(iter(self._sent.values())) > _LETTERS_ARRIVE_WITHIN:
            del self._sent[next(iter(self._sent))]  # another process has taken it in, and we have not looked since
        return {*self._sent}

    def expect(self, ticket_id: str) -> None:
        self.on_their_way()
        self._sent[ticket_id] = asyncio.get_running_loop().time()

    async def catch_up(self) -> bool:
        """Read what came since; True if there was anything, or may have been."""
        before = self.version if self.is_known else None
        entries = await self._store.read(self.keys, self.version) if self.is_known else None
        if entries is None or self._lacks_some_before(entries):
            entries = await self._begin_anew()
            if self._lacks_some_before(entries):  # let go of after the snapshot was read: there is another by now
                self.forget()
                raise Unavailable("This queue changes too fast to be read.")
        for version, raw in entries:
            if version > self.version:
                self._apply(version, forms.entry(_entry, raw, FORM))
            if version == self.version:
                self._last = raw
        return self.version != before

    def _lacks_some_before(self, entries: list[tuple[int, bytes]]) -> bool:
        """Is there a gap between what is known and these, because the log was trimmed?"""
        return bool(entries) and entries[0][0] > self.version + 1

    async def _begin_anew(self) -> list[tuple[int, bytes]]:
        """Go back to the cached snapshot; answers what came after it."""
        self.forget()
        self._era = self._store.era.now
        stored = await self._store.load(self.keys)
        if stored.snapshot:
            self._restore(*stored.snapshot)
        return stored.entries

    def snapshot(self, entries: list[Entry[QueueFact]]) -> bytes:
        """The queue as it is once these are committed."""
        handled = {**self.handled, **dict(entry.letter for entry in entries if entry.letter)}
        kept = _Snapshot(list(self.tickets.by_id.values()), list(self.tickets.recent), handled)
        return forms.stamped(bridge.write(kept), FORM)

    def forget(self) -> None:
        """What is known may be wrong: read it anew next time."""
        self.tickets, self.version, self.handled, self.looked_at = Tickets(), 0, {}, 0

    def committed(self, version: int, entries: list[Entry[QueueFact]]) -> None:
        self.version = version
        if entries:
            self._last = bridge.write(entries[-1])
        for entry in entries:
            self._mark(entry)

    def is_repeat(self, letter: Letter) -> bool:
        last = self.handled.get(letter.partition)
        return last is not None and not is_after(letter.place, last)

    def _restore(self, version: int, raw: bytes) -> None:
        kept = forms.state(_snapshot, raw, FORM)
        self.version, self.handled = version, kept.handled
        self.tickets.recent.extend(kept.recent)
        for ticket in kept.tickets:
            self.tickets.add(ticket)

    def _apply(self, version: int, entry: Entry[QueueFact]) -> None:
        match entry.fact:
            case Added(ticket=ticket):
                self.tickets.add(ticket)
            case Cancelled(ticket=ticket_id):
                self.tickets.remove(ticket_id)
            case Paired(tickets=ids):
                for ticket_id in ids:
                    self.tickets.recent.append(max(0, entry.at - self.tickets.remove(ticket_id).since))
            case _:
                assert_never(entry.fact)
        self.version = version
        self._mark(entry)

    def _mark(self, entry: Entry[QueueFact]) -> None:
        if isinstance(entry.fact, Added):
            self._sent.pop(entry.fact.ticket.id, None)
        if entry.letter is not None:
            partition, place = entry.letter
            self.handled[partition] = place


class Queues:
    def __init__(self, store: LogStore, redis: Any, clock: Callable[[], int]) -> None:
        self._store = store
        self._redis = redis
        self._clock = clock
        self._process = new_id()
        self._held: dict[str, Queue] = {}
        self._shown: set[str] = set()  # game types for which somebody has waited here

    async def deliver(self, name: str, letters: list[tuple[Letter, bytes]]) -> None:
        """Outbox handler: searches and cancellations, all in one commit."""
        decoded = [(letter, _letter.decode(body)) for letter, body in letters]

        def work(queue: Queue, draft: Draft) -> None:
            for letter, command in decoded:
                if not queue.is_repeat(letter):
                    draft.take(command, (letter.partition, letter.place))

        await self._submit(name, work)

    async def expire(self, name: str, in_charge: bool) -> None:
        """Windows have widened: serve whom that helps, the oldest first. Who is in charge counts those who wait."""

        def work(queue: Queue, draft: Draft) -> None:
            for ticket in queue.tickets.widened(queue.looked_at, draft.now):
                still_there = ticket.id in queue.tickets.by_id
                if still_there and (found := matching.match_for(queue.tickets, ticket, draft.now)):
                    draft.pair(found)

        queue = await self._submit(name, work, always=True)
        queue.looked_at = max(queue.looked_at, self._clock() - _LOOKS_EVERY_MS)
        queue.counted_at = self._clock() if in_charge else 0
        for game_type in queue.tickets.by_type.keys() - self._shown:
            self._shown.add(game_type)
            metrics.QUEUED.labels(game_type).set_function(partial(self._waiting, game_type))

    def _waiting(self, game_type: str) -> int:
        """In the queues that are ours to count: each is one replica's, so that the sum over all is the truth."""
        since = self._clock() - 2 * _COUNTED_EVERY_MS
        return sum(queue.tickets.by_type[game_type] for queue in self._held.values() if queue.counted_at > since)

    def expect(self, name: str, ticket_id: str) -> None:
        """A search is about to be answered: whoever looks after that wants to see it."""
        self._queue(name).expect(ticket_id)

    async def show(self, name: str, user: UserId, searches: Callable[[], Awaitable[set[str]]]) -> dict[str, Any]:
        """How many wait for what, how long it took lately, and how the caller's own search stands.

        `searches` are those that the caller has been told of, wherever: they may still be on their way here.
        """
        queue = self._queue(name)
        sent = queue.on_their_way()
        for _ in range(_LOOKS):
            async with queue.turn:
                await queue.catch_up()
            if not (sent & queue.on_their_way() or await searches() - queue.tickets.by_id.keys()):
                break
            await asyncio.sleep(_LETTERS_ARRIVE_WITHIN / _LOOKS)
        if not queue.version and not queue.on_their_way():
            self._held.pop(name, None)  # nobody has ever searched there, and anyone can think of another name
        tickets, now = queue.tickets, self._clock()
        mine = tickets.of_user(user)
        recent = tickets.recent
        return {
            "name": name,
            "waiting": len(tickets.by_id),
            "criteria": [
                {"game_type": combo[0], "num_seats": combo[1], "cash_bet": combo[2], "waiting": n}
                for combo, n in tickets.waiting().items()
            ],
            "recent_wait_ms": sum(recent) // len(recent) if recent else None,
            "mine": mine
            and {
                "channel": mine.who.channel,
                "waited_ms": max(0, now - mine.since),
                "reason": matching.why_not(tickets, mine, now),
            },
        }

    def _queue(self, name: str) -> Queue:
        if name not in self._held:
            self._held[name] = Queue(name, self._store)
        return self._held[name]

    async def _submit(self, name: str, work: Callable[[Queue, Draft], None], always: bool = False) -> Queue:
        """Load, decide, commit; what was decided on old news is taken back and decided again."""
        queue = self._queue(name)
        async with queue.turn:
            if not queue.is_known or always:
                await queue.catch_up()
            for attempt in range(_ATTEMPTS):
                draft = Draft(queue.tickets, self._clock(), self._process)
                work(queue, draft)
                if not draft.entries and not always:
                    if await queue.catch_up():
                        continue  # what was known was old news
                    await self._store.confirm(queue.keys.log)
                    return queue
                outcome = await self._commit(queue, draft)
                if outcome is not None:
                    queue.committed(outcome, draft.entries)
                    for game_type, ms in draft.waited:
                        metrics.QUEUE_WAIT.labels(game_type).observe(ms / 1000)
                    return queue
                draft.take_back()
                metrics.CONFLICTS.inc()
                await asyncio.sleep(0.002 * attempt)
                await queue.catch_up()
        raise Unavailable("Too many others are acting on this queue at the same moment.")

    async def _commit(self, queue: Queue, draft: Draft) -> int | None:
        version = queue.version + len(draft.entries)
        every = max(_SNAPSHOT_EVERY, len(queue.tickets.by_id))
        snapshot = version // every > queue.version // every
        due = queue.tickets.widens_next(draft.now)
        if due is None and queue.tickets.by_id:
            due = draft.now + _COUNTED_EVERY_MS
        try:
            outcome = await self._store.commit(
                Commit(
                    keys=queue.keys,
                    expected=queue.version,
                    entries=[bridge.write(entry) for entry in draft.entries],
                    timer=0 if due is None else max(due, draft.now + _LOOKS_EVERY_MS),
                    outbox=[envelope(to, version, body) for to, body in draft.letters],
                    snapshot=b"%d %s" % (version, queue.snapshot(draft.entries)) if snapshot else b"",
                    past=queue.past,
                )
            )
        except BaseException:
            queue.forget()  # whether it landed is not known
            raise
        if isinstance(outcome, Conflict) and 0 <= outcome.version < queue.version:
            queue.forget()  # Redis has lost what we had seen
        if not isinstance(outcome, Committed):
            return None
        if snapshot:
            await self._redis.xtrim(queue.keys.log, minid=f"{version - every}-0", approximate=False)
        return outcome.version
