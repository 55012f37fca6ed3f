"""Where a tile may be laid in Tsuro, and how far the avatars travel."""

import pytest

from services.session.games.tsuro import GAME
from services.session.games.tsuro.state import FirstMove, Port, Rotation, TileMove
from shared.kernel import Refusal, Seat
from tests.support.tsuro import CHANCE, after, begun, decided, discarded, drawn, played, standing, told

ROTATIONS: tuple[Rotation, ...] = (0, 90, 180, 270)
LETTERS: tuple[Port, ...] = ("A", "B", "C", "D", "E", "F", "G", "H")
CORNER = FirstMove(0, 0, 0, 0, "C")


# -- the first move -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "y", "port"),
    [(0, 0, "C"), (0, 0, "F"), (9, 0, "H"), (9, 9, "A"), (5, 9, "B"), (0, 5, "D"), (4, 0, "C"), (9, 4, "A")],
)
def test_a_first_tile_goes_to_the_periphery_and_its_avatar_looks_inward(x: int, y: int, port: Port) -> None:
    state = played(begun(2, supply="ordered"), FirstMove(2, 90, x, y, port))
    assert standing(state) == {0: f"{x},{y} {port}"}
    assert GAME.view(state, None)["board"]["tiles"] == ({"tile": 2, "rotation": 90, "x": x, "y": y},)


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (FirstMove(3, 0, 6, 0, "E"), "tile_not_in_hand"),
        (FirstMove(-1, 0, 6, 0, "E"), "tile_not_in_hand"),
        (FirstMove(0, 0, 10, 0, "E"), "off_the_board"),
        (FirstMove(0, 0, -1, 0, "E"), "off_the_board"),
        (FirstMove(0, 0, 5, 5, "E"), "not_at_the_periphery"),
        (FirstMove(0, 0, 3, 0, "E"), "square_taken"),
        (FirstMove(0, 0, 2, 0, "E"), "beside_a_tile"),
        (FirstMove(0, 0, 4, 0, "E"), "beside_a_tile"),
        (FirstMove(0, 0, 6, 0, "A"), "port_faces_the_edge"),
        (FirstMove(0, 0, 9, 9, "D"), "port_faces_the_edge"),
        (TileMove(0, 0), "wrong_kind"),
    ],
)
def test_any_other_first_move_is_discarded(move: FirstMove | TileMove, reason: str) -> None:
    state = drawn(".  .  .  2/0", "3,0 E", None, hand=(0, 1, 2), asked=1, round_=0)
    decision = decided(state, move)
    assert decision.discarded == reason
    assert told(state, decision)[0] == ("move_discarded", {"box": 1, "reason": reason})


def test_a_first_move_is_told_as_a_tile_and_an_avatar() -> None:
    state = begun(2, supply="ordered")
    assert told(state, decided(state, FirstMove(1, 270, 9, 3, "G"))) == [
        ("tile_placed", {"box": 0, "tile": 1, "rotation": 270, "x": 9, "y": 3}),
        ("avatar_moved", {"box": 0, "x": 9, "y": 3, "port": "G"}),
    ]


# -- the later moves ----------------------------------------------------------------------------------------


def test_a_tile_is_laid_before_the_avatar_which_travels_over_it() -> None:
    state = drawn(
        """
        .  .    .
        .  2/0  .
        """,
        "1,1 C", "9,9 A",
    )  # fmt: skip
    assert standing(played(state, TileMove(2, 0))) == {0: "2,1 C", 1: "9,9 A"}


@pytest.mark.parametrize(("rotation", "end"), [(0, "2,1 F"), (90, "2,1 B"), (180, "2,1 C"), (270, "2,1 C")])
def test_the_rotation_decides_where_the_path_leads(rotation: Rotation, end: str) -> None:
    state = drawn(
        """
        .  .    .
        .  2/0  .
        """,
        "1,1 C", "9,9 A", hand=(19, 0),
    )  # fmt: skip
    assert standing(played(state, TileMove(19, rotation)))[0] == end


