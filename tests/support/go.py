"""Positions of go, drawn."""

from functools import reduce

from services.session.games.go import GAME
from services.session.games.go.board import keys
from services.session.games.go.moves import AnyMove, Pass
from services.session.games.go.position import Position
from services.session.games.stones import EMPTY, Play
from shared.kernel import Chance, Decision, Seat
from tests.support.drawings import drawing, drawn

CHANCE = Chance(b"", "")
ANN, BOB = Seat(0), Seat(1)  # in these tests Ann has the black stones
BLACK_TO_MOVE, WHITE_TO_MOVE = 0, 1

ONE_STONE = """
        . X . . .
        X O * . .
        . X . . .
        . . . . .
        . . . . .
    """
KOS = """
    . X O . . . . . .
    X . X O . . . . .
    . X O . . . . . .
    . X O . . . . . .
    X . X O . . . . .
    . X O . . . . . .
    . X O . . . . . .
    X O . O . . . . .
    . X O . . . . . .
"""
WALLS = """
    . . X . O .
    . . X . O .
    . . X . O .
    . . X . O .
    . . X . O .
    . . X . O .
"""


def position(picture: str, to_move: int = BLACK_TO_MOVE, komi: float = 6.5) -> Position:
    """A position whose history is not known, except that it is on the board now."""
    cells, size = drawn(picture)
    key = reduce(lambda key, at: key ^ keys(size)[cells[at]][at], stones(cells), 0)
    return Position(ANN, size, komi, cells, moves=to_move, seen=(key,) if key else ())


def stones(cells: str) -> list[int]:
    return [at for at, stone in enumerate(cells) if stone != EMPTY]


def after(state: Position, *moves: tuple[int, int] | Pass) -> Position:
    """The position after moves that must all be legal."""
    for move in moves:
        asked: AnyMove = move if isinstance(move, Pass) else Play(*move)
        decision = GAME.decide(state, state.turn, asked, CHANCE)
        assert isinstance(decision, Decision), f"{move} was refused on\n{drawing(state.cells, state.size)}"
        state = reduce(GAME.evolve, decision.events, state)
    return state


def allowed(state: Position, x: int, y: int) -> bool:
    """Whether a point may be played; the list of legal moves must say the same."""
    accepted = isinstance(GAME.decide(state, state.turn, Play(x, y), CHANCE), Decision)
    assert (Play(x, y) in GAME.legal_moves(state, state.turn)) == accepted
    return accepted
