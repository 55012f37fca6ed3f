"""The house's players of gomoku and go: what they see, and what they never do."""

from functools import reduce
from itertools import pairwise
from typing import Any

import pytest

from services.session.games.go import GAME as GO
from services.session.games.go import GoOptions
from services.session.games.go.board import neighbours
from services.session.games.go.bots import simple
from services.session.games.go.position import Position
from services.session.games.gomoku import GAME as GOMOKU
from services.session.games.gomoku import GomokuOptions
from services.session.games.gomoku.board import Board, Rule, empty_board
from services.session.games.gomoku.bots import greedy
from services.session.games.gomoku.renju import forbidden
from services.session.games.stones import BLACK, EMPTY, WHITE, Play, plays
from shared.kernel import Chance, Decision, Game, Move, Options, Outcome, Seat
from tests.support.drawings import drawing, drawn, marked

ANN, BOB = Seat(0), Seat(1)
RULES: tuple[Rule, ...] = ("freestyle", "standard", "renju")


def dice(seed: int = 0) -> Chance:
    return Chance(seed.to_bytes(2, "big"), "test")


def played_out(game: Game[Any, Any, Any], options: Options, bots: tuple[str, str], seed: int) -> list[Any]:
    """Every position of a game between players of the house; none of their moves may be refused."""
    chance = dice(seed)
    states = [game.setup(game.name, 2, options, chance)]
    while not isinstance(acting := game.to_act(states[-1]), Outcome):
        (seat,) = acting
        moves = game.legal_moves(states[-1], seat)
        name = bots[seat]
        move: Move = moves[chance.below(len(moves))] if name == "random" else game.bots[name](states[-1], seat, chance)
        decision = game.decide(states[-1], seat, move, chance)
        assert isinstance(decision, Decision), f"{name} wants {move}"
        states.append(reduce(game.evolve, decision.events, states[-1]))
        assert len(states) < 1_500, "a game of these players ends"
    return states


def winners(game: Game[Any, Any, Any], states: list[Any]) -> tuple[Seat, ...]:
    outcome = game.to_act(states[-1])
    assert isinstance(outcome, Outcome)
    return outcome.winners


# Gomoku


def goes_to_a_star(picture: str, stone: str, rule: Rule = "freestyle") -> bool:
    """Whether the greedy player, with whatever dice, plays on a point marked with a star."""
    cells, size = drawn(picture)
    if (cells.count(EMPTY) + size) % 2 != (stone == WHITE):
        cells = cells[:-1] + WHITE  # an odd stone in the far corner gives the other colour the move
    state = Board(ANN, rule, size, cells)
    assert state.stone == stone
    stars = [plays(size)[at] for at in marked(picture, "*")]
    return all(greedy(state, state.turn, dice(seed)) in stars for seed in range(10))


MIDDLES = {
    "completes a five": """
        . . . . . . . . .
        . . O O O O . . .
        . . . . . . . . .
        . * X X X X * . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "completes a five in the middle": """
        . . . . . . . . .
        . X . . . . . . .
        . . X . . . . . .
        . . . * . . . . .
        . . O O X O . . .
        . . . . . X . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "stops a four": """
        . . . . . . . . .
        . X O O O O * . .
        . . . . . . . . .
        . . X X X . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "makes an open four before it stops an open three": """
        . . . . . . . . .
        . . . O O O . . .
        . . . . . . . . .
        . . . . . . . . .
        . . * X X X * . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "stops an open three": """
        . . . . . . . . .
        . . * O O O * . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . X . . . .
        . . . . X . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "stops an open three with a hole": """
        . . . . . . . . .
        . . * O * O O * .
        . . . . . . . . .
        . . . . . . . . .
        . . . . X . . . .
        . . . . X . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
}


@pytest.mark.parametrize("picture", MIDDLES.values(), ids=MIDDLES)
@pytest.mark.parametrize("rule", RULES)
def test_greedy_sees_what_decides_the_game(picture: str, rule: Rule) -> None:
    assert goes_to_a_star(picture, BLACK, rule)
    assert goes_to_a_star(picture.translate(str.maketrans("XO", "OX")), WHITE, rule)


def test_greedy_begins_in_the_middle() -> None:
    assert greedy(empty_board(ANN, "freestyle", 15), ANN, dice()) == Play(7, 7)


def test_greedy_plays_for_an_overline_only_where_it_wins() -> None:
    picture = """
        . . . . . . . . .
        . X X X * X X . .
        . . . . . . . . .
        . O . O . . O . .
        . . . . . . . . .
        . O . . O . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """
    assert goes_to_a_star(picture, BLACK, "freestyle")
    assert not goes_to_a_star(picture, BLACK, "standard")
    assert not goes_to_a_star(picture, BLACK, "renju")


def test_greedy_does_not_want_a_forbidden_point() -> None:
    """The fork in the middle is the best point under other rules."""
    picture = """
        . . . . . . . . .
        . . . . . . . . .
        . . . . X . . . .
        . . . . X . . . .
        . . X X * . . . .
        . . . . . . . . .
        O . . . . . . . .
        O . . . . . . . .
        . O . . . . O . .
    """
    cells, size = drawn(picture)
    assert forbidden(cells, size, marked(picture, "*")[0])
    assert goes_to_a_star(picture, BLACK, "freestyle")
    assert not goes_to_a_star(picture, BLACK, "renju")


