"""The table: who holds which cards, and who has been told of them."""

from enum import StrEnum

from shared.kernel import Seat, Value

DECK = tuple(value for value in range(14) for _ in range(2 if value in (0, 13) else 4))
HAND = 4  # cards dealt to each


class Phase(StrEnum):
    """What the player in turn is asked for; a pending power is named after its command."""

    START = "A"
    SELECT = "B"
    ACT = "C"
    REPLACE = "D"
    PEEK_OWN = "PeekOwnCard"
    PEEK = "PeekCard"
    EXCHANGE = "ExchangeCards"


POWERS = {
    7: Phase.PEEK_OWN,
    8: Phase.PEEK_OWN,
    9: Phase.PEEK,
    10: Phase.PEEK,
    11: Phase.EXCHANGE,
    12: Phase.EXCHANGE,
}


class Card(Value, frozen=True):
    """A card in a hand. What a seat has been told of it goes with the card, whoever holds it."""

    value: int
    seen: tuple[Seat, ...] = ()  # in rising order

    def seen_by(self, *seats: Seat) -> "Card":
        return Card(self.value, tuple(sorted({*self.seen, *seats})))

    def known_to(self, seat: Seat) -> int | None:
        return self.value if seat in self.seen else None


Hand = tuple[Card, ...]


class Round(Value, frozen=True):
    """A finished round, for all to see."""

    hands: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]


class Table(Value, frozen=True):
    limit: int
    start_time: int
    totals: tuple[int, ...]
    hands: tuple[Hand, ...]
    phase: Phase = Phase.START
    turn: Seat | None = None  # none between the phases of a round's start and end, too
    starter: Seat | None = None
    stopper: Seat | None = None
    heap: tuple[int, ...] = ()  # the next card first
    pile: tuple[int, ...] = ()  # discarded cards, the topmost last
    drawn: int | None = None
    shown: tuple[int, ...] = ()  # where the equal cards lie that are about to be replaced
    last_round: Round | None = None

    @property
    def seats(self) -> tuple[Seat, ...]:
        return tuple(map(Seat, range(len(self.totals))))

    @property
    def top(self) -> int | None:
        return self.pile[-1] if self.pile else None

    @property
    def is_over(self) -> bool:
        return max(self.totals) > self.limit

    @property
    def is_round_over(self) -> bool:
        """The last turn of a round has been made, and the cards are about to be laid open."""
        return self.phase is Phase.SELECT and self.turn is None

    def after(self, seat: Seat) -> Seat:
        """Whose turn follows a seat's."""
        return Seat((seat + 1) % len(self.totals))


def new_table(seats: int, limit: int, start_time: int) -> Table:
    return Table(limit, start_time, totals=(0,) * seats, hands=((),) * seats)
