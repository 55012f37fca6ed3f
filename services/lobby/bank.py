"""The bank takes the bets of a game before it starts and pays out when it is over, by letters from the tables.

Every step may be repeated: the ledger, the table and the users' feeds each know what they have heard before.
"""

from collections.abc import Awaitable, Callable
from typing import Any, assert_never

import msgspec

from services.lobby.catalogue import Catalogue
from services.lobby.draft import BANK
from services.lobby.ledger import Stake
from services.lobby.letters import BetsDecided, Settle, TakeBets, ToBank
from services.lobby.teller import Teller
from services.lobby.wallets import Wallets
from shared import bridge

_letter = msgspec.json.Decoder(ToBank)


class Bank:
    def __init__(
        self,
        wallets: Wallets,
        catalogue: Catalogue,
        teller: Teller,
        tell_table: Callable[[str, BetsDecided], Awaitable[Any]],
    ) -> None:
        self._wallets = wallets
        self._catalogue = catalogue
        self._teller = teller
        self._tell_table = tell_table

    async def handle(self, messages: list[bytes]) -> None:
        """Outbox handler: in the order in which they were written, so that a rematch is paid from what was won."""
        for message in messages:
            letter = bridge.read_envelope(message)
            if letter.to == BANK:
                await self._obey(_letter.decode(letter.body))

    async def _obey(self, letter: ToBank) -> None:
        match letter:
            case TakeBets(table, game, game_type, currency, bet, players):
                rake = await self._catalogue.rake(game_type)
                taken = await self._wallets.take_bets(Stake(game, currency, bet, players, rake))
                await self._teller.tell_all(players, currency)
                await self._tell_table(table, BetsDecided(game, taken))
            case Settle(game, currency, winners):
                players = await self._wallets.settle(game, currency, winners)
                await self._teller.tell_all(players, currency)
            case _:
                assert_never(letter)
