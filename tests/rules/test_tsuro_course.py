"""A game of Tsuro from its opening on: who is asked what, which tiles are dealt, and what each may see."""

from typing import Any

import msgspec
import pytest

from services.session.games.tsuro import GAME, strategies
from services.session.games.tsuro.state import (
    COLORS,
    AnyMove,
    Asked,
    FirstMove,
    State,
    Supplied,
    TileMove,
    TsuroOptions,
)
from shared.kernel import Chance, Decision, Message, Outcome, Seat
from tests.support.tsuro import after, begun, decided, discarded, drawn, is_asked, outcome, played, told


def messages(state: State, viewer: int | None) -> list[Message]:
    """What a viewer is told when the game opens."""
    sent = []
    for event in GAME.opening(state):
        state = GAME.evolve(state, event)
        sent.append(GAME.project(state, event, None if viewer is None else Seat(viewer)))
    return [message for message in sent if message is not None]


def play_on(seats: int, seed: int, **options: Any) -> tuple[State, list[Asked], list[Supplied]]:
    """A whole game of `random`, with everything that was dealt in it."""
    secret = bytes([seed])
    state = GAME.setup("tsuro", seats, TsuroOptions(**options), Chance(secret, "setup"))
    supplies = [Supplied(state.supply)]
    opening = GAME.opening(state)
    asked = [event for event in opening if isinstance(event, Asked)]
    state = after(state, opening)
    while not isinstance(turn := GAME.to_act(state), Outcome):
        move = strategies.random(state, turn[0], Chance(secret, f"bot {state.number}"))
        decision = GAME.decide(state, turn[0], move, Chance(secret, f"move {state.number}"))
        assert isinstance(decision, Decision)
        assert decision.discarded is None
        asked += [event for event in decision.events if isinstance(event, Asked)]
        supplies += [event for event in decision.events if isinstance(event, Supplied)]
        state = after(state, decision.events)
    return state, asked, supplies


# -- turns --------------------------------------------------------------------------------------------------


def test_at_the_start_each_is_given_a_colour_and_the_first_is_asked() -> None:
    state = GAME.setup("tsuro", 3, TsuroOptions(supply="ordered"), Chance(b"", ""))
    for box, color in enumerate(("white", "black", "red")):
        first, *rest = messages(state, box)
        assert (first.event, first.data["color"]) == ("set_color", color)
        assert [message.event for message in rest] == (["generate_first_move"] if box == 0 else [])
    prompt = messages(state, 0)[-1].data
    assert prompt["tiles"] == (0, 1, 2)
    assert prompt["board"] == {"tiles": (), "avatars": []}
    assert messages(state, None) == []


def test_after_all_first_moves_each_is_asked_for_a_move_in_turn() -> None:
    state = begun(3, supply="ordered")
    moves: list[AnyMove] = [
        FirstMove(0, 0, 0, 0, "C"), FirstMove(3, 0, 5, 0, "E"), FirstMove(6, 0, 9, 5, "G"),
        TileMove(9, 0), TileMove(11, 0), TileMove(13, 0), TileMove(15, 0),
    ]  # fmt: skip
    seen = []
    for move in moves:
        seen.append((state.asked, state.round, state.hand))
        state = played(state, move)
    assert seen == [
        (0, 0, (0, 1, 2)), (1, 0, (3, 4, 5)), (2, 0, (6, 7, 8)),
        (0, 1, (9, 10)), (1, 1, (11, 12)), (2, 1, (13, 14)), (0, 2, (15, 16)),
    ]  # fmt: skip


def test_only_the_asked_seat_hears_the_question() -> None:
    state = begun(2, supply="ordered")
    decision = decided(state, FirstMove(0, 0, 0, 0, "C"))
    assert is_asked(decision) == 1
    assert [event for event, _ in told(state, decision, viewer=0)] == ["tile_placed", "avatar_moved"]
    assert [event for event, _ in told(state, decision, viewer=None)] == ["tile_placed", "avatar_moved"]
    event, prompt = told(state, decision, viewer=1)[-1]
    assert event == "generate_first_move"
    assert prompt["tiles"] == (3, 4, 5)
    assert prompt["board"]["avatars"] == [{"box": 0, "color": "white", "x": 0, "y": 0, "port": "C"}]


