"""The event streams of rooms: what a player has not taken yet, then everything as it happens."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

import msgspec
import structlog
from redis.exceptions import RedisError

from services.relay import rooms
from services.relay.exchange import Exchange, LiveRoom
from services.relay.machine import RoomLog, server_msg
from services.relay.marks import Marks
from services.relay.rooms import Entry
from shared import sse
from shared.auth import Caller
from shared.ids import UserId
from shared.log.hub import Hub
from shared.log.live import Here, Person
from shared.log.store import LogStore
from shared.problems import Problem, Unavailable

_ATTEMPTS = 5  # reads of a log that moves on faster than it can be read
_LOOKS = 60.0  # seconds between words that somebody is still here

log = structlog.get_logger()


class Told(NamedTuple):
    """The frames for one player after some place in the log, and the last version that they speak of."""

    frames: bytes
    reached: int


class Visit(msgspec.Struct):
    """One open stream: whose, and how far it has come."""

    live: LiveRoom
    user: UserId
    taken: int


class Streams:
    def __init__(
        self,
        exchange: Exchange,
        machine: RoomLog,
        hub: Hub,
        store: LogStore,
        marks: Marks,
        clock: Callable[[], int],
        idle_ms: int,
    ) -> None:
        self._exchange = exchange
        self._machine = machine
        self._hub = hub
        self._store = store
        self._marks = marks
        self._clock = clock
        self._look_every = min(_LOOKS, idle_ms / 4000)
        self._visits: dict[sse.EventStream, Visit] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def follow(self, utou: str, caller: Caller, cursor: str | None) -> sse.EventStream:
        """A player's stream: after its cursor, or a snapshot and what the player has not taken yet."""
        user = caller.user
        live = await self._exchange.room(utou, user)
        marks = await self._marks.taken(live.keys, [player.user for player in live.state.players])
        reached = 0

        async def opening(followed: LiveRoom, here: Here) -> bytes:
            nonlocal live, reached
            live = followed
            begins = await self._begin(live, user, cursor, marks.get(user, 0), here)
            reached = begins.reached
            presence = sse.frame("presence", self._machine.presence(live.state, here))
            return sse.OPENING + begins.frames + presence

        response = await self._hub.follow(live, Person(user, caller.nick, caller.avatar), cursor, opening)
        visit = self._visits[response] = Visit(live, user, 0)
        response.stream.on_written(reached, lambda version: self._written(visit, version))
        for other, taken in marks.items():
            self._tell_leavers(live, other, taken)
        return response

    def ended(self, response: sse.EventStream) -> None:
        """A stream is gone: from now on the room may be empty."""
        visit = self._visits.pop(response)
        self._marks.see(visit.live.keys, self._clock())

    async def run(self) -> None:
        """Until cancelled, say from time to time who is still here, and repeat what may have been lost."""
        while True:
            await asyncio.sleep(self._look_every)
            now = self._clock()
            for visit in self._visits.values():
                self._marks.see(visit.live.keys, now)
                self._tell_leavers(visit.live, visit.user, visit.taken)

    async def settle(self) -> None:
        """Wait for what was begun in the background."""
        while self._tasks:
            await asyncio.gather(*self._tasks)

    # -- openings -----------------------------------------------------------------------------------------

    async def _begin(self, live: LiveRoom, user: UserId, cursor: str | None, taken: int, here: Here) -> Told:
        """No await lies between the last look at the version and the return: nothing is lost before it follows."""
        wanted = sse.parse_cursor(cursor) if cursor is not None else None
        if wanted is not None:
            resumed = await self._resumed(live, user, wanted)
            if resumed is not None:
                return resumed
        since = self._since(live, user)
        taken = min(taken, live.version) if taken > since else 0
        rest = await self._told(live, user, max(taken, since))
        if rest is None:
            raise Unavailable("The room moves on faster than it can be read.")
        view = self._machine.snapshot(live.keys.id, live.version, live.state, user, here, self._clock())
        snapshot = sse.frame("snapshot", {**view, "reason": "connect" if cursor is None else "gap"}, taken)
        return Told(snapshot + rest.frames, max(taken, rest.reached))

    async def _resumed(self, live: LiveRoom, user: UserId, cursor: sse.Cursor) -> Told | None:
        """What came after a cursor; None if it is not of this life of the room, or no longer kept."""
        since = self._since(live, user)
        if cursor.version > live.version or 0 < cursor.version < since:
            return None
        told = await self._told(live, user, max(cursor.version, since), cursor.k)
        return told and Told(told.frames, max(cursor.version, told.reached))

    async def _told(self, live: LiveRoom, user: UserId, version: int, k: int | None = None) -> Told | None:
        """Frames after a version, or after the k-th message of that version."""
        after = version if k is None else version - 1
        for _ in range(_ATTEMPTS):
            steps = live.past(after)
            if steps is not None:
                return _framed([(step.version, step.entry) for step in steps], user, version, k)
            stored = await self._store.read(live.keys, after)
            if not stored or stored[0][0] > after + 1:
                return None  # trimmed, or lost
            await live.catch_up()
            later = live.past(stored[-1][0])
            if later is not None:
                read = [(number, self._machine.decode(None, raw)) for number, raw in stored]
                return _framed([*read, *((step.version, step.entry) for step in later)], user, version, k)
        return None

    def _since(self, live: LiveRoom, user: UserId) -> int:
        player = live.state.player(user)
        if player is None:  # closed while we were looking
            raise Problem("not_found", "There is no such room, or you are not in it.")
        return player.since

    # -- what is taken ------------------------------------------------------------------------------------

    def _written(self, visit: Visit, version: int) -> None:
        visit.taken = version
        if version:
            self._marks.take(visit.live.keys, visit.user, version)
            self._tell_leavers(visit.live, visit.user, version)

    def _tell_leavers(self, live: LiveRoom, taker: UserId, taken: int) -> None:
        """Whoever left, and whose leave has been taken, is to be told."""
        if any(leave.version <= taken and leave.message.sender != taker for leave in live.state.leaves):
            self._spawn(self._exchange.acknowledge(live.keys.id, taker, taken))

    def _spawn(self, work: Awaitable[object]) -> None:
        task = asyncio.ensure_future(_quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _framed(entries: list[tuple[int, Entry]], user: UserId, version: int, k: int | None) -> Told | None:
    parts, reached = [], 0
    for number, entry in entries:
        messages = [server_msg(payload) for payload in rooms.told(entry, user)]
        after = -1
        if number == version and k is not None:
            if k >= len(messages) - 1:
                return None  # an id that this version never had
            after = k
        if messages:
            parts.append(sse.frames(number, messages, after))
            reached = number
    return Told(b"".join(parts), reached)


async def _quietly(work: Awaitable[object]) -> None:
    """Redis being away is mended by the next look."""
    try:
        await work
    except (RedisError, OSError, Unavailable) as error:
        log.warning("leave_not_acknowledged", error=str(error))
