"""What a channel in a chat is told: from its own joining on, until it leaves, each entry once."""

import pytest

from services.lobby.chat import ChatFact, Joined, Left, Said
from services.lobby.cursors import ChatPlace
from services.lobby.feed import Stay
from tests.lobby.support import ANN, BOB

STAY = 7  # the entry in Ann's feed by which her channel came


def stay(place: int = 0, inside: bool = False, until: int | None = None) -> Stay:
    return Stay("chat", ChatPlace(ANN.channel, STAY, place, inside), until)


def told(at: Stay, *facts: ChatFact) -> list[str]:
    """The events of those entries of the chat that are told, which are numbered from 1."""
    lines = [at.take(n, fact) for n, fact in enumerate(facts, start=1)]
    return [f"{line.event} {line.who.nick}" for line in lines if line is not None]


def test_nothing_is_told_before_ones_own_joining() -> None:
    heard = told(stay(), Said(BOB, 1, "early"), Joined(ANN, 2, STAY), Said(BOB, 3, "late"))
    assert heard == ["join Ann", "msg Bob"]


def test_an_earlier_stay_in_the_same_chat_is_another() -> None:
    assert told(stay(), Joined(ANN, 1, STAY - 3), Said(BOB, 2, "then"), Left(ANN, 3), Joined(ANN, 4, STAY)) == [
        "join Ann"
    ]


@pytest.mark.parametrize(("until", "heard"), [(None, ["msg Bob", "msg Bob"]), (5, ["msg Bob"])])
def test_what_is_said_after_one_has_left_is_not_told_though_the_chat_does_not_know_yet(
    until: int | None, heard: list[str]
) -> None:
    assert told(stay(inside=True, until=until), Said(BOB, 5, "while"), Said(BOB, 6, "after")) == heard


def test_it_is_over_when_the_chat_knows_that_one_has_left() -> None:
    at = stay(inside=True)
    assert told(at, Left(ANN, 1), Said(BOB, 2, "after")) == []
    assert at.over


def test_what_a_client_has_been_told_is_not_told_again() -> None:
    assert told(stay(place=2, inside=True), Said(BOB, 1, "a"), Said(BOB, 2, "b"), Said(BOB, 3, "c")) == ["msg Bob"]
