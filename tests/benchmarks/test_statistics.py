"""The intervals of `make compare` hold the truth as often as they say, however often one looks, wherever one stops."""

import random
from collections.abc import Callable
from functools import cache
from math import comb, exp, inf

import pytest

from benchmarks.compare.statistics import ERROR, Interval, interval, outermost

COMPARISONS = 600
ROUNDS = 40
# Of 600 comparisons 30 may miss; more than 48 do in one of a thousand such tests.
MOST_MISSES = 48

Noise = Callable[[random.Random], float]

# What a round's ratio is made of: the truth, and this. Every shape has the median 1.
SHAPES: dict[str, Noise] = {
    "normal": lambda lot: exp(lot.gauss(0, 0.02)),
    "heavy-tailed": lambda lot: exp(0.01 * lot.gauss(0, 1) / max(0.05, abs(lot.gauss(0, 1)))),
    "skewed": lambda lot: 1 + 0.03 * (lot.expovariate(1) - 0.6931),
}


def stopped(ratios: list[float], look: Callable[[list[float]], Interval]) -> Interval:
    """What is printed when one looks after every round and stops as soon as the interval is narrow."""
    found = look([])
    for rounds in range(1, len(ratios) + 1):
        found = look(ratios[:rounds])
        if found.is_narrow:
            break
    return found


def misses(noise: Noise, truth: float, look: Callable[[list[float]], Interval]) -> int:
    lot = random.Random(1)
    count = 0
    for _ in range(COMPARISONS):
        found = stopped([truth * noise(lot) for _ in range(ROUNDS)], look)
        count += not found.low <= truth <= found.high
    return count


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("truth", [1.0, 1.07])
def test_an_interval_holds_the_truth_wherever_one_stops(shape: str, truth: float) -> None:
    assert misses(SHAPES[shape], truth, interval) <= MOST_MISSES


def ever_misses(shape: str, lot: random.Random, look: Callable[[list[float]], Interval]) -> bool:
    ratios = [SHAPES[shape](lot) for _ in range(ROUNDS)]
    looks = [look(ratios[:rounds]) for rounds in range(1, ROUNDS + 1)]
    return any(not found.low <= 1.0 <= found.high for found in looks)


@pytest.mark.parametrize("shape", SHAPES)
def test_all_intervals_of_a_comparison_hold_the_truth_together(shape: str) -> None:
    lot = random.Random(2)
    assert sum(ever_misses(shape, lot, interval) for _ in range(COMPARISONS)) <= MOST_MISSES


@cache
def place_for_one_look(rounds: int) -> int:
    return next(cut for cut in range(rounds) if 2 * sum(comb(rounds, n) for n in range(cut + 1)) > ERROR * 2**rounds)


def test_intervals_made_for_one_look_would_miss_too_often() -> None:
    def once(ratios: list[float]) -> Interval:
        ordered, cut = sorted(ratios), place_for_one_look(len(ratios))
        return Interval(1.0, ordered[cut - 1], ordered[-cut]) if cut else Interval(1.0, 0.0, inf)

    lot = random.Random(3)
    assert sum(ever_misses("normal", lot, once) for _ in range(COMPARISONS)) > MOST_MISSES


def test_the_error_is_never_spent_beyond_its_sum() -> None:
    paths = {0: 1.0}  # the chance of each count of rounds below the truth, for walks that have always been inside
    for rounds in range(1, 301):
        stepped: dict[int, float] = {}
        for below, chance in paths.items():
            for more in (0, 1):
                stepped[below + more] = stepped.get(below + more, 0.0) + chance / 2
        cut = outermost(rounds)
        paths = {below: chance for below, chance in stepped.items() if cut <= below <= rounds - cut}
    assert 1 - sum(paths.values()) <= ERROR


def test_there_is_no_interval_before_six_rounds() -> None:
    assert [outermost(rounds) for rounds in range(8)] == [0, 0, 0, 0, 0, 0, 1, 1]
    assert interval([1.1] * 5) == Interval(1.1, 0.0, inf)
    assert not interval([1.1] * 5).is_above_one
    assert interval([1.1, 1.2, 1.25, 1.45, 1.5, 1.6]) == Interval(1.35, 1.1, 1.6)


def test_five_percent_are_found_within_a_dozen_rounds() -> None:
    lot = random.Random(4)
    found = sum(interval([1.05 * exp(lot.gauss(0, 0.02)) for _ in range(12)]).is_above_one for _ in range(200))
    assert found >= 190
