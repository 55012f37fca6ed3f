"""What each event does to the position."""

from typing import assert_never

from msgspec.structs import replace

from services.session.games.durak.cards import RANK, Card
from services.session.games.durak.moves import (
    Asked,
    Attacked,
    Beaten,
    BoutEnded,
    Dealt,
    DurakEvent,
    GaveUp,
    Passed,
    Transferred,
    TurnCame,
)
from services.session.games.durak.state import HAND, Pair, State
from shared.kernel import Seat

Hands = tuple[tuple[Card, ...], ...]


def evolve(state: State, event: DurakEvent) -> State:
    match event:
        case Attacked(seat, cards):
            table = (*state.table, *map(Pair, cards))
            return replace(state, hands=_without(state.hands, seat, cards), table=table, passed=())
        case Beaten(seat, attack, card):
            return _beaten(state, seat, attack, card)
        case Transferred(seat, card):
            hands = _without(state.hands, seat, (card,))
            defender = state.target(seat)
            table = (*state.table, Pair(card))
            limit = state.cap(defender)
            return replace(state, hands=hands, table=table, attacker=seat, defender=defender, limit=limit, passed=())
        case GaveUp():
            return replace(state, taking=True, passed=())
        case Passed(seat):
            return replace(state, passed=(*state.passed, seat))
        case BoutEnded(taken=taken, cards=cards):
            return _next_bout(_cleared(state, taken, cards), taken)
        case Dealt() | TurnCame() | Asked():
            return state
        case _:
            assert_never(event)


def _beaten(state: State, seat: Seat, attack: Card, card: Card) -> State:
    """Whoever has passed is asked again if the beating card's rank is new here and in that player's hand."""
    table = tuple(Pair(attack, card) if pair.attack == attack else pair for pair in state.table)
    passed = state.passed
    if passed and RANK[card] not in state.ranks():
        passed = tuple(s for s in passed if all(RANK[held] != RANK[card] for held in state.hands[s]))
    return replace(state, hands=_without(state.hands, seat, (card,)), table=table, passed=passed)


def _cleared(state: State, taken: bool, cards: tuple[Card, ...]) -> State:
    """The table is empty, hands are refilled, and whoever has no cards now is out."""
    hands, deck, gone = list(state.hands), state.deck, state.gone
    if taken:
        hands[state.defender] += cards
    else:
        gone += cards
    others = [seat for seat in state.clockwise(state.attacker) if seat not in (state.attacker, state.defender)]
    for seat in (state.attacker, *others, state.defender):
        draws = max(0, HAND - len(hands[seat]))
        hands[seat] += deck[:draws]
        deck = deck[draws:]
    left = tuple(seat for seat in state.clockwise(state.attacker) if not hands[seat])
    return replace(
        state, hands=tuple(hands), deck=deck, gone=gone, table=(), taking=False, passed=(), out=state.out + left
    )


def _next_bout(state: State, taken: bool) -> State:
    """Whoever beat everything attacks next, whoever took is passed over; at the end of the game nothing changes."""
    if is_over(state):
        return state
    beat = not taken and state.defender not in state.out
    attacker = state.defender if beat else next(state.clockwise(state.defender))
    state = replace(state, attacker=attacker, defender=state.target(attacker), bout=state.bout + 1)
    return replace(state, limit=state.cap(state.defender))


def is_over(state: State) -> bool:
    """Between two bouts: is one player left, or a pair out?"""
    if state.table:
        return False
    if state.partners:
        return any(pair_is_out(state, pair) for pair in (0, 1))
    return len(state.out) >= len(state.hands) - 1


def pair_is_out(state: State, pair: int) -> bool:
    return all(seat in state.out for seat in (pair, pair + 2))


def _without(hands: Hands, seat: Seat, cards: tuple[Card, ...]) -> Hands:
    left = tuple(card for card in hands[seat] if card not in cards)
    return (*hands[:seat], left, *hands[seat + 1 :])
