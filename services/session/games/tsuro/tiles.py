"""The 35 tiles and the geometry of the board.

A *port* is a number from 0 to 7, clients say A to H: clockwise from the top left, two on each side. A *square* is
`10 * y + x`. A *cell* is what lies on a square: `4 * tile + quarter turns`, or EMPTY. A *spot* is a port of a square,
`8 * square + port`: where an avatar stands, looking out over that side of its tile.
"""

from collections.abc import Sequence

SIZE = 10
SQUARES = SIZE * SIZE
EMPTY = -1
EDGE = -1

PORTS = "ABCDEFGH"
FACING = (5, 4, 7, 6, 1, 0, 3, 2)  # A-F, B-E, C-H, D-G: what touches across the border of two squares
TURNS = (0, 90, 180, 270)

TILES = (
    "AE BF CH DG", "AE BF CG DH", "AF BE CH DG", "AE BD CG FH", "AH BC DE FG", "AE BC DH FG", "AE BC DG FH",
    "AD BG CF EH", "AD BF CG EH", "AD BE CH FG", "AD BE CG FH", "AD BC EH FG", "AC BH DF EG", "AC BH DE FG",
    "AC BG DF EH", "AC BG DE FH", "AC BF DH EG", "AC BF DG EH", "AC BE DH FG", "AC BE DG FH", "AC BD EH FG",
    "AC BD EG FH", "AB CH DG EF", "AB CH DF EG", "AB CH DE FG", "AB CG DH EF", "AB CG DF EH", "AB CG DE FH",
    "AB CF DH EG", "AB CF DG EH", "AB CE DH FG", "AB CE DG FH", "AB CD EH FG", "AB CD EG FH", "AB CD EF GH",
)  # fmt: skip


def cell_of(tile: int, rotation: int) -> int:
    """A tile laid with a rotation in degrees, clockwise."""
    return 4 * tile + rotation // 90


def _joined(tile: str, quarter_turns: int) -> tuple[int, ...]:
    """For each port the one that the tile joins it with."""
    exits = [0] * 8
    for pair in tile.split():
        a, b = ((PORTS.index(port) + 2 * quarter_turns) % 8 for port in pair)
        exits[a], exits[b] = b, a
    return tuple(exits)


def _beyond(spot: int) -> int:
    """The spot that touches this one from the next square, EDGE if there is no square."""
    square, port = divmod(spot, 8)
    x, y = square % SIZE, square // SIZE
    dx, dy = ((0, -1), (1, 0), (0, 1), (-1, 0))[port // 2]
    if not (0 <= x + dx < SIZE and 0 <= y + dy < SIZE):
        return EDGE
    return 8 * (SIZE * (y + dy) + x + dx) + FACING[port]


JOINED = tuple(_joined(tile, turns) for tile in TILES for turns in range(4))
"""By cell: for each port the one at the other end of its path."""
BEYOND = tuple(_beyond(spot) for spot in range(8 * SQUARES))
"""By spot: the spot on the other side of the border, or EDGE."""


def _clockwise() -> tuple[int, ...]:
    last = SIZE - 1
    round_trip = [(x, 0) for x in range(last)] + [(last, y) for y in range(last)]
    round_trip += [(last - x, last) for x in range(last)] + [(0, last - y) for y in range(last)]
    return tuple(SIZE * y + x for x, y in round_trip)


PERIPHERY = _clockwise()
"""The squares at the edge, clockwise from (0,0)."""
BESIDE = tuple(
    tuple(dict.fromkeys(BEYOND[8 * square + port] // 8 for port in range(8) if BEYOND[8 * square + port] != EDGE))
    for square in range(SQUARES)
)
"""By square: the squares that share a border with it."""


def follow(cells: Sequence[int], spot: int) -> int:
    """Where an avatar on a spot comes to stand.

    It has left the board if that spot looks over the edge. It stays where it was if nothing lies before it, or if its
    path leads back to it: paths have no forks, so a closed loop always passes through its own beginning.
    """
    start = spot
    while (entered := BEYOND[spot]) != EDGE and (cell := cells[entered >> 3]) != EMPTY:
        spot = (entered & ~7) | JOINED[cell][entered & 7]
        if spot == start:
            break
    return spot
