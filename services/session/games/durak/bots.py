"""A player of the house that keeps its trumps, throws low and remembers what left the game."""

from collections.abc import Iterable

from services.session.games.durak import rules
from services.session.games.durak.cards import CARDS, RANK, RANKS, SUIT, Card, Suit, beats
from services.session.games.durak.moves import Attack, Defend, DurakMove, Transfer
from services.session.games.durak.state import State
from shared.kernel import Chance, Seat, Value

CHEAP = RANKS.index("10")  # up to here a card is better thrown in than kept
DEAR = RANKS.index("J")  # from here a trump is worth more than the few cards on the table


class Sight(Value, frozen=True):
    """What one seat may know, and all that its choice may rest on."""

    trump: Suit
    hand: tuple[Card, ...]
    unseen: tuple[Card, ...]
    """Cards that others hold or will draw."""
    unbeaten: tuple[Card, ...]
    on_table: int
    drawing: bool
    """Is there still a deck to draw from?"""
    taking: bool
    moves: tuple[DurakMove, ...]

    def worth(self, card: Card) -> int:
        """Any trump is worth more than any other card."""
        return RANK[card] + (len(RANKS) if SUIT[card] == self.trump else 0)

    def threats(self, card: Card) -> int:
        """How many unseen cards could beat it."""
        return sum(beats(other, card, self.trump) for other in self.unseen)

    def invites(self, card: Card) -> int:
        """How many unseen cards could be thrown in once it lies on the table."""
        return sum(RANK[other] == RANK[card] for other in self.unseen)


def sight(state: State, seat: Seat) -> Sight:
    table = [card for pair in state.table for card in (pair.attack, pair.defend) if card is not None]
    seen = {*state.hands[seat], *table, *state.gone, *state.deck[-1:]}
    return Sight(
        trump=state.trump,
        hand=state.hands[seat],
        unseen=tuple(card for card in CARDS if card not in seen),
        unbeaten=tuple(state.unbeaten()),
        on_table=len(table),
        drawing=bool(state.deck),
        taking=state.taking,
        moves=tuple(rules.legal_moves(state, seat)),
    )


def cautious(state: State, seat: Seat, chance: Chance) -> DurakMove:
    seen = sight(state, seat)
    if not state.table:
        return _attack(seen)
    return _defence(seen) if seat == state.defender else _throw_in(seen)


def _attack(seen: Sight) -> DurakMove:
    """While cards are drawn, the cheapest; later the one that fewest could beat. Cheap twins go along."""

    def price(card: Card) -> tuple[int, int]:
        return (0 if seen.drawing else seen.threats(card), seen.worth(card))

    first = min(seen.hand, key=price)
    twins = {card for card in seen.hand if RANK[card] == RANK[first] and SUIT[card] != seen.trump} | {first}
    attacks = [move for move in seen.moves if isinstance(move, Attack) and first in move.cards]
    return max(attacks, key=lambda move: (twins.issuperset(move.cards), len(move.cards)))


def _throw_in(seen: Sight) -> DurakMove:
    """No trumps; while cards are drawn only low ones, and onto a pile that is taken nothing that may be of use."""
    highest = (CHEAP - 1 if seen.taking else CHEAP) if seen.drawing else len(RANKS)
    attacks = [move for move in seen.moves if isinstance(move, Attack)]
    cheap = [move for move in attacks if all(SUIT[c] != seen.trump and RANK[c] <= highest for c in move.cards)]
    return max(cheap, key=lambda move: (len(move.cards), -RANK[move.cards[0]]), default=rules.FINISH)


def _defence(seen: Sight) -> DurakMove:
    """Hand on what costs no trump; else beat with the cheapest, or take if that is impossible or too dear."""
    transfers = [move for move in seen.moves if isinstance(move, Transfer) and SUIT[move.card] != seen.trump]
    if transfers:
        return transfers[0]
    plan = _plan(seen)
    if plan is None or _is_too_dear(seen, (move.defend_card for move in plan)):
        return rules.TAKE
    return plan[0]


def _plan(seen: Sight) -> list[Defend] | None:
    """A beating card for each attack, the hardest attack first; None if this way not all can be beaten."""
    plan: list[Defend] = []
    left = set(seen.hand)
    for attack in sorted(seen.unbeaten, key=seen.worth, reverse=True):
        able = [card for card in seen.hand if card in left and beats(card, attack, seen.trump)]
        if not able:
            return None
        best = min(able, key=lambda card: (seen.worth(card) + seen.invites(card), seen.worth(card)))
        left.remove(best)
        plan.append(Defend(attack, best))
    return plan


def _is_too_dear(seen: Sight, cards: Iterable[Card]) -> bool:
    """A high trump is not spent on one or two cards while there are more to draw."""
    spent = [card for card in cards if SUIT[card] == seen.trump and RANK[card] >= DEAR]
    return bool(spent) and seen.drawing and seen.on_table <= 2
