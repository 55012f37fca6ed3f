"""The tiles and paths of Tsuro, as tables."""

import random

import pytest

from services.session.games.tsuro.tiles import (
    BESIDE,
    BEYOND,
    EDGE,
    JOINED,
    PERIPHERY,
    PORTS,
    SIZE,
    SQUARES,
    TILES,
    TURNS,
    cell_of,
    follow,
)
from tests.support.tsuro import cells, spot, where

EVERY_CELL = [(tile, rotation) for tile in range(35) for rotation in TURNS]

UNROTATED = (
    "0 AE BF CH DG · 1 AE BF CG DH · 2 AF BE CH DG · 3 AE BD CG FH · 4 AH BC DE FG · 5 AE BC DH FG · 6 AE BC DG FH · "
    "7 AD BG CF EH · 8 AD BF CG EH · 9 AD BE CH FG · 10 AD BE CG FH · 11 AD BC EH FG · 12 AC BH DF EG · "
    "13 AC BH DE FG · 14 AC BG DF EH · 15 AC BG DE FH · 16 AC BF DH EG · 17 AC BF DG EH · 18 AC BE DH FG · "
    "19 AC BE DG FH · 20 AC BD EH FG · 21 AC BD EG FH · 22 AB CH DG EF · 23 AB CH DF EG · 24 AB CH DE FG · "
    "25 AB CG DH EF · 26 AB CG DF EH · 27 AB CG DE FH · 28 AB CF DH EG · 29 AB CF DG EH · 30 AB CE DH FG · "
    "31 AB CE DG FH · 32 AB CD EH FG · 33 AB CD EG FH · 34 AB CD EF GH"
)


def test_there_are_35_different_tiles_even_when_rotated() -> None:
    assert " · ".join(f"{index} {tile}" for index, tile in enumerate(TILES)) == UNROTATED
    forms = [frozenset(JOINED[cell_of(tile, rotation)] for rotation in TURNS) for tile in range(35)]
    assert len(set(forms)) == 35


@pytest.mark.parametrize(("tile", "rotation"), EVERY_CELL)
def test_every_tile_in_every_rotation_joins_its_eight_ports_in_pairs(tile: int, rotation: int) -> None:
    exits = JOINED[cell_of(tile, rotation)]
    assert sorted(exits) == list(range(8))
    for port in range(8):
        assert exits[exits[port]] == port
        assert exits[port] != port


@pytest.mark.parametrize(("tile", "rotation"), EVERY_CELL)
def test_a_rotation_by_90_degrees_moves_each_port_two_further(tile: int, rotation: int) -> None:
    flat, turned = JOINED[cell_of(tile, 0)], JOINED[cell_of(tile, rotation)]
    for port in range(8):
        assert turned[(port + rotation // 45) % 8] == (flat[port] + rotation // 45) % 8


@pytest.mark.parametrize(
    ("rotation", "exits"), [(0, "CEAGBHDF"), (90, "FHEGCADB"), (180, "FDHBGAEC"), (270, "GEHFBDAC")]
)
def test_tile_19_laid_four_ways(rotation: int, exits: str) -> None:
    assert "".join(PORTS[port] for port in JOINED[cell_of(19, rotation)]) == exits


@pytest.mark.parametrize("pair", ["AF", "BE", "CH", "DG"])
def test_facing_ports_touch_across_every_inner_border(pair: str) -> None:
    one, other = (PORTS.index(port) for port in pair)
    for here in range(SQUARES):
        for near, far in ((one, other), (other, one)):
            beyond = BEYOND[8 * here + near]
            if beyond != EDGE:
                assert beyond % 8 == far
                assert BEYOND[beyond] == 8 * here + near
                assert beyond // 8 in BESIDE[here]


def test_only_the_outermost_ports_look_over_the_edge() -> None:
    over_the_edge = {where(at) for at in range(8 * SQUARES) if BEYOND[at] == EDGE}
    expected = {f"{x},0 {port}" for x in range(SIZE) for port in "AB"}
    expected |= {f"{x},9 {port}" for x in range(SIZE) for port in "EF"}
    expected |= {f"9,{y} {port}" for y in range(SIZE) for port in "CD"}
    expected |= {f"0,{y} {port}" for y in range(SIZE) for port in "GH"}
    assert over_the_edge == expected


def test_the_periphery_goes_clockwise_from_the_top_left() -> None:
    at = [(square % SIZE, square // SIZE) for square in PERIPHERY]
    assert at[:2] == [(0, 0), (1, 0)]
    assert at[9:11] == [(9, 0), (9, 1)]
    assert at[18:20] == [(9, 9), (8, 9)]
    assert at[27:29] == [(0, 9), (0, 8)]
    assert at[-1] == (0, 1)
    assert len(set(at)) == 36


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("0,0 C", "3,0 C"),  # straight on, to the last tile
        ("0,0 D", "3,0 D"),
        ("3,0 H", "0,0 H"),  # and back, over the edge
        ("3,0 E", "3,0 E"),  # nothing lies there
    ],
)
def test_a_straight_row_is_followed_to_its_end(start: str, end: str) -> None:
    row = cells("2/0 2/0 2/0 2/0")
    assert where(follow(row, spot(start))) == end


def test_a_path_may_pass_a_tile_twice() -> None:
    board = cells("""
        .    4/0  4/0
        2/0  2/0  4/0
    """)
    assert where(follow(board, spot("0,1 C"))) == "1,1 E"


@pytest.mark.parametrize(("start", "end"), [("0,0 C", "0,0 G"), ("0,0 D", "0,0 H")])
def test_a_path_may_turn_back_over_the_tile_on_which_it_began(start: str, end: str) -> None:
    assert where(follow(cells("22/0 34/0"), spot(start))) == end


@pytest.mark.parametrize("start", ["0,0 C", "0,0 D", "1,0 G", "1,0 H"])
def test_two_tiles_that_turn_back_at_one_another_make_a_loop(start: str) -> None:
    assert where(follow(cells("34/0 34/0"), spot(start))) == start


@pytest.mark.parametrize("start", ["0,0 D", "0,0 E", "1,0 F", "1,0 G", "1,1 A", "1,1 H", "0,1 B", "0,1 C"])
def test_four_corners_make_a_ring(start: str) -> None:
    ring = cells("""
        4/0  4/0
        4/0  4/0
    """)
    assert where(follow(ring, spot(start))) == start


@pytest.mark.parametrize("seed", range(20))
def test_on_a_full_board_every_path_is_closed_or_leads_over_the_edge(seed: int) -> None:
    dice = random.Random(seed)
    board = tuple(cell_of(dice.randrange(35), dice.choice(TURNS)) for _ in range(SQUARES))
    for start in range(8 * SQUARES):
        end = follow(board, start)
        assert BEYOND[end] == EDGE or end == start
