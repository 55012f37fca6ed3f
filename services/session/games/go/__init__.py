"""Go by area: Tromp–Taylor scoring on 9, 13 or 19 lines, with suicide refused.

Black moves first; which box has the black stones is drawn at the start. x and y count from 0 at the top left. A stone
first takes the enemy's groups that it leaves without liberties; if its own group then has none, the move is refused.
So is one that would bring back any earlier position of the board, whoever is to move (positional superko). A pass is
always allowed; two in a row end the game. Every stone on the board then counts as alive: capture what is dead before
you pass. Komi is a multiple of a half; an equal score is a draw. Running out of time loses.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta

from services.session.games.go.board import areas
from services.session.games.go.bots import simple
from services.session.games.go.moves import PASS, AnyMove, Pass
from services.session.games.go.position import Position
from services.session.games.stones import EMPTY, other, plays, point, rows, xy
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


class GoOptions(Undoable, frozen=True):
    size: Literal[9, 13, 19] = 19
    # Below zero it is a handicap for white; 100 decides any game that is worth playing.
    komi: Annotated[float, Meta(ge=-100, le=100, multiple_of=0.5)] = 6.5


class Placed(Event, frozen=True, tag="placed"):
    seat: Seat
    point: int
    captured: tuple[int, ...]


class Passed(Event, frozen=True, tag="passed"):
    seat: Seat


AnyEvent: TypeAlias = Placed | Passed


class Go(Game[Position, AnyMove, AnyEvent]):
    name = "go"
    types = (GameType("go", "Go", seats=(2,), bets=BETS),)
    forms = Forms(options=GoOptions, state=Position, move=AnyMove, event=AnyEvent)
    bots: Mapping[str, Bot[Position, AnyMove]] = MappingProxyType({"simple": simple})

    def setup(self, game_type: str, seats: int, options: GoOptions, chance: Chance) -> Position:
        cells = EMPTY * options.size * options.size
        return Position(Seat(chance.below(2)), options.size, options.komi, cells)

    def decide(self, state: Position, seat: Seat, move: AnyMove, chance: Chance) -> Decision[AnyEvent] | Refusal:
        if seat != state.turn:
            return Refusal.NOT_YOUR_TURN
        if isinstance(move, Pass):
            return Decision((Passed(seat),))
        at = point(move, state.size)
        taken = None if at is None else state.taken_by(at)
        if at is None or taken is None:
            return Refusal.ILLEGAL_MOVE
        return Decision((Placed(seat, at, taken),))

    def evolve(self, state: Position, event: AnyEvent) -> Position:
        return state.with_pass() if isinstance(event, Passed) else state.with_stone(event.point, event.captured)

    def to_act(self, state: Position) -> tuple[Seat, ...] | Outcome:
        if not state.over:
            return (state.turn,)
        black, white = areas(state.cells, state.size)
        scores = {state.first: black, other(state.first): white + state.komi}
        winners = tuple(seat for seat in scores if scores[seat] > scores[other(seat)])
        return Outcome(winners, "score", (scores[Seat(0)], scores[Seat(1)]))

    def on_timeout(self, state: Position, seat: Seat, chance: Chance) -> Decision[AnyEvent] | Outcome:
        return Outcome((other(seat),), "timeout")

    def on_resign(self, state: Position, seat: Seat, chance: Chance) -> Decision[AnyEvent] | Outcome:
        return Outcome((other(seat),), "resigned")

    def legal_moves(self, state: Position, seat: Seat) -> list[AnyMove]:
        if seat != state.turn or state.over:
            return []
        moves = plays(state.size)
        return [*(moves[at] for at in state.open_points()), PASS]

    def view(self, state: Position, viewer: Viewer) -> dict[str, Any]:
        colors = [state.color(Seat(0)), state.color(Seat(1))]
        return {**self._position(state), "colors": colors, "size": state.size, "komi": state.komi}

    def project(self, state: Position, event: AnyEvent, viewer: Viewer) -> Message:
        x, y = xy(event.point, state.size) if isinstance(event, Placed) else (None, None)
        taken = [xy(gone, state.size) for gone in event.captured] if isinstance(event, Placed) else []
        black, white = state.captures
        told = {
            "color": state.color(event.seat),
            "x": x,
            "y": y,
            "captured": taken,
            "captures": {"black": black, "white": white},
            "last": None if state.last is None else xy(state.last, state.size),
            "passes": state.passes,
        }
        return Message("response", {**told, **self._position(state)})

    def _position(self, state: Position) -> dict[str, Any]:
        """What a move changes: the same for every game on a board, so that one client can follow them all."""
        turn = None if state.over else state.color(state.turn)
        return {"board": rows(state.cells, state.size), "turn": turn}


GAME = Go()
