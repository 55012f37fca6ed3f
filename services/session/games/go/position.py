"""A position of go with all that the rules remember: whose move it is, passes, captures and earlier positions."""

from collections.abc import Collection
from functools import reduce
from operator import xor

from services.session.games.go.board import captured, groups, keys, neighbours, without
from services.session.games.stones import BLACK, EMPTY, NAMES, WHITE, opposite, placed
from shared.kernel import Seat, Value


class Position(Value, frozen=True):
    first: Seat
    """Who has the black stones."""
    size: int
    komi: float
    cells: str
    moves: int = 0
    passes: int = 0
    """How many moves in a row, up to now, were passes."""
    captures: tuple[int, int] = (0, 0)
    """How many stones black and white have taken."""
    last: int | None = None
    """Where the last stone went, None after a pass."""
    seen: tuple[int, ...] = ()
    """The keys of all positions so far, the present one last; the empty board is left out, for no move restores it."""

    @property
    def stone(self) -> str:
        """The colour to move."""
        return WHITE if self.moves & 1 else BLACK

    @property
    def turn(self) -> Seat:
        return Seat(self.first ^ self.moves & 1)

    @property
    def over(self) -> bool:
        return self.passes > 1

    def color(self, seat: Seat) -> str | None:
        return NAMES[BLACK if seat == self.first else WHITE]

    def taken_by(self, point: int) -> tuple[int, ...] | None:
        """What a stone there captures, or None if it may not be played."""
        if self.cells[point] != EMPTY:
            return None
        taken = captured(self.cells, self.size, point, self.stone)
        if taken is None or self._key(point, taken) in self.seen:
            return None
        return tuple(taken)

    def with_stone(self, point: int, taken: tuple[int, ...]) -> "Position":
        black, white = self.captures
        captures = (black, white + len(taken)) if self.moves & 1 else (black + len(taken), white)
        return Position(
            self.first,
            self.size,
            self.komi,
            without(placed(self.cells, point, self.stone), taken),
            self.moves + 1,
            captures=captures,
            last=point,
            seen=(*self.seen, self._key(point, taken)),
        )

    def with_pass(self) -> "Position":
        return Position(
            self.first,
            self.size,
            self.komi,
            self.cells,
            self.moves + 1,
            self.passes + 1,
            self.captures,
            seen=self.seen,
        )

    def open_points(self) -> list[int]:
        """Every point that the colour to move may play on."""
        around, found, seen = neighbours(self.size), groups(self.cells, self.size), set(self.seen)
        enemy, cells = opposite(self.stone), self.cells
        points = []
        for point, here in enumerate(cells):
            if here != EMPTY:
                continue
            breathes = False
            taken: set[int] = set()
            for beside in around[point]:
                if cells[beside] == EMPTY:
                    breathes = True
                elif (len(found[beside].liberties) == 1) == (cells[beside] == enemy):
                    breathes = True  # it takes that group, or joins one that has another liberty
                    if cells[beside] == enemy:
                        taken |= found[beside].stones
            if breathes and self._key(point, taken) not in seen:
                points.append(point)
        return points

    def _key(self, point: int, taken: Collection[int]) -> int:
        """The key of the position that a stone makes."""
        own, enemy = keys(self.size)[self.stone], keys(self.size)[opposite(self.stone)]
        before = self.seen[-1] if self.seen else 0
        return reduce(xor, [enemy[gone] for gone in taken], before ^ own[point])
