"""What can become of a command."""

from enum import StrEnum
from typing import TypeAlias

import msgspec

from services.session.facts import Fact
from shared.kernel import Refusal, Seat


class EngineRefusal(StrEnum):
    """Why the engine says no, whatever the rules of the game."""

    WRONG_STATE = "wrong_state"
    FORBIDDEN = "forbidden"
    ROOM_FULL = "room_full"
    ALREADY_SEATED = "already_seated"
    WAITING_FOR_ACKS = "waiting_for_acks"
    ACK_AHEAD = "ack_ahead"
    UNDO_BANNED = "undo_banned"
    NO_UNDO_PENDING = "no_undo_pending"
    NO_DRAW_PENDING = "no_draw_pending"


class Ballot(msgspec.Struct, frozen=True, gc=False):
    """One seat's acknowledgement of a wave; the facts hold once all of the `others` have given theirs."""

    box: Seat
    wave: int  # the version of the entry that let it out
    others: tuple[Seat, ...]
    facts: tuple[Fact, ...]


class Moot(msgspec.Struct, frozen=True, gc=False):
    """No effect, whatever may have come since the version on which that was decided."""


Verdict: TypeAlias = tuple[Fact, ...] | Ballot | Moot | Refusal | EngineRefusal
"""The facts that a command makes, none if it has no effect; or a ballot; or why it is refused."""
