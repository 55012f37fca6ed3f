"""Durak in a match: whose clock runs, and what a new throw-in does to it."""

from services.session import decide as engine
from services.session.decide import Expire, Pace, Play
from services.session.facts import Created, Ended, Entry, Fact, Played, Player, Started
from services.session.games.durak import GAME
from services.session.games.durak.state import State
from services.session.match import AnyMatch, evolve
from shared.ids import UserId
from shared.kernel import Options, Outcome, Seat
from tests.support.durak import ANN, BOB, CAT, a_move, position

PACE = Pace(idle_ms=10**9, bot_ms=300)
START = 1_000_000


class Bout:
    """A match that begins in the middle of a game, with 10 s a move and 30 s in the bank."""

    def __init__(self, state: State) -> None:
        players = tuple(Player(UserId(f"u{box}"), "", None) for box in state.seats)
        self.match: AnyMatch | None = None
        self.now = START
        created = Created("durak_podkidnoi", Options(move_time=10, time_bank=30), players, "00" * 32, "")
        self._append((created, Started(state)))

    def plays(self, seat: Seat, words: str, at: int) -> "Bout":
        self.now = START + at * 1000
        return self._append(self._decided(Play(seat, a_move(words))))

    def expires(self, at: int) -> tuple[Fact, ...]:
        self.now = START + at * 1000
        facts = self._decided(Expire())
        if facts:
            self._append(facts)
        return facts

    def running(self) -> dict[Seat, int]:
        """Whose clock runs, and since which second."""
        assert self.match is not None
        return {seat: (since - START) // 1000 for seat, since in self.match.clock.since}

    def banks(self) -> list[int]:
        assert self.match is not None
        return [ms // 1000 for ms in self.match.clock.banks]

    def _decided(self, command: engine.Command) -> tuple[Fact, ...]:
        assert self.match is not None
        verdict = engine.decide(GAME, self.match, self.match.version, command, self.now, PACE)
        assert isinstance(verdict, tuple), verdict
        return verdict

    def _append(self, facts: tuple[Fact, ...]) -> "Bout":
        self.match = evolve(GAME, self.match, Entry("", self.now, facts))
        return self


def bout() -> Bout:
    return Bout(position("6c 6s 9s", "7c 7s Kh Qh", "6d 7d", deck="Ah"))


def test_the_attackers_clock_runs_then_the_defenders_alone() -> None:
    played = bout()
    assert played.running() == {ANN: 0}
    played.plays(ANN, "attack 6c", at=3)
    assert played.match is not None
    assert played.match.acting == (BOB, ANN, CAT)
    assert played.running() == {BOB: 3}


def test_a_throw_in_restarts_the_defenders_move_time_and_the_bank_pays_what_was_overdrawn() -> None:
    played = bout().plays(ANN, "attack 6c", at=0).plays(CAT, "attack 6d", at=8)
    assert played.running() == {BOB: 8}
    assert played.banks() == [30, 30, 30]
    played.plays(ANN, "attack 6s", at=22)
    assert played.running() == {BOB: 22}
    assert played.banks() == [30, 26, 30], "Bob had taken 14 s for a move of 10"


def test_a_pass_restarts_nothing() -> None:
    assert bout().plays(ANN, "attack 6c", at=0).plays(CAT, "finish", at=8).running() == {BOB: 0}


def test_nobody_pays_for_the_defenders_thought() -> None:
    played = bout().plays(ANN, "attack 6c", at=0).plays(BOB, "defend 6c 7c", at=25)
    assert played.banks() == [30, 15, 30]
    assert played.running() == {ANN: 25, CAT: 25}, "now all who could throw in are waited for"


def test_a_thrower_out_of_time_passes_and_the_bout_goes_on() -> None:
    played = bout().plays(ANN, "attack 6c", at=0).plays(BOB, "defend 6c 7c", at=0).plays(ANN, "finish", at=5)
    assert played.expires(at=39) == ()
    (passed,) = played.expires(at=40)
    assert isinstance(passed, Played)
    assert (passed.box, passed.cause) == (CAT, "timeout")
    assert played.running() == {BOB: 40}, "the bout is over and Bob attacks"
    assert played.banks() == [30, 30, 0]


def test_a_defender_out_of_time_loses_the_game() -> None:
    played = bout().plays(ANN, "attack 6c", at=0)
    assert played.expires(at=39) == ()
    assert played.expires(at=40) == (Ended(Outcome((ANN, CAT), "timeout")),)


def test_an_attacker_out_of_time_loses_the_game() -> None:
    assert bout().expires(at=40) == (Ended(Outcome((BOB, CAT), "timeout")),)
