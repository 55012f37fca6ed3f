"""What clients are told of go, and what they may say."""

import msgspec
import pytest

from services.session.games.go import GAME, GoOptions, Passed, Placed
from services.session.games.go.moves import PASS, AnyMove, Pass
from services.session.games.stones import Play
from shared.kernel import Decision
from tests.support.go import (
    ANN,
    BOB,
    CHANCE,
    KOS,
    ONE_STONE,
    WALLS,
    WHITE_TO_MOVE,
    after,
    allowed,
    position,
)


def test_a_capture_is_told_with_the_board_after_it() -> None:
    before = position("""
        O O * .
        X X . .
        . . . .
        . . . .
    """)  # fmt: skip
    decision = GAME.decide(before, ANN, Play(2, 0), CHANCE)
    assert decision == Decision((Placed(ANN, 2, (0, 1)),))
    told = GAME.project(after(before, (2, 0)), Placed(ANN, 2, (0, 1)), BOB)
    nothing = (None, None, None, None)
    assert told.event == "response"
    assert told.data == {
        "color": "black", "x": 2, "y": 0, "captured": [(0, 0), (1, 0)], "turn": "white",
        "board": ((None, None, "black", None), ("black", "black", None, None), nothing, nothing),
        "captures": {"black": 2, "white": 0}, "last": (2, 0), "passes": 0,
    }  # fmt: skip


def test_a_pass_is_told_without_a_point() -> None:
    told = GAME.project(after(position(WALLS), (5, 0), PASS), Passed(BOB), None).data
    assert (told["color"], told["x"], told["y"], told["captured"]) == ("white", None, None, [])
    assert (told["turn"], told["passes"], told["last"]) == ("black", 1, None)


def test_a_move_taken_back_is_told_with_everything_as_it_was() -> None:
    before = after(position(ONE_STONE, WHITE_TO_MOVE), (4, 4))
    view = GAME.view(before, None)
    assert after(before, (2, 1)).captures == (1, 0)
    told = GAME.project(before, Placed(ANN, 7, (6,)), None).data
    assert (told["color"], told["x"], told["y"], told["captured"]) == ("black", 2, 1, [(1, 1)])
    assert (told["turn"], told["captures"], told["last"]) == ("black", {"black": 0, "white": 0}, (4, 4))
    assert told["board"] == view["board"]
    assert told["board"][1] == ("black", "white", None, None, None)


@pytest.mark.parametrize("move", [(2, 1), PASS], ids=["capture", "pass"])
def test_what_a_move_changes_of_the_view_is_in_its_message(move: tuple[int, int] | Pass) -> None:
    before = position(ONE_STONE)
    later = after(before, move)
    told = GAME.project(later, Passed(ANN) if isinstance(move, Pass) else Placed(ANN, 7, (6,)), None).data
    view = GAME.view(before, None)
    assert {**view, **{name: told[name] for name in view if name in told}} == GAME.view(later, None)


def test_going_back_to_an_earlier_position_forgets_what_was_seen_since() -> None:
    """An undo returns to the earlier value, so the ko that the taken-back capture began is gone with it."""
    before = position(KOS, WHITE_TO_MOVE)
    taken = after(before, (1, 1))
    assert not allowed(taken, 2, 1)
    assert len(taken.seen) == len(before.seen) + 1
    assert allowed(after(before, (8, 8), (8, 7)), 1, 1)


@pytest.mark.parametrize(
    "options",
    ['{"size": 8}', '{"size": 15}', '{"size": "9"}', '{"komi": 6.3}', '{"komi": 101}', '{"komi": null}', '{"rule": 1}'],
)
def test_options_have_limits(options: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(options, type=GoOptions)


def test_a_pass_and_a_play_are_told_apart_by_their_type() -> None:
    assert msgspec.json.decode(b'{"type": "pass", "seen": 4}', type=AnyMove) == Pass(seen=4)
    assert msgspec.json.decode(b'{"type": "play", "x": 1, "y": 2}', type=AnyMove) == Play(1, 2)
