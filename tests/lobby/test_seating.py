"""A table decides who sits where; the same rules hold for a match that a queue made."""

import pytest

from services.lobby import letters as mail
from services.lobby.letters import Denied, Granted, Over
from services.lobby.seating import Expire
from services.lobby.table import Phase, Table
from shared import bridge
from shared.ids import GameId
from tests.lobby.support import ANN, BOB, CID, DAN, WAITS, AtTable, somebody


def events(letters: list[tuple[str, object]]) -> dict[str, list[str]]:
    """The transitions that were granted, by the user they were granted to."""
    return {to: [step.event for step in body.steps] for to, body in letters if isinstance(body, Granted)}


def codes(letters: list[tuple[str, object]]) -> list[str]:
    return [body.code for _, body in letters if isinstance(body, Denied)]


def orders(letters: list[tuple[str, object]]) -> list[str]:
    return [type(body).__name__ for to, body in letters if to == bridge.SESSION]


def table(at: AtTable) -> Table:
    assert at.table is not None
    return at.table


def seated(at: AtTable, *people: object) -> AtTable:
    """Everyone joins, and the session service knows of it."""
    for i, who in enumerate(people):
        at(mail.Join(who, f"ask {i}", None))  # type: ignore[arg-type]
        at(bridge.SeatsKnown(game(at), "t", table(at).number))
    return at


def game(at: AtTable) -> GameId:
    found = table(at).game
    assert found is not None
    return found


@pytest.fixture
def at() -> AtTable:
    return AtTable()


def test_a_box_is_reserved_for_whoever_is_first(at: AtTable) -> None:
    assert events(at(mail.Reserve(ANN, "a", 0))) == {"user:ann": ["E19"]}
    assert codes(at(mail.Reserve(BOB, "b", 0))) == ["box_taken"]


def test_nobody_is_at_a_table_twice(at: AtTable) -> None:
    at(mail.Reserve(ANN, "a", 0))
    for command in (mail.Reserve(ANN, "b", 1), mail.LineUp(ANN, "b"), mail.Join(ANN, "b", None)):
        assert codes(at(command)) == ["already_seated"]


def test_whoever_waits_for_a_box_or_plays_takes_no_other(at: AtTable) -> None:
    seated(at, ANN, BOB)
    at(mail.LineUp(CID, "c"))
    again = somebody("cid", "another channel")
    for command in (mail.Join(again, "x", None), mail.Reserve(again, "x", 0), mail.LineUp(again, "x")):
        assert codes(at(command)) == ["already_seated"]


def test_a_channel_comes_once_to_a_game_that_was_made_without_the_lobby() -> None:
    at = AtTable(room=None)
    asked = mail.Attach(ANN, "a", GameId("g"), "xsos", 0, 2)
    sent = at(asked)
    assert events(sent) == {"user:ann": ["E27"]}
    assert orders(sent) == ["Report"], "it may have ended while we came, and nobody else would tell"
    again = mail.Attach(somebody("ann", "another channel"), "b", GameId("g"), "xsos", 0, 2)
    assert codes(at(again)) == ["already_seated"]
    over = at(bridge.GameOver(GameId("g"), "xsos", 0))
    assert [(body.reason, body.aborted) for _, body in over if isinstance(body, Over)] == [("game_over", True)]
    assert codes(at(mail.Attach(BOB, "c", GameId("g"), "xsos", 1, 2))) == ["wrong_state"]


def test_a_game_from_outside_that_its_channels_have_left_is_aborted_if_nobody_else_plays() -> None:
    at = AtTable(room=None)
    at(mail.Attach(ANN, "a", GameId("g"), "xsos", 0, 2))
    at(mail.GiveUp(ANN, "b"))
    at.now += WAITS.abandon - 1
    assert at(Expire()) == []
    at.now += 1
    assert orders(at(Expire())) == ["AbortDeserted"]
    assert at(Expire()) == [], "it is asked once"
    at(mail.Attach(BOB, "c", GameId("g"), "xsos", 1, 2))
    at(mail.GiveUp(BOB, "d"))
    at.now += WAITS.abandon
    assert orders(at(Expire())) == ["AbortDeserted"]


