"""A player of gomoku that looks one move ahead: it wins, it stops the other from winning, it builds."""

from enum import IntEnum
from functools import cache, lru_cache

from services.session.games.gomoku.board import Board, exact
from services.session.games.gomoku.lines import REACH, run, windows
from services.session.games.gomoku.renju import forbidden
from services.session.games.stones import BLACK, EMPTY, Play, opposite, placed, plays
from shared.kernel import Chance, Seat


class Threat(IntEnum):
    """What a stone makes along one line."""

    NOTHING = 0
    THREE = 1  # one more stone makes it open
    FOUR = 2  # one more stone wins, at one point
    OPEN = 3  # one more stone wins, at either of two points
    FIVE = 4


FIVE, OPEN, FOUR_AND_THREE, TWO_THREES, THREE, FOUR = 1_000_000, 100_000, 50_000, 20_000, 1_000, 600
PROMISE = (1, 4, 12, 30, 0)
"""What five free cells are worth by the number of own stones in them; with four it is a threat already."""


def greedy(state: Board, seat: Seat, chance: Chance) -> Play:
    """The best point by what it makes for either colour; among equals, chance decides."""
    if not state.cells.strip(EMPTY):
        return plays(state.size)[len(state.cells) // 2]
    points = [at for at in _near(state.cells, state.size) if state.open(at)] or state.open_points()
    worths = [_worth(state, at) for at in points]
    best = max(worths)
    choice = [at for at, worth in zip(points, worths, strict=True) if worth == best]
    return plays(state.size)[choice[chance.below(len(choice))]]


def _worth(state: Board, point: int) -> int:
    """Twice what the point makes for the one to move, and once what it would make for the other."""
    own, enemy = state.stone, opposite(state.stone)
    lines = [window.of(state.cells) for window in windows(state.size)[point]]
    denied = _gain(lines, enemy, exact(state.rule, enemy))
    if denied > THREE and state.rule == "renju" and enemy == BLACK and forbidden(state.cells, state.size, point):
        denied = 0  # it could not play there
    return 2 * _gain(lines, own, exact(state.rule, own)) + denied


def _gain(lines: list[str], stone: str, exactly: bool) -> int:
    read = [_read(line, stone, exactly) for line in lines]
    threats = [threat for threat, _ in read]
    fours, threes = threats.count(Threat.FOUR), threats.count(Threat.THREE)
    promise = sum(promise for _, promise in read)
    if Threat.FIVE in threats:
        return FIVE
    if Threat.OPEN in threats or fours > 1:
        return OPEN + promise
    if fours and threes:
        return FOUR_AND_THREE + promise
    if threes > 1:
        return TWO_THREES + promise
    return FOUR * fours + THREE * threes + promise


@lru_cache(maxsize=1 << 17)  # the windows of either colour
def _read(window: str, stone: str, exactly: bool) -> tuple[Threat, int]:
    """The threat that a stone at the centre makes along a line, and what else it promises there."""
    line = placed(window, REACH, stone)
    promise = sum(_promise(line[start : start + 5], stone) for start in range(1, REACH + 1))
    if _five(line, stone, exactly):
        return Threat.FIVE, promise
    if line.count(stone) < 3:
        return Threat.NOTHING, promise
    ways = _ways(line, stone, exactly)
    if ways:
        return (Threat.OPEN if ways > 1 else Threat.FOUR), promise
    opens = any(_ways(placed(line, at, stone), stone, exactly) > 1 for at in _empty(line))
    return (Threat.THREE if opens else Threat.NOTHING), promise


def _ways(line: str, stone: str, exactly: bool) -> int:
    """At how many points one more stone makes a five with the centre in it."""
    return sum(_five(placed(line, at, stone), stone, exactly) for at in _empty(line))


def _five(line: str, stone: str, exactly: bool) -> bool:
    length = sum(run(line, stone)) + 1
    return length == 5 if exactly else length >= 5


def _empty(line: str) -> list[int]:
    return [at for at in range(1, 2 * REACH) if line[at] == EMPTY]


def _promise(five: str, stone: str) -> int:
    own = five.count(stone)
    return PROMISE[own - 1] if own + five.count(EMPTY) == 5 else 0


def _near(cells: str, size: int) -> list[int]:
    """The empty points with a stone at most two rows and columns away."""
    return [
        point
        for point, around in enumerate(_squares(size))
        if cells[point] == EMPTY and any(cells[row].strip(EMPTY) for row in around)
    ]


@cache
def _squares(size: int) -> tuple[tuple[slice, ...], ...]:
    def square(x: int, y: int) -> tuple[slice, ...]:
        left, right = max(0, x - 2), min(size, x + 3)
        return tuple(slice(row * size + left, row * size + right) for row in range(max(0, y - 2), min(size, y + 3)))

    return tuple(square(x, y) for y in range(size) for x in range(size))
