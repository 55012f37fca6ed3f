"""The four lines through a point, cut out of the board as short strings."""

from functools import cache
from typing import NamedTuple

REACH = 5
"""How far a window looks to each side: a five that holds the centre ends at most 4 away, and whether it is a five and
not more is decided one further."""
EDGE = "#"


class Window(NamedTuple):
    """Where a line lies in the board's string; what lies outside the board is filled with `EDGE`."""

    before: str
    cut: slice
    after: str
    step: int

    def of(self, cells: str) -> str:
        """The 2 · REACH + 1 cells around the centre."""
        return self.before + cells[self.cut] + self.after


@cache
def windows(size: int) -> tuple[tuple[Window, ...], ...]:
    """For each point the windows along the row, the column and the two diagonals."""
    return tuple(tuple(_window(size, x, y, *d) for d in ((1, 0), (0, 1), (1, 1), (-1, 1))) for y, x in _points(size))


def run(window: str, stone: str) -> tuple[int, int]:
    """How many stones of one colour join a centre of that colour, before it and after it."""
    before, after = window[:REACH], window[REACH + 1 :]
    return REACH - len(before.rstrip(stone)), REACH - len(after.lstrip(stone))


def _window(size: int, x: int, y: int, dx: int, dy: int) -> Window:
    back = sum(_on_board(size, x - i * dx, y - i * dy) for i in range(1, REACH + 1))
    ahead = sum(_on_board(size, x + i * dx, y + i * dy) for i in range(1, REACH + 1))
    centre, step = y * size + x, dy * size + dx
    cut = slice(centre - back * step, centre + ahead * step + 1, step)
    return Window(EDGE * (REACH - back), cut, EDGE * (REACH - ahead), step)


def _points(size: int) -> list[tuple[int, int]]:
    return [(y, x) for y in range(size) for x in range(size)]


def _on_board(size: int, x: int, y: int) -> bool:
    return 0 <= x < size and 0 <= y < size
