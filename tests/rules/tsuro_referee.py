"""A second opinion on Tsuro, written from the rule book alone: slow, naive, and sharing no code with the rules.

A tile is a square of 3 by 3 with two points on each side, so the whole board is a grid of points, and ports of
neighbouring tiles that face one another are one and the same point. A path is a walk from point to point.
"""

from dataclasses import dataclass, field

PAIRS = """
AE BF CH DG,AE BF CG DH,AF BE CH DG,AE BD CG FH,AH BC DE FG,AE BC DH FG,AE BC DG FH,AD BG CF EH,AD BF CG EH,AD BE CH FG,
AD BE CG FH,AD BC EH FG,AC BH DF EG,AC BH DE FG,AC BG DF EH,AC BG DE FH,AC BF DH EG,AC BF DG EH,AC BE DH FG,AC BE DG FH,
AC BD EH FG,AC BD EG FH,AB CH DG EF,AB CH DF EG,AB CH DE FG,AB CG DH EF,AB CG DF EH,AB CG DE FH,AB CF DH EG,AB CF DG EH,
AB CE DH FG,AB CE DG FH,AB CD EH FG,AB CD EG FH,AB CD EF GH
""".replace("\n", "").split(",")
POINTS = {"A": (1, 0), "B": (2, 0), "C": (3, 1), "D": (3, 2), "E": (2, 3), "F": (1, 3), "G": (0, 2), "H": (0, 1)}

Point = tuple[int, int]
Square = tuple[int, int]


@dataclass
class Table:
    """A board: which tile lies where and how, and on which square and port each avatar stands."""

    tiles: dict[Square, tuple[int, int]]
    avatars: dict[int, tuple[Square, str]]
    looped: set[int] = field(default_factory=set)


def quarter_turn(point: Point) -> Point:
    x, y = point
    return 3 - y, x


def paths(square: Square, tile: int, rotation: int) -> list[tuple[Point, Point]]:
    """The four pairs of points of the board that a tile joins."""
    joined = []
    for pair in PAIRS[tile].split():
        ends = [POINTS[port] for port in pair]
        for _ in range(rotation // 90):
            ends = [quarter_turn(end) for end in ends]
        joined.append((on_board(square, ends[0]), on_board(square, ends[1])))
    return joined


def on_board(square: Square, point: Point) -> Point:
    return 3 * square[0] + point[0], 3 * square[1] + point[1]


def squares_at(point: Point) -> list[Square]:
    """The one or two squares of the board that have this point on their border."""
    return [
        (x, y) for x in range(10) for y in range(10) if any(on_board((x, y), p) == point for p in POINTS.values())
    ]  # fmt: skip


def port_at(square: Square, point: Point) -> str:
    return next(port for port, p in POINTS.items() if on_board(square, p) == point)


def is_border(point: Point) -> bool:
    return point[0] in (0, 30) or point[1] in (0, 30)


NEIGHBOURS = {
    (x, y): squares_at((x, y))
    for x in range(31)
    for y in range(31)
    if (x % 3 == 0) != (y % 3 == 0)
}  # fmt: skip


def faced(stand: tuple[Square, str]) -> Square | None:
    """The square that an avatar looks at, None if it looks over the edge."""
    square, port = stand
    others = [each for each in NEIGHBOURS[on_board(square, POINTS[port])] if each != square]
    return others[0] if others else None


def walk(tiles: dict[Square, tuple[int, int]], stand: tuple[Square, str]) -> tuple[str, tuple[Square, str]]:
    """How a journey ends (`stays`, `leaves`, `loops`) and where."""
    square, port = stand
    point = on_board(square, POINTS[port])
    seen = {(square, point)}
    while True:
        ahead = [each for each in NEIGHBOURS[point] if each != square]
        if not ahead:
            return "leaves", (square, port_at(square, point))
        if ahead[0] not in tiles:
            return "stays", (square, port_at(square, point))
        square = ahead[0]
        for one, other in paths(square, *tiles[square]):
            if point in (one, other):
                point = other if point == one else one
                break
        if (square, point) in seen:
            return "loops", stand
        seen.add((square, point))


def result(table: Table, mover: int, tile: int, rotation: int) -> tuple[Table, set[int], set[int]]:
    """The table after a tile was laid, who has left by it, and who has come into a loop."""
    target = faced(table.avatars[mover])
    assert target is not None
    tiles = {**table.tiles, target: (tile, rotation)}
    avatars, left, caught = dict(table.avatars), set(), set()
    for box, stand in table.avatars.items():
        if box in table.looped or faced(stand) != target:
            continue
        end, stop = walk(tiles, stand)
        if end == "leaves":
            left.add(box)
            del avatars[box]
        elif end == "loops":
            caught.add(box)
        else:
            avatars[box] = stop
    return Table(tiles, avatars, table.looped | caught), left, caught


def is_valid(table: Table, mover: int, hand: tuple[int, ...], tile: int, rotation: int) -> bool:
    """The rules on suicide and loops, word for word."""
    every = [(each, turn) for each in hand for turn in (0, 90, 180, 270)]
    if (tile, rotation) not in every:
        return False

    def kills(option: tuple[int, int]) -> bool:
        return mover in result(table, mover, *option)[1]

    def loops(option: tuple[int, int]) -> bool:
        return bool(result(table, mover, *option)[2])

    def passes(option: tuple[int, int]) -> bool:
        if kills(option) and not all(kills(each) for each in every):
            return False
        return not (loops(option) and not all(loops(each) for each in every))

    return passes((tile, rotation)) or not any(passes(each) for each in every)


def is_valid_first(table: Table, hand: tuple[int, ...], tile: int, square: Square, port: str) -> bool:
    x, y = square
    if tile not in hand or not (0 <= x <= 9 and 0 <= y <= 9):
        return False
    if not (x == 0 or x == 9 or y == 0 or y == 9):
        return False
    if any(each in table.tiles for each in ((x, y), (x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))):
        return False
    return not is_border(on_board(square, POINTS[port]))
