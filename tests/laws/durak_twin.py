"""Who is told which card in Durak, written down a second time."""

import random
from collections.abc import Sequence

from services.session.games.durak import GAME
from services.session.games.durak.cards import RANK, SUIT, Card
from services.session.games.durak.moves import (
    Attack,
    Attacked,
    Beaten,
    Defend,
    DurakEvent,
    DurakMove,
    Finish,
    Take,
    Transfer,
    Transferred,
)
from services.session.games.durak.state import HAND, State
from shared.kernel import Viewer
from tests.laws.twins import Deals


def told_cards(start: State, told: Sequence[DurakEvent], viewer: Viewer) -> set[Card]:
    """The card that was turned up, the lowest trump, whatever was on the table, and all that the viewer ever held."""
    known = {*start.deck[-1:], *([start.shown] if start.shown else [])}
    state = start
    for event in told:
        match event:
            case Attacked(_, cards):
                known.update(cards)
            case Beaten(_, _, card) | Transferred(_, card):
                known.add(card)
        known.update(() if viewer is None else state.hands[viewer])
        state = GAME.evolve(state, event)
    known.update(() if viewer is None else state.hands[viewer])
    return known


class DurakTwins:
    is_course_settled = False  # that somebody cannot beat, or has nothing to throw in, follows from hidden cards
    probes: Sequence[DurakMove] = (
        Attack(("6c",)), Attack(("Ah",)), Attack(("9d", "9s")), Defend("6c", "7c"), Defend("6h", "Ah"), Transfer("6d"),
        Take(), Finish(),
    )  # fmt: skip

    def other_deals(
        self, start: State, told: Sequence[DurakEvent], viewer: Viewer, dice: random.Random
    ) -> Deals | None:
        """One or two pairs of hidden cards change places: with more, hardly any deal would take the same course."""
        seats = len(start.hands)
        deck = tuple(start.hands[place % seats][place // seats] for place in range(seats * HAND)) + start.deck
        known = told_cards(start, told, viewer)
        hidden = [place for place, card in enumerate(deck) if card not in known]
        for _ in range(20):
            other = list(deck)
            for _ in range(dice.choice((1, 2))):
                if len(hidden) > 1:
                    one, two = dice.sample(hidden, 2)
                    other[one], other[two] = other[two], other[one]
            same_trump = SUIT[other[-1]] == start.trump  # with six players the last card lies in somebody's hand
            if tuple(other) != deck and same_trump and _lowest_trump(other[: seats * HAND], start.trump) == start.shown:
                return {deck: tuple(other)}
        return None


def _lowest_trump(dealt: list[Card], trump: str) -> Card | None:
    return min((card for card in dealt if SUIT[card] == trump), key=RANK.__getitem__, default=None)
