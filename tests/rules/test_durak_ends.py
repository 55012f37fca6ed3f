"""Durak: who is out, who attacks next then, who loses, and what time and resignation do."""

import pytest

from services.session.games.durak import GAME
from services.session.games.durak.moves import Asked, BoutEnded, Passed, TurnCame
from services.session.games.durak.state import State
from shared.kernel import Decision, Outcome, Seat
from tests.support.durak import ANN, BOB, CAT, CHANCE, DAN, after, decided, folded, hand, position


def on_timeout(state: State, seat: Seat) -> Decision | Outcome:  # type: ignore[type-arg]  # compared with values
    return GAME.on_timeout(state, seat, CHANCE)


def test_an_empty_hand_and_an_empty_deck_is_out_and_safe() -> None:
    state = position("6c", "7c 8c 9d", "Kc Kd")
    state = after(state, (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    assert state.out == (ANN,)
    assert GAME.view(state, None)["out"] == (ANN,)
    assert GAME.view(state, None)["hands"][ANN] == {"box": ANN, "cards": 0}
    assert (state.attacker, state.defender) == (BOB, CAT)


def test_an_empty_hand_is_refilled_while_there_is_a_deck() -> None:
    state = after(position("6c", "7c 8c", deck="Ah"), (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    assert state.out == ()
    assert hand(state, ANN) == "Ah"


def test_the_last_card_of_an_attacker_must_still_be_beaten() -> None:
    state = after(position("6c", "7c 8c 9d", "Kc Kd"), (ANN, "attack 6c"))
    assert state.out == (), "the bout is not over"
    assert GAME.to_act(state) == (BOB,)


def test_a_defender_who_goes_out_leaves_the_attack_to_the_next_player() -> None:
    state = position("6c 9s", "7c", "Kc Kd", "Qc Qd")
    state = after(state, (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    assert state.out == (BOB,)
    assert (state.attacker, state.defender) == (CAT, DAN)


def test_players_who_are_out_are_passed_over() -> None:
    state = position("6c 9s", "7c 8c", "", "Qc Qd", out=(CAT,))
    beaten = after(state, (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    assert (beaten.attacker, beaten.defender) == (BOB, DAN)
    taken = after(state, (ANN, "attack 6c"), (BOB, "take"))
    assert (taken.attacker, taken.defender) == (DAN, ANN)


def test_after_a_taking_the_attack_passes_over_one_who_went_out_in_that_bout() -> None:
    state = position("6c 9s", "8d 8s", "6d", "Qc Qd")
    state = after(state, (ANN, "attack 6c"), (CAT, "attack 6d"))
    assert state.out == (CAT,)
    assert (state.attacker, state.defender) == (DAN, ANN)


def test_the_last_one_holding_cards_is_the_durak_and_all_others_win() -> None:
    state = position("6c", "", "7d 8d", out=(BOB,), defender=CAT)
    state = after(state, (ANN, "attack 6c"))
    assert GAME.to_act(state) == Outcome((ANN, BOB), "durak")
    assert hand(state, CAT) == "7d 8d 6c"


def test_one_who_beats_the_last_attack_but_keeps_cards_is_the_durak() -> None:
    state = after(position("6c", "7c 8d"), (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    assert GAME.to_act(state) == Outcome((ANN,), "durak")


def test_the_defender_may_get_rid_of_its_cards_first() -> None:
    state = after(position("6c 9s", "7c"), (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    assert GAME.to_act(state) == Outcome((BOB,), "durak")


def test_everyone_empty_in_the_same_bout_is_a_draw() -> None:
    state = after(position("6c", "7c"), (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    assert GAME.to_act(state) == Outcome((), "draw")
    state = position("6c", "7c 7d", "6d")
    state = after(state, (ANN, "attack 6c"), (CAT, "attack 6d"), (BOB, "defend 6c 7c"), (BOB, "defend 6d 7d"))
    assert GAME.to_act(state) == Outcome((), "draw")


def test_the_end_needs_no_turn_and_nobody_is_asked() -> None:
    state = after(position("6c", "7c"), (ANN, "attack 6c"))
    events = decided(state, BOB, "defend 6c 7c").events
    assert isinstance(events[-1], BoutEnded)
    assert not {TurnCame, Asked} & {type(event) for event in events}
    assert GAME.legal_moves(folded(state, events), ANN) == []


def test_the_game_ends_when_a_pair_is_out_and_that_pair_wins() -> None:
    state = position("6c", "7c 8d", "", "Kd", out=(CAT,), partners=True)
    state = after(state, (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    assert GAME.to_act(state) == Outcome((ANN, CAT), "durak")


def test_it_goes_on_while_each_pair_has_cards() -> None:
    state = position("6c", "7c 8d", "Kc", "Kd", partners=True)
    state = after(state, (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    assert state.out == (ANN,)
    assert GAME.to_act(state) == (BOB,)
    assert state.defender == CAT


def test_both_pairs_out_in_the_same_bout_is_a_draw() -> None:
    state = position("6c", "7c", "", "", out=(CAT, DAN), partners=True)
    state = after(state, (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    assert GAME.to_act(state) == Outcome((), "draw")


def test_a_partner_is_never_attacked() -> None:
    state = position("6c 9s", "7c", "Kc Kd", "Qc Qd", partners=True)
    state = after(state, (ANN, "attack 6c"), (BOB, "take"))
    assert (state.attacker, state.defender) == (CAT, DAN)
    state = position("6c 9s", "", "Kc Kd", "7c Qd", out=(BOB,), defender=DAN, partners=True)
    assert GAME.to_act(after(state, (ANN, "attack 6c"))) == (DAN,)
    state = after(state, (ANN, "attack 6c"), (DAN, "take"))
    assert (state.attacker, state.defender) == (ANN, DAN), "on Ann's left sits her partner"


def test_the_attack_comes_round_when_a_partner_sits_between() -> None:
    state = position("7c Js", "", "6c Kd", "7d Qd", attacker=CAT, defender=DAN, out=(BOB,), partners=True)
    state = after(state, (CAT, "attack 6c"))
    assert hand(state, DAN) == "7d Qd 6c"
    assert (state.attacker, state.defender) == (ANN, DAN)


def test_an_attacker_out_of_time_loses() -> None:
    two, three = position("6c 9s", "7c 8c"), position("6c 9s", "7c 8c", "Kc")
    assert on_timeout(two, ANN) == Outcome((BOB,), "timeout")
    assert on_timeout(three, ANN) == Outcome((BOB, CAT), "timeout")


def test_an_attacker_who_neither_throws_in_nor_passes_loses() -> None:
    state = after(position("6c 6d 9s", "7c 8c"), (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    assert on_timeout(state, ANN) == Outcome((BOB,), "timeout")


def test_a_defender_out_of_time_loses() -> None:
    state = after(position("6c 9s", "7c 8c", "6d Kc"), (ANN, "attack 6c"))
    assert on_timeout(state, BOB) == Outcome((ANN, CAT), "timeout")


def test_in_pairs_the_partner_loses_too() -> None:
    state = position("6c 9s", "7c 8c", "Kc", "Kd", partners=True)
    assert on_timeout(state, ANN) == Outcome((BOB, DAN), "timeout")


def test_a_thrower_out_of_time_merely_passes() -> None:
    state = position("6c 9s", "7c 8c", "6d Kc", "6s Ks", deck="Ah")
    state = after(state, (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    passed = on_timeout(state, CAT)
    assert isinstance(passed, Decision)
    assert passed.events == (Passed(CAT),)
    assert GAME.to_act(folded(state, passed.events)) == (DAN,)


def test_the_last_pass_ends_the_bout_also_when_time_says_it() -> None:
    state = after(position("6c 9s", "7c 8c", "6d Kc", deck="Ah"), (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    passed = on_timeout(state, CAT)
    assert isinstance(passed, Decision)
    state = folded(state, passed.events)
    assert (state.attacker, state.defender) == (BOB, CAT)


def test_while_an_attack_is_open_the_game_waits_for_the_defender_alone() -> None:
    state = after(position("6c 6h 9s", "7c 8c", "6d Kc"), (ANN, "attack 6c"))
    acting = GAME.to_act(state)
    assert acting == (BOB, ANN, CAT)
    assert GAME.awaited(state, acting) == (BOB,)


def test_when_all_is_beaten_or_taken_it_waits_for_all_who_could_throw_in() -> None:
    state = after(position("6c 6h 9s", "7c 8c", "6d Kc"), (ANN, "attack 6c"))
    for answer in ("defend 6c 7c", "take"):
        asked = after(state, (BOB, answer))
        acting = GAME.to_act(asked)
        assert acting == (ANN, CAT)
        assert GAME.awaited(asked, acting) == (ANN, CAT)


@pytest.mark.parametrize("seat", [ANN, BOB, CAT, DAN])
def test_with_three_or_more_a_resigner_is_the_durak(seat: Seat) -> None:
    state = position("6c 9s", "7c 8c", "6d Kc", "Ks")
    others = tuple(other for other in (ANN, BOB, CAT, DAN) if other != seat)
    assert GAME.on_resign(state, seat, CHANCE) == Outcome(others, "resigned")


@pytest.mark.parametrize("seat", [ANN, BOB, CAT, DAN])
def test_in_pairs_the_other_pair_wins(seat: Seat) -> None:
    state = position("6c 9s", "7c 8c", "6d Kc", "Ks", partners=True)
    winners = (BOB, DAN) if seat in (ANN, CAT) else (ANN, CAT)
    assert GAME.on_resign(state, seat, CHANCE) == Outcome(winners, "resigned")


def test_between_two_the_other_wins_by_resignation() -> None:
    assert GAME.on_resign(position("6c 9s", "7c 8c"), ANN, CHANCE) == Outcome((BOB,), "resigned")
    assert GAME.on_resign(position("6c 9s", "7c 8c"), BOB, CHANCE) == Outcome((ANN,), "resigned")
