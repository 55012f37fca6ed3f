"""Taking a move back: asked for by whoever made it, before the other has moved, once. Pure."""

from enum import StrEnum

from services.session.facts import UndoAsked, Undone, UndoRejected
from services.session.match import AnyMatch, Status
from services.session.verdict import EngineRefusal, Verdict
from shared.kernel import Seat


class Answer(StrEnum):
    APPROVE = "approve"
    REJECT = "reject"
    AUTO_REJECT = "auto_reject"


def is_allowed(match: AnyMatch, box: Seat) -> bool:
    """May this seat ask for its last move back?"""
    last = match.last
    return match.status is Status.ACTIVE and last is not None and last.box == box and not last.asked


def ask(match: AnyMatch, box: Seat, seen: int | None) -> Verdict:
    if match.status is not Status.ACTIVE:
        return EngineRefusal.WRONG_STATE
    if is_allowed(match, box):
        return (UndoAsked(box),)
    if _crosses(match, box, seen):
        return (UndoRejected(box, "auto_reject"),)
    return EngineRefusal.UNDO_BANNED


def answer(match: AnyMatch, box: Seat, given: Answer, seen: int | None, now: int) -> Verdict:
    """An answer after the deadline is too late, even if the deadline has not been acted on yet.

    One whose sender had not seen the request was meant for an earlier one.
    """
    if match.status is not Status.ACTIVE:
        return EngineRefusal.WRONG_STATE
    request = match.undo
    unseen = request is not None and seen is not None and seen < request.version
    if request is None or request.by == box or request.until <= now or unseen:
        return () if given is Answer.AUTO_REJECT else EngineRefusal.NO_UNDO_PENDING
    if given is Answer.APPROVE:
        return (Undone(request.by),)
    return (UndoRejected(request.by, given),)


def overtaken(match: AnyMatch) -> tuple[UndoRejected, ...]:
    """What a move of the other player does to a request that is pending."""
    return (UndoRejected(match.undo.by, "auto_reject"),) if match.undo else ()


def _crosses(match: AnyMatch, box: Seat, seen: int | None) -> bool:
    """Was it sent before its sender knew that the other had moved?"""
    last = match.last
    return last is not None and last.box != box and last.crossable and seen is not None and seen < last.version
