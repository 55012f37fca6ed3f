"""Finished games: kept in SQL from their end on, and shown again from there or from their log."""

from typing import Any

import msgspec
from redis.asyncio import Redis
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from services.session import views
from services.session.engine import GameOver
from services.session.machine import GameLog
from services.session.match import AnyEntry, AnyMatch, Status
from services.session.tables import archived_games
from shared.ids import is_id
from shared.kernel import Seat, Viewer
from shared.log.keys import log_keys
from shared.log.live import Transition
from shared.log.store import LogStore
from shared.problems import Problem, invalid

_LOG_LIVES_ON = 24 * 3600  # seconds that Redis keeps a finished game for those who still look at it

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
        steps = self._fold(entries)
        match = steps[-1].after
        if box is not None and box >= len(match.players):
            raise invalid("There is no such box in this game.")
        if match.status not in (Status.FINISHED, Status.ABORTED):
            raise Problem("wrong_state", "The game is not over yet.")
        viewer = None if box is None else Seat(box)
        return {
            "game_type": match.game_type,
            "options": match.options,
            "commitment": match.commitment,
            "seed": match.seed,
            "events": [event for step in steps for event in self._events(game_id, step, viewer)],
            "result": views.result(match),
        }

    async def archive(self, raw: bytes) -> None:
        """Outbox handler: keep a finished game for good. A repeat finds it kept already."""
        game_id = msgspec.json.decode(raw, type=GameOver).game
        keys = log_keys(self._machine.service, self._machine.kind, game_id)
        entries = [entry for _, entry in await self._store.read(keys, 0)]
        if not entries:
            return
        match = self._fold(entries)[-1].after
        row = {
            "id": game_id,
            "game_type": match.game_type,
            "ended_at": match.touched_at,
            "log": msgspec.msgpack.encode(entries),
        }
        try:
            async with self._db.begin() as connection:
                await connection.execute(archived_games.insert().values(row))
        except IntegrityError:
            pass  # an earlier delivery of the same message kept it
        for key in (keys.log, keys.snapshot):
            await self._redis.expire(key, _LOG_LIVES_ON)

    async def _entries(self, game_id: str) -> list[bytes]:
        keys = log_keys(self._machine.service, self._machine.kind, game_id)
        entries = [raw for _, raw in await self._store.read(keys, 0)]
        return entries or await self._archived(game_id)

    async def _archived(self, game_id: str) -> list[bytes]:
        async with self._db.connect() as connection:
            query = select(archived_games.c.log).where(archived_games.c.id == game_id)
            row = (await connection.execute(query)).first()
        return msgspec.msgpack.decode(row.log, type=list[bytes]) if row else []

    def _fold(self, entries: list[bytes]) -> list[Step]:
        steps: list[Step] = []
        state: AnyMatch | None = None
        for version, raw in enumerate(entries, start=1):
            entry = self._machine.decode(state, raw)
            after = self._machine.evolve(state, entry)
            steps.append(Transition(version, state, entry, after))
            state = after
        return steps

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