def test_an_avatar_passes_over_as_many_tiles_as_lie_there() -> None:
    state = drawn(
        """
        .    .  .    .    .    .    .    .    .       .
        2/0  .  2/0  2/0  2/0  2/0  2/0  2/0  4/0     .
        .    .  .    4/0  2/0  2/0  2/0  2/0  12/270  .
        .    .  .    4/0  2/0  2/0  2/0  .    .       .
        """,
        "0,1 D", "9,9 A",
    )  # fmt: skip
    # East along the second row, down at its end, back west, down again and east.
    assert standing(played(state, TileMove(2, 0)))[0] == "6,3 C"


def test_one_tile_moves_every_avatar_that_faces_it() -> None:
    state = drawn(
        """
        .    2/0  .
        2/0  .    2/0
        .    .    .
        """,
        "0,1 C", "2,1 H", "1,0 E", "9,9 A",
    )  # fmt: skip
    decision = decided(state, TileMove(2, 0))
    assert told(state, decision) == [
        ("tile_placed", {"box": 0, "tile": 2, "rotation": 0, "x": 1, "y": 1}),
        ("avatar_moved", {"box": 0, "x": 2, "y": 1, "port": "C"}),
        ("avatar_moved", {"box": 1, "x": 0, "y": 1, "port": "H"}),
        ("avatar_out", {"box": 1, "reason": "edge"}),
        ("avatar_moved", {"box": 2, "x": 1, "y": 1, "port": "E"}),
    ]
    assert standing(after(state, decision.events)) == {0: "2,1 C", 2: "1,1 E", 3: "9,9 A"}


def test_two_avatars_may_share_a_port_and_travel_on_together() -> None:
    state = drawn("2/0  .  2/0  .", "0,0 C", "2,0 C", "9,9 A")
    shared = played(state, TileMove(2, 0))
    assert standing(shared) == {0: "2,0 C", 1: "2,0 C", 2: "9,9 A"}
    apart = drawn("2/0  2/0  2/0  .", "2,0 C", "2,0 C", "9,9 A", asked=1)
    assert standing(played(apart, TileMove(2, 0))) == {0: "3,0 C", 1: "3,0 C", 2: "9,9 A"}


@pytest.mark.parametrize("move", [TileMove(5, 0), TileMove(-1, 0), TileMove(99, 90)])
def test_a_tile_that_was_not_dealt_is_discarded(move: TileMove) -> None:
    state = drawn("2/0", "0,0 C", "9,9 A", hand=(2, 34))
    assert decided(state, move).discarded == "tile_not_in_hand"


def test_a_second_first_move_is_discarded() -> None:
    assert decided(drawn("2/0", "0,0 C", "9,9 A"), FirstMove(2, 0, 5, 0, "E")).discarded == "wrong_kind"


# -- suicide and loops --------------------------------------------------------------------------------------


def test_leaving_the_board_is_refused_while_another_option_stays_on_it() -> None:
    state = drawn("2/0  .", "0,0 C", "9,9 A", hand=(4, 2))  # 4 leads up and over the edge
    assert decided(state, TileMove(4, 0)).discarded == "suicide"
    assert standing(played(state, TileMove(2, 0)))[0] == "1,0 C"


def test_leaving_the_board_is_allowed_when_all_eight_options_do() -> None:
    state = drawn(".  .  .  .  .  .  .  .  2/0  .", "8,0 C", "9,9 A", "0,9 A", hand=(2, 4))
    assert len(GAME.legal_moves(state, Seat(0))) == 8
    decision = decided(state, TileMove(2, 0))
    assert decision.discarded is None
    assert ("avatar_out", {"box": 0, "reason": "edge"}) in told(state, decision)
    assert standing(after(state, decision.events)) == {1: "9,9 A", 2: "0,9 A"}


def test_sending_another_off_the_board_is_nobodys_suicide() -> None:
    state = drawn("2/0  .  2/0", "0,0 C", "2,0 H", "9,9 A")
    assert standing(played(state, TileMove(2, 0))) == {0: "2,0 C", 2: "9,9 A"}


