"""Cabo's rounds: the deal, the stop, the empty heap, the scores, and the end of the game."""

from collections import Counter

import pytest

from services.session.games.cabo import GAME, scoring
from services.session.games.cabo.commands import Discard, ShowCards, StartRound, StopRound, TakeCardFromHeap
from services.session.games.cabo.events import RoundFinished
from services.session.games.cabo.state import DECK, Phase, new_table
from shared.kernel import Chance, Outcome, Seat
from tests.support.cabo import ANN, BOB, CID, drawing, play, table

HANDS = ("1 2 3 4", "5 5 5 5", "9 9 9 9")


def chances() -> list[Chance]:
    return [Chance(bytes([i]), "deal") for i in range(64)]


def test_there_are_52_cards_two_of_0_and_13_four_of_the_others() -> None:
    assert len(DECK) == 52
    assert Counter(DECK) == {0: 2, 13: 2, **dict.fromkeys(range(1, 13), 4)}


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_everyone_is_dealt_four_cards_and_sees_its_first_two(seats: int) -> None:
    after = play(new_table(seats, 66, 30), ANN, StartRound()).after
    assert [len(hand) for hand in after.hands] == [4] * seats
    for seat, hand in enumerate(after.hands):
        assert [card.seen for card in hand] == [(seat,), (seat,), (), ()]
        assert GAME.view(after, Seat(seat))["known"] == [hand[0].value, hand[1].value, None, None]
    assert len(after.heap) == 52 - 4 * seats
    assert after.pile == ()
    assert sorted([*after.heap, *(card.value for hand in after.hands for card in hand)]) == sorted(DECK)


def test_chance_shuffles_and_then_names_the_first_player() -> None:
    """As documented, so that others can check the deal: the boxes get four cards each, then the heap."""
    chance = Chance(b"seed", "move 3")
    after = play(new_table(2, 66, 30), ANN, StartRound(), Chance(b"seed", "move 3")).after
    deck, first = chance.shuffled(DECK), chance.below(2)
    assert tuple(card.value for hand in after.hands for card in hand) == deck[:8]
    assert (after.heap, after.turn) == (deck[8:], first)


def test_any_seat_may_start_the_first_round_and_anyone_may_be_drawn_to_move_first() -> None:
    start = new_table(3, 66, 30)
    assert GAME.to_act(start) == (ANN, BOB, CID)
    drawn = {play(start, CID, StartRound(), chance).after.turn for chance in chances()}
    assert drawn == {ANN, BOB, CID}


def test_a_later_round_is_started_by_the_starter_alone_and_it_moves_first() -> None:
    later = table("", "", "", heap="", phase=Phase.START, turn=None, starter=BOB, totals=(5, 0, 9))
    assert GAME.to_act(later) == (BOB,)
    assert {play(later, BOB, StartRound(), chance).after.turn for chance in chances()} == {BOB}


def test_the_starter_is_drawn_from_those_who_scored_nothing() -> None:
    def starters(*hands: str, stopper: Seat | None = None) -> set[Seat | None]:
        last_turn = table(*hands, phase=Phase.ACT, drawn=0, heap="", stopper=stopper)
        return {play(last_turn, ANN, Discard(), chance).after.starter for chance in chances()}

    assert starters("1 1", "2", "9") == {ANN, BOB}
    assert starters("1 1", "2", "9", stopper=BOB) == {ANN}
    assert starters("1 1", "2", "2") == {ANN, BOB, CID}


def test_everyone_else_has_one_more_turn_after_a_stop() -> None:
    state = play(table(*HANDS, turn=BOB), BOB, StopRound()).after
    for mover, following in ((CID, ANN), (ANN, None)):
        assert state.turn == mover
        state = play(state, mover, ShowCards((0, 1)) if mover == ANN else TakeCardFromHeap()).after
        if state.phase is Phase.ACT:
            state = play(state, mover, Discard()).after
        assert state.turn == following
    assert state.phase is Phase.START
    assert state.last_round is not None


def test_an_empty_heap_ends_the_round_after_the_current_turn() -> None:
    state = play(table(*HANDS, heap="6"), ANN, TakeCardFromHeap()).after
    assert (state.phase, state.turn) == (Phase.ACT, ANN)
    assert play(state, ANN, Discard()).after.phase is Phase.START


def test_the_last_cards_power_is_used_before_the_round_ends() -> None:
    state = play(table(*HANDS, heap="", phase=Phase.ACT, drawn=8), ANN, Discard()).after
    assert (state.phase, state.turn) == (Phase.PEEK_OWN, ANN)