@pytest.mark.parametrize("rule", RULES)
def test_greedy_beats_a_random_player(rule: Rule) -> None:
    for seed in range(10):
        states = played_out(GOMOKU, GomokuOptions(rule=rule), ("greedy", "random"), seed)
        assert winners(GOMOKU, states) == (ANN,)
        assert len(states) < 40


@pytest.mark.parametrize("rule", RULES)
def test_greedy_plays_itself_to_an_end_with_legal_moves_only(rule: Rule) -> None:
    for seed in range(4):
        played_out(GOMOKU, GomokuOptions(rule=rule, size=9 + seed), ("greedy", "greedy"), seed)


def test_the_same_dice_make_the_same_games() -> None:
    """Nothing but the position and the dice decides."""
    games: tuple[tuple[Game[Any, Any, Any], Options, str], ...] = (
        (GOMOKU, GomokuOptions(), "greedy"),
        (GO, GoOptions(size=9), "simple"),
    )
    for game, options, bot in games:
        first, again, other = (played_out(game, options, (bot, bot), seed) for seed in (1, 1, 2))
        assert first == again
        assert first != other


# Go


def wants(picture: str, passes: int = 0, komi: float = 6.5, last: int | None = None) -> set[str]:
    """Which marks, with many dice, the simple player goes to as black; a pass is `pass`."""
    cells, size = drawn(picture)
    state = Position(ANN, size, komi, cells, passes=passes, last=last)
    moves = {simple(state, ANN, dice(seed)) for seed in range(10)}
    signs = "".join(picture.split())
    return {signs[move.y * size + move.x] if isinstance(move, Play) else "pass" for move in moves}


def test_simple_takes_what_is_in_atari_and_rather_the_bigger_group() -> None:
    assert wants("""
        . . . . . . .
        . X X . . X .
        X O O * X O a
        . X X . . X .
        . . . . . . .
        . . . . . . .
        . . . . . . .
    """) == {"*"}  # fmt: skip


def test_simple_saves_its_group_in_atari() -> None:
    assert wants("""
        . . . . . . .
        . O O . . . .
        O X X * . . .
        . O O . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
    """) == {"*"}  # fmt: skip


def test_simple_saves_a_group_by_taking_its_captor() -> None:
    assert wants("""
        * O X . . . .
        O X O . . . .
        X X O . . . .
        . O O . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
    """) == {"*"}  # fmt: skip


def test_simple_does_not_run_where_it_would_be_taken_at_once() -> None:
    """The stone at the edge cannot be saved: one step on it has one liberty again."""
    assert "a" not in wants("""
        X a . O . . .
        O O O O . . .
        . . . . . . .
        . . . . . . .
        . . . . X . .
        . . . . . . .
        . . . . . . .
    """)  # fmt: skip


def test_simple_does_not_put_itself_into_atari() -> None:
    assert "a" not in wants("""
        a O . . . . .
        . O . . . . .
        O O . . . . .
        . . . . X . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
    """)  # fmt: skip


EYES = """
    . X . X O
    X X X X O
    X X X O O
    O O O O .
    . O . O O
"""


def test_simple_keeps_its_eyes_and_passes_when_nothing_else_is_left() -> None:
    assert wants(EYES) == {"pass"}


def test_simple_passes_after_a_pass_only_if_it_leads() -> None:
    picture = """
        . . X . .
        . . X O .
        . . X . .
        . . X O .
        . . X . .
    """
    assert wants(picture, passes=1, komi=0.5) == {"pass"}
    assert "pass" not in wants(picture, passes=1, komi=30)
    assert "pass" not in wants(picture, komi=0.5)


def test_simple_answers_on_an_empty_board() -> None:
    cells, size = drawn(". . . . . . . . . " * 9)
    assert isinstance(simple(Position(ANN, size, 6.5, cells), ANN, dice()), Play)
    lone = Position(ANN, size, 6.5, cells[:40] + BLACK + cells[41:], moves=1)
    assert isinstance(simple(lone, BOB, dice()), Play)


@pytest.mark.parametrize(("options", "games"), [(GoOptions(size=9), 6), (GoOptions(size=13), 1)], ids=["9", "13"])
def test_simple_plays_itself_to_an_end_and_never_fills_an_eye(options: GoOptions, games: int) -> None:
    """An eye beyond doubt: own stones beside it and at its corners."""
    size, around = options.size, neighbours(options.size)
    for seed in range(games):
        states = played_out(GO, options, ("simple", "simple"), seed)
        for before, after in pairwise(states):
            if after.last is not None and after.captures == before.captures:
                x, y = after.last % size, after.last // size
                corners = [
                    before.cells[q * size + p]
                    for p in (x - 1, x + 1)
                    for q in (y - 1, y + 1)
                    if 0 <= p < size and 0 <= q < size
                ]
                beside = {before.cells[at] for at in around[after.last]}
                assert {*corners, *beside} != {before.stone}, drawing(before.cells, size)


def test_simple_beats_a_random_player() -> None:
    for seed in range(6):
        states = played_out(GO, GoOptions(size=9), ("simple", "random"), seed)
        assert winners(GO, states) == (ANN,)
