"""The lobby's post office: letters from its own logs, news from the session service, and timers."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import msgspec
import structlog

from services.lobby import chat, seating
from services.lobby.accounts import Accounts
from services.lobby.chat import Chat, ChatFact
from services.lobby.draft import Waits
from services.lobby.kinds import Kinds
from services.lobby.letters import BetsDecided, TableChanged, ToChat, ToTable
from services.lobby.logs import Decided, Logs
from services.lobby.queues import Queues
from services.lobby.rooms import Rooms
from services.lobby.seating import Expire
from services.lobby.table import Table, TableFact, table_of
from shared import bridge
from shared.log.outbox import Letter

log = structlog.get_logger()

_to_table = msgspec.json.Decoder(ToTable)
_to_chat = msgspec.json.Decoder(ToChat)
_to_room = msgspec.json.Decoder(TableChanged)

Bag = list[tuple[Letter, bytes]]


class PostOffice:
    def __init__(
        self, logs: Logs, kinds: Kinds, accounts: Accounts, queues: Queues, rooms: Rooms, waits: Waits
    ) -> None:
        self._logs = logs
        self._kinds = kinds
        self._accounts = accounts
        self._queues = queues
        self._rooms = rooms
        self._waits = waits

    async def deliver(self, letters: list[Letter]) -> None:
        """Outbox handler: each addressee gets its letters in order; addressees do not wait for each other."""
        bags: dict[str, Bag] = {}
        for letter in letters:
            envelope = bridge.read_envelope(letter.body)
            bags.setdefault(envelope.to, []).append((letter, bytes(envelope.body)))
        await _all(self._hand_out(to, bag) for to, bag in bags.items())

    async def hear(self, letters: list[Letter]) -> None:
        """Outbox handler: what the session service tells of games."""
        bags: dict[str, list[tuple[Letter, bridge.News]]] = {}
        uncertain: list[str] = []  # most games made without us have no table: nobody is at them by a channel
        for letter in letters:
            news = bridge.read_news(letter.body)
            table = news.table or table_of(news.game)
            bags.setdefault(table, []).append((letter, news))
            if news.table is None:
                uncertain.append(table)
        for table in await self._logs.missing(self._kinds.table, uncertain):
            del bags[table]
        await _all(self._tell_table(table, bag) for table, bag in bags.items())

    async def tell_table(self, table: str, news: BetsDecided) -> None:
        """What the bank has decided for a table; a repeat does nothing there."""
        await self._seat(table, news, None)

    async def expire(self, log_id: str, in_charge: bool) -> None:
        """A timer is due."""
        kind, _, name = log_id.partition(":")
        if kind == self._kinds.table.name:
            await self._seat(name, Expire(), None)
            await self._logs.right_timer(self._kinds.table, name)
        elif kind == "queue":
            await self._queues.expire(name, in_charge)

    async def credit(self, log_id: str, begun: int, until: int) -> None:
        """The lobby's waits are on the wall clock: whoever was away has waited too."""

    async def _hand_out(self, to: str, bag: Bag) -> None:
        kind, _, name = to.partition(":")
        match kind:
            case "user":
                await self._accounts.deliver(name, bag)
            case "queue":
                await self._queues.deliver(name, bag)
            case "table":
                for letter, body in bag:
                    await self._seat(name, _to_table.decode(body), letter)
            case "chat":
                for letter, body in bag:
                    await self._speak(name, _to_chat.decode(body), letter)
            case "room":
                for table in {_to_room.decode(body).table for _, body in bag}:
                    await self._rooms.refresh(name, table)
            case _:
                pass  # for the session service, the bank, or the history

    async def _tell_table(self, table: str, bag: list[tuple[Letter, bridge.News]]) -> None:
        for letter, news in bag:
            await self._seat(table, news, letter)

    async def _seat(self, name: str, command: seating.Command, letter: Letter | None) -> Any:
        def decide(table: Table | None, version: int, now: int) -> Decided[Table, TableFact]:
            draft = seating.decide(name, table, command, now, self._waits)
            return Decided(draft.facts, draft.letters)

        return await self._logs.submit(self._kinds.table, name, decide, letter)

    async def _speak(self, name: str, message: ToChat, letter: Letter) -> None:
        def decide(state: Chat | None, version: int, now: int) -> Decided[Chat, ChatFact]:
            return Decided(*chat.decide(name, state, message, now))

        await self._logs.submit(self._kinds.chat, name, decide, letter)


async def _all(work: Any) -> None:
    """All of it, even if one fails; what failed is delivered again, and what did not knows a repeat."""
    pending: list[Awaitable[None]] = list(work)
    for outcome in await asyncio.gather(*pending, return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome
