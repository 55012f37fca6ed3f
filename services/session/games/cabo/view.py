"""What each viewer is shown: the only place where the values of cards leave the table."""

from typing import Any, assert_never

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
from services.session.games.cabo.state import Phase, Table
from shared.kernel import Message, Viewer

_SHOWN_AS_C = (Phase.PEEK_OWN, Phase.PEEK, Phase.EXCHANGE)


def view(table: Table, viewer: Viewer) -> dict[str, Any]:
    own = () if viewer is None else table.hands[viewer]
    is_drawer = viewer is not None and viewer == table.turn
    return {
        "phase": _phase(table),
        "power": table.phase if table.phase in _SHOWN_AS_C else None,
        "turn": table.turn,
        "heap": len(table.heap),
        "discard": table.top,
        "hands": [{"box": seat, "cards": len(table.hands[seat])} for seat in table.seats],
        "known": [card.known_to(viewer) for card in own] if viewer is not None else [],
        "drawn": table.drawn if is_drawer else None,
        "shown": table.shown,
        "stopper": table.stopper,
        "starter": table.starter,
        "totalScores": table.totals,
        "lastRound": table.last_round,
    }


def project(table: Table, event: CaboEvent, viewer: Viewer) -> Message:
    """The contract's message, and with it the whole view after the event, so that no client needs the rules."""
    name, data = _message(table, event, viewer)
    return Message(name, {**data, "gamestate": view(table, viewer)})


def _phase(table: Table) -> str | None:
    """A power belongs to the action phase; after the last round there is no phase."""
    if table.is_over:
        return None
    return Phase.ACT if table.phase in _SHOWN_AS_C else table.phase


def _message(table: Table, event: CaboEvent, viewer: Viewer) -> tuple[str, dict[str, Any]]:
    match event:
        case RoundStarted():
            if viewer is None:
                return "RoundStarted", {}
            first, second = table.hands[viewer][:2]
            return "FirstTwoCards", {"value1": first.value, "value2": second.value}
        case TurnStarted(seat):
            return "TurnStart", {"playerIndex": seat}
        case RoundFinished(hands, scores, totals, starter):
            sums = {"hands": hands, "scores": scores, "totalScores": totals}
            return "RoundFinished", {**sums, "isGameFinished": table.is_over, "starter": starter}
        case Stopped(seat):
            return "Stopping", {"playerIndex": seat}
        case PowerSkipped(seat):
            return "PowerSkipped", {"playerIndex": seat}
        case Discarded(seat, value):
            return "Discarded", {"playerIndex": seat, "discardedValue": value}
        case Replaced(seat, index, _, discarded):
            return "CardReplaced", {"playerIndex": seat, "handCardIndex": index, "discardedValue": discarded}
        case Exchanged(seat, index, other, other_index):
            theirs = {"anotherPlayerIndex": other, "anotherPlayerHandCardIndex": other_index}
            return "CardsExchanged", {"playerIndex": seat, "handCardIndex": index, **theirs}
        case Shown(seat, indexes, values):
            if viewer != seat:
                return "CardsShown", {"playerIndex": seat, "handCardIndexes": indexes, "values": values}
            return ("CardsIdentical", {"discardedValue": values[0]}) if event.are_equal else ("CardsDifferent", {})
        case Drawn() | ShownReplaced() | OwnCardPeeked() | CardPeeked():
            return _own_or_public(event, viewer)
        case _:
            assert_never(event)


def _own_or_public(
    event: Drawn | ShownReplaced | OwnCardPeeked | CardPeeked, viewer: Viewer
) -> tuple[str, dict[str, Any]]:
    """Whoever took a card or looked at one is told its value; the others are told that it was done."""
    match event:
        case Drawn(value=value) | ShownReplaced(taken=value) | OwnCardPeeked(value=value) | CardPeeked(value=value):
            if viewer == event.seat:
                return "Card", {"value": value}
    who = {"playerIndex": event.seat}
    match event:
        case Drawn() | ShownReplaced(from_heap=True):
            return "HeapCardTaken", who
        case ShownReplaced():
            return "DiscardedCardTaken", {**who, "value": event.taken}
        case OwnCardPeeked():
            return "OwnCardPeeked", {**who, "handCardIndex": event.index}
        case CardPeeked():
            return "CardPeeked", {**who, "anotherPlayerIndex": event.other, "handCardIndex": event.index}
        case _:
            assert_never(event)
