"""How each event changes the table. Nothing is refused here: what is in the log has happened."""

from typing import assert_never

from msgspec.structs import replace

from services.session.games.cabo.events import (
    CaboEvent,
    CardPeeked,
    Discarded,
    Drawn,
    Exchanged,
    OwnCardPeeked,
    PowerSkipped,
    Replaced,
    RoundFinished,
    RoundStarted,
    Shown,
    ShownReplaced,
    Stopped,
    TurnStarted,
)
from services.session.games.cabo.state import HAND, POWERS, Card, Hand, Phase, Round, Table, new_table
from shared.kernel import Seat


def evolve(table: Table, event: CaboEvent) -> Table:
    match event:
        case RoundStarted(deck):
            return _dealt(table, deck)
        case TurnStarted(seat):
            return replace(table, phase=Phase.SELECT, turn=seat)
        case Drawn(_, value):
            return replace(table, phase=Phase.ACT, heap=table.heap[1:], drawn=value)
        case Replaced():
            return _replaced(table, event)
        case Shown():
            return _shown(table, event)
        case ShownReplaced():
            return _shown_replaced(table, event)
        case Stopped(seat):
            return _passed(replace(table, stopper=seat), seat)
        case Discarded():
            return _discarded(table, event)
        case OwnCardPeeked(seat, index):
            return _passed(_seen(table, seat, (index,), (seat,)), seat)
        case CardPeeked(seat, other, index):
            return _passed(_seen(table, other, (index,), (seat,)), seat)
        case Exchanged():
            return _exchanged(table, event)
        case PowerSkipped(seat):
            return _passed(table, seat)
        case RoundFinished(hands, scores, totals, starter):
            clear = new_table(len(totals), table.limit, table.start_time)
            return replace(clear, totals=totals, starter=starter, last_round=Round(hands, scores))
        case _:
            assert_never(event)


def _dealt(table: Table, deck: tuple[int, ...]) -> Table:
    """Four cards to each in the order of the boxes; each sees its first two."""
    hands = []
    for seat in table.seats:
        cards = deck[seat * HAND : (seat + 1) * HAND]
        hands.append(tuple(Card(value, (seat,) if index < 2 else ()) for index, value in enumerate(cards)))
    return replace(table, hands=tuple(hands), heap=deck[len(hands) * HAND :])


def _replaced(table: Table, event: Replaced) -> Table:
    pile = table.pile if event.from_heap else table.pile[:-1]
    hand = list(table.hands[event.seat])
    hand[event.index] = Card(event.taken, (event.seat,) if event.from_heap else table.seats)
    table = _with_hand(table, event.seat, tuple(hand))
    return _passed(replace(table, pile=(*pile, event.discarded)), event.seat)


def _shown(table: Table, event: Shown) -> Table:
    """Equal cards wait to be replaced; of different ones all but the shower know the values, and the turn is lost."""
    if event.are_equal:
        table = _seen(table, event.seat, event.indexes, table.seats)
        return replace(table, phase=Phase.REPLACE, shown=event.indexes)
    others = tuple(seat for seat in table.seats if seat != event.seat)
    return _passed(_seen(table, event.seat, event.indexes, others), event.seat)


def _shown_replaced(table: Table, event: ShownReplaced) -> Table:
    """The taken card lies where the first of the shown ones lay, the others close up, and the shown ones go on top."""
    heap, pile = (table.heap[1:], table.pile) if event.from_heap else (table.heap, table.pile[:-1])
    taken = Card(event.taken, (event.seat,) if event.from_heap else table.seats)
    first = min(table.shown)
    hand = table.hands[event.seat]
    kept = tuple(
        taken if index == first else card
        for index, card in enumerate(hand)
        if index == first or index not in table.shown
    )
    gone = tuple(hand[index].value for index in table.shown)
    table = _with_hand(table, event.seat, kept)
    return _passed(replace(table, heap=heap, pile=pile + gone), event.seat)


def _discarded(table: Table, event: Discarded) -> Table:
    table = replace(table, pile=(*table.pile, event.value), drawn=None)
    power = None if event.is_skipped else POWERS.get(event.value)
    return replace(table, phase=power) if power else _passed(table, event.seat)


def _exchanged(table: Table, event: Exchanged) -> Table:
    mine, theirs = list(table.hands[event.seat]), list(table.hands[event.other])
    mine[event.index], theirs[event.other_index] = theirs[event.other_index], mine[event.index]
    table = _with_hand(table, event.seat, tuple(mine))
    return _passed(_with_hand(table, event.other, tuple(theirs)), event.seat)


def _seen(table: Table, owner: Seat, indexes: tuple[int, ...], by: tuple[Seat, ...]) -> Table:
    hand = tuple(card.seen_by(*by) if index in indexes else card for index, card in enumerate(table.hands[owner]))
    return _with_hand(table, owner, hand)


def _with_hand(table: Table, seat: Seat, hand: Hand) -> Table:
    return replace(table, hands=(*table.hands[:seat], hand, *table.hands[seat + 1 :]))


def _passed(table: Table, seat: Seat) -> Table:
    """The turn is over. So is the round, if the heap is empty or play is back at whoever stopped it."""
    following = table.after(seat)
    is_last = not table.heap or following == table.stopper
    return replace(table, phase=Phase.SELECT, turn=None if is_last else following, drawn=None, shown=())
