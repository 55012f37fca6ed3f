"""Finished games: kept in SQL from their end on, and shown again from there or from their log."""

from typing import Any

import msgspec
from redis.asyncio import Redis
from sqlalchemy import Executable, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncEngine

from services.session import verify, views
from services.session.facts import AnyEntry
from services.session.machine import GameLog
from services.session.match import AnyMatch
from services.session.tables import archived_games
from shared import bridge
from shared.ids import is_id
from shared.kernel import Seat, Viewer
from shared.log.keys import log_keys
from shared.log.live import Transition, transitions
from shared.log.store import LogStore
from shared.problems import Problem, invalid

_LOG_LIVES_ON = 24 * 3600  # seconds that Redis keeps a finished game for those who still look at it
_LET_GO = "for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ARGV[1]) end return 1"

Step = Transition[AnyMatch, AnyEntry]


class Replays:
    def __init__(self, machine: GameLog, store: LogStore, db: AsyncEngine, redis: "Redis") -> None:
        self._machine = machine
        self._store = store
        self._db = db
        self._redis = redis

    async def replay(self, game_id: str, box: int | None) -> dict[str, Any]:
        """The course of a finished game; raises 404, 409 before its end, 422 for a box that it has not."""
        entries = await self._entries(game_id) if is_id(game_id) else []
        if not entries:
            raise Problem("not_found", "There is no such game.")
        steps = transitions(self._machine, enumerate(entries, start=1))
        match = steps[-1].after
        if box is not None and box >= len(match.players):
            raise invalid("There is no such box in this game.")
        if not match.over:
            raise Problem("wrong_state", "The game is not over yet.")
        viewer = None if box is None else Seat(box)
        shown = {
            "game_type": match.game_type,
            "options": match.options,
            "commitment": match.commitment,
            "seed": match.seed,
            "events": [event for step in steps for event in self._events(game_id, step, viewer)],
            "result": views.result(match),
        }
        if viewer is None:
            shown["log"] = [verify.shown(step.version, step.entry) for step in steps]
        return shown

    async def archive(self, messages: list[bytes]) -> None:
        """Outbox handler: keep finished games for good. A repeat finds them kept already."""
        over = [each for each in map(bridge.read_news, messages) if isinstance(each, bridge.GameOver)]
        keys = [log_keys(self._machine.service, self._machine.kind, each.game) for each in over]
        logs = await self._store.read_many([(each, 0) for each in keys])
        rows = [
            {"id": each.game, "game_type": each.game_type, "ended_at": each.at, "log": _packed(entries)}
            for each, entries in zip(over, logs, strict=True)
            if entries
        ]
        if rows:
            async with self._db.begin() as connection:
                await connection.execute(self._insert_new(rows))
        pipe = self._redis.pipeline(transaction=False)
        for each in keys:
            pipe.eval(_LET_GO, 4, each.log, each.snapshot, each.away, each.ballots, _LOG_LIVES_ON)
        await pipe.execute()

    def _insert_new(self, rows: list[dict[str, Any]]) -> Executable:
        insert = sqlite.insert if self._db.dialect.name == "sqlite" else postgresql.insert
        return insert(archived_games).values(rows).on_conflict_do_nothing()

    async def _entries(self, game_id: str) -> list[bytes]:
        keys = log_keys(self._machine.service, self._machine.kind, game_id)
        entries = [raw for _, raw in await self._store.read(keys, 0)]
        return entries or await self.archived(game_id)

    async def archived(self, game_id: str) -> list[bytes]:
        """The entries of a finished game, none if there is no such game."""
        async with self._db.connect() as connection:
            query = select(archived_games.c.log).where(archived_games.c.id == game_id)
            row = (await connection.execute(query)).first()
        return msgspec.msgpack.decode(row.log, type=list[bytes]) if row else []

    def _events(self, game_id: str, step: Step, viewer: Viewer) -> list[dict[str, Any]]:
        game = self._machine.game(step.after)
        told = views.messages(game, game_id, step.before, step.entry, step.after, step.version, viewer, {})
        return [
            {
                "version": step.version,
                "event": message.event,
                "data": {"version": step.version, **message.data},
            }
            for message in told
        ]


def _packed(entries: list[tuple[int, bytes]]) -> bytes:
    return msgspec.msgpack.encode([raw for _, raw in entries])
