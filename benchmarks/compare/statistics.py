"""The median of the rounds' ratios, with an interval that stays true however often it is looked at.

A round lies below the true median or above it as a coin falls, whatever the shape of the noise. So the count of those
below is a walk of fair steps, and the chance that such a walk ever leaves given bounds can be reckoned exactly. The
bounds are drawn so tightly that it does so in at most 5 % of all comparisons, at whichever round one looks or stops.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from statistics import median

ERROR = 0.05  # the chance that an interval ever misses the truth
NARROW = 0.02  # a half-width that is good enough

# After so many rounds half of the error is spent: few enough for a first interval after six rounds, which is as early
# as there can be one, and hardly wider than others would be after sixty.
_HALF_SPENT = 3


@dataclass(frozen=True, slots=True)
class Interval:
    """What is known of a ratio new/old; below 1 the new side is the cheaper one."""

    median: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    @property
    def is_narrow(self) -> bool:
        return self.half_width <= NARROW

    @property
    def is_above_one(self) -> bool:
        return self.low > 1.0


def interval(ratios: Sequence[float]) -> Interval:
    """The interval after these rounds; it has no ends as long as there are too few of them."""
    ordered = sorted(ratios)
    cut = outermost(len(ordered))
    if not cut:
        return Interval(median(ordered) if ordered else 1.0, 0.0, inf)
    return Interval(median(ordered), ordered[cut - 1], ordered[-cut])


def outermost(rounds: int) -> int:
    """The place of the interval's ends after so many rounds, from below and from above; 0 if there are too few."""
    return _walk(rounds)[0]


@cache
def _walk(rounds: int) -> tuple[int, float, tuple[float, ...]]:
    """The place of the ends, the error spent by now, and the chance of each count below of walks still inside."""
    if rounds == 0:
        return 0, 0.0, (1.0,)
    cut, spent, before = _walk(rounds - 1)
    chances = tuple((a + b) / 2 for a, b in zip((*before, 0.0), (0.0, *before), strict=True))
    allowed = ERROR * rounds / (rounds + _HALF_SPENT) - spent
    # An interval that holds the truth has at least `cut` rounds on either side of it: fewer, and the walk has left.
    while 2 * sum(chances[: cut + 1]) <= allowed:
        cut += 1
    left = 2 * sum(chances[:cut])
    inside = tuple(0.0 if n < cut or n > rounds - cut else chance for n, chance in enumerate(chances))
    return cut, spent + left, inside
