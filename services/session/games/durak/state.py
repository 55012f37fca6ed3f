"""The position: who holds what, and how far the bout has come."""

from collections.abc import Iterator

from services.session.games.durak.cards import CARDS, RANK, SUIT, Card, Suit
from shared.kernel import Chance, Seat, Value

HAND = 6
FIRST_CAP, CAP = 5, 6  # the most cards that a bout holds


class Pair(Value, frozen=True):
    """An attacking card, and the one that beat it."""

    attack: Card
    defend: Card | None = None


class State(Value, frozen=True):
    trump: Suit
    deck: tuple[Card, ...]
    """Drawn from the front; the last card is the one that was turned up."""
    hands: tuple[tuple[Card, ...], ...]
    attacker: Seat
    defender: Seat
    limit: int
    """How many cards the bout may hold."""
    shown: Card | None = None
    """The lowest trump that was dealt."""
    partners: bool = False
    transfers: bool = False
    bout: int = 1
    table: tuple[Pair, ...] = ()
    taking: bool = False
    passed: tuple[Seat, ...] = ()
    gone: tuple[Card, ...] = ()
    out: tuple[Seat, ...] = ()
    """Who had no cards left at the end of a bout, in the order of leaving."""

    @property
    def seats(self) -> range:
        return range(len(self.hands))

    @property
    def room(self) -> int:
        """How many cards can still be thrown in."""
        return self.limit - len(self.table)

    def unbeaten(self) -> list[Card]:
        return [pair.attack for pair in self.table if pair.defend is None]

    def ranks(self) -> set[int]:
        """The ranks on the table."""
        cards = [RANK[pair.attack] for pair in self.table]
        return {*cards, *(RANK[pair.defend] for pair in self.table if pair.defend is not None)}

    def clockwise(self, seat: Seat) -> Iterator[Seat]:
        """Everyone still in the game, from a seat's left neighbour round to the seat itself."""
        around = len(self.hands)
        for step in range(1, around + 1):
            if (other := (seat + step) % around) not in self.out:
                yield Seat(other)

    def opposed(self, seat: Seat, other: Seat) -> bool:
        """Are they two players who are not partners?"""
        return seat != other and not (self.partners and (seat - other) % 2 == 0)

    def target(self, attacker: Seat) -> Seat:
        """Whom that seat would attack: its next opponent to the left."""
        return next(seat for seat in self.clockwise(attacker) if self.opposed(seat, attacker))

    def attackers(self) -> list[Seat]:
        """Who may throw in on the defender, the attacker first."""
        around = [self.attacker, *self.clockwise(self.attacker)]
        return [seat for seat in dict.fromkeys(around) if self.opposed(seat, self.defender)]

    def cap(self, defender: Seat) -> int:
        """The most cards that a bout holds if that seat defends with the hand that it has now."""
        return min(FIRST_CAP if self.bout == 1 else CAP, len(self.hands[defender]))


def dealt(seats: int, partners: bool, transfers: bool, chance: Chance) -> State:
    """A new game: the deck is shuffled first; if nobody was dealt a trump, the first attacker is drawn then."""
    deck = chance.shuffled(CARDS)
    trump = SUIT[deck[-1]]
    hands = tuple(deck[seat : HAND * seats : seats] for seat in range(seats))
    trumps = [card for hand in hands for card in hand if SUIT[card] == trump]
    shown = min(trumps, key=RANK.__getitem__, default=None)
    if shown is not None:
        attacker = Seat(next(seat for seat, hand in enumerate(hands) if shown in hand))
    else:
        attacker = Seat(chance.below(seats))
    defender = Seat((attacker + 1) % seats)
    return State(
        trump, deck[HAND * seats :], hands, attacker, defender, FIRST_CAP,
        shown=shown, partners=partners, transfers=transfers,
    )  # fmt: skip