def test_the_table_is_cleared_after_a_round_but_the_hands_can_still_be_looked_at() -> None:
    state = play(table(*HANDS, heap="", phase=Phase.ACT, drawn=6, stopper=BOB), ANN, Discard()).after
    shown = GAME.view(state, BOB)
    assert [drawing(state, seat) for seat in state.seats] == ["", "", ""]
    assert (shown["phase"], shown["turn"], shown["heap"], shown["discard"]) == ("A", None, 0, None)
    assert (shown["known"], shown["stopper"], shown["starter"]) == ([], None, ANN)
    assert shown["totalScores"] == (0, 25, 36)
    assert shown["lastRound"].hands == ((1, 2, 3, 4), (5, 5, 5, 5), (9, 9, 9, 9))
    assert shown["lastRound"].scores == (0, 25, 36)


@pytest.mark.parametrize(
    ("sums", "stopper", "scored"),
    [
        ((4, 9, 12), None, (0, 9, 12)),  # nobody stopped: the lowest sum is worth nothing
        ((4, 9, 4), None, (0, 9, 0)),  # for all who have it
        ((4, 9, 12), ANN, (0, 9, 12)),  # a stop that was right
        ((4, 9, 12), BOB, (0, 14, 12)),  # one that was not costs five
        ((4, 4, 12), ANN, (9, 0, 12)),  # a shared lowest sum is not enough, and is worth nothing for the other
        ((4, 4, 4), BOB, (0, 9, 0)),
        ((0, 0, 1), ANN, (5, 0, 1)),
        ((0, 3, 1), ANN, (0, 3, 1)),
    ],
)
def test_scores_of_a_round(sums: tuple[int, ...], stopper: Seat | None, scored: tuple[int, ...]) -> None:
    assert scoring.scores(tuple((n,) for n in sums), stopper) == scored


@pytest.mark.parametrize(
    ("before", "gained", "total"), [(60, 6, 33), (60, 5, 65), (60, 7, 67), (33, 33, 33), (0, 66, 33)]
)
def test_a_total_of_exactly_66_becomes_33(before: int, gained: int, total: int) -> None:
    assert scoring.totals((before,), (gained,)) == (total,)


@pytest.mark.parametrize(
    ("totals", "limit", "winners"),
    [
        ((67, 20, 30), 66, (BOB,)),
        ((67, 20, 20), 66, (BOB, CID)),  # equal lowest totals win together
        ((80, 90, 70), 66, (CID,)),
        ((65, 20, 33), 66, None),
        ((66, 20, 33), 66, None),
        ((11, 10, 9), 10, (CID,)),
        ((10, 10, 9), 10, None),
    ],
)
def test_the_game_ends_when_a_total_exceeds_the_limit(
    totals: tuple[int, ...], limit: int, winners: tuple[Seat, ...] | None
) -> None:
    between = table("", "", "", heap="", phase=Phase.START, turn=None, starter=ANN, totals=totals, limit=limit)
    assert GAME.to_act(between) == (Outcome(winners, "lowest_total", totals) if winners else (ANN,))


def test_the_last_round_says_that_the_game_is_over() -> None:
    last = table("1", "9 9", "5", totals=(40, 60, 3), phase=Phase.ACT, drawn=6, heap="")
    course = play(last, ANN, Discard())
    (told,) = course.waves[-1][CID]
    assert told == (
        "RoundFinished",
        {"hands": ((1,), (9, 9), (5,)), "scores": (0, 18, 5), "totalScores": (40, 78, 8), "isGameFinished": True,
         "starter": None},
    )  # fmt: skip
    assert GAME.to_act(course.after) == Outcome((CID,), "lowest_total", (40, 78, 8))
    assert GAME.view(course.after, ANN)["phase"] is None


def test_a_total_of_66_at_a_rounds_end_is_told_as_33_and_play_goes_on() -> None:
    course = play(table("1", "6", "5", totals=(40, 60, 3), phase=Phase.ACT, drawn=6, heap=""), ANN, Discard())
    ((_, told),) = course.waves[-1][BOB]
    assert (told["totalScores"], told["isGameFinished"]) == ((40, 33, 8), False)


def test_a_finished_round_is_an_event_with_all_that_was_drawn() -> None:
    """A replay draws nothing again: the starter is in the log."""
    finished = RoundFinished(((1,), (2,)), (0, 2), (7, 9), BOB)
    after = GAME.evolve(table("1", "2", totals=(7, 7)), finished)
    assert (after.starter, after.totals) == (BOB, (7, 9))
