"""Drawn tables of Cabo, and who is told what, wave by wave."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from services.session.games.cabo import GAME, CaboOptions
from services.session.games.cabo.bots import careful
from services.session.games.cabo.commands import Command
from services.session.games.cabo.events import CaboEvent
from services.session.games.cabo.state import Card, Phase, Table
from shared.kernel import Chance, Decision, Message, Outcome, Refusal, Seat, Viewer

ANN, BOB, CID, DAN, EVA = (Seat(box) for box in range(5))
CHANCE = Chance(b"", "")

Told = tuple[str, dict[str, Any]]


def table(*hands: str, heap: str = "1 2 3", pile: str = "", **fields: Any) -> Table:
    """A table from drawn hands, Ann's turn in phase B unless told otherwise.

    `12bc` is a twelve that Bob and Cid have been told of; the heap's next card is its first, the pile's top its last.
    """
    fields = {"limit": 66, "start_time": 30, "totals": (0,) * len(hands), "phase": Phase.SELECT, "turn": ANN, **fields}
    return Table(hands=tuple(map(_hand, hands)), heap=_values(heap), pile=_values(pile), **fields)


def drawing(state: Table, seat: Seat) -> str:
    """A seat's hand as `table` draws it."""
    return " ".join(f"{card.value}{''.join('abcde'[by] for by in card.seen)}" for card in state.hands[seat])


def _hand(drawn: str) -> tuple[Card, ...]:
    cards = [re.fullmatch(r"(\d+)([a-e]*)", each) for each in drawn.split()]
    return tuple(Card(int(card[1]), tuple(Seat("abcde".index(by)) for by in card[2])) for card in cards if card)


def _values(drawn: str) -> tuple[int, ...]:
    return tuple(map(int, drawn.split()))


def says(event: str, **data: Any) -> Told:
    return event, data


@dataclass
class Course:
    """A decision as it is told: by wave, by viewer, what that viewer is sent."""

    after: Table
    waves: list[dict[Viewer, list[Told]]]


def play(before: Table, seat: Seat, move: Command, chance: Chance = CHANCE) -> Course:
    """Make a move that is legal."""
    decision = GAME.decide(before, seat, move, chance)
    assert not isinstance(decision, Refusal), f"{move}: {decision}"
    return tell(before, decision)


def tell(before: Table, decision: Decision[CaboEvent]) -> Course:
    """Send the waves in order; each viewer is shown the table as far as it has been told."""
    seats = before.seats
    shown: dict[Viewer, Table] = dict.fromkeys([*seats, None], before)
    waves: list[dict[Viewer, list[Told]]] = []
    last_with = {number: i for i, wave in enumerate(decision.waves) for number in wave.events or ()}
    for i, wave in enumerate(decision.waves):
        sent: dict[Viewer, list[Told]] = {}
        assert wave.events is not None
        for number in wave.events:
            viewers: list[Viewer] = list(seats if wave.to is None else wave.to)
            if last_with[number] == i:
                viewers.append(None)
            for viewer in viewers:
                shown[viewer] = GAME.evolve(shown[viewer], decision.events[number])
                message = GAME.project(shown[viewer], decision.events[number], viewer)
                sent.setdefault(viewer, []).append(_without_view(message, shown[viewer], viewer))
        waves.append(sent)
    after = before
    for event in decision.events:
        after = GAME.evolve(after, event)
    assert all(told == after for told in shown.values()), "somebody has not been told everything in order"
    return Course(after, waves)


def _without_view(message: Message, shown: Table, viewer: Viewer) -> Told:
    """A message is the contract's fields and the viewer's view after the event."""
    data = dict(message.data)
    assert data.pop("gamestate") == GAME.view(shown, viewer)
    return message.event, data


def to_some(*seats: Viewer, told: Told) -> dict[Viewer, list[Told]]:
    return {seat: [told] for seat in seats}


def random_game(seed: int, seats: int, careful_seats: int = 0) -> Iterator[tuple[Table, Seat, Command, Table]]:
    """The steps of a whole game between careful players in the first seats and random ones in the others."""
    dice = random.Random(seed)
    state = GAME.setup("cabo", seats, CaboOptions(), CHANCE)
    number = 0
    while not isinstance(acting := GAME.to_act(state), Outcome):
        chance = Chance(seed.to_bytes(4, "big"), f"move {number}")
        seat = dice.choice(acting)
        move = careful(state, seat, chance) if seat < careful_seats else dice.choice(GAME.legal_moves(state, seat))
        decision = GAME.decide(state, seat, move, chance)
        assert not isinstance(decision, Refusal), f"a legal move was refused: {move}"
        before = state
        for event in decision.events:
            state = GAME.evolve(state, event)
        yield before, seat, move, state
        number += 1
