"""Renju's forbidden points, on published positions and against a referee that follows the definitions word for word.

The definitions are those of the rules of the Renju International Federation (renju.net, articles 3 and 9). The drawn
positions named after them come from two public collections of hard cases that renju programs are tested with, that of
AlphaGomoku (M. Fontan and M. Kozarzewski, test_renju.cpp) and that of mintaka's renju page; what is expected of each
point is theirs. In every drawing `#` marks a point forbidden to black, `+` one that looks forbidden and is not.
"""

import random

import pytest

from services.session.games.gomoku import GAME
from services.session.games.gomoku.board import Board, Rule
from services.session.games.gomoku.renju import forbidden
from services.session.games.stones import BLACK, EMPTY, WHITE, Play, placed, xy
from shared.kernel import Chance, Decision, Outcome, Refusal, Seat
from tests.rules.renju_referee import Referee
from tests.support.drawings import drawing, drawn, marked

CHANCE = Chance(b"", "")
ANN, BOB = Seat(0), Seat(1)


def forbidden_points(picture: str) -> list[int]:
    cells, size = drawn(picture)
    return [at for at in range(size * size) if cells[at] == EMPTY and forbidden(cells, size, at)]


WHOLE_BOARDS = {
    "two fours in one line": """
        . . . . . . . . . . . . . . .
        . . . . X . X # X . X . . . .
        . . . . . . . . . . . . . . .
        . . . . O O O O O O O . . . .
        . . . . . . . . . . . . . . .
        . . . . X . X X # . X . . . .
        . . . . . . . . . . . . . . .
        . . . . O O O O O O O . . . .
        . . . . . . . . . . . . . . .
        . . . . X X . X # . X X . . .
        . . . . . . . . . . . . . . .
        . . . . O O O O O O O . . . .
        . . . . . . . . . . . . . . .
        . . X . X . X X . . X X . X .
        . . . . . . . . . . . . . . .
    """,
    "straight fours that would be double fours": """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . O . . . . . . .
        . . . . . O . . . . . . . . .
        . . . . . X X + . . . . . . .
        . . . . . . O X O . . . . . .
        . . . . . . O X O . . . . . .
        . . . . . . . . X X X O . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
    """,
    "a forbidden point that depends on another": """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . O . . O . . . . . . . .
        . . . . X . . X . O . . . . .
        . . . . O X O X X . . . . . .
        . . . . . . X X # . . . . . .
        . . . . . . O O X X . . . . .
        . . . . . X . . . . . . . . .
        . . . . O X . . . . . . . . .
        . . . . . O . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
    """,
    "forbidden points that depend on several": """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . . . . . . . . X . .
        . . . . . O . . . # . . O X .
        . . O X . . X O X X X O X . .
        . . . X O O . X O # . . . . .
        . O . . X X # . . X # . . . .
        . . . . . . X . . . X X O . .
        . . . . O . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
    """,
    "forbidden points that depend on one another": """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . O O . . . . . . .
        . . . . . # X X # . . . . . .
        . . . . O X X X X O . . . . .
        . . . . O X X X X O . . . . .
        . . . . . # X X # . . . . . .
        . . . . . . O O . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
    """,
    "chains of forbidden points": """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . O . . . . . O . . . .
        . . . . X . . . . . X . . . .
        . . . # X . . . . . X # . . .
        . . X X # . . . . . # X X . .
        . . . . . X . . . X . . . . .
        . . . . . . X . X . . . . . .
        . . . . . . . # . . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . # X + X # . . . . .
        . . . . X X X # X X X . . . .
        . . . . . . . . . . . . . . .
    """,
}

