"""What the games with black and white stones on a square board share.

A board is one string of `.`, `b` and `w`, row by row from the top left, so that a state stays small in JSON and is
copied, counted and searched at the speed of C. A point is an index into it: y times the size plus x.
"""

from functools import cache, lru_cache
from typing import Final

from shared.kernel import Move, Seat

EMPTY: Final = "."
BLACK: Final = "b"
WHITE: Final = "w"
NAMES: Final = {EMPTY: None, BLACK: "black", WHITE: "white"}

Row = tuple[str | None, ...]


class Play(Move, frozen=True, tag="play"):
    x: int
    y: int


@cache
def plays(size: int) -> tuple[Play, ...]:
    """A move for each point, made once: a list of legal moves is then only a choice of them."""
    return tuple(Play(x, y) for y in range(size) for x in range(size))


@lru_cache(maxsize=256)  # each position is shown to several viewers, within moments
def rows(cells: str, size: int) -> tuple[Row, ...]:
    """The board as clients see it: `rows[y][x]` is null, "black" or "white"."""
    return tuple(tuple(NAMES[stone] for stone in cells[start : start + size]) for start in range(0, size * size, size))


def point(play: Play, size: int) -> int | None:
    """Where a move goes, or None if that is not on the board."""
    return play.y * size + play.x if 0 <= play.x < size and 0 <= play.y < size else None


def xy(point: int, size: int) -> tuple[int, int]:
    return point % size, point // size


def placed(cells: str, point: int, stone: str) -> str:
    return cells[:point] + stone + cells[point + 1 :]


def opposite(stone: str) -> str:
    return WHITE if stone == BLACK else BLACK


def other(seat: Seat) -> Seat:
    return Seat(1 - seat)
