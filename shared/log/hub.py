"""Every log that this process holds, and the streams that follow them."""

import asyncio
import itertools
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

import msgspec
import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from shared import metrics, sse
from shared.ids import UserId
from shared.log import presence
from shared.log.doorbell import Doorbell
from shared.log.forms import NotUnderstood
from shared.log.keys import log_keys
from shared.log.live import Asked, Here, LiveLog, Machine, Person, Transition
from shared.log.store import LogStore, parse_entries

_HELD = 20_000  # logs kept in memory without a follower
_BEATS = 12  # a stream is in one of these groups and hears from us each time its second comes round
_SETTLE = 0.1  # seconds in which changes of presence are gathered into one event

log = structlog.get_logger()

S = TypeVar("S")
E = TypeVar("E")
AnyLive = LiveLog[Any, Any]
Opening = Callable[[AnyLive, Here], Awaitable[bytes]]


class Hub:
    """Holds live logs, hears the doorbell for those with followers, mends gaps, keeps streams warm, drains them."""

    def __init__(self, redis: "Redis", store: LogStore, doorbell: Doorbell, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._redis = redis
        self._store = store
        self._doorbell = doorbell
        self._presence = presence.Presence(clock)
        self._held: OrderedDict[tuple[str, str], AnyLive] = OrderedDict()
        self._loading: dict[tuple[str, str], asyncio.Future[AnyLive | None]] = {}
        self._followed: dict[str, tuple[AnyLive, int]] = {}  # log key → log, group
        self._tasks: set[asyncio.Task[None]] = set()
        self._looking: dict[str, asyncio.TimerHandle] = {}  # by log: when we look who is here
        self._leaving: list[tuple[AnyLive, Person]] = []
        self._settled = False
        self._mending: dict[str, bool] = {}  # log key → it rang again meanwhile
        self._groups = 0
        self.others: set[sse.Stream] = set()  # streams that follow no single log, to be closed with the rest
        self.draining = False
        self._opened_otherwise: set[sse.Stream] = set()  # these begin by more than a snapshot
        doorbell.on_loss(store.era.end)
        doorbell.on_return(self._mend_all)

    # -- logs ---------------------------------------------------------------------------------------------

    async def log(self, machine: Machine[S, E], log_id: str) -> LiveLog[S, E] | None:
        """The log as far as this process knows it, read if it is not held; None if there is none."""
        key = (machine.kind, log_id)
        held = self._held.get(key)
        if held is not None and (held.version or held.keys.log in self._followed):
            self._held.move_to_end(key)
            return held
        loading = self._loading.get(key)
        if loading is not None and (found := await asyncio.shield(loading)) is not None:
            return found
        # What others were told before we asked may no longer be so: there may be one by now.
        loading = asyncio.ensure_future(self._load(machine, log_id))
        self._loading[key] = loading
        loading.add_done_callback(lambda _: self._loading.pop(key, None))
        return await asyncio.shield(loading)

    def fresh(self, machine: Machine[S, E], log_id: str) -> LiveLog[S, E]:
        """A log that is about to get its first entry."""
        return LiveLog(machine, log_keys(machine.service, machine.kind, log_id), self._store, self.start_over)

    def hold(self, live: AnyLive) -> AnyLive:
        """Keep a log in memory; answers the one that is kept, should another have been faster."""
        held = self._held.setdefault((live.machine.kind, live.keys.id), live)
        if len(self._held) > _HELD:
            idle = (key for key, each in self._held.items() if each.keys.log not in self._followed)
            for key in list(itertools.islice(idle, _HELD // 10)):
                del self._held[key]
        return held

    async def start_over(self, live: AnyLive) -> None:
        """Redis has lost what we had seen (a replica was promoted too soon): forget it, and tell everyone anew."""
        before = live.version
        await live.restart()
        log.error("log_lost_entries", log=live.keys.log, before=before, now=live.version)
        if not live.version:
            self._held.pop((live.machine.kind, live.keys.id), None)
        for user, streams in live.streams.items():
            for stream in streams:
                if live.version and stream not in self._opened_otherwise:
                    stream.push(sse.chunk(live.anew(user, live.here, self._clock())), live.version)
                else:
                    stream.close()
        for lost in list(live.losses):
            lost()

    async def _load(self, machine: Machine[Any, Any], log_id: str) -> AnyLive | None:
        live = self.fresh(machine, log_id)
        if not await live.load():
            return None
        return self.hold(live)

    # -- streams ------------------------------------------------------------------------------------------

    async def follow(
        self, live: AnyLive, person: Person, cursor: str | None, opening: Opening | None = None
    ) -> sse.EventStream:
        """An open stream of a log: what its cursor asks for, or an opening of the caller's; then all as it happens."""
        key = live.keys.log
        live = self._heard(live)
        first = not live.visits
        newly = person.user not in live.visits
        live.visits[person.user] += 1
        live.people[person.user] = person
        try:
            await self._doorbell.ready(key)
            here = await self._arrive(live, person, first, newly)
            begins = opening(live, here) if opening else live.opening(person.user, cursor, here, self._clock())
            stream = sse.Stream(person.user, sse.chunk(await begins))
            if opening:
                self._opened_otherwise.add(stream)
            live.add(stream)
        except BaseException:
            self._release(live, person.user)
            raise
        if self.draining:
            stream.close()
        return sse.EventStream(stream, lambda: self._leave(live, stream))

    async def tap(
        self, live: LiveLog[S, E], hear: Callable[[Transition[S, E]], None], lost: Callable[[], None] = lambda: None
    ) -> Callable[[], None]:
        """Let a function hear of every entry from now on; answers how to end that. The log is then up to date.

        `lost` is called should Redis have lost what was heard, or should this release not be able to read on.
        """
        live = self._heard(live)
        live.taps.append(hear)
        live.losses.append(lost)

        def end() -> None:
            live.taps.remove(hear)
            live.losses.remove(lost)
            self._unheard(live)

        try:
            await self._doorbell.ready(live.keys.log)
            await live.catch_up()
        except BaseException:
            end()
            raise
        return end

    def _heard(self, live: LiveLog[S, E]) -> LiveLog[S, E]:
        """Hear the log's doorbell; answers the log that is heard already, if so."""
        key = live.keys.log
        if key not in self._followed:
            self._groups += 1
            self._followed[key] = (live, self._groups % _BEATS)
            self._doorbell.add(key, lambda payload: self._rung(live, payload))
        return self._followed[key][0]

    def _unheard(self, live: AnyLive) -> None:
        if not live.visits and not live.taps:
            del self._followed[live.keys.log]
            self._doorbell.drop(live.keys.log)

    def _leave(self, live: AnyLive, stream: sse.Stream) -> None:
        live.remove(stream)
        self._opened_otherwise.discard(stream)
        self._release(live, stream.user)

    def _release(self, live: AnyLive, user: UserId) -> None:
        """A stream is gone, or never came to be."""
        live.visits[user] -= 1
        if not live.visits[user]:
            del live.visits[user]
            self._leaving.append((live, live.people.pop(user)))
            if len(self._leaving) == 1:
                self._spawn(self._depart())
        self._unheard(live)

    def _rung(self, live: AnyLive, payload: bytes) -> None:
        if self._settled:
            return
        if payload == presence.BELL:
            self._settle(live)
            return
        version, _, raw = payload.partition(b" ")
        try:
            if not live.ring(int(version), raw):
                self._spawn(self._mend(live))
        except NotUnderstood:
            self._give_up(live)

    async def _mend(self, live: AnyLive) -> None:
        """Read what the doorbell missed, once more if it rings meanwhile."""
        key = live.keys.log
        if key in self._mending:
            self._mending[key] = True
            return
        again = True
        while again:
            self._mending[key] = False
            try:
                if await live.catch_up():
                    metrics.GAPS.inc()
            except NotUnderstood:
                self._give_up(live)
            finally:
                again = self._mending.pop(key)

    async def _take(self, live: AnyLive, entries: list[tuple[int, bytes]], asked: Asked) -> None:
        """What the doorbell missed."""
        try:
            if await live.accept(entries, asked):
                metrics.GAPS.inc()
        except NotUnderstood:
            self._give_up(live)

    def _give_up(self, live: AnyLive) -> None:
        """A newer release has written here: let those who follow go to a replica that can read on."""
        log.warning("entry_not_understood", log=live.keys.log, after=live.version)
        for streams in live.streams.values():
            for stream in streams:
                stream.close()
        for lost in list(live.losses):
            lost()

    async def _mend_all(self) -> None:
        await self._beat([live for live, _ in self._followed.values()])

    # -- presence -----------------------------------------------------------------------------------------

    async def _arrive(self, live: AnyLive, person: Person, first: bool, newly: bool) -> Here:
        """Say that somebody is here and catch up, in one round trip; answers who is here."""
        pipe = self._redis.pipeline(transaction=False)
        self._presence.say(pipe, live.keys, [person])
        if newly:
            self._presence.ring(pipe, live.keys)
        if first:  # later ones need not ask: the doorbell has kept us informed
            self._presence.ask(pipe, live.keys)
        asked = live.ask()
        pipe.xrange(live.keys.log, f"({asked.after}-0", "+")
        *_, present, entries = await pipe.execute()
        await live.accept(parse_entries(entries), asked)
        if first:
            live.here = self._presence.heard(present)
        known = live.here.get(person.user)
        return {**live.here, person.user: msgspec.structs.replace(person, away=known.away) if known else person}

    async def _depart(self) -> None:
        """Say who is no longer here; many may go at once, with whatever stood between us and them."""
        leaving, self._leaving = self._leaving, []
        pipe = self._redis.pipeline(transaction=False)
        left = set()
        for live, person in leaving:
            if person.user not in live.people:  # else back already
                self._presence.take_back(pipe, live.keys, person)
                left.add(live)
        for live in left:
            self._presence.ring(pipe, live.keys)
        await pipe.execute()

    async def mark_away(self, live: AnyLive, user: UserId, away: bool) -> None:
        """Note that somebody has left for a while, or is back, and let everyone know."""
        pipe = self._redis.pipeline(transaction=False)
        self._presence.mark(pipe, live.keys, user, away)
        self._presence.ring(pipe, live.keys)
        await pipe.execute()

    async def here(self, live: AnyLive) -> Here:
        """Who has a stream of this log open anywhere; catches up by the way."""
        pipe = self._redis.pipeline(transaction=False)
        self._presence.ask(pipe, live.keys)
        asked = live.ask()
        pipe.xrange(live.keys.log, f"({asked.after}-0", "+")
        present, entries = await pipe.execute()
        await live.accept(parse_entries(entries), asked)
        return self._presence.heard(present)

    def _settle(self, live: AnyLive) -> None:
        """Look who is here a moment from now, once for all changes until then."""
        key = live.keys.log
        if key not in self._looking:
            look = asyncio.get_running_loop().call_later(_SETTLE, lambda: self._spawn(self._look_round(live)))
            self._looking[key] = look

    async def _look_round(self, live: AnyLive) -> None:
        del self._looking[live.keys.log]
        self._seen(live, await self.here(live))

    def _seen(self, live: AnyLive, here: Here) -> None:
        if here != live.here:
            live.here = here
            if live.version:
                live.tell_presence()

    # -- heartbeat and drain ------------------------------------------------------------------------------

    async def run(self) -> None:
        """Each second, let one group of logs hear from us and compare them with the truth."""
        second = 0
        while True:
            await asyncio.sleep(1)
            second += 1
            due = [live for live, group in self._followed.values() if group == second % _BEATS]
            for live in due:
                for streams in live.streams.values():
                    for stream in streams:
                        stream.push(sse.HEARTBEAT)
            try:
                await self._beat(due)
            except (RedisError, OSError) as error:
                log.warning("heartbeat_missed", error=str(error))
            except Exception:  # of one log; the others' streams go on being kept warm
                log.exception("heartbeat_failed")

    async def _beat(self, lives: list[AnyLive]) -> None:
        """Renew the word that our people are here, see who else is, and mend what the doorbell missed."""
        tapped = [live for live in lives if live.taps]
        asked = [live.ask() for live in tapped]
        reading = [(live.keys, each.after) for live, each in zip(tapped, asked, strict=True)]
        logs = await self._store.read_many(reading) if tapped else []
        for live, each, news in zip(tapped, asked, logs, strict=True):
            await self._take(live, news, each)
        lives = [live for live in lives if live.people]
        if not lives:
            return
        pipe = self._redis.pipeline(transaction=False)
        asked = [live.ask() for live in lives]
        for live, each in zip(lives, asked, strict=True):
            self._presence.say(pipe, live.keys, live.people.values())
            self._presence.ask(pipe, live.keys)
            pipe.xrange(live.keys.log, f"({each.after}-0", "+")
        replies = zip(*[iter(await pipe.execute())] * 4, strict=True)
        for live, each, (_, _, present, entries) in zip(lives, asked, replies, strict=True):
            await self._take(live, parse_entries(entries), each)
            self._seen(live, self._presence.heard(present))

    async def drain(self, seconds: float) -> None:
        """Close every stream, spread over the time given, so that their clients do not all come back at once."""
        self.draining = True
        streams = [s for live, _ in self._followed.values() for group in live.streams.values() for s in group]
        streams += self.others
        for i, stream in enumerate(streams):
            stream.close()
            if i % 50 == 49:
                await asyncio.sleep(seconds * 50 / len(streams))

    async def settle(self) -> None:
        """Wait for what was begun in the background; whatever rings from now on is for others."""
        self._settled = True
        for look in self._looking.values():
            look.cancel()
        while self._tasks:
            await asyncio.gather(*self._tasks)

    def _spawn(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(_quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _quietly(work: Awaitable[None]) -> None:
    """Redis being away is mended by the next heartbeat, which also notices an entry that we cannot read."""
    with suppress(RedisError, OSError, NotUnderstood):
        await work
