"""Renju's forbidden points: where black may not play.

After the definitions of the Renju International Federation:

- A *five* is exactly five in a row; more is an *overline*.
- A *four* is four stones in a line which one more stone makes a five. A *straight four* has its four stones side by
  side and becomes a five at either end; it counts as one four. Two fours may lie in one line.
- A *three* is three stones in a line which one more stone makes a straight four, by a move that black may make and
  that does not make a five at the same time. So whether a three counts depends on forbidden points further on.

Black may not make an overline, two fours, or two threes with one stone, unless that stone makes a five.
"""

from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from services.session.games.gomoku.lines import REACH, run, windows
from services.session.games.stones import BLACK, EMPTY, placed


class Verdict(Enum):
    FIVE = auto()
    FORBIDDEN = auto()
    FREE = auto()


class Shape(NamedTuple):
    """What a black stone at the centre of a window makes along that line."""

    length: int
    fours: int
    straightens: tuple[int, ...]
    """Steps from the centre to the points that turn a three into a straight four; none if there is no three."""


def forbidden(cells: str, size: int, point: int) -> bool:
    """Whether black may not play on that empty point."""
    return judge(cells, size, point) is Verdict.FORBIDDEN


def judge(cells: str, size: int, point: int) -> Verdict:
    """What a black stone on an empty point would be."""
    lines = windows(size)[point]
    shapes = [shape(line.of(cells)) for line in lines]
    if any(made.length == 5 for made in shapes):
        return Verdict.FIVE
    if any(made.length > 5 for made in shapes) or sum(made.fours for made in shapes) > 1:
        return Verdict.FORBIDDEN
    threes = [(line.step, made.straightens) for line, made in zip(lines, shapes, strict=True) if made.straightens]
    if len(threes) < 2:
        return Verdict.FREE
    after = placed(cells, point, BLACK)
    counting = sum(
        any(judge(after, size, point + steps * step) is Verdict.FREE for steps in straightens)
        for step, straightens in threes
    )
    return Verdict.FORBIDDEN if counting > 1 else Verdict.FREE


@lru_cache(maxsize=1 << 16)  # there are hardly more windows: 3**10, and those at an edge
def shape(window: str) -> Shape:
    """Reads one line; its centre is taken to be black."""
    line = placed(window, REACH, BLACK)
    length = sum(run(line, BLACK)) + 1
    if line.count(BLACK) < 3:  # most lines are like that, and a three has three stones
        return Shape(length, 0, ())
    fours, straightens = set(), []
    for at, cell in enumerate(line):
        if cell != EMPTY:
            continue
        before, after = run(placed(line, at, BLACK), BLACK)
        first, last = REACH - before, REACH + after
        if not first <= at <= last:
            continue
        if before + after + 1 == 5:
            fours.add(frozenset(range(first, last + 1)) - {at})
        elif before + after + 1 == 4 and _open(line, first, last):
            straightens.append(at - REACH)
    return Shape(length, len(fours), tuple(straightens))


def _open(line: str, first: int, last: int) -> bool:
    """Whether four in a row become a five, and no more, at either end."""
    ends, beyond = (first - 1, last + 1), (first - 2, last + 2)
    return all(line[end] == EMPTY for end in ends) and all(line[end] != BLACK for end in beyond)
