"""Whole games of Cabo, played at random: nothing is lost on the table, and every game ends."""

import pytest

from services.session.games.cabo import GAME
from services.session.games.cabo.state import DECK, Phase, Table
from shared.kernel import Outcome
from tests.support.cabo import random_game

SEATS = [2, 3, 4, 5]


def cards(state: Table) -> list[int]:
    """Every card on the table, wherever it lies."""
    in_hands = [card.value for hand in state.hands for card in hand]
    drawn = [] if state.drawn is None else [state.drawn]
    return sorted([*in_hands, *state.heap, *state.pile, *drawn])


@pytest.mark.parametrize("seats", SEATS)
def test_no_card_is_lost_or_made_in_a_round(seats: int) -> None:
    for seed in range(25):
        for _, _, _, after in random_game(seed, seats, careful_seats=seed % 3):
            assert cards(after) == ([] if after.phase is Phase.START else sorted(DECK))


@pytest.mark.parametrize("seats", SEATS)
def test_every_game_ends_with_a_total_above_the_limit_and_the_lowest_winning(seats: int) -> None:
    for seed in range(25):
        *_, (_, _, _, after) = random_game(seed, seats)
        outcome = GAME.to_act(after)
        assert isinstance(outcome, Outcome)
        assert max(after.totals) > after.limit
        assert outcome.scores == after.totals
        assert {after.totals[seat] for seat in outcome.winners} == {min(after.totals)}


@pytest.mark.parametrize("seats", SEATS)
def test_hands_keep_at_least_one_card_and_the_heap_has_one_for_every_turn(seats: int) -> None:
    for seed in range(25):
        for before, seat, _, _ in random_game(seed, seats, careful_seats=1):
            if before.phase is not Phase.START:
                assert all(before.hands)
            if before.phase in (Phase.SELECT, Phase.REPLACE):
                assert before.heap
                assert before.turn == seat


@pytest.mark.parametrize("seats", SEATS)
def test_a_round_is_always_worth_nothing_to_somebody(seats: int) -> None:
    for seed in range(25):
        for _, _, _, after in random_game(seed, seats):
            if after.last_round is not None:
                assert 0 in after.last_round.scores
            if after.phase is Phase.START and not after.is_over:
                assert after.last_round is not None
                assert after.starter is not None
                assert after.last_round.scores[after.starter] == 0
