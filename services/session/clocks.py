"""Move time and time bank: a move may take `move_time`; what it takes beyond that comes out of the bank for good."""

from typing import Any

from shared.kernel import Options, Seat, Value


class Clock(Value, frozen=True):
    banks: tuple[int, ...] = ()
    """What is left in each seat's bank, in ms."""
    since: tuple[tuple[Seat, int], ...] = ()
    """Whose clock runs, and since when."""


class Wait(Value, frozen=True):
    """A running clock as clients see it, in ms."""

    box: Seat
    name: str
    tick: int
    value: int
    timeBank: int  # noqa: N815  (the contract's spelling)


def wound_up(options: Options, seats: int) -> Clock:
    return Clock(banks=(options.time_bank * 1000,) * seats)


def advance(
    clock: Clock,
    options: Options,
    before: tuple[Seat, ...],
    after: tuple[Seat, ...],
    mover: Seat | None,
    at: int,
) -> Clock:
    """Charge whoever moved or need not act any more; start the clock of whoever must act now."""
    if not options.move_time or (before == after and mover is None):
        return clock
    running = dict(clock.since)
    banks = list(clock.banks)
    for box in before:
        if box == mover or box not in after:
            banks[box] -= _overdrawn(running.pop(box), options, banks[box], at)
    since = tuple((box, running.get(box, at)) for box in after)
    return Clock(tuple(banks), since)


def deadline(clock: Clock, options: Options) -> int | None:
    """When the first running clock is exhausted."""
    return min([_exhausted(clock, options, box, since) for box, since in clock.since], default=None)


def exhausted(clock: Clock, options: Options, now: int) -> list[Seat]:
    return [box for box, since in clock.since if _exhausted(clock, options, box, since) <= now]


def waits(clock: Clock, options: Options, now: int) -> list[Wait]:
    value = options.move_time * 1000
    return [Wait(box, "move", min(value, max(0, now - since)), value, clock.banks[box]) for box, since in clock.since]


def bank_tick(clock: Clock, options: Options, box: Seat, now: int) -> int:
    """How much of the bank the present move has used so far."""
    return next((_overdrawn(since, options, clock.banks[b], now) for b, since in clock.since if b == box), 0)


def _exhausted(clock: Clock, options: Any, box: Seat, since: int) -> int:
    return int(since + options.move_time * 1000 + clock.banks[box])


def _overdrawn(since: int, options: Options, bank: int, at: int) -> int:
    return min(bank, max(0, at - since - options.move_time * 1000))
