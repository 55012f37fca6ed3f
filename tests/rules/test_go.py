"""Go by the book: liberties, captures, ko and superko, passes and the area score."""

import msgspec
import pytest

from services.session.games.go import GAME, GoOptions
from services.session.games.go.board import areas
from services.session.games.go.moves import PASS
from services.session.games.go.position import Position
from services.session.games.stones import EMPTY, Play, xy
from shared.kernel import Chance, Outcome, Refusal
from tests.support.drawings import drawn, marked
from tests.support.go import (
    ANN,
    BLACK_TO_MOVE,
    BOB,
    CHANCE,
    KOS,
    ONE_STONE,
    WALLS,
    WHITE_TO_MOVE,
    after,
    allowed,
    position,
    stones,
)


def shows(state: Position, picture: str) -> bool:
    return state.cells == drawn(picture)[0]


def test_black_moves_first_whoever_was_drawn_to_be_black() -> None:
    for first in (ANN, BOB):
        assert GAME.to_act(Position(first, 9, 6.5, EMPTY * 81)) == (first,)


def test_both_colours_are_drawn() -> None:
    drawn = {GAME.setup("go", 2, GoOptions(), Chance(bytes([i]), "setup")).first for i in range(64)}
    assert drawn == {ANN, BOB}


def test_players_take_turns() -> None:
    state = after(position(". . . . " * 4), (1, 1))
    assert GAME.to_act(state) == (BOB,)
    assert GAME.decide(state, ANN, Play(0, 0), CHANCE) is Refusal.NOT_YOUR_TURN
    assert GAME.decide(state, ANN, PASS, CHANCE) is Refusal.NOT_YOUR_TURN
    assert GAME.to_act(after(state, PASS)) == (ANN,)


@pytest.mark.parametrize(("x", "y"), [(-1, 0), (0, -1), (4, 0), (0, 4), (10**30, 0), (1, 1)])
def test_a_stone_goes_on_an_empty_point_of_the_board(x: int, y: int) -> None:
    state = after(position(". . . . " * 4), (1, 1))
    assert GAME.decide(state, BOB, Play(x, y), CHANCE) is Refusal.ILLEGAL_MOVE


CAPTURES = {
    "one stone": (ONE_STONE, """
        . X . . .
        X . X . .
        . X . . .
        . . . . .
        . . . . .
    """),
    "a stone in the corner": ("""
        O * . . .
        X . . . .
        . . . . .
        . . . . .
        . . . . .
    """, """
        . X . . .
        X . . . .
        . . . . .
        . . . . .
        . . . . .
    """),
    "stones at the edge": ("""
        . . . . X
        . . . X O
        . . . X O
        . . . . *
        . . . . .
    """, """
        . . . . X
        . . . X .
        . . . X .
        . . . . X
        . . . . .
    """),
    "a group that bends": ("""
        . X X . .
        X O O X .
        . X O X .
        . X O * .
        . . X . .
    """, """
        . X X . .
        X . . X .
        . X . X .
        . X . X .
        . . X . .
    """),
    "three groups at once": ("""
        X O * O X
        . X O X .
        . . X . .
        . . . . .
        . . . . .
    """, """
        X . X . X
        . X . X .
        . . X . .
        . . . . .
        . . . . .
    """),
    "a group around an eye, from inside": ("""
        O O O X .
        O * O X .
        O O O X .
        X X X X .
        . . . . .
    """, """
        . . . X .
        . X . X .
        . . . X .
        X X X X .
        . . . . .
    """),
    "before its own last liberty counts": ("""
        * O X . .
        O X . . .
        O X . . .
        X . . . .
        . . . . .
    """, """
        X . X . .
        . X . . .
        . X . . .
        X . . . .
        . . . . .
    """),
    "nothing diagonally": ("""
        X . X . .
        . O . . .
        X . * . .
        . . . . .
        . . . . .
    """, """
        X . X . .
        . O . . .
        X . X . .
        . . . . .
        . . . . .
    """),
}  # fmt: skip


@pytest.mark.parametrize(("before", "then"), CAPTURES.values(), ids=CAPTURES)
@pytest.mark.parametrize("swap", [False, True], ids=["black takes", "white takes"])
def test_a_stone_captures(before: str, then: str, swap: bool) -> None:
    if swap:
        before, then = (picture.translate(str.maketrans("XO", "OX")) for picture in (before, then))
    state = position(before, WHITE_TO_MOVE if swap else BLACK_TO_MOVE)
    (at,) = marked(before, "*")
    later = after(state, xy(at, state.size))
    assert shows(later, then)
    taken = len(stones(state.cells)) + 1 - len(stones(later.cells))
    assert later.captures == ((0, taken) if swap else (taken, 0))


SUICIDES = [
    """
        * O . . .
        O . . . .
        . . . . .
        . . . . .
        . . . . .
    """,
    """
        . . O . .
        . O * O .
        . . O . .
        . . . . .
        . . . . .
    """,
    """
        . O O . .
        O X X O .
        O * X O .
        . O O . .
        . . . . .
    """,
    """
        * X O . .
        X X O . .
        O O O . .
        . . . . .
        . . . . .
    """,
]


@pytest.mark.parametrize("picture", SUICIDES)
def test_suicide_is_refused(picture: str) -> None:
    state = position(picture)
    (at,) = marked(picture, "*")
    assert not allowed(state, *xy(at, state.size))
    assert allowed(Position(ANN, state.size, 6.5, state.cells, moves=WHITE_TO_MOVE), *xy(at, state.size))


