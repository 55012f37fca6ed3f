"""Durak: get rid of your cards; whoever is left holding some is the durak, the fool.

Three types: `durak_podkidnoi` (others may throw in), `durak_podkidnoi_2x2` (the same for two pairs, partners opposite)
and `durak_perevodnoi` (the defender may also hand the attack on). What the rule books leave open, as played here:

- Every `attack`, thrown in or not, is of one rank. Whoever throws in may do so as soon as the first card lies there.
- A pass (`finish`) can be said at any time. It ends with a throw-in or a transfer, when the defender gives up, and for
  those who hold the rank of a beating card if that rank is new on the table.
- While an attack waits for an answer only the defender's clock runs; others may act, but nobody waits for them. When
  all is beaten, or the defender takes, the clocks of all who could throw in run.
- A bout holds no more cards than the defender had when it became the defender, be it by a transfer.
- Players leave at the end of a bout, so an attacker's last card must still be beaten. A player who has left is passed
  over. A pair is never set on each other: the attack goes to the next opponent on the left.
- If the last players holding cards (in 2x2: both pairs) get rid of them in the same bout, the game is a draw for all.
- Whoever resigns is the durak, even after leaving safely; so is whoever loses on time. In 2x2 that goes for the pair.
- The lowest trump stays shown for the whole game. With six players the last card dealt is the trump.

Chance shuffles the deck at the start, and draws the first attacker if no trump was dealt; nothing else.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from services.session.games.durak import evolve, rules, view
from services.session.games.durak.bots import cautious
from services.session.games.durak.moves import DurakEvent, DurakMove
from services.session.games.durak.state import State, dealt
from shared.kernel import (
    BETS,
    Bot,
    Chance,
    Decision,
    Forms,
    Game,
    GameType,
    Message,
    Options,
    Outcome,
    Refusal,
    Seat,
    Viewer,
)

PODKIDNOI, PAIRS, PEREVODNOI = "durak_podkidnoi", "durak_podkidnoi_2x2", "durak_perevodnoi"
SEATS = (2, 3, 4, 5, 6)


class Durak(Game[State, DurakMove, DurakEvent]):
    name = "durak"
    types = (
        GameType(PODKIDNOI, "Durak with throw-ins", SEATS, BETS),
        GameType(PAIRS, "Durak with throw-ins, two pairs", (4,), BETS),
        GameType(PEREVODNOI, "Durak with throw-ins and transfers", SEATS, BETS),
    )
    forms = Forms(options=Options, state=State, move=DurakMove, event=DurakEvent)
    bots: Mapping[str, Bot[State, DurakMove]] = MappingProxyType({"cautious": cautious})

    def setup(self, game_type: str, seats: int, options: Options, chance: Chance) -> State:
        return dealt(seats, game_type == PAIRS, game_type == PEREVODNOI, chance)

    def opening(self, state: State) -> tuple[DurakEvent, ...]:
        return rules.opening(state)

    def decide(self, state: State, seat: Seat, move: DurakMove, chance: Chance) -> Decision[DurakEvent] | Refusal:
        return rules.decide(state, seat, move)

    def evolve(self, state: State, event: DurakEvent) -> State:
        return evolve.evolve(state, event)

    def to_act(self, state: State) -> tuple[Seat, ...] | Outcome:
        return rules.to_act(state)

    def awaited(self, state: State, acting: tuple[Seat, ...]) -> tuple[Seat, ...]:
        return (state.defender,) if rules.is_defending(state) else acting

    def on_timeout(self, state: State, seat: Seat, chance: Chance) -> Decision[DurakEvent] | Outcome:
        return rules.on_timeout(state, seat)

    def on_resign(self, state: State, seat: Seat, chance: Chance) -> Decision[DurakEvent] | Outcome:
        return rules.lost(state, seat, "resigned")

    def legal_moves(self, state: State, seat: Seat) -> list[DurakMove]:
        return rules.legal_moves(state, seat)

    def view(self, state: State, viewer: Viewer) -> dict[str, Any]:
        return view.view(state, viewer)

    def project(self, state: State, event: DurakEvent, viewer: Viewer) -> Message | None:
        return view.project(state, event, viewer)


GAME = Durak()
