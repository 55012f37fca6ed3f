"""Load, decide, commit: the one way a room changes."""

import asyncio
import itertools
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

import structlog
from prometheus_client import Counter
from redis.asyncio import Redis
from redis.exceptions import RedisError

from services.relay import decide
from services.relay.decide import Refusal, Ruling, Status, Terms, Verdict
from services.relay.machine import RoomLog, room_id
from services.relay.marks import Marks
from services.relay.messages import AnyMessage, one_line
from services.relay.rooms import Closed, Entry, Room, evolve
from shared import metrics, tracing
from shared.idempotency import Answer, Idempotency
from shared.ids import UserId, new_id
from shared.log.commit import Commit, CommitOutcome, Committed, Kept
from shared.log.hub import Hub
from shared.log.keys import log_keys
from shared.log.live import LiveLog
from shared.log.store import LogStore
from shared.problems import Problem, Unavailable

_ATTEMPTS = 12  # commits that may lose against a newer version before the caller is told to try again
_SNAPSHOT_EVERY = 64  # entries; folding that many takes less than a millisecond

# Unless something was appended meanwhile.
_FORGET = """
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last and last[1] ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
return 1
"""

log = structlog.get_logger()

LiveRoom = LiveLog[Room, Entry]


class Exchange:
    def __init__(
        self,
        machine: RoomLog,
        hub: Hub,
        store: LogStore,
        marks: Marks,
        redis: "Redis",
        clock: Callable[[], int],
        terms: Terms,
    ) -> None:
        self._machine = machine
        self._hub = hub
        self._store = store
        self._marks = marks
        self._redis = redis
        self._clock = clock
        self._terms = terms
        self._process = new_id()
        self._count = itertools.count()
        self._queues: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._counters: dict[str, Counter] = {}  # looking a labelled counter up costs more than counting

    async def send(self, message: AnyMessage, body: bytes, idem: Idempotency | None) -> Answer:
        """A client's message, whose sender is the caller."""
        payload = one_line(body)
        action = message.__struct_config__.tag
        return await self._submit(
            room_id(message.utouId), str(action), lambda room: decide.decide(room, message, payload), idem
        )

    async def acknowledge(self, log_id: str, taker: UserId, upto: int) -> None:
        """A player's stream has taken everything up to a version."""
        await self._submit(log_id, "acknowledge", lambda room: decide.acknowledge(room, taker, upto), None)

    async def credit(self, log_id: str, begun: int, until: int) -> None:
        """Nobody could be here during an outage, and that is held against no room."""
        self._marks.see(log_keys(self._machine.service, self._machine.kind, log_id), until)

    async def expire(self, log_id: str, leased: bool) -> None:
        """A room's timer is due: close it, or forget it, if it is time for that; else look again later."""
        live = await self._load(log_id)
        await live.catch_up()
        room, due = _state(live), 0
        if room.players:
            due = await self._vacant_at(live)
        elif room.version:
            due = decide.deadline(room, self._terms)
        if not 0 < due <= self._clock():
            await self._store.commit(Commit(live.keys, live.version, [], timer=due))
        elif room.players:
            await self._submit(log_id, "close", lambda now: decide.close(now, room.version), None)
        else:
            await self._forget(live, room.version)

    async def room(self, utou: str, user: UserId) -> LiveRoom:
        """A room as one of its players may know it, up to date; raises the 404 problem for everybody else."""
        live = await self._load(room_id(utou))
        await live.catch_up()
        if _state(live).player(user) is None:
            raise Problem("not_found", "There is no such room, or you are not in it.")
        return live

    async def view(self, utou: str, user: UserId) -> dict[str, object]:
        live = await self.room(utou, user)
        here = await self._hub.here(live)
        return self._machine.snapshot(live.keys.id, live.version, live.state, user, here, self._clock())

    async def _submit(
        self, log_id: str, name: str, command: Callable[[Room], Verdict], idem: Idempotency | None
    ) -> Answer:
        """Decide a command and append what it makes, again and again while others are faster."""
        answer = await self._attempt(log_id, name, command, idem)
        if answer is not None:
            return answer
        # A client may send many messages at once: those that met others form a queue, so that each comes through.
        queue = self._queues.setdefault(log_id, asyncio.Lock())
        async with queue:
            for _ in range(_ATTEMPTS):
                answer = await self._attempt(log_id, name, command, idem)
                if answer is not None:
                    return answer
        raise Unavailable("Too many others are acting on this room at the same moment.")

    async def _attempt(
        self, log_id: str, name: str, command: Callable[[Room], Verdict], idem: Idempotency | None
    ) -> Answer | None:
        """The answer, or None if the room was not as we thought."""
        live = await self._load(log_id)
        version, room = live.version, _state(live)
        ruling = command(room)
        no_commit = isinstance(ruling, Refusal) or not ruling.facts
        if no_commit and await live.catch_up():
            return None  # what was known was old news, which a commit would have found out
        if isinstance(ruling, Refusal):
            metrics.COMMANDS.labels(name, ruling.value).inc()
            raise Problem(ruling.value)
        forwarded = ruling.peer is not None and await self._is_here(live, ruling.peer)
        if live.version != version:
            return None
        answer = _answer(ruling, forwarded, version)
        if not ruling.facts and idem is None:
            await self._store.confirm(live.keys.log)
            return answer
        outcome = await self._commit(live, room, ruling, idem, answer)
        if isinstance(outcome, Committed):
            self._accepted(name)
            return answer
        if isinstance(outcome, Kept):
            assert idem is not None, "only an idempotent command has a kept answer"
            return idem.replay(outcome.record)
        metrics.CONFLICTS.inc()
        if 0 <= outcome.version < version:
            await self._hub.start_over(live)
        else:
            await live.catch_up()
        return None

    async def _load(self, log_id: str) -> LiveRoom:
        """The room as far as this process knows it, which may be nothing."""
        live = await self._hub.log(self._machine, log_id)
        if live is None:
            return self._hub.fresh(self._machine, log_id)
        if live.version and self._clock() - live.state.touched_at > self._terms.forget_ms:
            await live.restart()  # it may have been forgotten, and its numbers have begun anew
        return live

    async def _commit(
        self, live: LiveRoom, room: Room, ruling: Ruling, idem: Idempotency | None, answer: Answer
    ) -> CommitOutcome:
        """Append the facts, and move our own copy of the room on."""
        if not ruling.facts:
            kept = idem.keep(live.keys.partition, answer) if idem else None
            return await self._store.commit(Commit(live.keys, live.version, [], answer=kept))
        entry = Entry(tracing.signed(f"{self._process}-{next(self._count)}"), self._clock(), ruling.facts)
        after = evolve(room, entry)
        raw = self._machine.encode(entry)
        live.expect(raw, entry, after)
        closed = isinstance(ruling.facts[0], Closed)
        due = decide.deadline(after, self._terms)
        commit = Commit(
            keys=live.keys,
            expected=live.version,
            entries=[raw],
            timer=None if due == decide.deadline(room, self._terms) else due,
            answer=idem.keep(live.keys.partition, answer) if idem else None,
            snapshot=self._snapshot(after) if closed or after.version % _SNAPSHOT_EVERY == 0 else b"",
            past=live.past_of_commit,
        )
        outcome = await self._store.commit(commit)
        if isinstance(outcome, Committed):
            live.landed(commit, [(entry, after)])
            if after.version == 1:
                self._hub.hold(live)
            if closed:
                await self._sweep(live, after.version)
        return outcome

    def _snapshot(self, room: Room) -> bytes:
        return b"%d %s" % (room.version, self._machine.encode_state(room))

    async def _sweep(self, live: LiveRoom, version: int) -> None:
        """Of a closed room only its number is kept; whatever is left behind here does no harm."""
        try:
            await self._redis.xtrim(live.keys.log, minid=version, approximate=False)
            await self._marks.forget(live.keys)
        except (RedisError, OSError) as error:
            log.warning("room_not_swept", error=str(error))

    async def _forget(self, live: LiveRoom, version: int) -> None:
        """A room that was not opened again; whoever still holds it in memory finds nothing and begins anew."""
        forgotten: Any = await self._redis.eval(_FORGET, 2, live.keys.log, live.keys.snapshot, f"{version}-0")
        if forgotten:
            await self._store.commit(Commit(live.keys, 0, [], timer=0))

    async def _is_here(self, live: LiveRoom, user: UserId) -> bool:
        """Has this user a stream open, anywhere? Streams of our own are known, and those of rooms that we follow."""
        if user in live.streams or (live.streams and user in live.here):
            return True
        return user in await self._hub.here(live)

    async def _vacant_at(self, live: LiveRoom) -> int:
        """When the room will have been empty for long enough, as things stand."""
        last = max(live.state.touched_at, await self._marks.seen(live.keys))
        if await self._hub.here(live):
            last = self._clock()
        return last + self._terms.idle_ms

    def _accepted(self, name: str) -> None:
        counter = self._counters.get(name)
        if counter is None:
            counter = self._counters[name] = metrics.COMMANDS.labels(name, "accepted")
        counter.inc()


def _state(live: LiveRoom) -> Room:
    return live.state if live.version else Room()


def _answer(ruling: Ruling, forwarded: bool, version: int) -> Answer:
    status = Status.FORWARDED if forwarded else ruling.status
    reached = version + 1 if ruling.facts else version
    body = b'{"roomVersion":%d,"status":"%s","expected":%d}' % (reached, status.encode(), ruling.expected)
    return Answer(200, body)
