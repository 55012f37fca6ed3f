"""Double entry: every movement of play money is a transaction whose lines sum to zero. Pure."""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from shared.ids import GameId, UserId

FUN = "FUN"


class Reason(StrEnum):
    """Why money moves; `NONE` marks a game whose bets were not taken and never will be."""

    BET = "BET"
    WIN = "WIN"
    REFUND = "REFUND"
    GRANT = "GRANT"
    NONE = "NONE"


class Kind(StrEnum):
    """Whose account it is; only a user's may never be below zero, the mint's always is."""

    USER = "user"
    ESCROW = "escrow"
    HOUSE = "house"
    MINT = "mint"


class Account(msgspec.Struct, frozen=True):
    kind: Kind
    owner: str  # a user or a game; nobody for the house and the mint
    currency: str

    @property
    def id(self) -> str:
        return f"{self.kind}:{self.owner}:{self.currency}"


class Line(msgspec.Struct, frozen=True):
    account: Account
    change: int


class Transaction(msgspec.Struct, frozen=True):
    """`key` says what it is for: the same thing is never paid twice."""

    key: str
    reason: Reason
    currency: str
    lines: tuple[Line, ...] = ()
    game: GameId | None = None
    rake: int = 0  # percent, agreed when the bets were taken

    def __post_init__(self) -> None:
        if sum(line.change for line in self.lines):
            raise ValueError(f"{self.key} is out of balance")


class Stake(msgspec.Struct, frozen=True):
    """What a game is played for, and by whom: `players` by box."""

    game: GameId
    currency: str
    bet: int
    players: tuple[UserId, ...]
    rake: int


def wallet(user: UserId, currency: str) -> Account:
    return Account(Kind.USER, user, currency)


def escrow(game: GameId, currency: str) -> Account:
    return Account(Kind.ESCROW, game, currency)


def house(currency: str) -> Account:
    return Account(Kind.HOUSE, "", currency)


def mint(currency: str) -> Account:
    return Account(Kind.MINT, "", currency)


def bet_key(game: GameId) -> str:
    return f"bet:{game}"


def settle_key(game: GameId) -> str:
    return f"settle:{game}"


def grant(user: UserId, amount: int, currency: str = FUN) -> Transaction:
    """What a newcomer is given."""
    lines = (Line(mint(currency), -amount), Line(wallet(user, currency), amount))
    return Transaction(f"grant:{user}:{currency}", Reason.GRANT, currency, lines)


def bets(stake: Stake) -> Transaction:
    """Every seat's bet goes into the game's escrow; the lines of the seats come first, in the order of their boxes."""
    pot = Line(escrow(stake.game, stake.currency), stake.bet * len(stake.players))
    paid = [Line(wallet(user, stake.currency), -stake.bet) for user in stake.players]
    return Transaction(bet_key(stake.game), Reason.BET, stake.currency, (*paid, pot), stake.game, stake.rake)


def no_bets(game: GameId, currency: str) -> Transaction:
    """Nobody pays for this game, now or later."""
    return Transaction(bet_key(game), Reason.NONE, currency, (), game)


def settlement(stake: Stake, winners: Sequence[int]) -> Transaction:
    """The escrow is emptied: to the winners and the house, or back to whom it came from."""
    pot = stake.bet * len(stake.players)
    out = Line(escrow(stake.game, stake.currency), -pot)
    if winners:
        shares, kept = divided(pot, stake.rake, len(winners))
        reason = Reason.WIN
        paid = [
            Line(wallet(stake.players[box], stake.currency), share)
            for box, share in zip(sorted(winners), shares, strict=True)
        ]
        paid.append(Line(house(stake.currency), kept))
    else:
        reason = Reason.REFUND
        paid = [Line(wallet(user, stake.currency), stake.bet) for user in stake.players]
    lines = tuple(line for line in (out, *paid) if line.change)
    return Transaction(settle_key(stake.game), reason, stake.currency, lines, stake.game)


def divided(pot: int, rake: int, winners: int) -> tuple[list[int], int]:
    """The winners' shares and the house's; what does not divide goes to the first winners, one each."""
    kept = pot * rake // 100
    share, left = divmod(pot - kept, winners)
    return [share + (i < left) for i in range(winners)], kept
