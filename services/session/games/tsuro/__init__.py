"""Tsuro on a 10×10 board for two to eight: lay a tile before your avatar, and follow the path as far as it leads.

Each seat is asked in its turn and answers once. A bad answer, or none in time, is discarded, nothing is placed, and the
next seat is asked; with the option `invalid: eliminate` the avatar is lost as well.

What the rule books leave open, as played here:

- Several avatars that a tile sets in motion travel in the order of their boxes; none gets in another's way.
- An avatar that comes into a closed loop is told as moved to where it was, then as looped.
- Whoever resigns, is eliminated or never got an avatar does not share in a win of those who left together.
- A resignation takes the avatar off the board and the others play on. When all but one have resigned, that one wins.
- A hundred discarded moves in a row end the game: nobody plays any more, and those who remain win together.

Chance is asked for the order of the 35 tiles: one shuffle at the start, and one in the move that needs more tiles than
are left; with `supply: ordered` for nothing.
"""

from collections.abc import Sequence
from typing import Any

from services.session.games.tsuro import course, placing, rules, strategies
from services.session.games.tsuro import view as views
from services.session.games.tsuro.state import AnyEvent, AnyMove, State, TsuroOptions
from shared.kernel import Chance, Decision, Forms, Game, GameType, Message, Outcome, Refusal, Seat, Viewer


class Tsuro(Game[State, AnyMove, AnyEvent]):
    name = "tsuro"
    types = (GameType("tsuro", "Tsuro", seats=(2, 3, 4, 5, 6, 7, 8)),)
    forms = Forms(options=TsuroOptions, state=State, move=AnyMove, event=AnyEvent)
    bots = strategies.BOTS

    def setup(self, game_type: str, seats: int, options: TsuroOptions, chance: Chance) -> State:
        return rules.setup(seats, options, chance)

    def opening(self, state: State) -> tuple[AnyEvent, ...]:
        return rules.opening(state)

    def decide(self, state: State, seat: Seat, move: AnyMove, chance: Chance) -> Decision[AnyEvent] | Refusal:
        return rules.decide(state, seat, move, chance)

    def evolve(self, state: State, event: AnyEvent) -> State:
        return rules.evolve(state, event)

    def to_act(self, state: State) -> tuple[Seat, ...] | Outcome:
        over = course.outcome(state)
        if over is not None:
            return over
        turn = course.upcoming(state)
        assert turn is not None, "a game that is not over has someone to move"
        return (turn[0],)

    def on_timeout(self, state: State, seat: Seat, chance: Chance) -> Decision[AnyEvent] | Outcome:
        return rules.discard(state, seat, "timeout", chance)

    def on_resign(self, state: State, seat: Seat, chance: Chance) -> Decision[AnyEvent] | Outcome:
        return rules.resign(state, seat, chance)

    def legal_moves(self, state: State, seat: Seat) -> Sequence[AnyMove]:
        if seat != state.asked or not state.hand or course.outcome(state):
            return []
        return placing.legal_moves(state)

    def view(self, state: State, viewer: Viewer) -> dict[str, Any]:
        return views.view(state, viewer)

    def project(self, state: State, event: AnyEvent, viewer: Viewer) -> Message | None:
        return views.project(state, event, viewer)


GAME = Tsuro()
