"""Who may do what, what comes of it, and in which order the seats are told: the others first, then who acts next."""

from itertools import combinations
from typing import assert_never

from services.session.games.cabo import scoring
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
    InTurn,
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
from services.session.games.cabo.evolve import evolve
from services.session.games.cabo.state import DECK, Phase, Table
from shared.kernel import Chance, Decision, Outcome, Refusal, Seat, Wave

ASKED: dict[Phase, tuple[type[Command], ...]] = {
    Phase.START: (StartRound,),
    Phase.SELECT: (TakeCardFromHeap, ReplaceCardByDiscarded, ShowCards, StopRound),
    Phase.ACT: (ReplaceCard, Discard),
    Phase.PEEK_OWN: (PeekOwnCard,),
    Phase.PEEK: (PeekCard,),
    Phase.EXCHANGE: (ExchangeCards,),
    Phase.REPLACE: (TakeCardFromHeap, TakeDiscardedCard),
}
"""Which commands a phase takes; any other is out of phase."""


def to_act(table: Table) -> tuple[Seat, ...]:
    if table.is_over:
        return ()
    if table.turn is not None:
        return (table.turn,)
    if table.phase is not Phase.START or any(table.hands):
        return ()  # between a round's deal and its first turn, or its last turn and its end
    return table.seats if table.starter is None else (table.starter,)


def decide(table: Table, seat: Seat, move: Command, chance: Chance) -> Decision[CaboEvent] | Refusal:
    if seat not in to_act(table):
        return Refusal.NOT_YOUR_TURN
    if not isinstance(move, ASKED[table.phase]):
        return Refusal.WRONG_PHASE
    if isinstance(move, StartRound):
        return _start(table, chance)
    event = _played(table, seat, move)
    return Refusal.ILLEGAL_MOVE if event is None else _told(table, (event,), chance)


def on_timeout(table: Table, seat: Seat, chance: Chance) -> Decision[CaboEvent]:
    """The house draws a card and discards it; a power is not used."""
    match table.phase:
        case Phase.START:
            return _start(table, chance)
        case Phase.SELECT:
            value = table.heap[0]
            return _told(table, (Drawn(seat, value), Discarded(seat, value, is_skipped=True)), chance)
        case Phase.ACT:
            assert table.drawn is not None, "in phase C a card has been drawn"
            return _told(table, (Discarded(seat, table.drawn, is_skipped=True),), chance)
        case Phase.REPLACE:
            return _told(table, (ShownReplaced(seat, table.heap[0], from_heap=True),), chance)
        case Phase.PEEK_OWN | Phase.PEEK | Phase.EXCHANGE:
            return _told(table, (PowerSkipped(seat),), chance)
        case _:
            assert_never(table.phase)


def outcome(table: Table, seats: tuple[Seat, ...], reason: str) -> Outcome:
    """The lowest total of these seats wins, for all who have it."""
    lowest = min(table.totals[seat] for seat in seats)
    return Outcome(tuple(seat for seat in seats if table.totals[seat] == lowest), reason, table.totals)


def legal_moves(table: Table, seat: Seat) -> list[Command]:
    """Complete moves. That cards may be shown says nothing of their being equal."""
    if seat not in to_act(table):
        return []
    return [
        move
        for move in _candidates(table, seat)
        if isinstance(move, StartRound) or _played(table, seat, move) is not None
    ]


def _candidates(table: Table, seat: Seat) -> list[Command]:
    own = range(len(table.hands[seat]))
    others = [(other, index) for other in table.seats for index in range(len(table.hands[other])) if other != seat]
    match table.phase:
        case Phase.START:
            return [StartRound()]
        case Phase.SELECT:
            shows = [ShowCards(indexes) for n in range(2, len(own) + 1) for indexes in combinations(own, n)]
            return [TakeCardFromHeap(), *map(ReplaceCardByDiscarded, own), *shows, StopRound()]
        case Phase.ACT:
            return [*map(ReplaceCard, own), Discard()]
        case Phase.REPLACE:
            return [TakeCardFromHeap(), TakeDiscardedCard()]
        case Phase.PEEK_OWN:
            return [*map(PeekOwnCard, own)]
        case Phase.PEEK:
            return [PeekCard(other, index) for other, index in others]
        case Phase.EXCHANGE:
            return [ExchangeCards(mine, other, theirs) for mine in own for other, theirs in others]
        case _:
            assert_never(table.phase)


