"""What a seat knows of the cards in Cabo, and what it may do: nobody is shown more."""

import pytest

from services.session.games.cabo import GAME
from services.session.games.cabo.commands import (
    ExchangeCards,
    PeekCard,
    ReplaceCard,
    ReplaceCardByDiscarded,
    ShowCards,
    StopRound,
    TakeCardFromHeap,
    TakeDiscardedCard,
)
from services.session.games.cabo.state import Phase, Table
from shared.kernel import Seat, Viewer
from tests.support.cabo import ANN, BOB, CID, drawing, play, table

HANDS = ("1a 2a 3 4", "5b 5b 6 7", "8c 9c 10 11")


def known(state: Table, seat: Seat) -> list[int | None]:
    values: list[int | None] = GAME.view(state, seat)["known"]
    return values


def test_everyone_knows_the_own_cards_that_it_was_told_of() -> None:
    state = table(*HANDS)
    assert known(state, ANN) == [1, 2, None, None]
    assert known(state, CID) == [8, 9, None, None]
    assert GAME.view(state, None)["known"] == []


def test_the_view_of_a_player() -> None:
    state = table(*HANDS, heap="9 9 9 9", pile="6 12", phase=Phase.ACT, drawn=13, stopper=CID, totals=(1, 2, 3))
    assert GAME.view(state, ANN) == {
        "phase": "C", "power": None, "turn": ANN, "heap": 4, "discard": 12,
        "hands": [{"box": 0, "cards": 4}, {"box": 1, "cards": 4}, {"box": 2, "cards": 4}],
        "known": [1, 2, None, None], "drawn": 13, "shown": (), "stopper": CID, "starter": None,
        "totalScores": (1, 2, 3), "lastRound": None,
    }  # fmt: skip


@pytest.mark.parametrize("viewer", [BOB, CID, None])
def test_a_drawn_card_is_shown_to_nobody_else(viewer: Viewer) -> None:
    state = table(*HANDS, phase=Phase.ACT, drawn=13)
    assert GAME.view(state, viewer)["drawn"] is None
    assert GAME.view(state, viewer)["phase"] == "C"


@pytest.mark.parametrize("power", [Phase.PEEK_OWN, Phase.PEEK, Phase.EXCHANGE])
def test_a_pending_power_is_part_of_phase_c_and_named_after_its_command(power: Phase) -> None:
    shown = GAME.view(table(*HANDS, phase=power), None)
    assert (shown["phase"], shown["power"]) == ("C", power.value)


def test_a_replacement_from_the_heap_is_known_to_its_owner_only() -> None:
    state = play(table(*HANDS, phase=Phase.ACT, drawn=0), ANN, ReplaceCard(3)).after
    assert known(state, ANN) == [1, 2, None, 0]
    assert drawing(state, ANN) == "1a 2a 3 0a"


def test_a_replacement_from_the_pile_is_known_to_all() -> None:
    state = play(table(*HANDS, pile="0"), ANN, ReplaceCardByDiscarded(2)).after
    assert drawing(state, ANN) == "1a 2a 0abc 4"


def test_what_is_exchanged_blind_is_known_to_neither() -> None:
    state = play(table(*HANDS, phase=Phase.EXCHANGE), ANN, ExchangeCards(0, BOB, 0)).after
    assert known(state, ANN) == [None, 2, None, None]
    assert known(state, BOB) == [None, 5, None, None]


def test_a_card_that_was_peeked_at_is_known_when_it_comes_by_exchange() -> None:
    state = play(table(*HANDS, phase=Phase.PEEK), ANN, PeekCard(BOB, 2)).after
    assert known(state, ANN) == [1, 2, None, None], "another's card is in nobody's own hand"
    exchange = table(*(drawing(state, seat) for seat in state.seats), phase=Phase.EXCHANGE)
    state = play(exchange, ANN, ExchangeCards(3, BOB, 2)).after
    assert known(state, ANN) == [1, 2, None, 6]


def test_a_failed_show_teaches_the_shower_nothing_about_its_cards() -> None:
    before = table(*HANDS)
    state = play(before, ANN, ShowCards((1, 2, 3))).after
    assert known(state, ANN) == known(before, ANN)
    exchange = table(*(drawing(state, seat) for seat in state.seats), phase=Phase.EXCHANGE, turn=BOB)
    state = play(exchange, BOB, ExchangeCards(3, ANN, 2)).after
    assert known(state, BOB) == [5, 5, None, 3], "but the others have seen them"


def test_known_places_close_up_with_the_cards() -> None:
    state = play(table("4 1a 4 9a", *HANDS[1:], heap="7 7"), ANN, ShowCards((0, 2))).after
    assert known(state, ANN) == [4, 1, 4, 9]
    assert GAME.view(state, BOB)["shown"] == (0, 2)
    state = play(state, ANN, TakeCardFromHeap()).after
    assert known(state, ANN) == [7, 1, 9]
    assert GAME.view(state, BOB)["hands"][ANN] == {"box": ANN, "cards": 3}


def test_the_top_of_the_pile_stays_until_the_shown_cards_are_replaced() -> None:
    state = play(table("4 4 1 2", *HANDS[1:], pile="6 0"), ANN, ShowCards((0, 1))).after
    assert GAME.view(state, None)["discard"] == 0
    assert GAME.view(play(state, ANN, TakeDiscardedCard()).after, None)["discard"] == 4


def test_legal_moves_in_phase_b_do_not_tell_which_cards_are_equal() -> None:
    equal, different = (table(hand, *HANDS[1:], pile="6") for hand in ("1a 2a 2 2", "1a 2a 3 4"))
    assert GAME.legal_moves(equal, ANN) == GAME.legal_moves(different, ANN)
    shows = [move for move in GAME.legal_moves(equal, ANN) if isinstance(move, ShowCards)]
    assert len(shows) == 11
    assert ShowCards((0, 1, 2, 3)) in shows


def test_legal_moves_of_a_single_card() -> None:
    assert GAME.legal_moves(table("5a", *HANDS[1:], pile="6"), ANN) == [
        TakeCardFromHeap(),
        ReplaceCardByDiscarded(0),
        StopRound(),
    ]


@pytest.mark.parametrize(("phase", "count"), [(Phase.PEEK_OWN, 4), (Phase.PEEK, 8), (Phase.EXCHANGE, 32)])
def test_legal_moves_of_a_power_name_every_place(phase: Phase, count: int) -> None:
    moves = GAME.legal_moves(table(*HANDS, phase=phase), ANN)
    assert len(moves) == len(set(moves)) == count
    assert GAME.legal_moves(table(*HANDS, phase=phase), BOB) == []
