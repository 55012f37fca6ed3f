"""A referee of renju that follows the definitions word for word, with coordinates and sets and no windows."""

from collections.abc import Iterator

from services.session.games.stones import BLACK, EMPTY, xy

Point = tuple[int, int]
LINES = ((1, 0), (0, 1), (1, 1), (1, -1))


class Referee:
    def __init__(self, cells: str, size: int) -> None:
        self.size = size
        self.black = {xy(at, size) for at, stone in enumerate(cells) if stone == BLACK}
        self.empty = {xy(at, size) for at, stone in enumerate(cells) if stone == EMPTY}

    def forbids(self, point: Point) -> bool:
        return self.kind(self.black, self.empty, point) == "forbidden"

    def kind(self, black: set[Point], empty: set[Point], point: Point) -> str:
        black, empty = black | {point}, empty - {point}
        rows = [self.row(black, point, line) for line in LINES]
        if any(len(row) == 5 for row in rows):
            return "five"
        if any(len(row) > 5 for row in rows):
            return "forbidden"
        if len(set(self.fours(black, empty, point))) > 1:
            return "forbidden"
        return "forbidden" if len(set(self.threes(black, empty, point))) > 1 else "free"

    def row(self, black: set[Point], point: Point, line: Point) -> frozenset[Point]:
        """The unbroken row that a stone lies in."""
        row = {point}
        for way in (1, -1):
            x, y = point
            while (x := x + way * line[0], y := y + way * line[1]) in black:
                row.add((x, y))
        return frozenset(row)

    def fours(self, black: set[Point], empty: set[Point], point: Point) -> Iterator[frozenset[Point]]:
        """Every set of four stones with this one in it that one more stone makes an exact five."""
        for line in LINES:
            for one_more in self.along(point, line) & empty:
                five = self.row(black | {one_more}, one_more, line)
                if len(five) == 5 and point in five:
                    yield five - {one_more}

    def threes(self, black: set[Point], empty: set[Point], point: Point) -> Iterator[tuple[Point, frozenset[Point]]]:
        """Every set of three stones with this one in it that a free move makes a straight four."""
        for line in LINES:
            for one_more in self.along(point, line) & empty:
                four = self.row(black | {one_more}, one_more, line)
                straight = self.straight(black | {one_more}, empty - {one_more}, four, line)
                if point in four and straight and self.kind(black, empty, one_more) == "free":
                    yield line, four - {one_more}

    def straight(self, black: set[Point], empty: set[Point], four: frozenset[Point], line: Point) -> bool:
        """Whether a row of four becomes a five in two ways."""
        if len(four) != 4:
            return False
        beside = {end for stone in four for end in self.along(stone, line, 1) & empty}
        return sum(len(self.row(black | {end}, end, line)) == 5 for end in beside) == 2

    def along(self, point: Point, line: Point, reach: int = 4) -> set[Point]:
        return {(point[0] + i * line[0], point[1] + i * line[1]) for i in range(-reach, reach + 1)}