def test_a_game_that_is_only_watched_is_asked_about_too() -> None:
    at = AtTable(room=None)
    assert orders(at(mail.Watch(CID, GameId("g"), "xsos", 2))) == ["Report"]


def test_a_seat_is_granted_once_the_session_knows_of_it(at: AtTable) -> None:
    at(mail.Reserve(ANN, "a", 0))
    sent = at(mail.SitDown(ANN, "b"))
    assert orders(sent) == ["MakeGame"]
    assert events(sent) == {}
    assert events(at(bridge.SeatsKnown(game(at), "t", table(at).number))) == {"user:ann": ["E22"]}


def test_the_game_starts_when_every_box_is_taken(at: AtTable) -> None:
    at(mail.Join(ANN, "a", 1))
    at(bridge.SeatsKnown(game(at), "t", table(at).number))
    at(mail.Join(BOB, "b", None))
    assert table(at).phase is Phase.OPEN
    assert orders(at(bridge.SeatsKnown(game(at), "t", table(at).number))) == ["StartGame"]
    at(bridge.GameStarted(game(at), "t"))
    assert table(at).phase is Phase.PLAYING
    assert codes(at(mail.Join(CID, "c", None))) == ["table_full"]


def test_each_seat_is_known_by_itself_and_the_game_waits_for_all(at: AtTable) -> None:
    at(mail.Join(ANN, "a", None))
    first = table(at).number
    at(mail.Join(BOB, "b", None))
    sent = at(bridge.SeatsKnown(game(at), "t", first))
    assert events(sent) == {"user:ann": ["E27"]}
    assert orders(sent) == []
    sent = at(bridge.SeatsKnown(game(at), "t", table(at).boxes[1].order))
    assert events(sent) == {"user:bob": ["E27"]}
    assert orders(sent) == ["StartGame"]


def test_whoever_sits_down_once_does_not_sit_down_again(at: AtTable) -> None:
    at(mail.Reserve(ANN, "a", 0))
    assert orders(at(mail.SitDown(ANN, "b"))) == ["MakeGame"]
    assert codes(at(mail.SitDown(ANN, "c"))) == ["wrong_state"]
    assert codes(at(mail.SitDown(BOB, "d"))) == ["wrong_state"], "who has no place"


def test_a_reservation_that_is_not_confirmed_is_released(at: AtTable) -> None:
    at(mail.Reserve(ANN, "a", 0))
    at.now += WAITS.sitdown - 1
    assert at(Expire()) == []
    at.now += 1
    [(to, body)] = [each for each in at(Expire()) if each[0].startswith("user")]
    assert to == "user:ann"
    assert isinstance(body, Over)
    assert body.reason == "reservation_expired"
    assert table(at).boxes[0].who is None


def test_the_one_who_waited_longest_gets_a_freed_seat(at: AtTable) -> None:
    seated(at, ANN)
    at(mail.Reserve(BOB, "b", 1))
    assert events(at(mail.LineUp(CID, "c"))) == {"user:cid": ["E20"]}
    at(mail.LineUp(DAN, "d"))
    sent = at(mail.GiveUp(BOB, "e"))
    assert events(sent) == {"user:bob": ["E23"]}
    [kept] = [(to, body.box) for to, body in sent if isinstance(body, mail.PlaceKept)]
    assert kept == ("user:cid", 1)


def test_each_reservation_has_its_own_time(at: AtTable) -> None:
    at(mail.Reserve(ANN, "a", 0))
    at.now += 1
    at(mail.Reserve(BOB, "b", 1))
    at.now += WAITS.sitdown - 1
    assert [to for to, body in at(Expire()) if isinstance(body, Over)] == ["user:ann"]
    assert table(at).boxes[1].who == BOB


def test_a_place_that_runs_out_goes_to_the_next_in_line(at: AtTable) -> None:
    seated(at, ANN)
    at(mail.Reserve(BOB, "b", 1))
    at(mail.LineUp(CID, "c"))
    at(mail.LineUp(DAN, "d"))
    for waiting in ("user:cid", "user:dan"):
        at.now += WAITS.sitdown
        [kept] = [(to, body.box) for to, body in at(Expire()) if isinstance(body, mail.PlaceKept)]
        assert kept == (waiting, 1)


