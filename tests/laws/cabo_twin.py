"""Who is told which card in Cabo, written down a second time, card by card."""

import random
from collections.abc import Sequence

from services.session.games.cabo.commands import (
    Command,
    Discard,
    ExchangeCards,
    PeekCard,
    PeekOwnCard,
    ReplaceCard,
    ReplaceCardByDiscarded,
    ShowCards,
    StartRound,
    StopRound,
    TakeCardFromHeap,
    TakeDiscardedCard,
)
from services.session.games.cabo.events import (
    CaboEvent,
    CardPeeked,
    Discarded,
    Drawn,
    Exchanged,
    OwnCardPeeked,
    Replaced,
    RoundFinished,
    RoundStarted,
    Shown,
    ShownReplaced,
)
from services.session.games.cabo.state import Table
from shared.kernel import Seat, Viewer
from tests.laws.twins import Deals

Place = int  # a card's place in the shuffled deck is its identity


class Eyes:
    """One round through the eyes of one viewer: where each card is, and which of them it has been told."""

    def __init__(self, deck: tuple[int, ...], seats: int, viewer: Viewer) -> None:
        self.deck = deck
        self.viewer = viewer
        self.hands = [list(range(4 * seat, 4 * seat + 4)) for seat in range(seats)]
        self.heap = list(range(4 * seats, len(deck)))
        self.pile: list[Place] = []
        self.drawn: Place | None = None
        self.shown: list[Place] = []
        self.told: set[Place] = set() if viewer is None else {4 * viewer, 4 * viewer + 1}
        self.unequal: list[list[Place]] = []  # the viewer knows that these are not all the same

    def hear(self, event: CaboEvent) -> None:
        match event:
            case Drawn(seat):
                self.drawn = self._from_heap(seat)
            case Discarded():
                self._discard(self._take_drawn())
            case Replaced(seat, index, _, _, from_heap):
                comes = self._take_drawn() if from_heap else self.pile.pop()
                self._discard(self.hands[seat][index])
                self.hands[seat][index] = comes
            case Shown(seat, indexes):
                self._show(seat, [self.hands[seat][index] for index in indexes], event.are_equal)
            case ShownReplaced(seat, _, from_heap):
                comes = self._from_heap(seat) if from_heap else self.pile.pop()
                self._replace_shown(seat, comes)
            case OwnCardPeeked(seat, index):
                self._told_to(seat, self.hands[seat][index])
            case CardPeeked(seat, other, index):
                self._told_to(seat, self.hands[other][index])
            case Exchanged(seat, index, other, other_index):
                mine, theirs = self.hands[seat], self.hands[other]
                mine[index], theirs[other_index] = theirs[other_index], mine[index]
            case RoundFinished():
                self.told |= {place for hand in self.hands for place in hand}

    def another_deal(self, dice: random.Random) -> tuple[int, ...] | None:
        """The same for this viewer, with the hidden cards in another order."""
        hidden = [place for place in range(len(self.deck)) if place not in self.told]
        for _ in range(20):
            values = [self.deck[place] for place in hidden]
            dice.shuffle(values)
            deck = list(self.deck)
            for place, value in zip(hidden, values, strict=True):
                deck[place] = value
            suits = all(len({deck[place] for place in group}) > 1 for group in self.unequal)
            if suits and tuple(deck) != self.deck:
                return tuple(deck)
        return None

    def _from_heap(self, seat: Seat) -> Place:
        place = self.heap.pop(0)
        self._told_to(seat, place)
        return place

    def _take_drawn(self) -> Place:
        assert self.drawn is not None
        place, self.drawn = self.drawn, None
        return place

    def _discard(self, place: Place) -> None:
        self.pile.append(place)
        self.told.add(place)

    def _show(self, seat: Seat, places: list[Place], are_equal: bool) -> None:
        if are_equal:
            self.shown = places
        if are_equal or seat != self.viewer:
            self.told.update(places)
        else:
            self.unequal.append(places)

    def _replace_shown(self, seat: Seat, comes: Place) -> None:
        hand = self.hands[seat]
        first = min(hand.index(place) for place in self.shown)
        hand[first] = comes
        self.hands[seat] = [place for place in hand if place not in self.shown]
        self.pile += self.shown

    def _told_to(self, seat: Seat, place: Place) -> None:
        if seat == self.viewer:
            self.told.add(place)


class CaboTwins:
    is_course_settled = True
    probes: Sequence[Command] = (
        StartRound(), TakeCardFromHeap(), ReplaceCardByDiscarded(0), ReplaceCardByDiscarded(3), ShowCards((0, 1)),
        ShowCards((2, 3)), ShowCards((0, 0)), StopRound(), ReplaceCard(2), ReplaceCard(9), Discard(), PeekOwnCard(3),
        PeekCard(0, 2), PeekCard(1, 3), ExchangeCards(2, 0, 2), ExchangeCards(3, 1, 3), TakeDiscardedCard(),
    )  # fmt: skip

    def other_deals(self, start: Table, told: Sequence[CaboEvent], viewer: Viewer, dice: random.Random) -> Deals | None:
        rounds: list[Eyes] = []
        for event in told:
            if isinstance(event, RoundStarted):
                rounds.append(Eyes(event.deck, len(start.totals), viewer))
            else:
                rounds[-1].hear(event)
        others = {eyes.deck: deck for eyes in rounds if (deck := eyes.another_deal(dice)) is not None}
        return others or None
