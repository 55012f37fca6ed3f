"""A game for stakes starts once everyone has paid, and never if somebody cannot."""

import pytest

from services.lobby import letters as mail
from services.lobby.channels import Account, Channel, Situation, evolve
from services.lobby.draft import BANK
from services.lobby.follow import follow
from services.lobby.machine import Value
from services.lobby.table import Phase
from shared import bridge
from shared.ids import GameId
from tests.lobby.support import ANN, BOB, AtTable


def sent(letters: list[tuple[str, object]], to: str) -> list[object]:
    return [body for addressee, body in letters if addressee == to]


def game(at: AtTable) -> GameId:
    assert at.table is not None
    assert at.table.game is not None
    return at.table.game


def seats_known(at: AtTable) -> list[tuple[str, object]]:
    assert at.table is not None
    return at(bridge.SeatsKnown(game(at), "t", at.table.number))


@pytest.fixture
def at() -> AtTable:
    """A match for 100 that everyone is ready for."""
    made = AtTable(room=None)
    made(mail.MatchMade("xsos", 100, "FUN", (ANN, BOB), ("1", "2")))
    made(mail.Ready(ANN))
    made(mail.Ready(BOB))
    return made


def test_the_bank_is_asked_before_the_game_starts(at: AtTable) -> None:
    letters = seats_known(at)
    assert sent(letters, bridge.SESSION) == []
    assert sent(letters, BANK) == [mail.TakeBets("t", game(at), "xsos", "FUN", 100, (ANN.user, BOB.user))]


def test_the_game_starts_when_the_bets_are_in_and_only_once(at: AtTable) -> None:
    seats_known(at)
    assert sent(at(mail.BetsDecided(game(at), taken=True)), bridge.SESSION) == [bridge.StartGame(game(at))]
    assert at(mail.BetsDecided(game(at), taken=True)) == []


def test_a_verdict_on_another_game_does_nothing(at: AtTable) -> None:
    seats_known(at)
    assert at(mail.BetsDecided(GameId("another"), taken=True)) == []


def test_a_result_is_settled_with_its_winners_and_an_abort_without(at: AtTable) -> None:
    seats_known(at)
    at(mail.BetsDecided(game(at), taken=True))
    at(bridge.GameStarted(game(at), "t"))
    over = bridge.GameOver(game(at), "xsos", 0, "finished", "t", (ANN.user, BOB.user), (1,))
    assert sent(at(over), BANK) == [mail.Settle(game(at), "FUN", (1,))]
    assert at(over) == [], "a result that is told twice is settled once"


@pytest.mark.parametrize(
    ("before", "events"),
    [
        (Value.OKBEGIN, ["E6", "E23"]),
        (Value.OKREVANCHE, ["E9", "E23"]),
        (Value.GAME, ["E23"]),
        (Value.LEAVE, ["E26"]),
    ],
)
def test_if_somebody_cannot_pay_all_are_freed_and_told_why(at: AtTable, before: Value, events: list[str]) -> None:
    seats_known(at)
    refused = at(mail.BetsDecided(game(at), taken=False))
    assert sent(refused, bridge.SESSION) == [bridge.AbortGame(game(at), "insufficient_funds")]
    over = at(bridge.GameOver(game(at), "xsos", 0, "aborted", "t", reason="insufficient_funds"))
    assert sent(over, BANK) == [mail.Settle(game(at), "FUN", ())]
    assert at.table is not None
    assert at.table.phase is Phase.CLOSED

    channel = Channel(ANN.channel, "", 1, Situation(before, table="t", game=str(game(at))))
    account, facts = Account({channel.id: channel}), []
    for letter in sent(over, f"user:{ANN.user}"):
        for fact in follow(account, letter):  # type: ignore[arg-type]  # only letters to users are sent there
            account = evolve(account, fact, 0)
            facts.append(fact)
    assert [getattr(fact, "event", None) for fact in facts] == events
    assert account.channels[channel.id].state.value is Value.FREE
    assert getattr(facts[-1], "reason", None) == "insufficient_funds"
