"""Move time and time bank: a move may take `move_time`; what it takes beyond that comes out of the bank for good."""

from typing import Any

import msgspec

from shared.kernel import Countdown, Options, Seat, Value


class Running(Value, frozen=True):
    """A countdown of the game's own, and since when it runs."""

    name: str
    ms: int
    since: int


class Clock(Value, frozen=True):
    banks: tuple[int, ...] = ()
    """What is left in each seat's bank, in ms."""
    since: tuple[tuple[Seat, int], ...] = ()
    """Whose clock runs, and since when."""
    paused_at: int | None = None
    """When all of these were stopped for a while."""
    countdown: Running | None = None
    """What the seats that are to act have instead of their clocks."""


class Wait(Value, frozen=True, omit_defaults=True):
    """Something that a seat is waited for, as clients see it, in ms."""

    box: Seat
    name: str
    tick: int
    value: int
    timeBank: int  # noqa: N815  (the contract's spelling)
    paused: bool = False


def wound_up(options: Options, seats: int) -> Clock:
    return Clock(banks=(options.time_bank * 1000,) * seats)


def advance(
    clock: Clock,
    options: Options,
    acting: tuple[Seat, ...],
    mover: Seat | None,
    at: int,
    restarts: tuple[Seat, ...] = (),
) -> Clock:
    """Charge whoever moved, begins anew or need not act any more; start the clock of whoever must act now."""
    running = dict(clock.since)
    if not options.move_time or (mover is None and tuple(running) == acting):
        return clock
    banks = list(clock.banks)
    for box, since in clock.since:
        if box == mover or box in restarts or box not in acting:
            banks[box] -= _overdrawn(since, options, banks[box], at)
            del running[box]
    return Clock(tuple(banks), tuple((box, running.get(box, at)) for box in acting), clock.paused_at, clock.countdown)


def counting(clock: Clock, countdown: Countdown | None, anew: bool, at: int) -> Clock:
    """The clock with the countdown that the position asks for; it starts anew with each move."""
    if countdown is None:
        return clock if clock.countdown is None else msgspec.structs.replace(clock, countdown=None)
    running = clock.countdown
    if anew or running is None or running.name != countdown.name:
        running = Running(countdown.name, countdown.seconds * 1000, at)
    return msgspec.structs.replace(clock, countdown=running)


def paused(clock: Clock, at: int) -> Clock:
    return msgspec.structs.replace(clock, paused_at=at)


def resumed(clock: Clock, at: int) -> Clock:
    """As if no time had passed since it was paused."""
    if clock.paused_at is None:
        return clock
    return msgspec.structs.replace(_later(clock, clock.paused_at, at), paused_at=None)


def saw(clock: Clock, until: int) -> bool:
    """Did any clock run before that time?"""
    return any(since < until for _, since in clock.since)


def credited(clock: Clock, begun: int, until: int) -> Clock:
    """As if the time from `begun` to `until` had not passed; a clock that stood still then needs no credit."""
    return clock if clock.paused_at is not None else _later(clock, begun, until)


def deadline(clock: Clock, options: Options) -> int | None:
    """When the countdown, or the first running clock, is exhausted."""
    if clock.countdown is not None:
        return clock.countdown.since + clock.countdown.ms
    if clock.paused_at is not None or not clock.since:
        return None
    return min([_exhausted(clock, options, box, since) for box, since in clock.since])


def exhausted(clock: Clock, options: Options, now: int) -> list[Seat]:
    """Whose move clock has run out."""
    if clock.paused_at is not None:
        return []
    return [box for box, since in clock.since if _exhausted(clock, options, box, since) <= now]


def waits(clock: Clock, options: Options, acting: tuple[Seat, ...], now: int) -> list[Wait]:
    if (down := clock.countdown) is not None:
        tick = _passed(down.since, now, down.ms)
        return [Wait(box, down.name, tick, down.ms, clock.banks[box]) for box in acting]
    value = options.move_time * 1000
    stopped = clock.paused_at is not None
    now = clock.paused_at if clock.paused_at is not None else now
    return [
        Wait(box, "move", _passed(since, now, value), value, clock.banks[box], stopped) for box, since in clock.since
    ]


def bank_tick(clock: Clock, options: Options, box: Seat, now: int) -> int:
    """How much of the bank the present move has used so far."""
    now = clock.paused_at if clock.paused_at is not None else now
    return next((_overdrawn(since, options, clock.banks[b], now) for b, since in clock.since if b == box), 0)


def _later(clock: Clock, begun: int, until: int) -> Clock:
    """Every start moved on by as much of that time as it has seen."""
    since = tuple((box, at + max(0, until - max(at, begun))) for box, at in clock.since)
    return msgspec.structs.replace(clock, since=since)


def _passed(since: int, now: int, most: int) -> int:
    return min(most, max(0, now - since))


def _exhausted(clock: Clock, options: Any, box: Seat, since: int) -> int:
    return int(since + options.move_time * 1000 + clock.banks[box])


def _overdrawn(since: int, options: Options, bank: int, at: int) -> int:
    return min(bank, max(0, at - since - options.move_time * 1000))
