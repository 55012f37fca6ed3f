"""Players of the house. Each looks at the board and its own hand only."""

from collections.abc import Mapping
from types import MappingProxyType

from services.session.games.tsuro.placing import legal_moves, open_spots, options
from services.session.games.tsuro.state import AnyMove, FirstMove, State, TileMove
from services.session.games.tsuro.tiles import BEYOND, EDGE, EMPTY, JOINED, PORTS, SIZE, SQUARES, cell_of, follow
from shared.kernel import Bot, Chance, Seat

_REACH = 2  # squares: what lies farther away seldom matters within one move


def first(state: State, seat: Seat, chance: Chance) -> AnyMove:
    """The first legal placement, clockwise from (0,0), tile by tile, rotation by rotation."""
    return legal_moves(state)[0]


def last(state: State, seat: Seat, chance: Chance) -> AnyMove:
    """The first legal placement of the same search backwards."""
    return legal_moves(state)[-1]


def random(state: State, seat: Seat, chance: Chance) -> AnyMove:
    """Any legal placement, each as likely as the others."""
    moves = legal_moves(state)
    return moves[chance.below(len(moves))]


def greedy(state: State, seat: Seat, chance: Chance) -> AnyMove:
    """The legal placement after which most tiles would let it live on, and then the one with most room around."""
    return _greedy_move(state, seat) if state.round else _greedy_first_move(state)


BOTS: Mapping[str, Bot[State, AnyMove]] = MappingProxyType({"first": first, "last": last, "greedy": greedy})
"""What the game adds to `random`, which the engine offers for every game."""


def _greedy_first_move(state: State) -> AnyMove:
    best = max(open_spots(state), key=lambda spot: _prospects(state.cells, spot))
    square, port = divmod(best, 8)
    x, y = square % SIZE, square // SIZE
    moves = (move for move in legal_moves(state) if isinstance(move, FirstMove))
    return next(move for move in moves if (move.x, move.y, move.port) == (x, y, PORTS[port]))


def _greedy_move(state: State, seat: Seat) -> AnyMove:
    square = next(BEYOND[avatar.spot] >> 3 for avatar in state.avatars if avatar.seat == seat)
    laid = list(state.cells)
    best: tuple[tuple[int, int], TileMove] | None = None
    for option in options(state):
        if option.flaw:
            continue
        laid[square] = cell_of(option.tile, option.rotation)
        own = next(trip for trip in option.trips if trip.seat == seat)
        # A loop is a safe place to stay for good: those who are in one win with whoever remains.
        worth = (len(JOINED) + 1, 0) if own.looped else _prospects(laid, own.spot)
        if best is None or worth > best[0]:
            best = worth, TileMove(option.tile, option.rotation)
    assert best is not None, "some option is always valid"
    return best[1]


def _prospects(cells: list[int] | tuple[int, ...], spot: int) -> tuple[int, int]:
    """Of the 140 tiles and rotations that may come next, how many would keep an avatar here alive; and its room."""
    entered = BEYOND[spot]
    if entered == EDGE:
        return -1, 0
    square, entry = entered >> 3, entered & 7
    alive = 0
    for port, ways in enumerate(_WAYS[entry]):
        # Where a path comes back to the square it depends on the tile; that is counted as life.
        if port != entry and BEYOND[follow(cells, 8 * square + port)] != EDGE:
            alive += ways
    return alive, sum(cells[near] == EMPTY for near in _NEAR[square])


_WAYS = tuple(tuple(sum(joined[entry] == port for joined in JOINED) for port in range(8)) for entry in range(8))
"""How many cells join two ports."""
_NEAR = tuple(
    tuple(
        other
        for other in range(SQUARES)
        if max(abs(other % SIZE - square % SIZE), abs(other // SIZE - square // SIZE)) <= _REACH
    )
    for square in range(SQUARES)
)