def test_a_free_box_is_taken_out_of_the_line_at_once(at: AtTable) -> None:
    assert events(at(mail.LineUp(ANN, "a"))) == {"user:ann": ["E20", "E21"]}


def test_leaving_before_the_game_gives_the_seat_up(at: AtTable) -> None:
    seated(at, ANN)
    sent = at(mail.GiveUp(ANN, "x"))
    assert events(sent) == {"user:ann": ["E24", "E26"]}
    assert orders(sent) == ["UnseatPlayer"]


def test_leaving_a_game_that_runs_keeps_the_seat(at: AtTable) -> None:
    seated(at, ANN, BOB)
    at(bridge.GameStarted(game(at), "t"))
    assert events(at(mail.GiveUp(ANN, "x"))) == {"user:ann": ["E24"]}
    assert table(at).boxes[0].who == ANN


def test_a_game_that_all_have_left_is_aborted(at: AtTable) -> None:
    seated(at, ANN, BOB)
    at(bridge.GameStarted(game(at), "t"))
    at(mail.GiveUp(ANN, "x"))
    at(mail.GiveUp(BOB, "y"))
    at.now += WAITS.abandon - 1
    assert at(Expire()) == []
    at.now += 1
    assert orders(at(Expire())) == ["AbortGame"]
    over = bridge.GameOver(game(at), "xsos", 0, "aborted", "t")
    assert [body.aborted for _, body in at(over) if isinstance(body, Over)] == [True, True]
    assert table(at).phase is Phase.CLOSED


def test_a_game_that_somebody_has_not_left_goes_on(at: AtTable) -> None:
    seated(at, ANN, BOB)
    at(bridge.GameStarted(game(at), "t"))
    at(mail.GiveUp(ANN, "x"))
    at(mail.GiveUp(BOB, "y"))
    at.now += WAITS.abandon - 1
    at(mail.Back(ANN, game(at)))
    at.now += WAITS.abandon
    assert orders(at(Expire())) == []
    at(mail.GiveUp(ANN, "z"))
    assert orders(at(Expire())) == [], "they have all left only since now"


def playing_match() -> AtTable:
    at = AtTable(room=None)
    at(mail.MatchMade("xsos", 0, None, (ANN, BOB), ("1", "2")))
    at(mail.Ready(ANN))
    at(mail.Ready(BOB))
    at(bridge.SeatsKnown(game(at), "t", table(at).number))
    at(bridge.GameStarted(game(at), "t"))
    return at


def test_a_rematch_is_a_new_game_with_each_seat_in_the_next_box() -> None:
    at = playing_match()
    first = game(at)
    at(bridge.GameOver(first, "xsos", 0, "finished", "t"))
    assert table(at).phase is Phase.REMATCH
    at(mail.Agree(ANN, first))
    assert orders(at(mail.Agree(BOB, first))) == ["MakeGame"]
    assert game(at) != first
    assert [box.who for box in table(at).boxes] == [BOB, ANN]
    at(bridge.SeatsKnown(game(at), "t", table(at).number))
    started = at(bridge.GameStarted(game(at), "t"))
    assert sorted(to for to, body in started if isinstance(body, mail.GameOn)) == ["user:ann", "user:bob"]


def test_one_who_cancels_frees_everybody() -> None:
    at = playing_match()
    at(bridge.GameOver(game(at), "xsos", 0, "finished", "t"))
    at(mail.Agree(BOB, game(at)))
    sent = at(mail.Decline(ANN, "x", game(at)))
    assert events(sent) == {"user:ann": ["E11"]}
    assert [body.reason for _, body in sent if isinstance(body, Over)] == ["rematch_cancelled"]
    assert table(at).phase is Phase.CLOSED