@pytest.mark.parametrize("seed", range(3))
def test_eight_can_play(seed: int) -> None:
    state, asked, _ = play_on(8, seed)
    assert [each.seat for each in asked[:8]] == list(range(8))
    assert all(len(each.hand) == (3 if each.round == 0 else 2) for each in asked)
    assert GAME.view(state, None)["colors"] == COLORS
    assert len(COLORS) == 8
    assert set(outcome(state).winners) <= set(range(8))


def test_within_a_round_seats_are_asked_in_the_order_of_their_boxes() -> None:
    _, asked, _ = play_on(5, seed=1)
    turns = [(each.round, each.seat) for each in asked]
    assert turns == sorted(turns)
    assert len(turns) == len(set(turns))


# -- the supply ---------------------------------------------------------------------------------------------


def test_a_shuffled_supply_deals_all_35_tiles_before_it_repeats() -> None:
    _, asked, supplies = play_on(4, seed=3)
    dealt = [tile for each in asked for tile in each.hand]
    assert len(dealt) > 3 * 35, "a game too short to tell"
    for start in range(0, len(dealt) - 35, 35):
        assert sorted(dealt[start : start + 35]) == list(range(35))
    assert dealt[:35] != dealt[35:70]
    assert [tile for supply in supplies for tile in supply.tiles][: len(dealt)] == dealt


def test_an_ordered_supply_deals_them_by_their_numbers_over_and_over() -> None:
    _, asked, _ = play_on(4, seed=3, supply="ordered")
    dealt = [tile for each in asked for tile in each.hand]
    assert dealt == [index % 35 for index in range(len(dealt))]
    assert len(dealt) > 35


def test_a_dealt_tile_is_used_up_played_or_not() -> None:
    state = begun(2, supply="ordered")
    state = discarded(state, TileMove(0, 0))
    assert state.hand == (3, 4, 5)


def test_replaying_events_shuffles_nothing() -> None:
    """The order of the tiles is in the events, so no chance is needed to play them again."""
    state = drawn("2/0", "0,0 C", "9,9 A")
    state = msgspec.structs.replace(state, supply=(7,), ordered=False)
    decision = decided(state, TileMove(2, 0))
    (more,) = [event for event in decision.events if isinstance(event, Supplied)]
    assert sorted(more.tiles) == list(range(35))
    assert after(state, decision.events).hand == (7, more.tiles[0])


# -- what can be seen ---------------------------------------------------------------------------------------


def test_only_the_asked_seat_sees_its_request() -> None:
    state = drawn("2/0", "0,0 C", "9,9 A", hand=(5, 17))
    request = {"event": "generate_move", "tiles": (5, 17), "number": 1}
    assert GAME.view(state, Seat(0))["request"] == request
    assert "request" not in GAME.view(state, Seat(1))
    assert "request" not in GAME.view(state, None)
    assert GAME.view(begun(2), Seat(0))["request"]["event"] == "generate_first_move"


def test_everyone_sees_the_board_the_colours_and_who_is_out() -> None:
    state = drawn("34/0 34/0", "0,0 C", "9,9 A", None, asked=1, looped=[0], out_in={2: 1})
    assert GAME.view(state, None) == {
        "board": {
            "tiles": ({"tile": 34, "rotation": 0, "x": 0, "y": 0}, {"tile": 34, "rotation": 0, "x": 1, "y": 0}),
            "avatars": [
                {"box": 0, "color": "white", "x": 0, "y": 0, "port": "C"},
                {"box": 1, "color": "black", "x": 9, "y": 9, "port": "A"},
            ],
        },
        "colors": ("white", "black", "red"),
        "turn": 1,
        "round": 1,
        "looped": [0],
        "out": [2],
    }


def test_nobody_is_told_which_tiles_come_next() -> None:
    _, _, supplies = play_on(3, seed=5)
    state = GAME.setup("tsuro", 3, TsuroOptions(), Chance(bytes([5]), "setup"))
    assert supplies[0].tiles == state.supply
    for viewer in (None, Seat(0), Seat(1), Seat(2)):
        assert GAME.project(state, Supplied(tuple(range(35))), viewer) is None
        shuffled = msgspec.structs.replace(state, supply=state.supply[::-1])
        assert GAME.view(state, viewer) == GAME.view(shuffled, viewer)


def test_when_it_is_over_nobody_is_asked() -> None:
    state, _, _ = play_on(3, seed=5)
    view = GAME.view(state, Seat(0))
    assert view["turn"] is None
    assert "request" not in view
