"""What the session service makes of the lobby's orders, and what it tells of a game. Pure parts of that service."""

import msgspec
import pytest

from services.session import decide
from services.session.decide import Pace
from services.session.facts import AnyEntry, Created, Entry, Fact, Player
from services.session.games.xsos import GAME
from services.session.match import AnyMatch, Status, evolve
from services.session.news import news
from services.session.verdict import EngineRefusal
from services.session.views import messages
from shared.bridge import GameOver, GameStarted, SeatsKnown
from shared.ids import GameId, UserId
from shared.kernel import Seat

ANN, BOB = (Player(UserId(name), name.title(), None) for name in ("ann", "bob"))
PACE = Pace(idle_ms=1_000_000, bot_ms=0)
GAME_ID = GameId("g")
OPTIONS = msgspec.convert({}, GAME.forms.options)


def entry(*facts: Fact) -> AnyEntry:
    return Entry("e", 5, facts)


@pytest.fixture
def match() -> AnyMatch:
    """A game that a table has just ordered, with Ann in box 0."""
    created = Created("xsos", OPTIONS, (ANN, None), "00" * 32, "", table="t", order=3)
    return evolve(GAME, None, entry(created))


def after(match: AnyMatch, command: decide.Command) -> AnyMatch:
    verdict = decide.decide(GAME, match, match.version, command, 5, PACE)
    assert isinstance(verdict, tuple), verdict
    return evolve(GAME, match, entry(*verdict)) if verdict else match


def test_a_new_game_tells_that_its_seats_are_known_and_waits(match: AnyMatch) -> None:
    assert news(GAME_ID, None, match) == [SeatsKnown(GAME_ID, "t", 3)]
    assert match.status is Status.WAITING


def test_nobody_joins_it_without_the_lobby(match: AnyMatch) -> None:
    refused = decide.decide(GAME, match, 1, decide.Join(BOB), 5, PACE)
    assert refused is EngineRefusal.FORBIDDEN


def test_a_full_game_waits_until_it_is_told_to_start(match: AnyMatch) -> None:
    full = after(match, decide.TakeSeat(Seat(1), BOB, order=4))
    assert (full.status, full.order) == (Status.WAITING, 4)
    assert news(GAME_ID, match, full) == [SeatsKnown(GAME_ID, "t", 4)]
    started = after(full, decide.Start())
    assert started.status is Status.ACTIVE
    assert news(GAME_ID, full, started) == [GameStarted(GAME_ID, "t")]
    assert after(started, decide.Start()) is started


def test_a_game_with_a_free_box_does_not_start(match: AnyMatch) -> None:
    assert after(match, decide.Start()) is match


def test_an_order_that_was_obeyed_has_no_effect(match: AnyMatch) -> None:
    seated = after(match, decide.TakeSeat(Seat(1), BOB, order=4))
    stood_up = after(seated, decide.TakeSeat(Seat(1), None, order=5))
    assert stood_up.players == (ANN, None)
    assert after(stood_up, decide.TakeSeat(Seat(1), BOB, order=4)) is stood_up


def test_a_seat_that_was_given_up_is_told(match: AnyMatch) -> None:
    left = entry(*decide.decide(GAME, match, 1, decide.TakeSeat(Seat(0), None, order=4), 5, PACE))  # type: ignore[misc]
    [told] = messages(GAME, "g", match, left, evolve(GAME, match, left), 2, None, {})
    assert (told.event, told.data) == ("left", {"box": 0, "user": "ann"})


def test_an_aborted_game_tells_its_end_once(match: AnyMatch) -> None:
    aborted = after(match, decide.Abort("table_closed"))
    [over] = news(GAME_ID, match, aborted)
    assert isinstance(over, GameOver)
    assert (over.status, over.table, over.reason, over.players) == ("aborted", "t", "table_closed", ("ann", None))
    assert after(aborted, decide.Abort("again")) is aborted


def test_a_finished_game_tells_who_won(match: AnyMatch) -> None:
    playing = after(after(match, decide.TakeSeat(Seat(1), BOB, order=4)), decide.Start())
    over = after(playing, decide.Resign(Seat(0)))
    [told] = news(GAME_ID, playing, over)
    assert isinstance(told, GameOver)
    assert (told.status, told.winners, told.players) == ("finished", (1,), ("ann", "bob"))
