"""The ledger in SQL: it is only ever appended to, and no user's balance goes below zero."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Row, Select, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.lobby import ledger
from services.lobby.ledger import Account, Kind, Reason, Stake, Transaction, bet_key, settle_key, wallet
from services.lobby.tables import ledger_accounts, ledger_entries, ledger_transactions
from shared.ids import GameId, UserId
from shared.problems import Unavailable

_ATTEMPTS = 50  # at one transaction; each is lost only to one that has moved the same wallet
_AT_ONCE = 1_000  # entries in one answer

T = TypeVar("T")


class Movement(msgspec.Struct, frozen=True):
    """One entry of a user's wallet; its numbers count from 1 without gaps."""

    currency: str
    number: int
    at: int
    change: int
    balance: int
    reason: str
    game: str | None


class Wallets:
    def __init__(self, db: AsyncEngine, clock: Callable[[], int], granted: int) -> None:
        """`granted` is what every user is given."""
        self._db = db
        self._clock = clock
        self._granted = granted

    async def welcome(self, connection: AsyncConnection, user: UserId) -> None:
        """Give a user something to play for, once; an IntegrityError says that somebody else is doing so."""
        grant = ledger.grant(user, self._granted)
        if self._granted and await _transaction(connection, grant.key) is None:
            await self._post(connection, grant)

    async def take_bets(self, stake: Stake) -> bool:
        """Take the bets of all seats or of none; whatever was decided first for a game holds."""

        async def take(connection: AsyncConnection) -> bool:
            known = await _transaction(connection, bet_key(stake.game))
            if known is not None:
                return bool(known.reason == Reason.BET)
            purses = [wallet(user, stake.currency) for user in stake.players]
            heads = await _heads(connection, purses)
            paid = all(heads.get(purse.id, (0, 0))[1] >= stake.bet for purse in purses)
            await self._post(connection, ledger.bets(stake) if paid else ledger.no_bets(stake.game, stake.currency))
            return paid

        return await self._alone(take)

    async def settle(self, game: GameId, currency: str, winners: tuple[int, ...]) -> tuple[UserId, ...]:
        """Empty a game's escrow once, to its winners or back; answers who had paid.

        Should nothing have been taken yet, nothing will be.
        """

        async def settle(connection: AsyncConnection) -> tuple[UserId, ...]:
            taken = await _transaction(connection, bet_key(game))
            if taken is None:
                await self._post(connection, ledger.no_bets(game, currency))
            if taken is None or taken.reason != Reason.BET:
                return ()
            stake = await _stake(connection, game)
            if await _transaction(connection, settle_key(game)) is None:
                await self._post(connection, ledger.settlement(stake, winners))
            return stake.players

        return await self._alone(settle)

    async def balance(self, user: UserId, currency: str) -> int:
        purse = wallet(user, currency)
        async with self._db.connect() as connection:
            return (await _heads(connection, [purse])).get(purse.id, (0, 0))[1]

    async def balances(self, user: UserId, currencies: Iterable[str]) -> dict[str, int]:
        """What a user has in these currencies, and in any other that it ever had something of."""
        query = select(ledger_accounts.c.currency).where(
            ledger_accounts.c.owner == user, ledger_accounts.c.kind == Kind.USER
        )
        async with self._db.connect() as connection:
            known = sorted({*currencies, *(row.currency for row in await connection.execute(query))})
            heads = await _heads(connection, [wallet(user, each) for each in known])
        return {each: heads.get(wallet(user, each).id, (0, 0))[1] for each in known}

    async def history(self, user: UserId, currency: str, before: int | None = None) -> list[Movement]:
        """The movements of a wallet, the newest first; with a number, those before it."""
        query = _movements(wallet(user, currency)).order_by(ledger_entries.c.number.desc()).limit(_AT_ONCE)
        if before is not None:
            query = query.where(ledger_entries.c.number < before)
        async with self._db.connect() as connection:
            return [_movement(row) for row in await connection.execute(query)]

    async def since(self, user: UserId, currency: str, number: int) -> list[Movement]:
        """The movements of a wallet after a number, the oldest first."""
        query = _movements(wallet(user, currency)).where(ledger_entries.c.number > number)
        async with self._db.connect() as connection:
            rows = await connection.execute(query.order_by(ledger_entries.c.number).limit(_AT_ONCE))
            return [_movement(row) for row in rows]

    async def _alone(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        """One SQL transaction, done again if one of its wallets was moved, or its key taken, at the same moment."""
        for attempt in range(_ATTEMPTS):
            try:
                async with self._db.begin() as connection:
                    return await work(connection)
            except IntegrityError:
                await asyncio.sleep(0.001 * attempt)
        raise Unavailable("Too many others move the same money at this moment.")

    async def _post(self, connection: AsyncConnection, transaction: Transaction) -> None:
        """Append; an IntegrityError says that the key or the next number of a wallet is taken."""
        # Everyone takes what others may wait for in the same order, so that no two wait for each other.
        lines = sorted(enumerate(transaction.lines), key=lambda numbered: numbered[1].account.id)
        heads = await _heads(connection, [line.account for _, line in lines if line.account.kind is Kind.USER])
        rows = []
        for i, line in lines:
            row = {"transaction_key": transaction.key, "line": i, "account": line.account.id, "change": line.change}
            if line.account.kind is Kind.USER:
                number, balance = heads.get(line.account.id, (0, 0))
                heads[line.account.id] = (number + 1, balance + line.change)
                row |= {"number": number + 1, "balance": balance + line.change}
            else:
                row |= {"number": None, "balance": None}
            rows.append(row)
        await connection.execute(
            ledger_transactions.insert().values(
                key=transaction.key,
                reason=transaction.reason,
                currency=transaction.currency,
                game=transaction.game,
                rake=transaction.rake,
                at=self._clock(),
            )
        )
        if rows:
            insert = sqlite.insert if self._db.dialect.name == "sqlite" else postgresql.insert
            accounts = [_account(line.account) for _, line in lines]
            await connection.execute(insert(ledger_accounts).values(accounts).on_conflict_do_nothing())
            await connection.execute(ledger_entries.insert().values(rows))


async def _transaction(connection: AsyncConnection, key: str) -> Row[Any] | None:
    return (await connection.execute(select(ledger_transactions).where(ledger_transactions.c.key == key))).first()


async def _heads(connection: AsyncConnection, purses: list[Account]) -> dict[str, tuple[int, int]]:
    """The last number and the balance of each wallet that was ever moved."""
    entries, others = ledger_entries, ledger_entries.alias()
    last = select(func.max(others.c.number)).where(others.c.account == entries.c.account).scalar_subquery()
    query = select(entries.c.account, entries.c.number, entries.c.balance).where(
        entries.c.account.in_([purse.id for purse in purses]), entries.c.number == last
    )
    return {row.account: (row.number, row.balance) for row in await connection.execute(query)}


async def _stake(connection: AsyncConnection, game: GameId) -> Stake:
    """What was taken for a game, by the order of its boxes."""
    query = (
        select(ledger_transactions, ledger_accounts.c.owner, ledger_entries.c.change)
        .join(ledger_entries, ledger_entries.c.transaction_key == ledger_transactions.c.key)
        .join(ledger_accounts, ledger_accounts.c.id == ledger_entries.c.account)
        .where(ledger_transactions.c.key == bet_key(game), ledger_accounts.c.kind == Kind.USER)
        .order_by(ledger_entries.c.line)
    )
    rows = (await connection.execute(query)).all()
    players = tuple(UserId(row.owner) for row in rows)
    return Stake(game, rows[0].currency, -rows[0].change, players, rows[0].rake)


def _movements(purse: Account) -> Select[Any]:
    return (
        select(ledger_entries, ledger_transactions)
        .join(ledger_transactions, ledger_transactions.c.key == ledger_entries.c.transaction_key)
        .where(ledger_entries.c.account == purse.id)
    )


def _movement(row: Row[Any]) -> Movement:
    return Movement(row.currency, row.number, row.at, row.change, row.balance, row.reason, row.game)


def _account(account: Account) -> dict[str, str]:
    return {"id": account.id, "kind": account.kind, "owner": account.owner, "currency": account.currency}
