"""What the kit tells contestants about tiles and paths is what the server's rules say."""

import random

from parlor_sdk.tsuro import PORTS, ROTATIONS, Board, Move, Spot, Tile, beyond, exit_of
from services.session.games.tsuro import GAME
from services.session.games.tsuro import tiles as rules
from services.session.games.tsuro.state import TileMove
from shared.kernel import Seat
from tests.support.tsuro import drawn, played, standing


def test_the_tiles_are_the_same() -> None:
    for tile in range(35):
        for rotation in ROTATIONS:
            joined = rules.JOINED[rules.cell_of(tile, rotation)]
            assert [exit_of(tile, rotation, port) for port in PORTS] == [PORTS[port] for port in joined]


def test_paths_lead_to_the_same_ends() -> None:
    dice = random.Random(1)
    squares = dice.sample(range(100), 60)
    laid = [Tile(dice.randrange(35), dice.choice(ROTATIONS), square % 10, square // 10) for square in squares]
    cells = [rules.EMPTY] * 100
    for tile in laid:
        cells[10 * tile.y + tile.x] = rules.cell_of(tile.tile, tile.rotation)
    board = Board(tuple(laid))
    for tile in laid:
        for port in PORTS:
            end = rules.follow(cells, 8 * (10 * tile.y + tile.x) + PORTS.index(port))
            square, at = divmod(end, 8)
            expected = Spot(square % 10, square // 10, PORTS[at])
            assert board.follow(Spot(tile.x, tile.y, port)) == (None if beyond(expected) is None else expected)


def test_a_contestant_can_see_where_a_move_would_lead() -> None:
    state = drawn("2/0  .  2/0", "0,0 C", "9,9 A")
    board = Board.from_json(GAME.view(state, Seat(0))["board"])
    end = board.laid("white", Move(2, 0)).follow(board.avatar("white").spot)
    assert end == (2, 0, "C")
    assert standing(played(state, TileMove(2, 0)))[0] == "2,0 C"
