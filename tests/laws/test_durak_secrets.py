"""The leak checker finds what a careless Durak would give away."""

from typing import Any

import pytest

from services.session.games.durak import Durak
from services.session.games.durak.bots import cautious
from services.session.games.durak.moves import Attack, Dealt, DurakEvent, DurakMove, Take
from services.session.games.durak.state import State
from shared.kernel import Chance, Decision, Message, Refusal, Seat, Viewer
from tests.laws.durak_twin import DurakTwins
from tests.laws.leaks import Checker, Leak


class ShowsTheNextCard(Durak):
    def view(self, state: State, viewer: Viewer) -> dict[str, Any]:
        return {**super().view(state, viewer), "next": state.deck[:1]}


class ShowsWatchersAHand(Durak):
    def view(self, state: State, viewer: Viewer) -> dict[str, Any]:
        return {**super().view(state, viewer), "hand": state.hands[viewer or 0]}


class TellsEveryoneWhatWasDealt(Durak):
    def project(self, state: State, event: DurakEvent, viewer: Viewer) -> Message | None:
        if isinstance(event, Dealt):
            return Message("cards", {"cards": state.hands[event.seats[0]] if event.seats else ()})
        return super().project(state, event, viewer)


class OffersFewerAttacksOnATrump(Durak):
    def legal_moves(self, state: State, seat: Seat) -> list[DurakMove]:
        moves = super().legal_moves(state, seat)
        if state.table or not any(card[-1] == state.trump for card in state.hands[state.defender]):
            return moves
        return [move for move in moves if not isinstance(move, Attack) or len(move.cards) == 1]


class RefusesInAnotherWordWhenTheNextCardIsATrump(Durak):
    def decide(self, state: State, seat: Seat, move: DurakMove, chance: Chance) -> Decision[DurakEvent] | Refusal:
        verdict = super().decide(state, seat, move, chance)
        is_trump = bool(state.deck) and state.deck[0][-1] == state.trump
        return Refusal.ILLEGAL_MOVE if verdict is Refusal.WRONG_PHASE and is_trump else verdict


class HasABotThatPeeks(Durak):
    @staticmethod
    def looks_at_the_next_card(state: State, seat: Seat, chance: Chance) -> DurakMove:
        will_draw_a_trump = bool(state.deck) and state.deck[0][-1] == state.trump
        return Take() if seat == state.defender and will_draw_a_trump else cautious(state, seat, chance)

    bots = {"cautious": looks_at_the_next_card}  # noqa: RUF012  (a table of functions, never changed)


def check(game: Durak) -> None:
    checker = Checker(game, game.types[0], DurakTwins())
    for seed in range(60):
        checker.check(seed)


@pytest.mark.parametrize(
    ("planted", "place"),
    [
        (ShowsTheNextCard, "the view"),
        (ShowsWatchersAHand, "the view"),
        (TellsEveryoneWhatWasDealt, "a message"),
        (OffersFewerAttacksOnATrump, "legal_moves"),
        (RefusesInAnotherWordWhenTheNextCardIsATrump, "a refusal"),
        (HasABotThatPeeks, "a bot's choice"),
    ],
)
def test_a_planted_leak_is_found(planted: type[Durak], place: str) -> None:
    with pytest.raises(Leak) as found:
        check(planted())
    assert found.value.place == place
