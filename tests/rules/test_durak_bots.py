"""The cautious player of Durak: what it does, and that it looks at nothing but its own cards and the table."""

import random

import pytest
from msgspec.structs import replace

from services.session.games.durak import GAME
from services.session.games.durak.bots import cautious, sight
from services.session.games.durak.moves import DurakMove
from services.session.games.durak.state import State
from shared.kernel import GameType, Outcome, Seat
from tests.support.durak import ANN, BOB, CAT, CHANCE, after, played, position, said

DECK = "Jd Qd Kd Ad 10d Ah"

by_type = pytest.mark.parametrize("game_type", GAME.types, ids=[t.game_type for t in GAME.types])


def choice(state: State, seat: Seat) -> str:
    return said(cautious(state, seat, CHANCE))


def test_it_attacks_with_its_lowest_plain_card_and_keeps_its_trumps() -> None:
    assert choice(position("6h 9c Kc 8s", "7c 7d 10c", deck=DECK), ANN) == "attack 8s"


def test_twins_go_along_but_not_a_trump() -> None:
    assert choice(position("8h 8c Kc 8s", "7c 7d 10c", deck=DECK), ANN) == "attack 8c 8s"


def test_it_throws_in_low_cards_and_keeps_high_ones() -> None:
    state = after(position("6c 9s", "7c 8h Kd", "6d Ks", deck="Ah"), (ANN, "attack 6c"))
    assert choice(state, CAT) == "attack 6d"
    state = after(position("Qc 9s", "Kc 8h Kd", "Qd Ks", deck="Ah"), (ANN, "attack Qc"))
    assert choice(state, CAT) == "finish"
    state = after(position("6c 9s", "7c 8h Kd", "6h Ks", deck="Ah"), (ANN, "attack 6c"))
    assert choice(state, CAT) == "finish", "its six is a trump"


def test_it_beats_with_the_cheapest_card() -> None:
    state = after(position("6c 9s", "Kc 7h 9c", deck=DECK), (ANN, "attack 6c"))
    assert choice(state, BOB) == "defend 6c 9c"


def test_it_would_rather_take_a_card_than_spend_a_high_trump_while_there_is_a_deck() -> None:
    hands = ("6c 9s", "Kh 7d 9d")
    assert choice(after(position(*hands, deck="Qd Ad 10d Ah"), (ANN, "attack 6c")), BOB) == "take"
    assert choice(after(position(*hands), (ANN, "attack 6c")), BOB) == "defend 6c Kh"


def test_it_takes_at_once_when_it_cannot_beat_all() -> None:
    state = after(position("6c 6d 9s", "7c 8s 9h", deck=DECK), (ANN, "attack 6c 6d"))
    assert choice(state, BOB) == "defend 6c 7c"
    state = after(position("6c 6d 9s", "7c 8s 9c", deck=DECK), (ANN, "attack 6c 6d"))
    assert choice(state, BOB) == "take"


def test_it_hands_the_attack_on_if_that_costs_no_trump() -> None:
    state = after(position("6c 9s", "6d 7c 9c", "8c 9d 10c", deck="Ah", transfers=True), (ANN, "attack 6c"))
    assert choice(state, BOB) == "transfer 6d"


def test_it_remembers_what_left_the_game() -> None:
    """With the deck gone, nothing that is still in play can beat the nine of clubs."""
    state = position("7s 9c", "8s 10s 6d", "Js Qs Kd")
    assert {"10c", "Jc", "Qc", "Kc", "Ac"} <= {*state.gone}
    assert sight(state, ANN).threats("9c") == 0
    assert choice(state, ANN) == "attack 9c"


@by_type
def test_two_positions_that_look_the_same_to_it_get_the_same_move(game_type: GameType) -> None:
    dice = random.Random(11)
    twins = 0
    for _ in range(20):
        for state, seat in played(game_type, dice):
            if seat is not None:
                twin = another_deal(state, seat, dice)
                twins += twin != state
                assert GAME.view(twin, seat) == GAME.view(state, seat)
                assert cautious(twin, seat, CHANCE) == cautious(state, seat, CHANCE)
    assert twins > 500


def another_deal(state: State, seat: Seat, dice: random.Random) -> State:
    """The other hands and the deck under its trump card dealt anew."""
    others = [Seat(other) for other in state.seats if other != seat]
    pool = [*state.deck[:-1], *(card for other in others for card in state.hands[other])]
    dice.shuffle(pool)
    hands = list(state.hands)
    for other in others:
        hands[other] = tuple(pool.pop() for _ in state.hands[other])
    return replace(state, hands=tuple(hands), deck=(*pool, *state.deck[-1:]))


@by_type
def test_its_games_end_and_every_choice_is_a_legal_move(game_type: GameType) -> None:
    dice = random.Random(12)
    for _ in range(20):
        *_, (last, _) = played(game_type, dice, lambda state, seat: cautious(state, seat, CHANCE))
        assert isinstance(GAME.to_act(last), Outcome)


def test_it_beats_one_who_plays_at_random() -> None:
    dice = random.Random(13)
    for_two = replace(GAME.types[0], seats=(2,))
    lost = 0
    for game in range(200):
        careful = Seat(game % 2)

        def choose(state: State, seat: Seat, careful: Seat = careful) -> DurakMove:
            return cautious(state, seat, CHANCE) if seat == careful else dice.choice(GAME.legal_moves(state, seat))

        *_, (last, _) = played(for_two, dice, choose)
        outcome = GAME.to_act(last)
        assert isinstance(outcome, Outcome)
        lost += outcome.winners == (1 - careful,)
    assert lost < 20, f"it lost {lost} of 200"
