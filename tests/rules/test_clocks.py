"""Move time and time bank, by the examples of the rule book."""

from services.session import clocks
from services.session.clocks import Clock
from shared.kernel import Countdown, Options, Seat

ANN, BOB = Seat(0), Seat(1)
OPTIONS = Options(move_time=10, time_bank=30)
START = 1_000_000


def running() -> Clock:
    return clocks.advance(clocks.wound_up(OPTIONS, 2), OPTIONS, (ANN,), None, START)


def test_a_move_of_fifteen_seconds_leaves_twenty_five_in_the_bank() -> None:
    clock = clocks.advance(running(), OPTIONS, (BOB,), ANN, START + 15_000)
    assert clock.banks == (25_000, 30_000)


def test_a_quick_move_costs_nothing_and_earns_nothing() -> None:
    clock = clocks.advance(running(), OPTIONS, (BOB,), ANN, START + 9_999)
    assert clock.banks == (30_000, 30_000)


def test_the_next_players_clock_starts_with_the_move() -> None:
    clock = clocks.advance(running(), OPTIONS, (BOB,), ANN, START + 5_000)
    assert clock.since == ((BOB, START + 5_000),)


def test_the_clock_is_exhausted_when_move_time_and_bank_are_used_up() -> None:
    assert clocks.deadline(running(), OPTIONS) == START + 40_000
    assert clocks.exhausted(running(), OPTIONS, START + 39_999) == []
    assert clocks.exhausted(running(), OPTIONS, START + 40_000) == [ANN]


def test_whoever_keeps_the_turn_while_another_moves_is_not_charged() -> None:
    both = clocks.advance(clocks.wound_up(OPTIONS, 2), OPTIONS, (ANN, BOB), None, START)
    clock = clocks.advance(both, OPTIONS, (ANN, BOB), BOB, START + 20_000)
    assert clock.banks == (30_000, 20_000)
    assert dict(clock.since) == {ANN: START, BOB: START + 20_000}


def test_a_clock_that_another_players_move_restarts_pays_what_it_had_overdrawn() -> None:
    both = clocks.advance(clocks.wound_up(OPTIONS, 2), OPTIONS, (ANN, BOB), None, START)
    clock = clocks.advance(both, OPTIONS, (ANN, BOB), BOB, START + 14_000, restarts=(ANN,))
    assert clock.banks == (26_000, 26_000)
    assert dict(clock.since) == {ANN: START + 14_000, BOB: START + 14_000}


def test_the_wait_shows_what_has_passed_and_what_is_in_the_bank() -> None:
    (wait,) = clocks.waits(running(), OPTIONS, (ANN,), START + 12_000)
    assert (wait.box, wait.name, wait.tick, wait.value, wait.timeBank) == (ANN, "move", 10_000, 10_000, 30_000)
    assert clocks.bank_tick(running(), OPTIONS, ANN, START + 12_000) == 2_000


def test_without_move_time_there_is_no_clock() -> None:
    free = Options(move_time=0)
    clock = clocks.advance(clocks.wound_up(free, 2), free, (ANN,), None, START)
    assert clocks.waits(clock, free, (ANN,), START) == []
    assert clocks.deadline(clock, free) is None


def test_a_paused_clock_stands_still_and_goes_on_where_it_was() -> None:
    clock = clocks.paused(running(), START + 4_000)
    assert clocks.deadline(clock, OPTIONS) is None
    assert clocks.exhausted(clock, OPTIONS, START + 400_000) == []
    (wait,) = clocks.waits(clock, OPTIONS, (ANN,), START + 400_000)
    assert (wait.tick, wait.paused) == (4_000, True)
    clock = clocks.resumed(clock, START + 104_000)
    assert clocks.deadline(clock, OPTIONS) == START + 140_000


def test_an_outage_is_credited_as_far_as_the_clock_has_seen_it() -> None:
    clock = clocks.credited(running(), START + 2_000, START + 30_000)
    assert clocks.deadline(clock, OPTIONS) == START + 40_000 + 28_000
    clock = clocks.credited(running(), START - 60_000, START + 5_000)
    assert clocks.deadline(clock, OPTIONS) == START + 40_000 + 5_000
    assert clocks.credited(running(), START - 60_000, START - 1_000) == running()


def test_an_outage_is_not_credited_to_a_clock_that_stood_still_anyway() -> None:
    clock = clocks.paused(running(), START + 4_000)
    clock = clocks.credited(clock, START + 10_000, START + 30_000)
    clock = clocks.resumed(clock, START + 60_000)
    assert clocks.deadline(clock, OPTIONS) == START + 60_000 + 36_000


def test_a_countdown_takes_the_place_of_the_clock_and_starts_anew_with_each_move() -> None:
    waiting = clocks.advance(clocks.wound_up(OPTIONS, 2), OPTIONS, (), None, START)
    clock = clocks.counting(waiting, Countdown("start", 7), anew=False, at=START)
    assert clocks.deadline(clock, OPTIONS) == START + 7_000
    assert [(w.box, w.name, w.value) for w in clocks.waits(clock, OPTIONS, (ANN, BOB), START)] == [
        (ANN, "start", 7_000),
        (BOB, "start", 7_000),
    ]
    assert clocks.counting(clock, Countdown("start", 7), anew=False, at=START + 5_000) == clock
    again = clocks.counting(clock, Countdown("start", 7), anew=True, at=START + 5_000)
    assert clocks.deadline(again, OPTIONS) == START + 12_000
    assert clocks.counting(clock, None, anew=True, at=START) == waiting
