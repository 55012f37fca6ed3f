"""How a channel follows what other logs have decided: in whatever order it hears, it ends where the table says."""

import pytest

from services.lobby import letters as mail
from services.lobby.channels import FREE, Channel, Refused, Situation, UserFact, Wait
from services.lobby.follow import follow
from services.lobby.letters import Step
from services.lobby.machine import Value
from shared.ids import GameId
from tests.lobby.support import account_with

C = "c"
GAME = GameId("game")
WAIT = Wait(0, 10)


def told(state: Situation, letter: mail.ToUser, ask: str | None = None) -> list[UserFact]:
    """What a letter makes of a channel in a state, of which something may be asked just then."""
    return follow(account_with(Channel(C, "", 5, state), ask), letter)


def walk(facts: list[UserFact]) -> list[tuple[str, Value, str | None]]:
    """Each transition: by what, to where, and why."""
    return [(f.event, f.state.value, f.reason) for f in facts if not isinstance(f, Refused)]  # type: ignore[union-attr]


def refusals(facts: list[UserFact]) -> list[str]:
    return [f"{fact.ask}: {fact.code}" for fact in facts if isinstance(fact, Refused)]


def at(value: Value, game: GameId | None = GAME) -> Situation:
    return Situation(value, table="t", game=game)


def searching(ticket: str) -> Situation:
    return Situation(Value.FIND, queue="q", ticket=ticket)


def test_a_cancelled_search_that_was_matched_before_is_matched_and_the_cancellation_refused() -> None:
    facts = told(searching("1"), mail.Matched(C, "1", at(Value.BEGIN, None)), ask="cancel")
    assert walk(facts) == [("E3", Value.BEGIN, None)]
    assert refusals(facts) == ["cancel: wrong_state"]


def test_a_match_of_an_earlier_search_is_none_of_this_one() -> None:
    assert told(searching("2"), mail.Matched(C, "1", at(Value.BEGIN, None))) == []


def test_a_cancelled_rematch_that_all_had_agreed_to_is_played_and_the_cancellation_refused() -> None:
    facts = told(at(Value.OKREVANCHE), mail.GameOn(C, at(Value.GAME, GameId("next"))), ask="cancel")
    assert walk(facts) == [("E9", Value.GAME, None)]
    assert refusals(facts) == ["cancel: wrong_state"]


def test_whoever_has_not_said_begin_begins_with_the_others() -> None:
    facts = told(at(Value.BEGIN, None), mail.GameOn(C, at(Value.GAME)))
    assert walk(facts) == [("E4", Value.OKBEGIN, None), ("E6", Value.GAME, None)]


@pytest.mark.parametrize(
    ("value", "aborted", "events"),
    [
        (Value.GAME, False, [("E7", Value.REVANCHE, None), ("E11", Value.FREE, "why")]),
        (Value.GAME, True, [("E23", Value.FREE, "why")]),
        (Value.LEAVE, False, [("E26", Value.FREE, "why")]),
        (Value.REVANCHE, False, [("E11", Value.FREE, "why")]),
        (Value.OKREVANCHE, False, [("E10", Value.FREE, "why")]),
        (Value.TAKETURN, False, [("E23", Value.FREE, "why")]),
        (Value.TAKEPLACE, False, [("E23", Value.FREE, "why")]),
        (Value.WATCH, False, [("E18", Value.FREE, "why")]),
    ],
)
def test_the_end_of_a_table_leads_to_free_and_says_why(
    value: Value, aborted: bool, events: list[tuple[str, Value, str | None]]
) -> None:
    facts = told(at(value), mail.Over(C, "t", "why", aborted), ask="anything")
    assert walk(facts) == events
    assert refusals(facts) == ["anything: wrong_state"]


def test_the_end_of_another_table_or_of_an_earlier_game_does_nothing() -> None:
    assert told(at(Value.GAME), mail.Over(C, "another", "why")) == []
    assert told(at(Value.OKREVANCHE), mail.Over(C, "t", "rematch_timeout", game=GameId("earlier"))) == []


def test_whoever_plays_may_have_a_rematch_and_whoever_has_left_is_free() -> None:
    assert walk(told(at(Value.GAME), mail.RematchOpen(C, GAME, WAIT))) == [("E7", Value.REVANCHE, None)]
    assert walk(told(at(Value.LEAVE), mail.RematchOpen(C, GAME, WAIT))) == [("E26", Value.FREE, "game_over")]
    assert told(at(Value.GAME), mail.RematchOpen(C, GameId("earlier"), WAIT)) == []


def test_a_place_is_kept_for_whoever_still_waits_for_one_there() -> None:
    kept = mail.PlaceKept(C, "t", 1, WAIT)
    assert walk(told(at(Value.TAKETURN, None), kept)) == [("E21", Value.TAKEPLACE, None)]
    assert told(Situation(Value.TAKETURN, table="another"), kept) == []
    assert told(at(Value.GAME), kept) == []


def test_only_what_is_asked_for_is_granted_or_denied() -> None:
    left = mail.Granted(C, "ask", (Step("E24", at(Value.LEAVE)), Step("E26", FREE)), "left")
    assert walk(told(at(Value.GAME), left, ask="ask")) == [("E24", Value.LEAVE, None), ("E26", Value.FREE, "left")]
    assert told(at(Value.GAME), left, ask="another ask") == []
    assert told(at(Value.GAME), left) == []
    assert refusals(told(FREE, mail.Denied(C, "ask", "box_taken"), ask="ask")) == ["ask: box_taken"]
    assert told(FREE, mail.Denied(C, "ask", "box_taken"), ask="another ask") == []
