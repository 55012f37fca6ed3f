"""Strategies for the tests. Those that misbehave do so once; a file, named by MISDEED and their class, tells of it."""

import os
import sys
import time
from pathlib import Path

from parlor_sdk import Board, FirstMove, Move, Strategy
from parlor_sdk.tsuro import ROTATIONS


class Sane(Strategy):
    """Lays the first tile that keeps it on the board."""

    def generate_first_move(self, tiles: list[int], board: Board) -> FirstMove:
        for x in range(9):
            near = ((x, 0), (x - 1, 0), (x + 1, 0), (x, 1))
            if all(board.tile_at(*square) is None for square in near):
                return FirstMove(tiles[0], 0, x, 0, "E")
        raise AssertionError("somewhere there is room")

    def generate_move(self, tiles: list[int], board: Board) -> Move:
        here = board.avatar(self.color).spot
        options = [Move(tile, rotation) for tile in tiles for rotation in ROTATIONS]
        ends = {move: board.laid(self.color, move).follow(here) for move in options}
        return next((move for move, end in ends.items() if end not in (None, here)), options[0])


class _Naughty(Sane):
    def misbehave(self) -> object:
        raise NotImplementedError

    def generate_move(self, tiles: list[int], board: Board) -> Move:
        done = Path(f"{os.environ['MISDEED']} {type(self).__name__}")
        if not done.exists():
            done.touch()
            return self.misbehave()  # type: ignore[return-value]  # that is the point
        return super().generate_move(tiles, board)


class Raises(_Naughty):
    def misbehave(self) -> object:
        raise RuntimeError("no idea")


class Exits(_Naughty):
    def misbehave(self) -> object:
        sys.exit("enough")


class Dies(_Naughty):
    def misbehave(self) -> object:
        os._exit(3)


class Sleeps(_Naughty):
    def misbehave(self) -> object:
        time.sleep(600)
        return None


class Oversleeps(Sleeps):
    pass


class Spins(_Naughty):
    def misbehave(self) -> object:
        os.nice(19)  # whatever else is tested just now need not wait for it
        while True:
            pass


class Babbles(_Naughty):
    def misbehave(self) -> object:
        print("what a strategy prints is nobody's answer")
        return {"tile": "left"}


class WrongRotation(_Naughty):
    def misbehave(self) -> object:
        return Move(0, 45)


class Thinks(Sane):
    """Says so in the file THINKING, and ponders its second move until there is a file GO."""

    def generate_move(self, tiles: list[int], board: Board) -> Move:
        if len([tile for tile in board.tiles if tile]) >= 3:
            Path(os.environ["THINKING"]).touch()
            while not Path(os.environ["GO"]).exists():
                time.sleep(0.01)
        return super().generate_move(tiles, board)


class BadColor(Sane):
    def set_color(self, color: str) -> None:
        super().set_color(color)
        raise RuntimeError("I wanted another")


class SilentColor(Sane):
    def set_color(self, color: str) -> None:
        time.sleep(600)


class Unborn(Sane):
    def __init__(self) -> None:
        raise RuntimeError("no")


class NoStrategy:
    pass
