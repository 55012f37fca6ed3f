"""Cabo: two to five players, each with four cards face down, try to hold the lowest sum when the round is stopped.

The flows, their messages and their waves are drawn in four phases: A starts a round, B selects (or shows equal cards,
or stops the round), C acts on the drawn card, D replaces shown cards. What the drawings leave open is settled so:

- The state changes once, when a command is accepted and before anyone is told. After every event all seats are told
  but the one who acts next; that one is told when the others have acknowledged.
- A pending power is part of phase C; the view's `power` names the command that it asks for, null if none does.
- Every message carries `gamestate`, the viewer's view after the event. Watchers are told of a deal by `RoundStarted`.
- `known` follows the cards: whoever was told a card's value (its first two, a peek, a show, a card taken from the
  open pile) still has it in `known` when the card comes into its own hand by an exchange.
- A show of different cards tells their values to everyone but the shower.
- Of shown cards the discard pile gets one after another in the order in which they were named; they are equal.
- A total of exactly 66 becomes 33 whatever the limit; the game ends when a total is above the limit.
- Between the last turn of a round and its `RoundFinished` it is nobody's turn. After it the table is clear, and
  `lastRound` has the hands and the scores. After the last round `phase` is null and nobody is the starter.
- Whoever lets the start, or a turn, run out of time is played for: the round is started; a card is drawn from the heap
  and discarded without its power; shown cards are replaced from the heap; a pending power is lost (`PowerSkipped`).
- A resignation ends the game: of the others, the lowest total wins.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any

from msgspec import Meta

from services.session.games.cabo import rules, view
from services.session.games.cabo.bots import careful
from services.session.games.cabo.commands import Command
from services.session.games.cabo.events import CaboEvent
from services.session.games.cabo.evolve import evolve
from services.session.games.cabo.state import Phase, Table, new_table
from shared.kernel import (
    Acknowledged,
    Bot,
    Chance,
    Countdown,
    Decision,
    Forms,
    Game,
    GameType,
    Message,
    Outcome,
    Refusal,
    Seat,
    Viewer,
)


class CaboOptions(Acknowledged, frozen=True):
    limit: Annotated[int, Meta(ge=1, le=1000)] = 66
    """The game ends when somebody's total is above it."""
    start_time: Annotated[int, Meta(ge=1, le=3600)] = 30
    """Seconds to start the next round."""


class Cabo(Game[Table, Command, CaboEvent]):
    name = "cabo"
    types = (GameType("cabo", "Cabo", seats=(2, 3, 4, 5)),)
    forms = Forms(options=CaboOptions, state=Table, move=Command, event=CaboEvent)
    bots: Mapping[str, Bot[Table, Command]] = MappingProxyType({"careful": careful})

    def setup(self, game_type: str, seats: int, options: CaboOptions, chance: Chance) -> Table:
        return new_table(seats, options.limit, options.start_time)

    def decide(self, state: Table, seat: Seat, move: Command, chance: Chance) -> Decision[CaboEvent] | Refusal:
        return rules.decide(state, seat, move, chance)

    def evolve(self, state: Table, event: CaboEvent) -> Table:
        return evolve(state, event)

    def to_act(self, state: Table) -> tuple[Seat, ...] | Outcome:
        return rules.outcome(state, state.seats, "lowest_total") if state.is_over else rules.to_act(state)

    def countdown(self, state: Table) -> Countdown | None:
        return Countdown("start", state.start_time) if state.phase is Phase.START else None

    def on_timeout(self, state: Table, seat: Seat, chance: Chance) -> Decision[CaboEvent] | Outcome:
        return rules.on_timeout(state, seat, chance)

    def on_resign(self, state: Table, seat: Seat, chance: Chance) -> Decision[CaboEvent] | Outcome:
        others = tuple(other for other in state.seats if other != seat)
        return rules.outcome(state, others, "resigned")

    def legal_moves(self, state: Table, seat: Seat) -> list[Command]:
        return rules.legal_moves(state, seat)

    def view(self, state: Table, viewer: Viewer) -> dict[str, Any]:
        return view.view(state, viewer)

    def project(self, state: Table, event: CaboEvent, viewer: Viewer) -> Message:
        return view.project(state, event, viewer)


GAME = Cabo()
