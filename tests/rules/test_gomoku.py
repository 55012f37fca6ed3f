"""Gomoku by the book: five in a row, overlines under each rule, and what is told of it."""

import random
from functools import reduce

import msgspec
import pytest

from services.session.games.gomoku import GAME, GomokuOptions, Placed
from services.session.games.gomoku.board import Board, Rule, empty_board
from services.session.games.stones import BLACK, EMPTY, WHITE, Play, opposite, placed, xy
from shared.kernel import Chance, Decision, Outcome, Refusal, Seat
from tests.support.drawings import drawn, marked

CHANCE = Chance(b"", "")
ANN, BOB = Seat(0), Seat(1)  # in these tests Ann has the black stones
DIRECTIONS = {"row": (1, 0), "column": (0, 1), "diagonal": (1, 1), "antidiagonal": (-1, 1)}


def board(drawing: str, rule: Rule = "freestyle", last: int | None = None) -> Board:
    cells, size = drawn(drawing)
    return Board(ANN, rule, size, cells, last)


def after(state: Board, *plays: tuple[int, int]) -> Board:
    """The position after moves that must all be legal."""
    for x, y in plays:
        decision = GAME.decide(state, state.turn, Play(x, y), CHANCE)
        assert isinstance(decision, Decision), f"{(x, y)} was refused: {decision}"
        state = reduce(GAME.evolve, decision.events, state)
    return state


def in_a_row(stone: str, length: int, rule: Rule, hole: int) -> Board:
    """A row of that length with a hole in it, on an otherwise harmless board, that colour to move."""
    row = range(9 * 4 + 1, 9 * 4 + 1 + length)
    cells = reduce(lambda cells, at: placed(cells, at, stone), [at for at in row if at != row[hole]], EMPTY * 81)
    others = (9 * y + x for y in (0, 8) for x in range(0, 9, 2))  # never two side by side
    short = length - 1 if stone == BLACK else length  # how many the other colour has when it is our turn
    for _ in range(short):
        cells = placed(cells, next(others), opposite(stone))
    return Board(ANN, rule, 9, cells)


def test_black_moves_first_whoever_was_drawn_to_be_black() -> None:
    assert GAME.to_act(empty_board(ANN, "freestyle", 15)) == (ANN,)
    assert GAME.to_act(empty_board(BOB, "freestyle", 15)) == (BOB,)


def test_both_colours_are_drawn() -> None:
    drawn = {GAME.setup("gomoku", 2, GomokuOptions(), Chance(bytes([i]), "setup")).first for i in range(64)}
    assert drawn == {ANN, BOB}


def test_players_take_turns() -> None:
    state = after(empty_board(ANN, "freestyle", 15), (7, 7))
    assert GAME.to_act(state) == (BOB,)
    assert GAME.decide(state, ANN, Play(0, 0), CHANCE) is Refusal.NOT_YOUR_TURN
    assert GAME.to_act(after(state, (7, 8))) == (ANN,)


@pytest.mark.parametrize(("x", "y"), [(-1, 0), (0, -1), (15, 0), (0, 15), (-1, 15), (10**30, 3), (7, 7)])
def test_a_stone_goes_on_an_empty_point_of_the_board(x: int, y: int) -> None:
    state = after(empty_board(ANN, "freestyle", 15), (7, 7))
    assert GAME.decide(state, BOB, Play(x, y), CHANCE) is Refusal.ILLEGAL_MOVE


@pytest.mark.parametrize("size", [9, 15, 19])
@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju"])
@pytest.mark.parametrize(("dx", "dy"), DIRECTIONS.values(), ids=DIRECTIONS)
def test_five_in_a_row_wins_everywhere_in_every_direction(size: int, rule: Rule, dx: int, dy: int) -> None:
    """Every five that fits on the board, edges and corners included, completed at each of its points."""
    tried = 0
    for y in range(size):
        for x in range(size):
            five = [(x + i * dx, y + i * dy) for i in range(5)]
            if not all(0 <= p < size and 0 <= q < size for p, q in five):
                continue
            points = tuple(q * size + p for p, q in five)
            last = points[tried % 5]
            cells = reduce(lambda cells, at: placed(cells, at, BLACK), points, EMPTY * size * size)
            away = [at for at in range(size * size) if cells[at] == EMPTY][: 4 * 7 : 7]  # white is never close to five
            cells = reduce(lambda cells, at: placed(cells, at, WHITE), away, cells)
            state = Board(ANN, rule, size, cells, last)
            assert GAME.to_act(state) == Outcome((ANN,), "line")
            assert state.line() == tuple(sorted(points))
            tried += 1
    assert tried == {(1, 0): size * (size - 4), (0, 1): size * (size - 4)}.get((dx, dy), (size - 4) ** 2)


