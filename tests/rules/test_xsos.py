"""Xs and Os by the book."""

import pytest

from services.session.games.xsos import GAME, Board, Marked, Play
from shared.kernel import Chance, Decision, Outcome, Refusal, Seat, Undoable

CHANCE = Chance(b"", "")
ANN, BOB = Seat(0), Seat(1)


def board(drawing: str, first: Seat = ANN) -> Board:
    """A board from three words, for example `X.O .X. ..O`."""
    cells = [None if mark == "." else mark for mark in drawing.replace(" ", "")]
    return Board(first, tuple(cells))


def test_x_moves_first_whoever_was_drawn_to_be_x() -> None:
    assert GAME.to_act(board("... ... ...", first=ANN)) == (ANN,)
    assert GAME.to_act(board("... ... ...", first=BOB)) == (BOB,)


def test_both_colours_are_drawn() -> None:
    drawn = {GAME.setup("xsos", 2, Undoable(), Chance(bytes([i]), "setup")).first for i in range(64)}
    assert drawn == {ANN, BOB}


def test_players_take_turns() -> None:
    state = GAME.evolve(board("... ... ..."), Marked(ANN, 4))
    assert state == board("... .X. ...")
    assert GAME.to_act(state) == (BOB,)
    assert GAME.decide(state, ANN, Play(0), CHANCE) is Refusal.NOT_YOUR_TURN


@pytest.mark.parametrize("cell", [-1, 9, 4])
def test_a_mark_goes_on_an_empty_cell_of_the_board(cell: int) -> None:
    assert GAME.decide(board("... .X. ..."), BOB, Play(cell), CHANCE) is Refusal.ILLEGAL_MOVE


@pytest.mark.parametrize(
    ("drawing", "line"),
    [
        ("XXX OO. ...", (0, 1, 2)), ("OO. XXX ...", (3, 4, 5)), ("OO. ... XXX", (6, 7, 8)),
        ("XO. XO. X..", (0, 3, 6)), ("OX. OX. .X.", (1, 4, 7)), ("O.X O.X ..X", (2, 5, 8)),
        ("XOO .X. ..X", (0, 4, 8)), ("OOX .X. X..", (2, 4, 6)),
    ],
)  # fmt: skip
def test_three_in_a_row_wins(drawing: str, line: tuple[int, ...]) -> None:
    state = board(drawing)
    assert GAME.to_act(state) == Outcome((ANN,), "line")
    assert GAME.closing(state) == {"line": line}
    assert GAME.view(state, None)["turn"] is None


def test_o_can_win_too() -> None:
    assert GAME.to_act(board("OOO XX. X..")) == Outcome((BOB,), "line")


def test_a_full_board_without_a_row_is_a_draw() -> None:
    assert GAME.to_act(board("XOX XOO OXX")) == Outcome((), "draw")


def test_a_row_on_the_last_cell_wins_and_does_not_draw() -> None:
    assert GAME.to_act(board("XXX OOX XOO")) == Outcome((ANN,), "line")


def test_every_empty_cell_is_a_legal_move_for_the_one_to_move_only() -> None:
    state = board("X.. .O. ...")
    assert [move.cell for move in GAME.legal_moves(state, ANN)] == [1, 2, 3, 5, 6, 7, 8]
    assert GAME.legal_moves(state, BOB) == []
    assert GAME.legal_moves(board("XXX OO. ..."), BOB) == []


def test_a_move_is_told_with_the_board_after_it() -> None:
    decision = GAME.decide(board("... ... ..."), ANN, Play(8), CHANCE)
    assert decision == Decision((Marked(ANN, 8),))
    told = GAME.project(board("... ... ..X"), Marked(ANN, 8), BOB)
    assert told.event == "response"
    assert told.data == {"color": "X", "cell": 8, "board": (*[None] * 8, "X"), "turn": "O"}