def _played(table: Table, seat: Seat, move: Command) -> InTurn | None:
    """What a command of the right phase does, or None if the rules forbid it."""
    hand = table.hands[seat]
    match move:
        case StartRound():
            return None
        case TakeCardFromHeap():
            value = table.heap[0]
            return Drawn(seat, value) if table.phase is Phase.SELECT else ShownReplaced(seat, value, from_heap=True)
        case TakeDiscardedCard():
            return None if table.top is None else ShownReplaced(seat, table.top, from_heap=False)
        case ReplaceCardByDiscarded(index):
            return _replacement(table, seat, index, table.top, from_heap=False)
        case ReplaceCard(index):
            return _replacement(table, seat, index, table.drawn, from_heap=True)
        case ShowCards(indexes):
            fits = len(set(indexes)) == len(indexes) >= 2 and all(_lies(table, seat, index) for index in indexes)
            return Shown(seat, indexes, tuple(hand[index].value for index in indexes)) if fits else None
        case StopRound():
            return Stopped(seat) if table.stopper is None else None
        case Discard():
            return None if table.drawn is None else Discarded(seat, table.drawn)
        case PeekOwnCard(index):
            return OwnCardPeeked(seat, index, hand[index].value) if _lies(table, seat, index) else None
        case PeekCard(other, index):
            if other == seat or not _lies(table, other, index):
                return None
            return CardPeeked(seat, Seat(other), index, table.hands[other][index].value)
        case ExchangeCards(index, other, other_index):
            if other == seat or not _lies(table, seat, index) or not _lies(table, other, other_index):
                return None
            return Exchanged(seat, index, Seat(other), other_index)
        case _:
            assert_never(move)


def _replacement(table: Table, seat: Seat, index: int, taken: int | None, from_heap: bool) -> Replaced | None:
    if taken is None or not _lies(table, seat, index):
        return None
    return Replaced(seat, index, taken, table.hands[seat][index].value, from_heap)


def _lies(table: Table, seat: int, index: int) -> bool:
    return 0 <= seat < len(table.hands) and 0 <= index < len(table.hands[seat])


def _start(table: Table, chance: Chance) -> Decision[CaboEvent]:
    """Chance shuffles, then names the first player, unless the last round did."""
    deck = chance.shuffled(DECK)
    first = Seat(chance.below(len(table.totals))) if table.starter is None else table.starter
    return _told(table, (RoundStarted(deck), TurnStarted(first)), chance)


def _told(table: Table, events: tuple[CaboEvent, ...], chance: Chance) -> Decision[CaboEvent]:
    """Events with their waves: each is told to all but who acts next, then to that one; last the round's end."""
    waves: list[Wave] = []
    for number, event in enumerate(events):
        table = evolve(table, event)
        waves += _waves(table, event, number)
    if table.is_round_over:
        finished = _finish(table, chance)
        events = (*events, finished)
        waves += _waves(evolve(table, finished), finished, len(events) - 1)
    return Decision(events, tuple(waves))


def _waves(table: Table, event: CaboEvent, number: int) -> tuple[Wave, ...]:
    """Who is told of an event; `table` is the one after it."""
    if isinstance(event, RoundStarted | RoundFinished):
        return (Wave(events=(number,)),)
    last = table.after(event.seat) if table.turn is None else table.turn
    others = tuple(seat for seat in table.seats if seat != last)
    return Wave(others, (number,)), Wave((last,), (number,))


def _finish(table: Table, chance: Chance) -> RoundFinished:
    hands = tuple(tuple(card.value for card in hand) for hand in table.hands)
    gained = scoring.scores(hands, table.stopper)
    totals = scoring.totals(table.totals, gained)
    best = [seat for seat in table.seats if gained[seat] == 0]
    starter = None if max(totals) > table.limit else best[chance.below(len(best))]
    return RoundFinished(hands, gained, totals, starter)
