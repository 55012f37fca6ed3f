"""What is not done by a channel: making a table, and muting somebody in a chat."""

from typing import Any

from services.lobby.bodies import MuteBody, NewTable
from services.lobby.catalogue import Catalogue, checked_bet, checked_options, checked_seats, currency
from services.lobby.chat import Chat, ChatFact, Muted
from services.lobby.kinds import Kinds
from services.lobby.letters import TableChanged
from services.lobby.logs import Decided, Logs
from services.lobby.rooms import Rooms, shown
from services.lobby.table import Made, Phase, Table, TableFact
from shared import bridge
from shared.auth import Caller
from shared.http import decoded
from shared.idempotency import Answer, Idempotency
from shared.ids import UserId, derived_id, new_id
from shared.log.keys import log_keys
from shared.log.store import LogStore
from shared.problems import Problem


class Hosting:
    def __init__(
        self, logs: Logs, kinds: Kinds, rooms: Rooms, catalogue: Catalogue, store: LogStore, admins: frozenset[str]
    ) -> None:
        self._logs = logs
        self._kinds = kinds
        self._rooms = rooms
        self._catalogue = catalogue
        self._store = store
        self._admins = admins

    async def table(self, table_id: str) -> dict[str, Any]:
        """A table as it is now; raises the 404 problem."""
        table = await self._rooms.table(table_id)
        if table is None or table.room is None or table.phase is Phase.CLOSED:
            raise Problem("not_found", "There is no such table.")
        return shown(table)

    async def make(self, caller: Caller, room: str, raw: bytes, idem: Idempotency | None) -> Answer:
        """A table in a room, with nobody at it."""
        table_id = derived_id("table", caller.user, idem.name) if idem else new_id()
        partition = log_keys("lobby", "log", self._kinds.table.id(table_id)).partition
        if idem and (kept := await self._store.recall(idem.kept_at(partition))) is not None:
            return idem.replay(kept)
        if await self._rooms.title(room) is None:
            raise Problem("not_found", "There is no such room.")
        made = await self._wanted(caller, table_id, room, raw)

        def answer(table: Table, version: int) -> Answer:
            return Answer(201, bridge.write({**shown(table), "version": version}))

        def decide(table: Table | None, version: int, now: int) -> Decided[Table, TableFact]:
            if table is not None:
                return Decided()
            return Decided(
                [made],
                [(f"room:{room}", TableChanged(room, table_id))],
                lambda after, n: idem.keep(partition, answer(after, n)) if idem else None,
            )

        done = await self._logs.submit(self._kinds.table, table_id, decide)
        if done.kept is not None and idem:
            return idem.replay(done.kept)
        await self._rooms.refresh(room, table_id)
        assert done.state is not None, "it has just been made"
        return answer(done.state, 1)

    async def mute(self, caller: Caller, room: str, raw: bytes, idem: Idempotency | None) -> Answer:
        """Silence somebody in a chat; 0 seconds lift it."""
        partition = log_keys("lobby", "log", self._kinds.chat.id(room)).partition
        if idem and (kept := await self._store.recall(idem.kept_at(partition))) is not None:
            return idem.replay(kept)
        await self._check_owner(caller, room)
        body = decoded(raw, MuteBody)

        def answer(version: int) -> Answer:
            return Answer(200, bridge.write({"version": version}))

        def decide(chat: Chat | None, version: int, now: int) -> Decided[Chat, ChatFact]:
            muted = Muted(UserId(body.user), now + body.seconds * 1000)
            return Decided([muted], answer=lambda _, n: idem.keep(partition, answer(n)) if idem else None)

        done = await self._logs.submit(self._kinds.chat, room, decide)
        return idem.replay(done.kept) if idem and done.kept else answer(done.version)

    async def _check_owner(self, caller: Caller, room: str) -> None:
        """A table's chat is its creator's, other rooms are the administrators'."""
        if await self._rooms.title(room) is not None:
            owners: frozenset[str] = self._admins
        else:
            table = await self._rooms.table(room)
            if table is None or table.room is None:
                raise Problem("not_found", "There is no such room.")
            owners = frozenset({table.creator or ""})
        if caller.user not in owners:
            raise Problem("forbidden", "Only the owner of a room mutes there.")

    async def _wanted(self, caller: Caller, table_id: str, room: str, raw: bytes) -> Made:
        body = decoded(raw, NewTable)
        kind = await self._catalogue.type(body.game_type)
        bet = checked_bet(kind, body.cash_bet)
        seats = checked_seats(kind, body.num_seats)
        options = checked_options(kind, body.options)
        game_type = kind["game_type"]
        return Made(table_id, room, game_type, seats, bet, currency(kind) if bet else None, options, caller.user)
