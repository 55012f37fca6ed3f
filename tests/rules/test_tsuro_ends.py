"""How a game of Tsuro ends, and who wins it."""

import msgspec
import pytest

from services.session.games.tsuro import GAME
from services.session.games.tsuro.course import STALLED
from services.session.games.tsuro.state import FirstMove, State, TileMove
from shared.kernel import Decision, Outcome, Seat
from tests.support.tsuro import CHANCE, after, begun, decided, discarded, drawn, outcome, played, standing, told

NONSENSE = TileMove(-1, 0)


def resigned(state: State, seat: int) -> State:
    decision = GAME.on_resign(state, Seat(seat), CHANCE)
    assert isinstance(decision, Decision)
    return after(state, decision.events)


def dealt(state: State, *hand: int) -> State:
    return msgspec.structs.replace(state, hand=hand)


# -- (1) one avatar is left ---------------------------------------------------------------------------------


def test_the_last_avatar_on_the_board_wins() -> None:
    state = drawn(".  .  .  .  .  .  .  .  2/0  .", "8,0 C", "9,9 A", hand=(2, 4))
    assert outcome(played(state, TileMove(2, 0))) == Outcome((Seat(1),), "last_on_board")


def test_whoever_drives_the_last_other_off_the_board_wins() -> None:
    state = drawn("2/0  .  2/0", "0,0 C", "2,0 H")
    assert outcome(played(state, TileMove(2, 0))) == Outcome((Seat(0),), "last_on_board")


def test_while_two_remain_those_who_leave_together_are_merely_out() -> None:
    state = drawn(
        """
        .  .  .  .  .  .  .  .  2/0  .
        .  .  .  .  .  .  .  .  .    2/0
        """,
        "8,0 C", "9,1 A", "9,9 A", "0,9 A", hand=(2, 4),
    )  # fmt: skip
    state = played(state, TileMove(2, 0))
    assert standing(state) == {2: "9,9 A", 3: "0,9 A"}
    assert GAME.to_act(state) == (Seat(2),)


# -- (2) nobody is left -------------------------------------------------------------------------------------


BOTH_LEAVE = """
    .  .  .  .  .  .  .  .  2/0  .
    .  .  .  .  .  .  .  .  .    2/0
"""


def test_the_last_avatars_win_together_when_they_leave_in_the_same_turn() -> None:
    state = drawn(BOTH_LEAVE, "8,0 C", "9,1 A", hand=(2, 4))
    assert outcome(played(state, TileMove(2, 0))) == Outcome((Seat(0), Seat(1)), "left_together")


def test_whoever_left_earlier_in_the_last_round_wins_with_them_and_nobody_else() -> None:
    state = drawn(BOTH_LEAVE, None, None, "8,0 C", "9,1 A", hand=(2, 4), asked=2, round_=5, out_in={0: 5, 1: 4})
    assert outcome(played(state, TileMove(2, 0))).winners == (Seat(0), Seat(2), Seat(3))


def test_a_round_is_one_turn_of_each_seat_still_on_the_board() -> None:
    state = drawn(BOTH_LEAVE, "8,0 C", "9,1 A", "9,9 A", hand=(2, 4), round_=5, asked=2)
    state = discarded(state, NONSENSE)
    assert (state.asked, state.round) == (0, 6)
    state = discarded(state, NONSENSE)
    assert (state.asked, state.round) == (1, 6)


# -- (3) all that remain are in loops -----------------------------------------------------------------------


def test_those_who_remain_win_together_when_all_are_in_loops() -> None:
    state = drawn("34/0  .", "0,0 C", "0,0 D", hand=(34, 34))
    assert outcome(played(state, TileMove(34, 0))) == Outcome((Seat(0), Seat(1)), "all_in_loops")


def test_whoever_was_in_a_loop_already_wins_with_them() -> None:
    state = drawn(
        """
        34/0  34/0
        .     .
        34/0  .
        """,
        "0,0 C", "0,2 C", None, hand=(34, 34), asked=1, looped=[0], out_in={2: 1},
    )  # fmt: skip
    assert outcome(played(state, TileMove(34, 0))) == Outcome((Seat(0), Seat(1)), "all_in_loops")


def test_an_avatar_in_a_loop_remains_but_is_asked_no_more() -> None:
    state = drawn("34/0  34/0", "0,0 C", "9,9 A", "0,9 A", asked=2, looped=[0])
    state = discarded(state, NONSENSE)
    assert (state.asked, state.round) == (1, 2)


def test_an_avatar_in_a_loop_wins_when_the_others_have_left() -> None:
    state = drawn("34/0  34/0  .  .  .  .  .  .  2/0  .", "0,0 C", "8,0 C", asked=1, looped=[0], hand=(2, 4))
    assert outcome(played(state, TileMove(2, 0))) == Outcome((Seat(0),), "last_on_board")


# -- first moves --------------------------------------------------------------------------------------------


