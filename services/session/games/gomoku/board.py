"""A position of gomoku and what it means under each rule."""

from typing import Literal, TypeAlias

from services.session.games.gomoku.lines import run, windows
from services.session.games.gomoku.renju import forbidden
from services.session.games.stones import BLACK, EMPTY, NAMES, WHITE, opposite
from shared.kernel import Seat, Value

Rule: TypeAlias = Literal["freestyle", "standard", "renju"]


class Board(Value, frozen=True):
    first: Seat
    """Who has the black stones."""
    rule: Rule
    size: int
    cells: str
    last: int | None = None

    @property
    def stone(self) -> str:
        """The colour to move."""
        return WHITE if self.cells.count(EMPTY) + self.size & 1 else BLACK

    @property
    def turn(self) -> Seat:
        return Seat(self.first ^ (self.stone == WHITE))

    def color(self, seat: Seat) -> str | None:
        return NAMES[BLACK if seat == self.first else WHITE]

    def line(self) -> tuple[int, ...] | None:
        """The winning row through the last stone; if it made several, the first that is found."""
        if self.last is None:
            return None
        stone = opposite(self.stone)
        for window in windows(self.size)[self.last]:
            before, after = run(window.of(self.cells), stone)
            if wins(self.rule, stone, before + after + 1):
                return tuple(self.last + steps * window.step for steps in range(-before, after + 1))
        return None

    def open(self, point: int) -> bool:
        """Whether the rules let the colour to move play there."""
        return self.cells[point] == EMPTY and not (self.restricted and forbidden(self.cells, self.size, point))

    @property
    def restricted(self) -> bool:
        return self.rule == "renju" and self.stone == BLACK

    def open_points(self) -> list[int]:
        """Every point that the colour to move may play on."""
        empty = [point for point, stone in enumerate(self.cells) if stone == EMPTY]
        if not self.restricted:
            return empty
        return [point for point in empty if not forbidden(self.cells, self.size, point)]

    @property
    def stuck(self) -> bool:
        """Whether the colour to move has no point left."""
        if not self.restricted:
            return EMPTY not in self.cells
        return not any(map(self.open, range(len(self.cells))))


def wins(rule: Rule, stone: str, length: int) -> bool:
    """Whether so many in a row win for that colour."""
    return length == 5 if exact(rule, stone) else length >= 5


def exact(rule: Rule, stone: str) -> bool:
    """Whether only a row of five wins for that colour, and none that is longer."""
    return rule == "standard" or (rule == "renju" and stone == BLACK)


def empty_board(first: Seat, rule: Rule, size: int) -> Board:
    return Board(first, rule, size, EMPTY * size * size)
