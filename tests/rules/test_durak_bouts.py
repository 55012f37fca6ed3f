"""Durak: attacking, throwing in, defending and taking, by the book. Hearts are trumps."""

import pytest

from services.session.games.durak import GAME
from services.session.games.durak.moves import BoutEnded, GaveUp
from shared.kernel import Refusal
from tests.support.durak import ANN, BOB, CAT, DAN, after, decided, hand, lying, may, position, refused


def test_an_attack_is_one_card_or_several_of_equal_rank() -> None:
    state = position("6c 6d 9s", "10c Jc Qc 10d Jd Qd")
    assert may(state, ANN) == ["attack 6c", "attack 6d", "attack 9s", "attack 6c 6d"]
    assert lying(after(state, (ANN, "attack 6d 6c"))) == "6d 6c"
    assert refused(state, ANN, "attack 6c 9s") is Refusal.ILLEGAL_MOVE


def test_an_attack_is_made_with_ones_own_cards_each_once() -> None:
    state = position("6c 6d 9s", "10c Jc Qc 10d Jd Qd")
    for words in ("attack 10c", "attack 6s", "attack 6c 6s", "attack 6c 6c"):
        assert refused(state, ANN, words) is Refusal.ILLEGAL_MOVE


def test_nobody_else_moves_before_the_attack() -> None:
    state = position("6c 9s", "6d 7c", "6s 8s")
    assert GAME.to_act(state) == (ANN,)
    for seat, words in ((BOB, "attack 6d"), (BOB, "take"), (CAT, "attack 6s"), (CAT, "finish")):
        assert refused(state, seat, words) is Refusal.NOT_YOUR_TURN


def test_the_attacker_cannot_pass_instead_of_attacking() -> None:
    assert refused(position("6c 9s", "6d 7c"), ANN, "finish") is Refusal.WRONG_PHASE


def test_the_first_bout_of_a_game_holds_five_cards() -> None:
    state = position("8d 8s 6d", "10d 10s Jd Js", trump="h", table="6c/8c 6s/9s", bout=1, deck="Ah")
    assert state.limit == 5
    state = after(state, (ANN, "attack 8d 8s"), (BOB, "take"), (ANN, "attack 6d"))
    assert state.bout == 2, "the fifth card ended the bout"
    full = position("8d 8s 8h 6d", "10d 10s Jd Js", table="6c/8c 6s/9s 9c/10c", bout=1, deck="Ah")
    assert refused(full, ANN, "attack 8d 8s 8h") is Refusal.ILLEGAL_MOVE


def test_four_of_a_rank_may_open_the_first_bout_and_a_fifth_card_fill_it() -> None:
    state = position("6c 6d 6h 6s 8h", "8c 8d 7h 8s Kd Kc", bout=1, deck="Ah")
    state = after(state, (ANN, "attack 6c 6d 6h 6s"), (BOB, "defend 6c 8c"))
    assert state.room == 1
    state = after(state, (ANN, "attack 8h"))
    assert state.room == 0
    assert may(state, ANN) == []


def test_later_bouts_hold_six() -> None:
    state = position("8d 8s 6d 9c", "10d 10s Jd Js", table="6c/8c 6s/9s", deck="Ah")
    assert state.limit == 6
    state = after(state, (ANN, "attack 8d 8s"), (BOB, "take"), (ANN, "attack 6d"), (ANN, "attack 9c"))
    assert state.bout == 3, "the sixth card ended the bout"


