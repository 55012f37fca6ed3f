"""A player of go for beginners: it takes what it can, saves what it can, keeps its eyes, and knows when to stop."""

from services.session.games.go.board import Group, areas, groups, neighbours, regions
from services.session.games.go.moves import PASS, AnyMove
from services.session.games.go.position import Position
from services.session.games.stones import EMPTY, WHITE, plays
from shared.kernel import Chance, Seat

SETTLED = 10
"""An empty region of at most so many points with one colour around it is left to that colour: eyes are such regions."""


def simple(state: Position, seat: Seat, chance: Chance) -> AnyMove:
    """The point that does most for its groups and against the other's; a pass when none is left."""
    if state.passes and _leads(state):
        return PASS
    found, quiet = groups(state.cells, state.size), _quiet(state)
    worths = {at: _worth(state, found, at, at in quiet) for at in state.open_points()}
    best = max(worths.values(), default=0)
    if best <= 0:
        return PASS
    choice = [at for at, worth in worths.items() if worth == best]
    return plays(state.size)[choice[chance.below(len(choice))]]


def _leads(state: Position) -> bool:
    black, white = areas(state.cells, state.size)
    lead = white + state.komi - black
    return lead > 0 if state.stone == WHITE else lead < 0


def _quiet(state: Position) -> set[int]:
    """The points where nothing is left to win, eyes among them."""
    small = (points for points, borders in regions(state.cells, state.size) if len(borders) == 1)
    return {point for points in small if len(points) <= SETTLED for point in points}


def _worth(state: Position, found: dict[int, Group], point: int, quiet: bool) -> int:
    """How good a legal point is; nothing, or less, if a pass is better."""
    beside = neighbours(state.size)[point]
    own = {found[at] for at in beside if state.cells[at] == state.stone}
    enemies = {found[at] for at in beside if state.cells[at] not in (state.stone, EMPTY)}
    taken = [group for group in enemies if len(group.liberties) == 1]
    liberties = {at for at in beside if state.cells[at] == EMPTY}
    liberties |= {at for group in own for at in group.liberties} - {point}
    liberties |= {at for at in beside for group in taken if at in group.stones}
    if taken:
        return 100 + 10 * sum(len(group.stones) for group in taken)
    if len(liberties) < 2:
        return 0  # it would only be taken
    if saved := [group for group in own if len(group.liberties) == 1]:
        return 90 + 10 * sum(len(group.stones) for group in saved)
    if quiet:
        return 0
    attacked = sum(10 + len(group.stones) for group in enemies if len(group.liberties) == 2)
    strengthened = sum(8 + len(group.stones) for group in own if len(group.liberties) == 2 and len(liberties) > 2)
    return 20 + attacked + strengthened + _shape(state, point, touching=bool(own or enemies))


def _shape(state: Position, point: int, touching: bool) -> int:
    """Near the last move there is something to answer; elsewhere the third and fourth line are worth most."""
    size = state.size
    x, y = point % size, point // size
    if state.last is not None and abs(x - state.last % size) + abs(y - state.last // size) <= 2:
        return 6
    line = min(x, y, size - 1 - x, size - 1 - y)
    if touching:
        return 0 if line else -4
    return (-8, -2, 8, 8)[line] if line < 4 else 3