SINGLE_POINTS = {
    "fives, exact and not": """
        + . . . . . . . . . . . . . .
        X . . . . . . . . . . . . . .
        X . . . . . . . . . . . . . .
        X . . . . . . . . . . . . . .
        X . . . . . . . . . . . . . .
        # . . . . . . . . . . . . . .
        X . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
    """,
    "a five beside an overline": """
        + . . . . . . . . . . . . . .
        X . . . . . . . . . . . . . .
        X . . . . . . . . . . . . . .
        X . . . . . . . . . . . . . .
        X . . . . . . . . . . . . . .
        + X X X X . . . . . . . . . .
        X . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
    """,
    "double fours": """
        . . . . . . . . . X # . X X .
        . . X # X X O . . . . . . . .
        . . . . . . . . . . . . X . .
        . . . X . . . . . . . . . X .
        . . . X . . O X X X # . . . X
        . . . X . . . . . . X . . . .
        X . . O . . . . . . X . . . .
        X . . . . . . . . . X . . . .
        . . . . . . . . . . O . . . .
        # . . . . X . X # X . X . . .
        X . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        X . . . . . . . . . . . . . .
        X . . . . . . . . . . . . . .
        O . . . . X X X . # . X X X .
    """,
    "one four and one three": """
        . . . . . . . . . . . . . . .
        . . . + . . . . O . X + X . O
        . . X X . . . . . . . X . . .
        . X . X . . . . . . . X . . .
        . . . X . . . . . . . X . . .
        . . . O . . . . . . . O . . .
        . . . . . X X + . . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . . . X . . . . . . .
        X . . . . . . O . . . X . . .
        . . . . . . . . . . X . . . .
        . . + . X X . . . + . X X X O
        . . . X . . . . . . . . . . .
        . . . . X . . . . . . . . . .
    """,
    "double threes, and one that white has stopped": """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . O X + X . . . . . X . # X .
        . . . X . . . . . . . . X . .
        . . . X . . . . . . . . X . .
        . . . . . . . . X . . . . . .
        . . . . . . . # . . . . . . .
        . . . . . . X X . . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . . . . . . . . . . .
        . . X . . . . . . . . . . X .
        . . . X . X . . . . . . X . .
        . . . . # . . . . . . . . . .
        . . . X . . . . X X # . . . .
        . . . . . . . . . . . . . . .
    """,
    "a three that could only become an overline": """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . X . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . X X . + . . . . .
        . . . . . . . . X . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . O . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
    """,
    "threes near other stones": """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . X
        . . . . X . . . . . . . . + .
        X . . + X X . . X . . . . . .
        . . X . . . . . . . . X . X .
        . . . . . . . . . . X . . X .
        . . . . . . . . . X . . . X .
        . . . . . . . . O . . . . O .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . X . . . . . . . O X O . .
        . . X # . X . . . . O . O . .
        . . . . X . . . . . X # X . .
        . . . . . . . . . O O X O O .
        . . . . . . O . . . O . O . .
    """,
    "two ends that are both forbidden": """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . O . . . . . . . .
        . . . . . . . O . . . . . . .
        . . . . . . . . O . . . . . .
        . . . . . . . . X + X . . . .
        . . . . . . . X O X O X . . .
        . . . . . . O X O X O X O . .
        . . . . . . . X . . . X . . .
        . . . . . . . O . . . O . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
    """,
    "a move from a game that was legal": """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . O X . . . . . .
        . . . . . X . O X . . . . . .
        . . . . . . O + X . . . . . .
        . . . . . O X O . X . . . . .
        . . . . . . X O O X O O . . .
        . . . . . . O X O X X . . . .
        . . . . . . . . X O . . . . .
        . . . . . . . . O . X . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
    """,
}


@pytest.mark.parametrize("picture", WHOLE_BOARDS.values(), ids=WHOLE_BOARDS)
def test_exactly_the_marked_points_are_forbidden(picture: str) -> None:
    assert forbidden_points(picture) == marked(picture, "#")


@pytest.mark.parametrize("picture", SINGLE_POINTS.values(), ids=SINGLE_POINTS)
def test_marked_points_are_forbidden_or_not(picture: str) -> None:
    asked = marked(picture, "#") + marked(picture, "+")
    assert asked
    assert sorted(set(asked) & set(forbidden_points(picture))) == marked(picture, "#")