def test_five_stones_around_the_edge_are_not_in_a_row() -> None:
    state = board("""
        . . . . . X X X X
        X . . . . . . . .
        . . . . . . . . .
        . . O O O O . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """, last=9)  # fmt: skip
    assert GAME.to_act(state) == (BOB,)


@pytest.mark.parametrize(
    ("rule", "stone", "wins"),
    [
        ("freestyle", BLACK, True), ("freestyle", WHITE, True),
        ("standard", BLACK, False), ("standard", WHITE, False),
        ("renju", WHITE, True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("length", [6, 7])
def test_an_overline_wins_or_is_worth_nothing(rule: Rule, stone: str, wins: bool, length: int) -> None:
    state = in_a_row(stone, length, rule, hole=3)
    mover = state.turn
    state = after(state, (4, 4))
    assert GAME.to_act(state) == (Outcome((mover,), "line") if wins else (1 - mover,))
    assert GAME.closing(state) == ({"line": [(x, 4) for x in range(1, 1 + length)]} if wins else {})


def test_an_overline_is_forbidden_to_black_in_renju() -> None:
    state = in_a_row(BLACK, 6, "renju", hole=3)
    assert GAME.decide(state, ANN, Play(4, 4), CHANCE) is Refusal.ILLEGAL_MOVE
    assert Play(4, 4) not in GAME.legal_moves(state, ANN)


def test_five_and_an_overline_at_once_is_a_five() -> None:
    """Under `standard` and `renju` the exact five counts, whatever else the stone makes."""
    picture = """
        X . . . . . . . .
        X . . . O . O . .
        X . . . . . . . .
        X . O . O . O . .
        * X X X X . . . .
        X . O . O . O . .
        . . . . . . . . .
        . . . . O . . . .
        . . . . . . . . .
    """
    for rule in ("standard", "renju"):
        state = after(board(picture, rule), (0, 4))
        assert GAME.to_act(state) == Outcome((ANN,), "line")
        assert GAME.closing(state) == {"line": [(x, 4) for x in range(5)]}


FULL = """
    X X O O X X O O X
    O O X X O O X X O
    X X O O X X O O X
    O O X X O O X X O
    X X O O X X O O X
    O O X X O O X X O
    X X O O X X O O X
    O O X X O O X X O
    X X O O X X O O *
"""


@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju"])
def test_a_full_board_is_a_draw(rule: Rule) -> None:
    state = board(FULL, rule)
    assert GAME.to_act(state) == (ANN,)
    assert GAME.legal_moves(state, ANN) == [Play(8, 8)]
    state = after(state, (8, 8))
    assert GAME.to_act(state) == Outcome((), "draw")
    assert GAME.view(state, None)["turn"] is None
    assert GAME.legal_moves(state, BOB) == []


def test_a_five_on_the_last_point_wins_and_does_not_draw() -> None:
    cells, size = drawn(FULL)
    for at in (9 * 8 + 6, 9 * 8 + 7):  # the last row becomes X X O O X X X X *
        cells = placed(cells, at, BLACK)
    for at in (0, 1):  # and white has as many stones as before
        cells = placed(cells, at, WHITE)
    state = after(Board(ANN, "freestyle", size, cells), (8, 8))
    assert GAME.to_act(state) == Outcome((ANN,), "line")


def test_every_empty_point_is_a_legal_move_for_the_one_to_move_only() -> None:
    state = after(empty_board(ANN, "freestyle", 9), (4, 4), (0, 0))
    moves = GAME.legal_moves(state, ANN)
    assert len(moves) == 79
    assert Play(4, 4) not in moves
    assert Play(0, 0) not in moves
    assert GAME.legal_moves(state, BOB) == []


def test_nobody_may_play_on_after_a_win() -> None:
    state = after(in_a_row(BLACK, 5, "freestyle", hole=2), (3, 4))
    assert GAME.legal_moves(state, ANN) == []
    assert GAME.legal_moves(state, BOB) == []


def test_running_out_of_time_and_resigning_lose() -> None:
    state = empty_board(ANN, "freestyle", 15)
    assert GAME.on_timeout(state, ANN, CHANCE) == Outcome((BOB,), "timeout")
    assert GAME.on_resign(state, BOB, CHANCE) == Outcome((ANN,), "resigned")


def test_a_move_is_told_with_the_board_after_it() -> None:
    decision = GAME.decide(empty_board(BOB, "freestyle", 9), BOB, Play(8, 1), CHANCE)
    assert decision == Decision((Placed(BOB, 17),))
    told = GAME.project(after(empty_board(BOB, "freestyle", 9), (8, 1)), Placed(BOB, 17), ANN)
    nothing = (None,) * 9
    rows = (nothing, (*nothing[1:], "black"), *[nothing] * 7)
    assert told.event == "response"
    assert told.data == {"color": "black", "x": 8, "y": 1, "board": rows, "turn": "white"}


def test_a_stone_taken_back_is_told_with_the_board_before_it() -> None:
    before = after(empty_board(ANN, "freestyle", 9), (4, 4))
    told = GAME.project(before, Placed(BOB, 0), None).data
    assert (told["color"], told["x"], told["y"]) == ("white", 0, 0)
    assert {"board": told["board"], "turn": told["turn"]} == {
        name: GAME.view(before, None)[name] for name in ("board", "turn")
    }
    assert told["board"][0][0] is None
    assert told["turn"] == "white"


@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju"])
def test_what_a_move_changes_of_the_view_is_in_its_message(rule: Rule) -> None:
    state = in_a_row(BLACK, 5, rule, hole=2)
    later = after(state, (3, 4))
    told = GAME.project(later, Placed(ANN, 39), None).data
    before, now = GAME.view(state, None), GAME.view(later, None)
    assert {**before, **{name: told[name] for name in before if name in told}} == now


@pytest.mark.parametrize(
    "options",
    ['{"size": 8}', '{"size": 20}', '{"size": 9.5}', '{"rule": "caro"}', '{"komi": 6.5}', '{"undo_time": 0}'],
)
def test_options_have_limits(options: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(options, type=GomokuOptions)


def test_the_number_of_games_up_to_three_moves_is_a_falling_factorial() -> None:
    """No five is possible so early, so n empty points leave n · (n - 1) · (n - 2) ways to play three stones."""
    assert _games(empty_board(ANN, "freestyle", 9), depth=3, until=None) == 81 * 80 * 79
    assert _games(empty_board(ANN, "renju", 9), depth=2, until=None) == 81 * 80


def test_a_win_ends_the_count() -> None:
    """Black completes its four at either end, or plays elsewhere; only then has white an answer.

    There are 73 empty points. Two of them win at once; the 71 others leave 72 answers each.
    """
    state = board("""
        . . . . . . . . .
        . . . . . . . . .
        . O . . . . . O .
        . . . . . . . . .
        . . * X X X X * .
        . . . . . . . . .
        . O . . . . . O .
        . . . . . . . . .
        . . . . . . . . .
    """)  # fmt: skip
    assert _games(state, depth=2, until=None) == 71 * 72
    assert _games(state, depth=2, until="line") == 2


def test_the_count_under_renju_lacks_the_forbidden_points() -> None:
    picture = """
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
    assert marked(picture, "*") == [40]
    assert _games(board(picture, "renju"), depth=1, until=None) == 72
    assert _games(board(picture, "freestyle"), depth=1, until=None) == 73


def _games(state: Board, depth: int, until: str | None) -> int:
    """How many ways of play have that many moves, or end before that for the given reason."""
    outcome = GAME.to_act(state)
    if isinstance(outcome, Outcome):
        return int(outcome.reason == until)
    moves = GAME.legal_moves(state, state.turn)
    if depth == 1 and until is None:
        return len(moves)
    if depth == 0:
        return 0
    return sum(_games(after(state, (move.x, move.y)), depth - 1, until) for move in moves)


@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju"])
def test_random_games_end_when_a_search_of_the_whole_board_finds_a_winner(rule: Rule) -> None:
    """The referee measures every row on the board, not only those through the last stone."""
    dice = random.Random(5)
    ends = set()
    for _ in range(40):
        state = empty_board(ANN, rule, dice.choice((9, 10)))
        while True:
            winners = _winners(state)
            outcome = GAME.to_act(state)
            if isinstance(outcome, Outcome):
                assert set(outcome.winners) == winners
                ends.add((outcome.reason, *outcome.winners))
                break
            assert winners == set()
            move = dice.choice(GAME.legal_moves(state, state.turn))
            state = after(state, (move.x, move.y))
    assert {("line", ANN), ("line", BOB)} <= ends


def _winners(state: Board) -> set[Seat]:
    at = {xy(point, state.size): stone for point, stone in enumerate(state.cells)}
    winners = set()
    for (x, y), (dx, dy) in ((point, line) for point in at for line in DIRECTIONS.values()):
        stone = at[x, y]
        if stone == EMPTY or at.get((x - dx, y - dy)) == stone:
            continue  # a row is measured from its first stone
        length = 1
        while at.get((x + length * dx, y + length * dy)) == stone:
            length += 1
        exact = {"freestyle": False, "standard": True, "renju": stone == BLACK}[state.rule]
        if length == 5 or (length > 5 and not exact):
            winners.add(ANN if stone == BLACK else BOB)
    return winners
