"""Go against numbers that were published and a referee of its own."""

import random
from itertools import product

import pytest

from services.session.games.go import GAME
from services.session.games.go.board import areas, captured, without
from services.session.games.go.moves import PASS
from services.session.games.go.position import Position
from services.session.games.stones import BLACK, EMPTY, WHITE, Play, placed, xy
from tests.rules.go_referee import Referee
from tests.support.go import ANN, after


@pytest.mark.parametrize(("size", "positions"), [(1, 1), (2, 57), (3, 12675)])
def test_play_reaches_every_legal_position_and_no_other(size: int, positions: int) -> None:
    """The numbers of legal positions were published by J. Tromp and G. Farnebäck (sequence A094777).

    Each can be reached, for a legal position stays legal when stones are lifted; so if captures or suicide were wrong,
    the count would be too.
    """
    start = EMPTY * size * size
    reached, frontier = {start}, [start]
    while frontier:
        cells = frontier.pop()
        for at, stone in product(range(size * size), (BLACK, WHITE)):
            if cells[at] == EMPTY and (taken := captured(cells, size, at, stone)) is not None:
                then = without(placed(cells, at, stone), tuple(taken))
                if then not in reached:
                    reached.add(then)
                    frontier.append(then)
    assert len(reached) == positions


@pytest.mark.parametrize(("size", "games"), [(2, 150), (3, 100), (4, 40), (5, 16), (9, 2)])
def test_random_games_are_played_as_the_referee_would(size: int, games: int) -> None:
    dice = random.Random(size)
    for _ in range(games):
        state, referee = Position(ANN, size, 0.5, EMPTY * size * size), Referee(size)
        for _ in range(40 * size):
            results = {point: referee.result(*point, state.stone) for point in referee.board}
            legal = {point for point, result in results.items() if result is not None}
            moves = GAME.legal_moves(state, state.turn)
            assert {(move.x, move.y) for move in moves if isinstance(move, Play)} == legal
            if not legal:
                break
            x, y = dice.choice(sorted(legal))
            state = after(state, (x, y))
            referee.play(results[x, y] or {})
            assert {xy(at, size): stone for at, stone in enumerate(state.cells)} == referee.board
            assert areas(state.cells, size) == (referee.score(BLACK), referee.score(WHITE))
            if dice.randrange(10) == 0:
                state = after(state, PASS)
