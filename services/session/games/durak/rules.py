"""Who may do what, and what follows from it."""

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import assert_never

from services.session.games.durak.cards import CARDS, RANK, Card, beats
from services.session.games.durak.evolve import evolve, is_over, pair_is_out
from services.session.games.durak.moves import (
    Asked,
    Attack,
    Attacked,
    Beaten,
    BoutEnded,
    Dealt,
    Defend,
    DurakEvent,
    DurakMove,
    Finish,
    GaveUp,
    Passed,
    Take,
    Transfer,
    Transferred,
    TurnCame,
)
from services.session.games.durak.state import State
from shared.kernel import Decision, Outcome, Refusal, Seat

TAKE, FINISH = Take(), Finish()
SINGLES = {card: Attack((card,)) for card in CARDS}


def opening(state: State) -> tuple[DurakEvent, ...]:
    return Dealt(tuple(map(Seat, state.seats))), TurnCame(), Asked()


def to_act(state: State) -> tuple[Seat, ...] | Outcome:
    """The defender comes first: where its clock and another's run out together, the defender's counts."""
    if not state.table:
        return _outcome(state) if is_over(state) else (state.attacker,)
    throwing = _throwing(state)
    return (state.defender, *throwing) if is_defending(state) else throwing


def is_defending(state: State) -> bool:
    """Does an attack wait for the defender's answer?"""
    return not state.taking and any(pair.defend is None for pair in state.table)


def _throwing(state: State) -> tuple[Seat, ...]:
    """Who could throw something in and has not passed; who has nothing to throw in passes by itself."""
    if state.room <= 0:
        return ()
    ranks = state.ranks()
    return tuple(
        seat
        for seat in state.attackers()
        if seat not in state.passed and any(RANK[card] in ranks for card in state.hands[seat])
    )


def _outcome(state: State) -> Outcome:
    if state.partners:
        winners = [seat for seat in state.seats if pair_is_out(state, seat % 2)]
    else:
        winners = [seat for seat in state.seats if seat in state.out]
    draw = len(winners) == len(state.hands)
    return Outcome((), "draw") if draw else Outcome(tuple(map(Seat, winners)), "durak")


def lost(state: State, seat: Seat, reason: str) -> Outcome:
    """That seat is the durak, and its partner with it."""
    others = [Seat(other) for other in state.seats if state.opposed(Seat(other), seat)]
    return Outcome(tuple(others), reason)


def on_timeout(state: State, seat: Seat) -> Decision[DurakEvent] | Outcome:
    if seat in (state.attacker, state.defender):
        return lost(state, seat, "timeout")
    return _decided(state, Passed(seat))


def decide(state: State, seat: Seat, move: DurakMove) -> Decision[DurakEvent] | Refusal:
    if not _takes_part(state, seat):
        return Refusal.NOT_YOUR_TURN
    if not _in_phase(state, seat, move):
        return Refusal.WRONG_PHASE
    match move:
        case Attack(cards=cards):
            return _decided(state, Attacked(seat, cards)) if _may_attack(state, seat, cards) else Refusal.ILLEGAL_MOVE
        case Defend(attack_card=attack, defend_card=card):
            held = attack in state.unbeaten() and card in state.hands[seat]
            if not held or not beats(card, attack, state.trump):
                return Refusal.ILLEGAL_MOVE
            return _decided(state, Beaten(seat, attack, card))
        case Transfer(card=card):
            return _decided(state, Transferred(seat, card)) if card in _transfers(state) else Refusal.ILLEGAL_MOVE
        case Take():
            return _decided(state, GaveUp(seat, automatic=False))
        case Finish():
            return _decided(state, Passed(seat))
        case _:
            assert_never(move)


def _takes_part(state: State, seat: Seat) -> bool:
    if not state.table:
        return seat == state.attacker
    return seat == state.defender or seat in state.attackers()


def _in_phase(state: State, seat: Seat, move: DurakMove) -> bool:
    """Is this a time for that seat to make such a move?"""
    if seat == state.defender:
        return isinstance(move, Defend | Take | Transfer) and is_defending(state)
    if isinstance(move, Finish):
        return seat in _throwing(state)
    return isinstance(move, Attack) and seat not in state.passed


def _may_attack(state: State, seat: Seat, cards: tuple[Card, ...]) -> bool:
    """Different cards of its own, of one rank, which lies on the table unless it is empty, and no more than fit."""
    hand = state.hands[seat]
    if len({*cards}) != len(cards) or len(cards) > state.room or any(card not in hand for card in cards):
        return False
    ranks = {RANK[card] for card in cards}
    return len(ranks) == 1 and (not state.table or ranks <= state.ranks())


def _transfers(state: State) -> list[Card]:
    """The cards with which the defender can hand the attack on."""
    if not state.transfers or any(pair.defend is not None for pair in state.table):
        return []
    if len(state.hands[state.target(state.defender)]) < len(state.table) + 1:
        return []
    rank = RANK[state.table[0].attack]
    return [card for card in state.hands[state.defender] if RANK[card] == rank]


def _answers(state: State) -> Iterator[DurakMove]:
    """What the defender could do other than take."""
    for attack in state.unbeaten():
        for card in state.hands[state.defender]:
            if beats(card, attack, state.trump):
                yield Defend(attack, card)
    yield from map(Transfer, _transfers(state))


def legal_moves(state: State, seat: Seat) -> list[DurakMove]:
    acting = to_act(state)
    if isinstance(acting, Outcome) or seat not in acting:
        return []
    if seat == state.defender:
        return [*_answers(state), TAKE]
    hand = state.hands[seat]
    if not state.table:
        return _attacks(hand, state.room)
    ranks = state.ranks()
    return [*_attacks([card for card in hand if RANK[card] in ranks], state.room), FINISH]


def _attacks(cards: Iterable[Card], room: int) -> list[DurakMove]:
    """Each card, and then all sets of several that are of equal rank."""
    attacks: list[DurakMove] = []
    by_rank: dict[int, list[Card]] = {}
    for card in cards:
        attacks.append(SINGLES[card])
        by_rank.setdefault(RANK[card], []).append(card)
    for equal in by_rank.values():
        for size in range(2, min(len(equal), room) + 1):
            attacks += map(Attack, combinations(equal, size))
    return attacks


def _decided(state: State, event: DurakEvent) -> Decision[DurakEvent]:
    """A player's doing and all that the rules make of it by themselves."""
    events = [event]
    state = evolve(state, event)
    if is_defending(state) and next(_answers(state), None) is None:
        events.append(GaveUp(state.defender, automatic=True))
        state = evolve(state, events[-1])
    if not is_defending(state) and not _throwing(state):
        events += _bout_end(state)
    elif isinstance(event, Transferred):
        events += [TurnCame(), Asked()]
    elif not isinstance(event, Passed):
        events.append(Asked())
    restarts = (state.defender,) if isinstance(event, Attacked) else ()
    return Decision(tuple(events), restarts=restarts)


def _bout_end(state: State) -> list[DurakEvent]:
    cards = [card for pair in state.table for card in (pair.attack, pair.defend) if card is not None]
    end = BoutEnded(state.defender, state.taking, tuple(cards))
    after = evolve(state, end)
    if is_over(after):
        return [end]
    changed = tuple(Seat(seat) for seat in state.seats if after.hands[seat] != state.hands[seat])
    return [end, Dealt(changed), TurnCame(), Asked()]