def test_a_chain_falls_when_a_stone_at_its_far_end_is_gone() -> None:
    """In the drawing of chains white's stone at the top left is what makes (7, 12) free."""
    picture = WHOLE_BOARDS["chains of forbidden points"]
    cells, size = drawn(picture)
    (free,) = marked(picture, "+")
    assert not forbidden(cells, size, free)
    assert forbidden(placed(cells, 3 * size + 4, EMPTY), size, free)


CROSS = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . X . . . .
    . . . . X . . . .
    . . X X * . . . .
    . . . . . . . . .
    O . . . . . . . .
    O . . . . . . . .
    . O O . . . . . .
"""


def test_a_forbidden_move_is_refused_and_not_offered() -> None:
    cells, size = drawn(CROSS)
    state = Board(ANN, "renju", size, cells)
    assert GAME.decide(state, ANN, Play(4, 4), CHANCE) is Refusal.ILLEGAL_MOVE
    assert Play(4, 4) not in GAME.legal_moves(state, ANN)
    assert len(GAME.legal_moves(state, ANN)) == 72


@pytest.mark.parametrize("rule", ["freestyle", "standard"])
def test_other_rules_forbid_nothing(rule: Rule) -> None:
    cells, size = drawn(CROSS)
    state = Board(ANN, rule, size, cells)
    assert isinstance(GAME.decide(state, ANN, Play(4, 4), CHANCE), Decision)


@pytest.mark.parametrize("picture", [*WHOLE_BOARDS.values(), *SINGLE_POINTS.values()])
def test_white_is_never_restricted(picture: str) -> None:
    """The same shapes in white stones, white to move: every empty point is legal."""
    cells, size = drawn(picture)
    swapped = cells.translate(str.maketrans(BLACK + WHITE, WHITE + BLACK))
    if swapped.count(EMPTY) % 2 == size % 2:  # an even number of stones: one more makes it white's move
        corner = size * size - 1
        swapped = placed(swapped, corner, BLACK)
    state = Board(ANN, "renju", size, swapped)
    assert state.turn == BOB
    assert len(GAME.legal_moves(state, BOB)) == swapped.count(EMPTY)


def test_black_without_a_point_to_play_draws() -> None:
    """The one empty point would be an overline; nobody can pass, so nobody wins."""
    picture = """
        X X O O X X O O X
        O O X X O O X X O
        X X O O X X O O X
        O O X X O O X X O
        O X X X # X X O X
        O O X X O O X X O
        X X O O X X O O X
        O O X X O O X X O
        X X O O X X O O O
    """
    cells, size = drawn(picture)
    state = Board(ANN, "renju", size, cells)
    assert forbidden_points(picture) == marked(picture, "#")
    assert state.turn == ANN
    assert GAME.to_act(state) == Outcome((), "draw")
    assert GAME.legal_moves(state, ANN) == []


def test_the_referee_knows_the_published_positions() -> None:
    for picture in (*WHOLE_BOARDS.values(), *SINGLE_POINTS.values()):
        cells, size = drawn(picture)
        referee = Referee(cells, size)
        assert all(referee.forbids(xy(at, size)) for at in marked(picture, "#"))
        assert not any(referee.forbids(xy(at, size)) for at in marked(picture, "+"))


def test_random_boards_have_the_forbidden_points_that_the_referee_finds() -> None:
    dice = random.Random(3)
    found = 0
    for _ in range(200):
        size = dice.choice((9, 11, 15))
        cells = "".join(dice.choices((EMPTY, BLACK, WHITE), (6, dice.choice((2, 4)), 1), k=size * size))
        referee = Referee(cells, size)
        for at in range(size * size):
            if cells[at] == EMPTY:
                expected = referee.forbids(xy(at, size))
                assert forbidden(cells, size, at) == expected, f"{xy(at, size)} of\n{drawing(cells, size)}"
                found += expected
    assert found > 500