def test_a_loop_of_ones_own_is_refused_while_another_option_avoids_it() -> None:
    state = drawn("34/0  .", "0,0 C", "9,9 A", hand=(34, 2))
    assert decided(state, TileMove(34, 0)).discarded == "loop"
    assert standing(played(state, TileMove(2, 0)))[0] == "1,0 C"


def test_a_loop_for_another_is_refused_while_another_option_avoids_it() -> None:
    state = drawn(
        """
        .    .  .
        2/0  .  34/0
        """,
        "0,1 C", "2,1 H", "9,9 A", hand=(32, 4),
    )  # fmt: skip
    assert decided(state, TileMove(32, 0)).discarded == "loop"  # 32 turns back whoever comes from the east
    assert standing(played(state, TileMove(4, 0))) == {0: "1,1 A", 1: "1,1 B", 2: "9,9 A"}


def test_a_loop_is_allowed_when_every_option_makes_one() -> None:
    state = drawn("34/0  .", "0,0 C", "9,9 A", "0,9 A", hand=(34, 34))
    decision = decided(state, TileMove(34, 90))
    assert decision.discarded is None
    assert told(state, decision)[1:] == [
        ("avatar_moved", {"box": 0, "x": 0, "y": 0, "port": "C"}),
        ("avatar_looped", {"box": 0}),
    ]
    looped = after(state, decision.events)
    assert standing(looped)[0] == "0,0 C"
    assert GAME.view(looped, None)["looped"] == [0]


def test_every_option_is_allowed_when_some_kill_and_all_others_loop() -> None:
    state = drawn(".  .  .  .  .  .  .  .  34/0  .", "8,0 C", "9,9 A", "0,9 A", hand=(34, 4))
    assert len(GAME.legal_moves(state, Seat(0))) == 8
    assert 0 not in standing(played(state, TileMove(4, 0)))
    assert standing(played(state, TileMove(34, 0)))[0] == "8,0 C"


def test_among_options_that_all_kill_those_that_also_catch_another_in_a_loop_are_refused() -> None:
    state = drawn(
        """
        .  .  .  .  .  .  .  .  7/0  .
        .  .  .  .  .  .  .  .  .    34/0
        """,
        "8,0 C", "9,1 A", "0,9 A", hand=(2, 34),
    )  # fmt: skip
    # 2 leads straight over the edge. 34 sends white back, and over the edge as well; black it turns back for ever.
    assert GAME.legal_moves(state, Seat(0)) == [TileMove(2, 0), TileMove(2, 90), TileMove(2, 180), TileMove(2, 270)]
    assert decided(state, TileMove(34, 0)).discarded == "loop"


# -- who may answer -----------------------------------------------------------------------------------------


def test_only_the_asked_seat_may_answer() -> None:
    state = begun(3)
    assert GAME.decide(state, Seat(1), CORNER, CHANCE) is Refusal.NOT_YOUR_TURN
    assert GAME.legal_moves(state, Seat(1)) == []


def test_a_bad_answer_is_the_only_one() -> None:
    state = begun(3, supply="ordered")
    state = discarded(state, TileMove(0, 0))
    assert GAME.decide(state, Seat(0), CORNER, CHANCE) is Refusal.NOT_YOUR_TURN


def test_an_answer_that_names_another_request_is_refused_and_consumes_nothing() -> None:
    state = begun(2, supply="ordered")
    late = FirstMove(0, 0, 0, 0, "C", number=state.number + 1)
    assert GAME.decide(state, Seat(0), late, CHANCE) is Refusal.WRONG_PHASE
    assert played(state, FirstMove(0, 0, 0, 0, "C", number=state.number)).asked == 1


def test_the_legal_moves_are_exactly_those_that_are_not_discarded() -> None:
    state = begun(2, supply="ordered")
    legal = set(GAME.legal_moves(state, Seat(0)))
    every = {
        FirstMove(tile, rotation, x, y, port)
        for tile in (0, 1, 2, 3)
        for rotation in ROTATIONS
        for x in range(10)
        for y in range(10)
        for port in LETTERS
    }
    assert {move for move in every if decided(state, move).discarded is None} == legal
    assert len(legal) == 3 * 4 * (32 * 6 + 4 * 4)
