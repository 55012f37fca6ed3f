"""Xs and Os on a 3×3 board: the shortest complete game in the tree, and the one to copy for a new game.

X moves first; whether box 0 or box 1 is X is drawn at the start. Running out of time loses.
"""

from functools import cache
from typing import Any

from shared.kernel import (
    BETS,
    Chance,
    Decision,
    Event,
    Forms,
    Game,
    GameType,
    Message,
    Move,
    Outcome,
    Refusal,
    Seat,
    Undoable,
    Value,
    Viewer,
)

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
MARKS = ("X", "O")


class Board(Value, frozen=True):
    first: Seat
    cells: tuple[str | None, ...] = (None,) * 9

    @property
    def turn(self) -> Seat:
        return Seat(self.first ^ (9 - self.cells.count(None)) & 1)

    def mark(self, seat: Seat) -> str:
        return MARKS[seat ^ self.first]

    def line(self) -> tuple[int, ...] | None:
        return _line(self.cells)


class Play(Move, frozen=True, tag="play"):
    cell: int


PLAYS = tuple(Play(cell) for cell in range(9))


class Marked(Event, frozen=True, tag="marked"):
    seat: Seat
    cell: int


class Xsos(Game[Board, Play, Marked]):
    name = "xsos"
    types = (GameType("xsos", "Xs and Os", seats=(2,), bets=BETS),)
    forms = Forms(options=Undoable, state=Board, move=Play, event=Marked)

    def setup(self, game_type: str, seats: int, options: Undoable, chance: Chance) -> Board:
        return Board(first=Seat(chance.below(2)))

    def decide(self, state: Board, seat: Seat, move: Play, chance: Chance) -> Decision[Marked] | Refusal:
        if seat != state.turn:
            return Refusal.NOT_YOUR_TURN
        if not 0 <= move.cell < 9 or state.cells[move.cell]:
            return Refusal.ILLEGAL_MOVE
        return Decision((Marked(seat, move.cell),))

    def evolve(self, state: Board, event: Marked) -> Board:
        cells = list(state.cells)
        cells[event.cell] = state.mark(event.seat)
        return Board(state.first, tuple(cells))

    def to_act(self, state: Board) -> tuple[Seat, ...] | Outcome:
        if state.line():
            return Outcome((_other(state.turn),), "line")
        if None not in state.cells:
            return Outcome((), "draw")
        return (state.turn,)

    def on_timeout(self, state: Board, seat: Seat, chance: Chance) -> Decision[Marked] | Outcome:
        return Outcome((_other(seat),), "timeout")

    def on_resign(self, state: Board, seat: Seat, chance: Chance) -> Decision[Marked] | Outcome:
        return Outcome((_other(seat),), "resigned")

    def legal_moves(self, state: Board, seat: Seat) -> list[Play]:
        if seat != state.turn or state.line():
            return []
        return [PLAYS[cell] for cell, mark in enumerate(state.cells) if mark is None]

    def view(self, state: Board, viewer: Viewer) -> dict[str, Any]:
        colors = [state.mark(Seat(0)), state.mark(Seat(1))]
        return {"board": state.cells, "turn": self._turn(state), "colors": colors}

    def project(self, state: Board, event: Marked, viewer: Viewer) -> Message:
        color = state.mark(event.seat)
        data = {"color": color, "cell": event.cell, "board": state.cells, "turn": self._turn(state)}
        return Message("response", data)

    def closing(self, state: Board) -> dict[str, Any]:
        line = state.line()
        return {"line": line} if line else {}

    def _turn(self, state: Board) -> str | None:
        over = state.line() or None not in state.cells
        return None if over else state.mark(state.turn)


@cache  # there are fewer than 6,000 positions, and each is asked about several times a move
def _line(cells: tuple[str | None, ...]) -> tuple[int, ...] | None:
    c = cells
    return next((line for line in LINES if c[line[0]] and c[line[0]] == c[line[1]] == c[line[2]]), None)


def _other(seat: Seat) -> Seat:
    return Seat(1 - seat)


GAME = Xsos()
