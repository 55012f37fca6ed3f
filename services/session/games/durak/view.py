"""What each viewer is shown: its own hand, and of the others only how many cards they hold."""

from typing import Any, assert_never

from services.session.games.durak import rules
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
from services.session.games.durak.state import State
from shared.kernel import Message, Viewer


def view(state: State, viewer: Viewer) -> dict[str, Any]:
    shown = {
        "trump": state.trump,
        "trump_card": state.deck[-1] if state.deck else None,
        "deck": len(state.deck),
        "gone": len(state.gone),
        "attacker": state.attacker,
        "defender": state.defender,
        "taking": state.taking,
        "table": state.table,
        "hands": [{"box": box, "cards": len(hand)} for box, hand in enumerate(state.hands)],
        "shown": state.shown,
        "out": state.out,
    }
    return shown if viewer is None else {**shown, "hand": state.hands[viewer]}


def project(state: State, event: DurakEvent, viewer: Viewer) -> Message | None:
    """Every message also carries the viewer's `gamestate` after it."""
    told = _told(state, event, viewer)
    return None if told is None else Message(told.event, {**told.data, "gamestate": view(state, viewer)})


def _told(state: State, event: DurakEvent, viewer: Viewer) -> Message | None:
    match event:
        case Attacked(seat, cards):
            return _table(state, "attack", seat, cards=cards)
        case Beaten(seat, attack, card):
            return _table(state, "defend", seat, attack_card=attack, defend_card=card)
        case Transferred(seat, card):
            return _table(state, "transfer", seat, card=card)
        case GaveUp(seat, automatic):
            return _table(state, "take", seat, automatic=automatic)
        case Passed(seat):
            return _table(state, "finish", seat)
        case BoutEnded(defender, taken, cards):
            return Message("finishround", {"box": defender, "taken": taken, "cards": cards})
        case Dealt(seats):
            return Message("cards", {"cards": state.hands[viewer]}) if viewer is not None and viewer in seats else None
        case TurnCame():
            return Message("turn", {"attacker": state.attacker, "defender": state.defender})
        case Asked():
            moves = [] if viewer is None else rules.legal_moves(state, viewer)
            return Message("availables", {"availables": moves}) if moves else None
        case _:
            assert_never(event)


def _table(state: State, action: str, box: int, **details: Any) -> Message:
    """What lies on the table, and who did what to make it so."""
    return Message("table", {"box": box, "action": action, **details, "table": state.table})
