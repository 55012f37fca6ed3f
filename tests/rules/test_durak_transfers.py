"""Durak with transfers: the defender hands the attack on. Hearts are trumps."""

from typing import Any

from services.session.games.durak import GAME
from services.session.games.durak.moves import Asked, Transferred, TurnCame
from services.session.games.durak.state import State
from shared.kernel import Refusal
from tests.support.durak import ANN, BOB, CAT, DAN, after, decided, lying, may, position, refused


def transferable(*hands: str, table: str = "", deck: str = "", **more: Any) -> State:
    return position(*hands, table=table, deck=deck, transfers=True, **more)


def test_a_card_of_the_same_rank_hands_the_attack_on() -> None:
    state = transferable("6c 9s", "6d 7c", "8c 9c 9d", "Kc")
    state = after(state, (ANN, "attack 6c"))
    assert may(state, BOB) == ["defend 6c 7c", "transfer 6d", "take"]
    state = after(state, (BOB, "transfer 6d"))
    assert lying(state) == "6c 6d"
    assert (state.attacker, state.defender) == (BOB, CAT), "the transferrer is the attacker"


def test_everyone_is_told_whose_turn_it_is_after_a_transfer() -> None:
    state = after(transferable("6c 9s", "6d 7c", "8c 8d 9d", "Kc"), (ANN, "attack 6c"))
    assert decided(state, BOB, "transfer 6d").events == (Transferred(BOB, "6d"), TurnCame(), Asked())


def test_the_rank_must_be_the_same() -> None:
    state = after(transferable("6c 9s", "6d 7c", "8c 9c 9d"), (ANN, "attack 6c"))
    for words in ("transfer 7c", "transfer 6s"):
        assert refused(state, BOB, words) is Refusal.ILLEGAL_MOVE


def test_nothing_may_be_beaten_yet() -> None:
    state = after(transferable("6c 6s 9s", "6d 7c 8s", "8c 9c 9d"), (ANN, "attack 6c 6s"), (BOB, "defend 6c 7c"))
    assert refused(state, BOB, "transfer 6d") is Refusal.ILLEGAL_MOVE
    assert may(state, BOB) == ["defend 6s 8s", "take"]


def test_the_next_player_must_hold_a_card_for_each() -> None:
    attack = (ANN, "attack 6c")
    assert "transfer 6d" in may(after(transferable("6c 9s", "6d 7c", "8c 9c"), attack), BOB)
    short = after(transferable("6c 9s", "6d 7c", "8c"), attack)
    assert "transfer 6d" not in may(short, BOB)
    assert refused(short, BOB, "transfer 6d") is Refusal.ILLEGAL_MOVE


def test_a_transfer_can_be_transferred() -> None:
    state = transferable("6c 9s", "6d 7c", "6s 9d Jc", "Kc Kd Ks Qs")
    state = after(state, (ANN, "attack 6c"), (BOB, "transfer 6d"), (CAT, "transfer 6s"))
    assert lying(state) == "6c 6d 6s"
    assert (state.attacker, state.defender) == (CAT, DAN)


def test_between_two_the_attack_goes_back() -> None:
    state = transferable("6c 9s 7c", "6d 7d 8s")
    state = after(state, (ANN, "attack 6c"), (BOB, "transfer 6d"))
    assert (state.attacker, state.defender) == (BOB, ANN)


def test_those_who_are_out_are_passed_over() -> None:
    state = transferable("6c 9s 7c", "6d 7d", "", "Kc Kd", out=(CAT,))
    state = after(state, (ANN, "attack 6c"), (BOB, "transfer 6d"))
    assert state.defender == DAN


def test_the_first_attacker_becomes_one_who_throws_in() -> None:
    state = transferable("6c 6s 9s", "6d 7c", "8c 9c 9d")
    state = after(state, (ANN, "attack 6c"), (BOB, "transfer 6d"))
    assert may(state, ANN) == ["attack 6s", "finish"]
    assert refused(state, BOB, "take") is Refusal.WRONG_PHASE


def test_the_bout_holds_as_many_cards_as_the_new_defender_had() -> None:
    state = transferable("6c 6s 9s", "6d 7c 7d 8d", "8c Kd")
    state = after(state, (ANN, "attack 6c"), (BOB, "transfer 6d"))
    assert state.limit == 2
    assert GAME.to_act(state) == (CAT,), "Ann's last six does not fit any more"


def test_one_who_can_only_transfer_is_not_set_to_taking() -> None:
    state = after(transferable("6c 9s", "6d 8d", "8c 9c 9d"), (ANN, "attack 6c"))
    assert may(state, BOB) == ["transfer 6d", "take"]


def test_one_who_can_neither_beat_nor_transfer_is() -> None:
    assert after(transferable("6c 6s", "6d 8d", "8c", "6h 7s"), (ANN, "attack 6c")).taking


def test_the_new_defender_is_set_to_taking_if_it_can_do_nothing() -> None:
    state = transferable("6c 6s 9s", "6d 7c", "8s 9d", "6h", deck="Ah")
    state = after(state, (ANN, "attack 6c"), (BOB, "transfer 6d"))
    assert state.bout == 2
    assert may(state, CAT) == ["defend 6d 9d", "take"]
    state = transferable("6c 6s 9s", "6d 7c", "8s 10s Js", "6h", deck="Ah")
    state = after(state, (ANN, "attack 6c"), (BOB, "transfer 6d"))
    assert state.taking


def test_after_a_taking_the_left_neighbour_of_the_last_defender_attacks() -> None:
    state = transferable("6c 9s", "6d 7c", "8c 9c 9d", "Kc Kd")
    state = after(state, (ANN, "attack 6c"), (BOB, "transfer 6d"), (CAT, "take"))
    assert (state.attacker, state.defender) == (DAN, ANN)


def test_the_transferrer_draws_first() -> None:
    state = transferable("6c 9s", "6d 7c", "8c 8d", deck="10s Js Qs Ks As Kh Ah")
    state = after(state, (ANN, "attack 6c"), (BOB, "transfer 6d"), (CAT, "defend 6c 8c"), (CAT, "defend 6d 8d"))
    assert [len(held) for held in state.hands] == [3, 6, 0]