def test_a_bout_never_holds_more_than_the_defender_held_at_its_start() -> None:
    state = position("6c 6d 6s 6h", "7c 8d", deck="Ah")
    assert state.limit == 2
    assert "attack 6c 6d" in may(state, ANN)
    assert not any(len(words.split()) > 3 for words in may(state, ANN))
    assert refused(state, ANN, "attack 6c 6d 6s") is Refusal.ILLEGAL_MOVE
    state = after(state, (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    assert may(state, ANN) == ["attack 6d", "attack 6s", "attack 6h", "finish"]
    state = after(state, (ANN, "attack 6d"))
    assert refused(state, ANN, "attack 6s") is Refusal.ILLEGAL_MOVE
    assert GAME.to_act(state) == (BOB,)


def test_anyone_but_the_defender_throws_in_out_of_turn() -> None:
    state = position("6c 9s", "10c Jc Qc", "6d Kd", "6s Ks")
    state = after(state, (ANN, "attack 6c"))
    assert GAME.to_act(state) == (BOB, CAT, DAN)
    state = after(state, (DAN, "attack 6s"), (CAT, "attack 6d"))
    assert lying(state) == "6c 6s 6d"


def test_only_ranks_that_are_on_the_table_are_thrown_in() -> None:
    state = after(position("6c 9s", "10c Jc Qc", "6d 10d Kd"), (ANN, "attack 6c"))
    assert may(state, CAT) == ["attack 6d", "finish"]
    assert refused(state, CAT, "attack 10d") is Refusal.ILLEGAL_MOVE
    state = after(state, (BOB, "defend 6c 10c"))
    assert may(state, CAT) == ["attack 6d", "attack 10d", "finish"]


def test_several_are_thrown_in_at_once_if_of_equal_rank() -> None:
    state = after(position("6c 9s", "10c Jc Qc", "6d 6s 10d"), (ANN, "attack 6c"), (BOB, "defend 6c 10c"))
    assert "attack 6d 6s" in may(state, CAT)
    assert refused(state, CAT, "attack 6d 10d") is Refusal.ILLEGAL_MOVE


def test_the_defender_throws_nothing_in() -> None:
    state = after(position("6c 9s", "10c 6d Qc"), (ANN, "attack 6c"))
    assert refused(state, BOB, "attack 6d") is Refusal.WRONG_PHASE
    assert refused(state, BOB, "finish") is Refusal.WRONG_PHASE


def test_who_has_nothing_to_throw_in_passes_by_itself() -> None:
    state = after(position("6c 9s", "10c Jc Qc", "7d Kd"), (ANN, "attack 6c"))
    assert GAME.to_act(state) == (BOB,)
    assert refused(state, CAT, "finish") is Refusal.WRONG_PHASE
    assert refused(state, CAT, "attack 7d") is Refusal.ILLEGAL_MOVE


def test_in_pairs_nobody_throws_in_on_a_partner() -> None:
    state = after(position("6c 9s", "10c Jc Qc", "6d Kd", "6s Ks", partners=True), (ANN, "attack 6c"))
    assert GAME.to_act(state) == (BOB, CAT)
    for words in ("attack 6s", "finish"):
        assert refused(state, DAN, words) is Refusal.NOT_YOUR_TURN


def test_who_is_out_has_no_part_in_the_bout() -> None:
    state = after(position("6c 9s", "10c Jc", "", "6d Kd", out=(CAT,)), (ANN, "attack 6c"))
    assert refused(state, CAT, "finish") is Refusal.NOT_YOUR_TURN


def test_a_pass_is_said_once() -> None:
    state = after(position("6c 9s", "10c Jc", "6d Kd"), (ANN, "attack 6c"), (CAT, "finish"))
    assert GAME.to_act(state) == (BOB,)
    assert refused(state, CAT, "finish") is Refusal.WRONG_PHASE
    assert refused(state, CAT, "attack 6d") is Refusal.WRONG_PHASE


def test_a_throw_in_clears_the_passes_and_restarts_the_defenders_time() -> None:
    state = position("6c 6h", "10c Jc Qh", "6d Kd", "6s 9c")
    state = after(state, (ANN, "attack 6c"), (CAT, "finish"), (ANN, "finish"))
    decision = decided(state, DAN, "attack 6s")
    assert decision.restarts == (BOB,)
    state = after(state, (DAN, "attack 6s"))
    assert GAME.to_act(state) == (BOB, ANN, CAT)


def test_a_beating_card_of_a_new_rank_asks_those_who_hold_it_again() -> None:
    state = position("6c 6h 9s", "10c Jc Qh", "6d 10d", "6s 9c")
    state = after(state, (ANN, "attack 6c"), (CAT, "finish"), (DAN, "finish"), (ANN, "finish"))
    state = after(state, (BOB, "defend 6c 10c"))
    assert GAME.to_act(state) == (CAT,), "she holds a ten"


def test_when_the_defender_gives_up_those_who_passed_are_asked_again() -> None:
    state = after(position("6c 9s", "10c Jc", "6d Kd"), (ANN, "attack 6c"), (CAT, "finish"), (BOB, "take"))
    assert state.taking
    assert GAME.to_act(state) == (CAT,)


def test_each_attack_is_beaten_by_a_card_of_ones_own() -> None:
    state = after(position("6c 6d 9s", "7c 7d 8h Ks"), (ANN, "attack 6c 6d"))
    assert may(state, BOB) == ["defend 6c 7c", "defend 6c 8h", "defend 6d 7d", "defend 6d 8h", "take"]
    state = after(state, (BOB, "defend 6d 8h"))
    assert lying(state) == "6c 6d/8h"
    for words in ("defend 6d 7d", "defend 6c 7d", "defend 6c 9c", "defend 9s Ks"):
        assert refused(state, BOB, words) is Refusal.ILLEGAL_MOVE


def test_only_the_defender_defends_and_takes() -> None:
    state = after(position("6c 7c 6d", "8c 9c Jc"), (ANN, "attack 6c"))
    for words in ("defend 6c 7c", "take", "transfer 6d"):
        assert refused(state, ANN, words) is Refusal.WRONG_PHASE


def test_the_defender_waits_while_all_is_beaten() -> None:
    state = after(position("6c 6d 9s", "7c 7d 8h"), (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    assert GAME.to_act(state) == (ANN,)
    for words in ("take", "defend 6c 8h"):
        assert refused(state, BOB, words) is Refusal.WRONG_PHASE


def test_all_beaten_and_all_passed_the_cards_leave_and_the_defender_attacks_next() -> None:
    state = position("6c 6d 9s", "7c 7s 8h", "Kd As", deck="Qh")
    gone = len(state.gone)
    state = after(state, (ANN, "attack 6c"), (BOB, "defend 6c 7c"), (ANN, "finish"))
    assert (state.attacker, state.defender, state.table) == (BOB, CAT, ())
    assert len(state.gone) == gone + 2
    assert hand(state, BOB) == "7s 8h"


def test_all_must_pass_before_a_bout_ends() -> None:
    state = position("6c 6h 9s", "7c 7s 8h", "6d 9c", deck="Qh")
    state = after(state, (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    assert GAME.to_act(state) == (ANN, CAT)
    assert after(state, (ANN, "finish")).bout == 2
    assert after(state, (ANN, "finish"), (CAT, "finish")).bout == 3


def test_a_defender_who_can_beat_nothing_is_set_to_taking() -> None:
    state = position("6c 9s", "7d 8s", "6d Kd", deck="Ah")
    decision = decided(state, ANN, "attack 6c")
    assert GaveUp(BOB, automatic=True) in decision.events
    state = after(state, (ANN, "attack 6c"))
    assert state.taking
    assert GAME.to_act(state) == (CAT,)


def test_one_who_can_beat_some_of_the_attacks_decides_for_itself() -> None:
    state = after(position("6c 6d 9s", "7d 8s"), (ANN, "attack 6c 6d"))
    assert not state.taking
    assert may(state, BOB) == ["defend 6d 7d", "take"]
    assert after(state, (BOB, "defend 6d 7d")).bout == 3, "6c could not be beaten, and nobody had more to throw in"


def test_a_throw_in_that_cannot_be_beaten_sets_the_defender_to_taking() -> None:
    state = position("6c Kd", "7c 8s 9s", "6d 7d")
    state = after(state, (ANN, "attack 6c"), (BOB, "defend 6c 7c"), (CAT, "attack 6d"))
    assert state.taking


def test_others_throw_in_up_to_the_cap_while_the_defender_takes() -> None:
    state = position("6c 9s Ks", "7d 8d Jd", "6d 6s Qs", "6h Kc", deck="Ah")
    state = after(state, (ANN, "attack 6c"), (CAT, "attack 6d"))
    assert state.taking
    assert GAME.to_act(state) == (CAT, DAN)
    assert refused(state, CAT, "attack Qs") is Refusal.ILLEGAL_MOVE
    state = after(state, (DAN, "attack 6h"))
    assert state.bout == 3, "three cards were as many as Bob held"
    assert hand(state, BOB) == "7d 8d Jd 6c 6d 6h"


def test_the_taker_takes_everything_and_is_passed_over() -> None:
    state = position("6c 9s 8s", "8c 7d Qd", "Kd Js", "9c 9d", deck="Ah")
    state = after(state, (ANN, "attack 6c"), (BOB, "defend 6c 8c"), (ANN, "attack 8s"))
    assert hand(state, BOB) == "7d Qd 6c 8c 8s"
    assert (state.attacker, state.defender) == (CAT, DAN)


def test_taking_by_choice() -> None:
    state = after(position("6c 9s", "7c 8c", deck="Kc Ah"), (ANN, "attack 6c"), (BOB, "take"))
    assert hand(state, BOB) == "7c 8c 6c"
    assert (state.attacker, state.defender) == (ANN, BOB), "between two, the attacker attacks again"


def test_the_end_of_a_bout_tells_what_was_taken() -> None:
    decision = decided(position("6c 9s", "7d 8s", "Kd Js", deck="Ah"), ANN, "attack 6c")
    assert BoutEnded(BOB, taken=True, cards=("6c",)) in decision.events


def test_the_attacker_draws_first_then_the_throwers_clockwise_the_defender_last() -> None:
    state = position(
        "6c 9d Kd", "10c 10d 7h 8h Ad", "6d Kc Ac 9c 9h", "6h Qd Qc Qh Kh 7d",
        attacker=ANN, table="", deck="6s 7s 8s 9s 10s Js Qs Ks As Ah",
    )  # fmt: skip
    state = after(state, (ANN, "attack 6c"), (BOB, "defend 6c 10c"))
    state = after(state, (DAN, "attack 6h"), (CAT, "attack 6d"))
    state = after(state, (BOB, "defend 6h 7h"), (BOB, "defend 6d 10d"), (DAN, "finish"))
    assert hand(state, ANN) == "9d Kd 6s 7s 8s 9s"
    assert hand(state, CAT) == "Kc Ac 9c 9h 10s Js"
    assert hand(state, DAN) == "Qd Qc Qh Kh 7d Qs"
    assert hand(state, BOB) == "8h Ad Ks As Ah", "the deck ran out"
    assert state.deck == ()


def test_clockwise_starts_at_the_attacker_wherever_that_is() -> None:
    state = position("Kc", "Kd", "6c", "9c", attacker=CAT, deck="7s 8s 9s 10s Js Qs Ks As Ah", trump="h")
    state = after(state, (CAT, "attack 6c"), (DAN, "defend 6c 9c"))
    assert hand(state, CAT) == "7s 8s 9s 10s Js Qs"
    assert hand(state, ANN) == "Kc Ks As Ah"
    assert (hand(state, BOB), hand(state, DAN)) == ("Kd", "")


def test_nobody_draws_beyond_six_and_a_big_hand_draws_nothing() -> None:
    state = position("6c 9d", "7c 7d 8d 9h 10h Jh Qh Kh", deck="6s 7s 8s 9s 10s Js Qs Ks As Ah")
    state = after(state, (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    assert [len(held) for held in state.hands] == [6, 7]
    assert len(state.deck) == 5


def test_the_trump_card_is_drawn_last_and_then_shown_no_more() -> None:
    state = position("6c 9d", "7c 7d 8d 9h 10h Jh", deck="6s Ah")
    assert (GAME.view(state, None)["trump_card"], GAME.view(state, None)["deck"]) == ("Ah", 2)
    state = after(state, (ANN, "attack 6c"), (BOB, "defend 6c 7c"))
    assert hand(state, ANN) == "9d 6s Ah"
    assert (GAME.view(state, None)["trump_card"], GAME.view(state, None)["deck"]) == (None, 0)
    assert GAME.view(state, None)["trump"] == "h"


@pytest.mark.parametrize("words", ["transfer 6d", "transfer 6h"])
def test_there_are_no_transfers_in_podkidnoi(words: str) -> None:
    state = after(position("6c 9s 8s", "8c 6d Qd"), (ANN, "attack 6c"))
    assert refused(state, BOB, words) is Refusal.ILLEGAL_MOVE
