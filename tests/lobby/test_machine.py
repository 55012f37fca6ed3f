"""The channel machine: one table, of which the documentation shows the same."""

from pathlib import Path

import pytest

from services.lobby import machine
from services.lobby.channels import Channel, Situation, evolve, moved
from services.lobby.follow import follow
from services.lobby.letters import Granted, Step
from services.lobby.machine import EVENTS, TABLE, Value
from tests.lobby.support import account_with

# Written out by hand from the specification, so that the table in the code has something to be compared with.
LEGAL = {
    ("free", "E1"): "chat", ("free", "E2"): "find", ("find", "E3"): "begin", ("begin", "E4"): "okbegin",
    ("okbegin", "E6"): "game", ("game", "E7"): "revanche", ("revanche", "E8"): "okrevanche",
    ("okrevanche", "E9"): "game", ("okrevanche", "E10"): "free", ("revanche", "E11"): "free",
    ("find", "E12"): "free", ("chat", "E13"): "free", ("free", "E15"): "subscribed", ("subscribed", "E16"): "free",
    ("free", "E17"): "watch", ("watch", "E18"): "free", ("free", "E19"): "takeplace", ("free", "E20"): "taketurn",
    ("taketurn", "E21"): "takeplace", ("takeplace", "E22"): "game", ("taketurn", "E23"): "free",
    ("takeplace", "E23"): "free", ("game", "E23"): "free", ("game", "E24"): "leave", ("leave", "E25"): "game",
    ("leave", "E26"): "free", ("free", "E27"): "game",
}  # fmt: skip


def test_there_are_13_states_and_25_events() -> None:
    assert len(Value) == 13
    assert len(EVENTS) == 25
    assert {row.event for row in TABLE} == set(EVENTS)


@pytest.mark.parametrize("state", Value)
@pytest.mark.parametrize("event", EVENTS)
def test_every_pair_of_state_and_event(state: Value, event: str) -> None:
    """A legal one lands where the table says; any other is refused and changes nothing."""
    channel = Channel("c", "", version=7, state=Situation(state))
    account = account_with(channel, ask="a")
    fact = moved(channel, event)
    followed = follow(account, Granted("c", "a", (Step(event, Situation()),)))
    expected = LEGAL.get((state.value, event))
    if expected is None:
        assert fact is None
        [refused] = followed
        after = evolve(account, refused, at=0).channels["c"]
        assert (after.state, after.version, after.asked) == (channel.state, 7, None)
    else:
        assert fact is not None
        after = evolve(account, followed[0], at=0).channels["c"]
        assert (after.state.value, after.version, after.asked) == (expected, 8, None)


def test_a_command_is_allowed_exactly_where_it_starts_a_transition() -> None:
    allowed = {
        (state.value, command) for state in Value for command in machine.COMMANDS if machine.allows(state, command)
    }
    expected = {
        ("free", "chatjoin"), ("free", "find"), ("begin", "begin"), ("revanche", "revanche"),
        ("revanche", "cancelrevanche"), ("okrevanche", "cancelrevanche"), ("find", "findcancel"),
        ("chat", "chatleave"), ("chat", "chatmsg"), ("free", "subscribe"), ("subscribed", "unsubscribe"),
        ("free", "watch"), ("watch", "unwatch"), ("free", "takeplace"), ("free", "taketurn"),
        ("takeplace", "sitdown"), ("taketurn", "leave"), ("takeplace", "leave"), ("game", "leave"),
        ("leave", "return"), ("free", "join"),
    }  # fmt: skip
    assert allowed == expected


def test_the_documentation_shows_the_machine_that_runs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "channel-machine.md").read_text()
    assert machine.document() in page
    assert machine.diagram() in page