def test_a_cancellation_that_comes_too_late_is_refused() -> None:
    at = playing_match()
    first = game(at)
    at(bridge.GameOver(first, "xsos", 0, "finished", "t"))
    at(mail.Agree(ANN, first))
    at(mail.Agree(BOB, first))
    assert codes(at(mail.Decline(ANN, "x", first))) == ["wrong_state"]
    at(bridge.SeatsKnown(game(at), "t", table(at).number))
    at(bridge.GameStarted(game(at), "t"))
    at(bridge.GameOver(game(at), "xsos", 0, "finished", "t"))
    assert codes(at(mail.Decline(ANN, "y", first))) == ["wrong_state"], "that game has had its rematch"


def test_an_agreement_to_an_earlier_rematch_counts_for_nothing() -> None:
    at = playing_match()
    first = game(at)
    at(bridge.GameOver(first, "xsos", 0, "finished", "t"))
    at(mail.Agree(ANN, first))
    at(mail.Agree(BOB, first))
    at(bridge.SeatsKnown(game(at), "t", table(at).number))
    at(bridge.GameStarted(game(at), "t"))
    at(bridge.GameOver(game(at), "xsos", 0, "finished", "t"))
    at(mail.Agree(ANN, game(at)))
    assert orders(at(mail.Agree(BOB, first))) == []


def test_if_somebody_was_away_at_the_end_there_is_no_rematch() -> None:
    at = playing_match()
    at(mail.GiveUp(ANN, "x"))
    over = at(bridge.GameOver(game(at), "xsos", 0, "finished", "t"))
    assert [body.reason for _, body in over if isinstance(body, Over)] == ["game_over", "game_over"]


def test_a_match_begins_by_itself_when_the_wait_runs_out() -> None:
    at = AtTable(room=None)
    at(mail.MatchMade("xsos", 0, None, (ANN, BOB), ("1", "2")))
    at(mail.Ready(ANN))
    at.now += WAITS.begin
    sent = at(Expire())
    assert [to for to, body in sent if isinstance(body, mail.BeginNow)] == ["user:bob"]
    assert orders(sent) == ["MakeGame"]


def test_an_empty_table_disappears_and_its_watchers_are_told(at: AtTable) -> None:
    at(mail.Watch(CID))
    at.now += WAITS.empty
    sent = at(Expire())
    assert [(to, body.reason) for to, body in sent if isinstance(body, Over)] == [("user:cid", "table_closed")]
    assert table(at).phase is Phase.CLOSED


def test_a_watcher_is_told_which_game_is_played_once_it_is_there(at: AtTable) -> None:
    at(mail.Watch(CID))
    at(mail.Join(ANN, "a", 0))
    sent = at(bridge.SeatsKnown(game(at), "t", table(at).number))
    assert [to for to, body in sent if isinstance(body, mail.NowPlayed)] == ["user:cid"]
    at(mail.Join(BOB, "b", 1))
    sent = at(bridge.SeatsKnown(game(at), "t", table(at).number))
    assert not [body for _, body in sent if isinstance(body, mail.NowPlayed)], "it is the same game"
    assert at(mail.Watch(DAN)) == [("user:dan", mail.NowPlayed(DAN.channel, "t", game(at))), at.letters[-1]]


def test_a_table_with_people_in_line_is_not_empty(at: AtTable) -> None:
    seated(at, ANN, BOB)
    at(bridge.GameStarted(game(at), "t"))
    at(mail.LineUp(CID, "c"))
    at(bridge.GameOver(game(at), "xsos", 0, "aborted", "t"))
    assert table(at).phase is Phase.OPEN
    assert table(at).boxes[0].who == CID


def test_news_of_an_earlier_game_change_nothing() -> None:
    at = playing_match()
    before = table(at)
    at(bridge.GameOver(GameId("another"), "xsos", 0, "finished", "t"))
    assert table(at) is before


def test_whoever_waits_for_a_seat_in_a_game_that_cannot_be_made_is_told_so(at: AtTable) -> None:
    at(mail.Join(ANN, "a", None))
    over = bridge.GameOver(game(at), "xsos", 0, "aborted", "t", reason="cannot_be_made")
    assert codes(at(over)) == ["wrong_state"]
    assert table(at).phase is Phase.CLOSED
