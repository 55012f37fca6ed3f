"""Gomoku: five stones in a row win, by one of three rules.

*freestyle*: five or more win. *standard*: exactly five win, more is worth nothing. *renju*: black wins with exactly
five and may not play on forbidden points (see `renju`); white wins with five or more and may play anywhere.

Black moves first; which box has the black stones is drawn at the start. x and y count from 0 at the top left. A full
board is a draw. So is, in renju, a position in which every empty point is forbidden to black, whose move it is: the
federation lets a player pass, and here nobody can. There are no opening rules: the first stone may go anywhere.
Running out of time loses.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any

from msgspec import Meta

from services.session.games.gomoku.board import Board, Rule, empty_board
from services.session.games.gomoku.bots import greedy
from services.session.games.stones import Play, other, placed, plays, point, rows, xy
from shared.kernel import (
    BETS,
    Bot,
    Chance,
    Decision,
    Event,
    Forms,
    Game,
    GameType,
    Message,
    Outcome,
    Refusal,
    Seat,
    Undoable,
    Viewer,
)


class GomokuOptions(Undoable, frozen=True):
    size: Annotated[int, Meta(ge=9, le=19)] = 15
    rule: Rule = "freestyle"


class Placed(Event, frozen=True, tag="placed"):
    seat: Seat
    point: int


class Gomoku(Game[Board, Play, Placed]):
    name = "gomoku"
    types = (GameType("gomoku", "Gomoku", seats=(2,), bets=BETS),)
    forms = Forms(options=GomokuOptions, state=Board, move=Play, event=Placed)
    bots: Mapping[str, Bot[Board, Play]] = MappingProxyType({"greedy": greedy})

    def setup(self, game_type: str, seats: int, options: GomokuOptions, chance: Chance) -> Board:
        return empty_board(Seat(chance.below(2)), options.rule, options.size)

    def decide(self, state: Board, seat: Seat, move: Play, chance: Chance) -> Decision[Placed] | Refusal:
        if seat != state.turn:
            return Refusal.NOT_YOUR_TURN
        at = point(move, state.size)
        if at is None or not state.open(at):
            return Refusal.ILLEGAL_MOVE
        return Decision((Placed(seat, at),))

    def evolve(self, state: Board, event: Placed) -> Board:
        cells = placed(state.cells, event.point, state.stone)
        return Board(state.first, state.rule, state.size, cells, event.point)

    def to_act(self, state: Board) -> tuple[Seat, ...] | Outcome:
        if state.line():
            return Outcome((other(state.turn),), "line")
        if state.stuck:
            return Outcome((), "draw")
        return (state.turn,)

    def on_timeout(self, state: Board, seat: Seat, chance: Chance) -> Decision[Placed] | Outcome:
        return Outcome((other(seat),), "timeout")

    def on_resign(self, state: Board, seat: Seat, chance: Chance) -> Decision[Placed] | Outcome:
        return Outcome((other(seat),), "resigned")

    def legal_moves(self, state: Board, seat: Seat) -> list[Play]:
        if seat != state.turn or state.line():
            return []
        moves = plays(state.size)
        return [moves[at] for at in state.open_points()]

    def view(self, state: Board, viewer: Viewer) -> dict[str, Any]:
        colors = [state.color(Seat(0)), state.color(Seat(1))]
        return {**self._position(state), "colors": colors, "size": state.size, "rule": state.rule}

    def project(self, state: Board, event: Placed, viewer: Viewer) -> Message:
        x, y = xy(event.point, state.size)
        return Message("response", {"color": state.color(event.seat), "x": x, "y": y, **self._position(state)})

    def closing(self, state: Board) -> dict[str, Any]:
        line = state.line()
        return {"line": [xy(at, state.size) for at in line]} if line else {}

    def _position(self, state: Board) -> dict[str, Any]:
        """What a move changes."""
        over = state.line() or state.stuck
        return {"board": rows(state.cells, state.size), "turn": None if over else state.color(state.turn)}


GAME = Gomoku()
