"""Move time and time bank, by the examples of the rule book."""

from services.session import clocks
from services.session.clocks import Clock
from shared.kernel import Options, Seat

ANN, BOB = Seat(0), Seat(1)
OPTIONS = Options(move_time=10, time_bank=30)
START = 1_000_000


def running() -> Clock:
    return clocks.advance(clocks.wound_up(OPTIONS, 2), OPTIONS, (), (ANN,), None, START)


def test_a_move_of_fifteen_seconds_leaves_twenty_five_in_the_bank() -> None:
    clock = clocks.advance(running(), OPTIONS, (ANN,), (BOB,), ANN, START + 15_000)
    assert clock.banks == (25_000, 30_000)


def test_a_quick_move_costs_nothing_and_earns_nothing() -> None:
    clock = clocks.advance(running(), OPTIONS, (ANN,), (BOB,), ANN, START + 9_999)
    assert clock.banks == (30_000, 30_000)


def test_the_next_players_clock_starts_with_the_move() -> None:
    clock = clocks.advance(running(), OPTIONS, (ANN,), (BOB,), ANN, START + 5_000)
    assert clock.since == ((BOB, START + 5_000),)


def test_the_clock_is_exhausted_when_move_time_and_bank_are_used_up() -> None:
    assert clocks.deadline(running(), OPTIONS) == START + 40_000
    assert clocks.exhausted(running(), OPTIONS, START + 39_999) == []
    assert clocks.exhausted(running(), OPTIONS, START + 40_000) == [ANN]


def test_whoever_keeps_the_turn_while_another_moves_is_not_charged() -> None:
    both = clocks.advance(clocks.wound_up(OPTIONS, 2), OPTIONS, (), (ANN, BOB), None, START)
    clock = clocks.advance(both, OPTIONS, (ANN, BOB), (ANN, BOB), BOB, START + 20_000)
    assert clock.banks == (30_000, 20_000)
    assert dict(clock.since) == {ANN: START, BOB: START + 20_000}


def test_the_wait_shows_what_has_passed_and_what_is_in_the_bank() -> None:
    (wait,) = clocks.waits(running(), OPTIONS, START + 12_000)
    assert (wait.box, wait.name, wait.tick, wait.value, wait.timeBank) == (ANN, "move", 10_000, 10_000, 30_000)
    assert clocks.bank_tick(running(), OPTIONS, ANN, START + 12_000) == 2_000


def test_without_move_time_there_is_no_clock() -> None:
    free = Options(move_time=0)
    clock = clocks.advance(clocks.wound_up(free, 2), free, (), (ANN,), None, START)
    assert clocks.waits(clock, free, START) == []
    assert clocks.deadline(clock, free) is None
