"""Xs and Os, for rooms that asked for a referee: whoever started the game is X and moves first. Pure."""

from collections.abc import Sequence

X, O = -1, 1  # noqa: E741  (the marks' own names)

Board = Sequence[int | float]

EMPTY: Board = (0,) * 9
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def is_over(board: Board) -> bool:
    """Is there a line, or no place left?"""
    return all(board) or any(board[a] and board[a] == board[b] == board[c] for a, b, c in _LINES)


def is_next(before: Board, after: Board, mark: int) -> bool:
    """Does `after` add one mark of the player whose turn it is?"""
    if len(after) != len(EMPTY) or is_over(before) or mark != _turn(before):
        return False
    changed = [cell for cell in range(len(EMPTY)) if before[cell] != after[cell]]
    return len(changed) == 1 and before[changed[0]] == 0 and after[changed[0]] == mark


def _turn(board: Board) -> int:
    return O if sum(map(bool, board)) % 2 else X
