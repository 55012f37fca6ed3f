"""A move told in waves: who has been told which of its events so far, and who is waited for. Pure."""

from typing import Any, Generic

import msgspec

from services.session.facts import GameEvent, Position
from shared.kernel import Seat, Viewer, Wave


class OpenMove(msgspec.Struct, Generic[Position, GameEvent], frozen=True, gc=False):
    """A move that has changed the position, but of which not everyone has been told."""

    before: Position
    events: tuple[GameEvent, ...]
    waves: tuple[Wave, ...]
    sent: int  # the latest wave that is out
    version: int  # of the entry that let it out
    since: int
    waiting: tuple[Seat, ...]  # whose acknowledgement the next wave waits for


AnyOpenMove = OpenMove[Any, Any]


def opened(
    before: Any, events: tuple[Any, ...], waves: tuple[Wave, ...], humans: tuple[Seat, ...], version: int, at: int
) -> AnyOpenMove | None:
    """The move with its first wave out, or None if nobody need be waited for."""
    return _at_wave(OpenMove(before, events, waves, 0, version, at, ()), 0, humans, version, at)


def released(move: AnyOpenMove, humans: tuple[Seat, ...], version: int, at: int) -> AnyOpenMove | None:
    """The move with its next wave out, or None once that was the last."""
    return _at_wave(move, move.sent + 1, humans, version, at)


def _at_wave(move: AnyOpenMove, wave: int, humans: tuple[Seat, ...], version: int, at: int) -> AnyOpenMove | None:
    """Waves of bots alone are passed by: a bot acknowledges at once. The last wave is not waited for."""
    while wave < len(move.waves) - 1:
        if waiting := tuple(seat for seat in humans if _goes_to(move.waves[wave], seat)):
            return msgspec.structs.replace(move, sent=wave, version=version, since=at, waiting=waiting)
        wave += 1
    return None


def news(events: int, waves: tuple[Wave, ...], viewer: Viewer, first: int, last: int) -> list[int]:
    """Which of so many events a viewer is told by the waves from `first` to `last`."""
    return [
        i for i in range(events) if (told_by := _told_by(waves, i, viewer)) is not None and first <= told_by <= last
    ]


def known(move: AnyOpenMove, viewer: Viewer) -> int:
    """How many of an open move's events a viewer has been told."""
    return len(news(len(move.events), move.waves, viewer, 0, move.sent))


def _told_by(waves: tuple[Wave, ...], event: int, viewer: Viewer) -> int | None:
    having = [w for w, wave in enumerate(waves) if wave.events is None or event in wave.events]
    if viewer is None:
        return having[-1]
    return next((w for w in having if _goes_to(waves[w], viewer)), None)


def _goes_to(wave: Wave, seat: Seat) -> bool:
    return wave.to is None or seat in wave.to