def test_a_seat_whose_first_move_is_discarded_is_out_and_the_others_play_on() -> None:
    state = begun(3, supply="ordered")
    state = played(state, FirstMove(0, 0, 0, 0, "C"))
    decision = decided(state, FirstMove(3, 0, 1, 0, "C"))
    assert told(state, decision, viewer=0) == [("move_discarded", {"box": 1, "reason": "beside_a_tile"})]
    state = played(after(state, decision.events), FirstMove(6, 0, 9, 9, "A"))
    assert standing(state) == {0: "0,0 C", 2: "9,9 A"}
    assert GAME.view(state, None)["out"] == [1]
    assert (state.asked, state.round) == (0, 1)
    assert (discarded(state, NONSENSE).asked) == 2


def test_the_end_is_not_looked_at_before_all_first_moves_are_over() -> None:
    state = discarded(begun(2, supply="ordered"), NONSENSE)
    assert GAME.to_act(state) == (Seat(1),)
    assert outcome(played(state, FirstMove(3, 0, 0, 0, "C"))) == Outcome((Seat(1),), "last_on_board")


@pytest.mark.parametrize("seats", [2, 3, 8])
def test_all_win_together_if_every_first_move_is_discarded(seats: int) -> None:
    state = begun(seats)
    for _ in range(seats):
        state = discarded(state, NONSENSE)
    assert outcome(state) == Outcome(tuple(Seat(box) for box in range(seats)), "no_first_move")


# -- bad moves, resignations, silence -----------------------------------------------------------------------


def test_a_discarded_move_costs_the_turn_and_nothing_else() -> None:
    state = drawn("2/0", "0,0 C", "9,9 A")
    later = discarded(state, NONSENSE)
    assert later.cells == state.cells
    assert standing(later) == standing(state)
    assert later.asked == 1


def test_in_tournament_play_a_bad_move_costs_the_avatar() -> None:
    state = drawn("2/0", "0,0 C", "9,9 A", "0,9 A", eliminate=True)
    decision = decided(state, NONSENSE)
    assert told(state, decision) == [
        ("move_discarded", {"box": 0, "reason": "tile_not_in_hand"}),
        ("avatar_out", {"box": 0, "reason": "eliminated"}),
    ]
    assert standing(after(state, decision.events)) == {1: "9,9 A", 2: "0,9 A"}


def test_no_move_in_time_is_a_bad_move() -> None:
    state = drawn("2/0", "0,0 C", "9,9 A")
    decision = GAME.on_timeout(state, Seat(0), CHANCE)
    assert isinstance(decision, Decision)
    assert told(state, decision) == [("move_discarded", {"box": 0, "reason": "timeout"})]
    assert after(state, decision.events).asked == 1


def test_the_eliminated_do_not_share_in_the_win_of_those_who_left_together() -> None:
    state = drawn(BOTH_LEAVE, "0,9 A", "8,0 C", "9,1 A", round_=3, eliminate=True)
    state = dealt(discarded(state, NONSENSE), 2, 4)
    assert outcome(played(state, TileMove(2, 0))) == Outcome((Seat(1), Seat(2)), "left_together")


def test_who_resigns_leaves_the_board_and_the_others_play_on() -> None:
    state = drawn("2/0", "0,0 C", "9,9 A", "0,9 A")
    assert standing(resigned(state, 0)) == {1: "9,9 A", 2: "0,9 A"}
    assert resigned(state, 0).asked == 1
    out_of_turn = resigned(state, 2)
    assert (out_of_turn.asked, out_of_turn.hand) == (0, state.hand)


def test_when_all_but_one_have_resigned_that_one_wins() -> None:
    assert outcome(resigned(begun(2), 0)) == Outcome((Seat(1),), "resigned")
    state = resigned(begun(3), 1)
    assert GAME.to_act(state) == (Seat(0),)
    assert outcome(resigned(state, 0)) == Outcome((Seat(2),), "resigned")


def test_who_has_resigned_before_its_first_move_is_not_asked_for_it() -> None:
    state = resigned(begun(3, supply="ordered"), 1)
    assert played(state, FirstMove(0, 0, 0, 0, "C")).asked == 2


def test_resigning_twice_changes_nothing() -> None:
    state = resigned(drawn("2/0", "0,0 C", "9,9 A", "0,9 A"), 2)
    assert resigned(state, 2) == state


def test_who_resigned_does_not_win_with_the_others() -> None:
    state = resigned(begun(3), 2)
    for _ in range(2):
        state = discarded(state, NONSENSE)
    assert outcome(state) == Outcome((Seat(0), Seat(1)), "no_first_move")


def test_a_game_in_which_nobody_plays_any_more_comes_to_an_end() -> None:
    state = drawn("2/0", "0,0 C", "9,9 A", "0,9 A")
    for _ in range(STALLED - 1):
        state = discarded(state, NONSENSE)
    assert GAME.to_act(state) == (state.asked,)
    assert outcome(discarded(state, NONSENSE)) == Outcome((Seat(0), Seat(1), Seat(2)), "stalled")
