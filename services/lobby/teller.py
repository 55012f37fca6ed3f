"""Tells users of the movements of their wallets: each one once in their feed, in the ledger's order."""

from collections.abc import Callable, Iterable

import structlog
from sqlalchemy.exc import SQLAlchemyError

from services.lobby.accounts import Accounts, UserDecided
from services.lobby.channels import Account, Purse, WalletMoved
from services.lobby.ledger import FUN
from services.lobby.logs import Decided
from services.lobby.wallets import Movement, Wallets
from shared.ids import UserId

_UNTOLD = Purse(0, 0)

log = structlog.get_logger()


class Teller:
    """The ledger numbers each wallet's movements and the feed knows the last one told, so none is told twice."""

    def __init__(self, wallets: Wallets, accounts: Accounts) -> None:
        self._wallets = wallets
        self._accounts = accounts

    async def tell(self, user: UserId, currency: str) -> None:
        """Add to the user's feed what it has not been told yet."""
        while True:
            known = (await self._accounts.account(user)).purses.get(currency, _UNTOLD)
            movements = await self._wallets.since(user, currency, known.number)
            if not movements:
                return
            await self._accounts.submit(user, _telling(movements))

    async def tell_all(self, people: Iterable[UserId], currency: str) -> None:
        for user in people:
            await self.tell(user, currency)

    async def catch_up(self, user: UserId) -> None:
        """What a crash has kept from the feed, and the grant of a newcomer; without the database that can wait."""
        try:
            await self.tell(user, FUN)
        except (SQLAlchemyError, OSError) as error:
            log.warning("wallet_not_told", error=str(error))


def _telling(movements: list[Movement]) -> Callable[[Account, int], UserDecided]:
    """Those of the movements that an account has not been told of."""

    def decide(account: Account, now: int) -> UserDecided:
        untold = [m for m in movements if m.number > account.purses.get(m.currency, _UNTOLD).number]
        return Decided([WalletMoved(m.currency, m.number, m.change, m.balance, m.reason) for m in untold])

    return decide
