"""The bank on a real Redis and a real database, and a fuse that lets it crash between any two steps."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import msgspec
from sqlalchemy import Connection, event, func, select
from sqlalchemy.exc import TimeoutError
from sqlalchemy.ext.asyncio import AsyncEngine

from services.lobby import letters as mail
from services.lobby.channels import WalletMoved
from services.lobby.draft import BANK
from services.lobby.kinds import kinds
from services.lobby.ledger import Kind
from services.lobby.logs import Logs, envelope
from services.lobby.service import Lobby, lobby_of
from services.lobby.tables import ledger_accounts, ledger_entries, ledger_transactions
from services.session.games import registered
from shared import bridge, catalogue, db
from shared.ids import GameId, UserId, new_id
from shared.log.commit import Commit, CommitOutcome
from shared.log.keys import log_keys
from shared.log.outbox import Letter
from shared.log.store import LogStore
from shared.runtime import Runtime, runtime, wall_clock
from shared.settings import Settings
from tests.lobby.support import WAITS

GRANTED = 10_000
_READ: dict[str, Any] = {bridge.SESSION: bridge.read_order, BANK: msgspec.json.Decoder(mail.ToBank).decode}


class Crash(Exception):
    """The process would be gone here."""


class Fuse:
    """Burns with every step; where it ends, the process crashes."""

    def __init__(self) -> None:
        self.left: float = float("inf")
        self.steps = 0

    def burn(self) -> None:
        self.steps += 1
        self.left -= 1
        if self.left < 0:
            self.left = float("inf")
            raise Crash


class FragileStore(LogStore):
    """A crash may come before a commit reaches Redis, or after it and before anybody knows."""

    def __init__(self, inner: LogStore, fuse: Fuse) -> None:
        self._inner = inner
        self._fuse = fuse
        self.era = inner.era

    async def confirm(self, key: str) -> None:
        await self._inner.confirm(key)

    def commit(self, commit: Commit) -> "asyncio.Future[CommitOutcome]":
        return asyncio.ensure_future(self._commit(commit))

    async def _commit(self, commit: Commit) -> CommitOutcome:
        self._fuse.burn()
        outcome = await self._inner.commit(commit)
        self._fuse.burn()
        return outcome


@contextmanager
def fragile_sql(engine: AsyncEngine, fuse: Fuse) -> Iterator[None]:
    """A crash may come before any statement, and before the commit; after it is before the next step."""

    def step(*_: Any) -> None:
        fuse.burn()

    def commit(_: Connection) -> None:
        fuse.burn()

    sync = engine.sync_engine
    event.listen(sync, "before_cursor_execute", step)
    event.listen(sync, "commit", commit)
    try:
        yield
    finally:
        event.remove(sync, "before_cursor_execute", step)
        event.remove(sync, "commit", commit)


@dataclass
class Rig:
    """One lobby without workers: the test hands out the letters, as often as it likes."""

    runtime: Runtime
    lobby: Lobby
    fuse: Fuse
    letters: int = 0

    async def newcomer(self) -> UserId:
        user = UserId(new_id())
        async with self.runtime.db.begin() as connection:
            await self.lobby.wallets.welcome(connection, user)
        return user

    async def bank(self, letter: mail.ToBank) -> None:
        await self.lobby.bank.handle([envelope(BANK, 1, letter)])

    async def surely(self, letter: mail.ToBank) -> None:
        """Deliver a letter until it is handled, as an outbox does."""
        while True:
            try:
                return await self.bank(letter)
            except (Crash, TimeoutError):  # the latter when all connections to the database are taken for too long
                continue

    async def table(self, table: str, letter: mail.ToTable) -> None:
        await self.lobby.post.deliver([self._letter(envelope(f"table:{table}", 1, letter))])

    async def news(self, news: bridge.News) -> None:
        await self.lobby.post.hear([self._letter(bridge.write(news))])

    def _letter(self, body: bytes) -> Letter:
        self.letters += 1
        return Letter("test", f"{self.letters}-0", body)

    async def sent(self, table: str, game: GameId) -> list[Any]:
        """What a table has written to the session service and the bank about a game, in order."""
        outbox = log_keys("lobby", "log", f"table:{table}").outbox
        found: Any = await self.runtime.redis.xrange(outbox)
        envelopes = [bridge.read_envelope(fields[b"m"]) for _, fields in found]
        bodies: list[Any] = [_READ[each.to](each.body) for each in envelopes if each.to in _READ]
        return [body for body in bodies if body.game == game]

    async def told(self, user: UserId) -> list[tuple[int, str, int]]:
        """Every movement in a user's feed."""
        runtime = self.runtime
        logs = Logs(runtime.hub, runtime.store, runtime.redis, wall_clock)
        entries = [entry.fact for _, entry in await logs.kept(kinds(WAITS).user, user)]
        return [(fact.movement, fact.reason, fact.change) for fact in entries if isinstance(fact, WalletMoved)]

    async def audit(self) -> dict[str, int]:
        """The laws of the ledger, whatever is going on; answers each account's balance."""
        entries = ledger_entries.c
        query = (
            select(ledger_entries, ledger_accounts.c.kind, ledger_transactions.c.reason)
            .join(ledger_accounts, ledger_accounts.c.id == entries.account)
            .join(ledger_transactions, ledger_transactions.c.key == entries.transaction_key)
            .order_by(entries.account, entries.number)
        )
        async with self.runtime.db.connect() as connection:
            rows = (await connection.execute(query)).all()
        by_transaction: dict[str, int] = {}
        balances: dict[str, int] = {}
        numbers: dict[str, int] = {}
        for row in rows:
            by_transaction[row.transaction_key] = by_transaction.get(row.transaction_key, 0) + row.change
            balances[row.account] = balances.get(row.account, 0) + row.change
            if row.kind == Kind.USER:
                numbers[row.account] = numbers.get(row.account, 0) + 1
                assert (row.number, row.balance) == (numbers[row.account], balances[row.account])
                assert row.balance >= 0
        assert not any(by_transaction.values()), "a transaction out of balance"
        assert sum(balances.values()) == 0
        return balances

    async def count(self, key: str) -> int:
        query = select(func.count()).where(ledger_transactions.c.key == key)
        async with self.runtime.db.connect() as connection:
            return int((await connection.execute(query)).scalar_one())


@asynccontextmanager
async def rig(redis_url: str, database_url: str) -> AsyncIterator[Rig]:
    fuse = Fuse()
    settings = Settings.model_validate({"grant_fun": GRANTED})
    async with runtime(settings, redis_url, database_url, "a secret that only this test knows of") as made:
        await catalogue.publish(made.redis, registered().all)
        fragile = replace(made, store=FragileStore(made.store, fuse))
        with fragile_sql(made.db, fuse):
            yield Rig(made, lobby_of(fragile, None), fuse)


async def migrated(url: str) -> str:
    await asyncio.to_thread(db.migrate, url)
    return url
