"""A player of the house that remembers what it was told, and nothing else."""

from typing import assert_never

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
from services.session.games.cabo.state import DECK, POWERS, Phase, Table
from shared.kernel import Chance, Seat, Value

MEAN = sum(DECK) / len(DECK)  # what a card is worth that one knows nothing of
LOW = 4  # an open card up to this is worth a turn
FEW_POINTS = 7  # a sum with which the round may be stopped
WELL_PLAYED = 4.5  # a guess at another's unknown card: players keep low ones
WORTH_A_TURN = 2  # points that make up for not drawing a card


class Memory(Value, frozen=True):
    """What one seat knows: values by place, None where it was never told."""

    phase: Phase
    own: tuple[int | None, ...]
    others: tuple[tuple[Seat, int, int | None], ...]  # seat, index, value
    top: int | None
    drawn: int | None
    stopper: Seat | None


def memory(table: Table, seat: Seat) -> Memory:
    return Memory(
        phase=table.phase,
        own=tuple(card.known_to(seat) for card in table.hands[seat]),
        others=tuple(
            (other, index, card.known_to(seat))
            for other in (*table.seats[seat + 1 :], *table.seats[:seat])  # so that no box is everyone's favourite
            for index, card in enumerate(table.hands[other])
        ),
        top=table.top,
        drawn=table.drawn if table.turn == seat else None,
        stopper=table.stopper,
    )


def careful(table: Table, seat: Seat, chance: Chance) -> Command:
    """Keeps low cards, looks at what it does not know, and stops the round when it should have the lowest sum."""
    known = memory(table, seat)
    match known.phase:
        case Phase.START:
            return StartRound()
        case Phase.SELECT:
            return _select(known)
        case Phase.ACT:
            return _act(known)
        case Phase.REPLACE:
            return TakeDiscardedCard() if known.top is not None and known.top < MEAN else TakeCardFromHeap()
        case Phase.PEEK_OWN:
            return PeekOwnCard(known.own.index(None) if None in known.own else 0)
        case Phase.PEEK:
            return _peek(known, chance)
        case Phase.EXCHANGE:
            return _exchange(known)
        case _:
            assert_never(known.phase)


def _select(known: Memory) -> Command:
    if known.stopper is None and _should_stop(known):
        return StopRound()
    comes = MEAN if known.top is None else min(MEAN, known.top)
    if (pair := _equal(known)) and sum(known.own[index] or 0 for index in pair) - comes > WORTH_A_TURN:
        return ShowCards(pair)
    worst = _worst(known)
    if known.top is not None and known.top <= LOW and _worth(known.own[worst]) - known.top > WORTH_A_TURN:
        return ReplaceCardByDiscarded(worst)
    return TakeCardFromHeap()


def _should_stop(known: Memory) -> bool:
    """All own cards are known, they are few points, and nobody is known to have as few."""
    if None in known.own:
        return False
    own = sum(_worth(value) for value in known.own)
    sums: dict[Seat, float] = {}
    for seat, _, value in known.others:
        sums[seat] = sums.get(seat, 0) + (WELL_PLAYED if value is None else value)
    return own <= FEW_POINTS and all(own < theirs for theirs in sums.values())


def _equal(known: Memory) -> tuple[int, ...]:
    """Where the cards lie that are known to be equal and are worth most together, or nothing."""
    groups: dict[int, list[int]] = {}
    for index, value in enumerate(known.own):
        if value is not None:
            groups.setdefault(value, []).append(index)
    several = [(value * len(places), tuple(places)) for value, places in groups.items() if len(places) > 1]
    return max(several)[1] if several else ()


def _act(known: Memory) -> Command:
    """Keep what is lower than the worst card; but look at an unknown card rather than save a point or two."""
    assert known.drawn is not None, "in phase C a card has been drawn"
    worst = _worst(known)
    gain = _worth(known.own[worst]) - known.drawn
    may_look = POWERS.get(known.drawn) is Phase.PEEK_OWN and None in known.own
    return ReplaceCard(worst) if gain > (WORTH_A_TURN if may_look else 0) else Discard()


def _peek(known: Memory, chance: Chance) -> PeekCard:
    unknown = [(seat, index) for seat, index, value in known.others if value is None]
    places = unknown or [(seat, index) for seat, index, _ in known.others]
    return PeekCard(*places[chance.below(len(places))])


def _exchange(known: Memory) -> ExchangeCards:
    """Give the worst card away, if possible for one that is known to be low."""
    seat, index, _ = min(known.others, key=lambda place: _worth(place[2]))
    return ExchangeCards(_worst(known), seat, index)


def _worst(known: Memory) -> int:
    """Where the own card lies that is probably worth most."""
    return max(range(len(known.own)), key=lambda index: _worth(known.own[index]))


def _worth(value: int | None) -> float:
    return MEAN if value is None else value
