"""What happens in Cabo when somebody does not act, or gives up."""

import pytest

from services.session.games.cabo import GAME, CaboOptions
from services.session.games.cabo.state import Phase, Table, new_table
from shared.kernel import Countdown, Decision, Outcome, Seat
from tests.support.cabo import ANN, BOB, CHANCE, CID, Course, drawing, says, table, tell, to_some

HANDS = ("1a 2a 3 4", "5b 5b 6 7", "8c 9c 10 11")
WATCHER = None


def timed_out(state: Table, seat: Seat = ANN) -> Course:
    decision = GAME.on_timeout(state, seat, CHANCE)
    assert isinstance(decision, Decision)
    return tell(state, decision)


def test_the_start_of_a_round_has_a_countdown_of_its_own() -> None:
    start = GAME.setup("cabo", 3, CaboOptions(start_time=12), CHANCE)
    assert GAME.countdown(start) == Countdown("start", 12)
    assert GAME.countdown(table(*HANDS)) is None


@pytest.mark.parametrize("starter", [None, CID])
def test_a_round_that_nobody_starts_is_started_by_the_house(starter: Seat | None) -> None:
    start = new_table(3, 66, 30) if starter is None else table("", "", "", phase=Phase.START, turn=None, starter=CID)
    course = timed_out(start, ANN if starter is None else starter)
    assert [name for name, _ in course.waves[0][ANN]] == ["FirstTwoCards"]
    assert course.after.phase is Phase.SELECT
    assert starter is None or course.after.turn == starter


@pytest.mark.parametrize("value", [3, 7, 9, 12])
def test_in_phase_b_a_card_is_drawn_and_discarded_without_its_power(value: int) -> None:
    course = timed_out(table(*HANDS, heap=f"{value} 1"))
    taken = says("HeapCardTaken", playerIndex=ANN)
    discarded = says("Discarded", playerIndex=ANN, discardedValue=value)
    assert course.waves == [
        to_some(BOB, CID, told=taken),
        {ANN: [says("Card", value=value)], WATCHER: [taken]},
        to_some(ANN, CID, told=discarded),
        to_some(BOB, WATCHER, told=discarded),
    ]
    assert (course.after.phase, course.after.turn, course.after.pile) == (Phase.SELECT, BOB, (value,))


def test_in_phase_c_the_drawn_card_is_discarded_without_its_power() -> None:
    course = timed_out(table(*HANDS, phase=Phase.ACT, drawn=11))
    discarded = says("Discarded", playerIndex=ANN, discardedValue=11)
    assert course.waves == [to_some(ANN, CID, told=discarded), to_some(BOB, WATCHER, told=discarded)]
    assert (course.after.phase, course.after.turn) == (Phase.SELECT, BOB)


@pytest.mark.parametrize("power", [Phase.PEEK_OWN, Phase.PEEK, Phase.EXCHANGE])
def test_a_pending_power_is_lost(power: Phase) -> None:
    course = timed_out(table(*HANDS, phase=power, pile="7"))
    skipped = says("PowerSkipped", playerIndex=ANN)
    assert course.waves == [to_some(ANN, CID, told=skipped), to_some(BOB, WATCHER, told=skipped)]
    assert (course.after.phase, course.after.turn, course.after.pile) == (Phase.SELECT, BOB, (7,))


def test_in_phase_d_the_shown_cards_are_replaced_from_the_heap() -> None:
    course = timed_out(table("4abc 4abc 1 2", *HANDS[1:], heap="9 9", pile="0", phase=Phase.REPLACE, shown=(0, 1)))
    assert course.waves[0][ANN] == [says("Card", value=9)]
    assert drawing(course.after, ANN) == "9a 1 2"
    assert course.after.turn == BOB


def test_the_round_ends_when_the_last_turn_runs_out_of_time() -> None:
    course = timed_out(table(*HANDS, heap="5"))
    assert len(course.waves) == 5
    assert [name for name, _ in course.waves[-1][BOB]] == ["RoundFinished"]
    assert course.after.phase is Phase.START


@pytest.mark.parametrize("phase", Phase)
def test_a_resignation_ends_the_game_for_the_best_of_the_others(phase: Phase) -> None:
    state = table(*HANDS, phase=phase, totals=(3, 20, 9), drawn=5 if phase is Phase.ACT else None)
    assert GAME.on_resign(state, ANN, CHANCE) == Outcome((CID,), "resigned", (3, 20, 9))
    assert GAME.on_resign(state, CID, CHANCE) == Outcome((ANN,), "resigned", (3, 20, 9))


def test_of_two_players_the_other_wins_whatever_the_totals() -> None:
    state = table("1 2", "3 4", totals=(3, 60))
    assert GAME.on_resign(state, ANN, CHANCE) == Outcome((BOB,), "resigned", (3, 60))


def test_the_others_may_win_together() -> None:
    assert GAME.on_resign(table(*HANDS), BOB, CHANCE) == Outcome((ANN, CID), "resigned", (0, 0, 0))