def test_a_stone_may_fill_its_groups_last_liberty_but_one() -> None:
    assert allowed(position("""
        . O O . .
        O X X O .
        O * . O .
        . O O . .
        . . . . .
    """), 1, 2)  # fmt: skip


def test_a_ko_may_not_be_retaken_at_once_but_after_a_move_elsewhere() -> None:
    state = position("""
        . X O . .
        X . X O .
        . X O . .
        . . . . .
        . . . . .
    """, WHITE_TO_MOVE)  # fmt: skip
    state = after(state, (1, 1))
    assert shows(state, """
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        . . . . .
    """)  # fmt: skip
    assert not allowed(state, 2, 1)
    assert allowed(after(state, (4, 4), (4, 3)), 2, 1)
    assert not allowed(after(state, PASS, PASS), 2, 1), "passes do not lift a ko: the position would be the same"


def test_a_snapback_is_no_ko() -> None:
    """Black throws a stone in, white takes it and is left in atari, black plays the same point again and takes five."""
    state = position("""
        X O * . X .
        X O O O X .
        . X X X . .
        . . . . . .
        . . . . . .
        . . . . . .
    """)  # fmt: skip
    state = after(state, (2, 0), (3, 0))
    assert state.captures == (0, 1)
    state = after(state, (2, 0))
    assert state.captures == (5, 1)
    assert shows(state, """
        X . X . X .
        X . . . X .
        . X X X . .
        . . . . . .
        . . . . . .
        . . . . . .
    """)  # fmt: skip


SEND_TWO = """
    * O . O .
    X X O . .
    . . . . .
    . . . . .
    . . . . .
"""


def test_sending_two_and_returning_one_is_refused() -> None:
    """White adds a second stone, black takes both with one, and white, taking that one, would restore the board.

    No ko in the plain sense: the position two moves ago was another. It is black's turn in it now and was white's
    then, which makes no difference to a rule about positions.
    """
    state = after(position(SEND_TWO, WHITE_TO_MOVE), (0, 0), (2, 0))
    assert state.captures == (2, 0)
    assert not allowed(state, 1, 0)
    assert allowed(after(state, (4, 4), (4, 3)), 1, 0), "with other stones elsewhere it is a new position"


def test_a_triple_ko_ends_by_superko() -> None:
    """The players take three kos in turn; none is retaken at once, but the sixth capture would close the circle."""
    state = position(KOS, WHITE_TO_MOVE)
    state = after(state, (1, 1), (2, 7), (1, 4), (2, 1), (1, 7))
    assert state.captures == (2, 3)
    assert not allowed(state, 2, 4)


def test_a_position_may_come_back_by_no_move_but_a_pass_is_always_allowed() -> None:
    state = position(KOS, WHITE_TO_MOVE)
    state = after(state, (1, 1), (2, 7), (1, 4), (2, 1), (1, 7))
    assert PASS in GAME.legal_moves(state, ANN)
    assert after(state, PASS).cells == state.cells


def test_two_passes_in_a_row_end_the_game() -> None:
    state = position(". . . . " * 4)
    assert GAME.to_act(after(state, PASS)) == (BOB,)
    assert GAME.to_act(after(state, PASS, (0, 0), PASS)) == (BOB,)
    over = after(state, PASS, PASS)
    assert isinstance(GAME.to_act(over), Outcome)
    assert GAME.view(over, None)["turn"] is None
    assert GAME.legal_moves(over, ANN) == []
    assert GAME.legal_moves(over, BOB) == []


AREAS = {
    "an empty board is nobody's": ("""
        . . .
        . . .
        . . .
    """, 0, 0),
    "one stone has the whole board": ("""
        . . .
        . X .
        . . .
    """, 9, 0),
    "points that reach both colours are nobody's": ("""
        . X . O .
        . X . O .
        . X . O .
        . X . O .
        . X . O .
    """, 10, 10),
    "dead stones left on the board count, and spoil what is around them": ("""
        . X . . .
        . X . . .
        . X . O .
        . X . . .
        . X . . .
    """, 10, 1),
    "several areas": ("""
        . X O . O
        X X O O .
        O O O . O
        X X O O O
        . X X X X
    """, 11, 14),
    "a seki: the shared liberties are nobody's": ("""
        X O . X O
        X O . X O
        X O X X O
        X O O O O
        . X X X X
    """, 13, 10),
}  # fmt: skip


@pytest.mark.parametrize(("picture", "black", "white"), AREAS.values(), ids=AREAS)
def test_area_is_stones_and_what_only_they_reach(picture: str, black: int, white: int) -> None:
    assert areas(*drawn(picture)) == (black, white)


def test_white_gets_komi_and_scores_are_listed_by_box() -> None:
    """Black has 18 points, white 12."""
    assert GAME.to_act(after(position(WALLS, komi=5.5), PASS, PASS)) == Outcome((ANN,), "score", (18, 17.5))
    assert GAME.to_act(after(position(WALLS, komi=6.5), PASS, PASS)) == Outcome((BOB,), "score", (18, 18.5))
    swapped = msgspec.structs.replace(position(WALLS, komi=6.5), first=BOB)
    assert GAME.to_act(after(swapped, PASS, PASS)) == Outcome((ANN,), "score", (18.5, 18))


def test_an_equal_score_is_a_draw() -> None:
    assert GAME.to_act(after(position(WALLS, komi=6), PASS, PASS)) == Outcome((), "score", (18, 18))


def test_running_out_of_time_and_resigning_lose() -> None:
    state = position(WALLS)
    assert GAME.on_timeout(state, ANN, CHANCE) == Outcome((BOB,), "timeout")
    assert GAME.on_resign(state, BOB, CHANCE) == Outcome((ANN,), "resigned")
