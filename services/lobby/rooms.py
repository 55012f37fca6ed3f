"""The rooms, and a list of each one's tables that follows the tables' logs."""

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from services.lobby.catalogue import Catalogue
from services.lobby.draft import summary
from services.lobby.kinds import Kinds
from services.lobby.logs import Logs
from services.lobby.table import Phase, Table
from shared.ids import is_id
from shared.log.doorbell import Doorbell

_GONE_MS = 3600 * 1000  # for how long a client that comes back is told that a table has disappeared
COALESCED = 0.25  # seconds in which the changes of a table become one event

log = structlog.get_logger()

Hear = Callable[[str, dict[str, Any] | None], None]
"""Called with a table's id and what it looks like now, None if it is gone."""


def _key(room: str) -> str:
    return f"lobby:room:{room}:tables"


def _gone(room: str) -> str:
    return f"lobby:room:{room}:gone"


def shown(table: Table) -> dict[str, Any]:
    """A table as its own path shows it."""
    view = summary(table)
    del view["closed"]
    return view


class Rooms:
    """A list is a cache of what the logs say; whoever writes to it reads the log first."""

    def __init__(self, redis: "Redis", doorbell: Doorbell, logs: Logs, kinds: Kinds, catalogue: Catalogue) -> None:
        self._redis = redis
        self._doorbell = doorbell
        self._logs = logs
        self._kinds = kinds
        self._catalogue = catalogue
        self._followers: dict[str, list[Hear]] = {}
        self._changed: dict[str, set[str]] = {}  # tables of a room that are to be told of
        self._tasks: set[asyncio.Task[None]] = set()
        doorbell.on_return(self._look_again)

    async def all(self) -> list[dict[str, Any]]:
        titles = await self._catalogue.rooms()
        pipe = self._redis.pipeline(transaction=False)
        for room in titles:
            pipe.hlen(_key(room))
        counts = await pipe.execute()
        return [
            {"id": room, "title": title, "tables": count}
            for (room, title), count in zip(titles.items(), counts, strict=True)
        ]

    async def title(self, room: str) -> str | None:
        return (await self._catalogue.rooms()).get(room)

    async def table(self, table_id: str) -> Table | None:
        """A table, a match or where a game is watched, as it is now."""
        if not is_id(table_id):
            return None
        return await self._logs.current(self._kinds.table, table_id)

    async def tables(self, room: str) -> list[dict[str, Any]]:
        """The tables of a room, the oldest first."""
        found = await self._redis.hgetall(_key(room))
        tables = [msgspec.json.decode(raw) for raw in found.values()]
        return sorted(tables, key=lambda table: (table["created"], table["id"]))

    async def refresh(self, room: str, table_id: str) -> None:
        """Outbox handler: a table has changed; write it as it is now, and tell every process."""
        table = await self._logs.current(self._kinds.table, table_id)
        pipe = self._redis.pipeline(transaction=False)
        if table is None or table.phase is Phase.CLOSED:
            pipe.hdel(_key(room), table_id)
            pipe.zadd(_gone(room), {table_id: self._logs.clock()})
            pipe.zremrangebyscore(_gone(room), 0, self._logs.clock() - _GONE_MS)
        else:
            pipe.hset(_key(room), table_id, msgspec.json.encode(shown(table)))
        pipe.execute_command("SPUBLISH", _key(room), table_id)
        await pipe.execute()

    async def gone(self, room: str) -> list[str]:
        """The tables that have disappeared lately."""
        found: Any = await self._redis.zrange(_gone(room), 0, -1)
        return [table_id.decode() for table_id in found]

    async def follow(self, room: str, hear: Hear) -> Callable[[], None]:
        """Hear of a room's tables from now on; answers how to end that."""
        if room not in self._followers:
            self._followers[room] = []
            self._doorbell.add(_key(room), lambda payload: self._rung(room, payload.decode()))
        self._followers[room].append(hear)

        def end() -> None:
            self._followers[room].remove(hear)
            if not self._followers[room]:
                del self._followers[room]
                self._doorbell.drop(_key(room))

        try:
            await self._doorbell.ready(_key(room))
        except BaseException:
            end()
            raise
        return end

    async def _look_again(self) -> None:
        """Nobody knows which tables have rung while nobody could hear it: tell of all."""
        for room in list(self._followers):
            there: Any = await self._redis.hkeys(_key(room))
            for table_id in [*(each.decode() for each in there), *await self.gone(room)]:
                self._rung(room, table_id)

    def _rung(self, room: str, table_id: str) -> None:
        waiting = self._changed.setdefault(room, set())
        if not waiting:
            task = asyncio.ensure_future(self._tell(room))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        waiting.add(table_id)

    async def _tell(self, room: str) -> None:
        await asyncio.sleep(COALESCED)
        changed = list(self._changed.pop(room))
        try:
            found = await self._redis.hmget(_key(room), changed)
        except (RedisError, OSError) as error:  # nothing will ring for them again
            log.warning("tables_not_told", room=room, error=str(error))
            for table_id in changed if room in self._followers else ():
                self._rung(room, table_id)
            return
        for table_id, raw in zip(changed, found, strict=True):
            table = msgspec.json.decode(raw) if raw is not None else None
            for hear in list(self._followers.get(room, ())):
                hear(table_id, table)
