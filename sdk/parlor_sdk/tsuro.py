"""Tsuro for those who write strategies: what a strategy is given and gives back, and where paths lead."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

SIZE = 10
PORTS = "ABCDEFGH"
ROTATIONS = (0, 90, 180, 270)
TILES = (
    "AE BF CH DG", "AE BF CG DH", "AF BE CH DG", "AE BD CG FH", "AH BC DE FG", "AE BC DH FG", "AE BC DG FH",
    "AD BG CF EH", "AD BF CG EH", "AD BE CH FG", "AD BE CG FH", "AD BC EH FG", "AC BH DF EG", "AC BH DE FG",
    "AC BG DF EH", "AC BG DE FH", "AC BF DH EG", "AC BF DG EH", "AC BE DH FG", "AC BE DG FH", "AC BD EH FG",
    "AC BD EG FH", "AB CH DG EF", "AB CH DF EG", "AB CH DE FG", "AB CG DH EF", "AB CG DF EH", "AB CG DE FH",
    "AB CF DH EG", "AB CF DG EH", "AB CE DH FG", "AB CE DG FH", "AB CD EH FG", "AB CD EG FH", "AB CD EF GH",
)  # fmt: skip
"""Each tile as the pairs of ports that it joins: A B north, C D east, E F south, G H west, clockwise."""

_FACING = dict(zip("ABCDEFGH", "FEHGBADC", strict=True))
_STEP = {"A": (0, -1), "B": (0, -1), "C": (1, 0), "D": (1, 0), "E": (0, 1), "F": (0, 1), "G": (-1, 0), "H": (-1, 0)}


class Spot(NamedTuple):
    """A port of a square: where an avatar stands, looking out over that side of its tile."""

    x: int
    y: int
    port: str


@dataclass(frozen=True)
class Tile:
    """A tile on the board; rotations are degrees clockwise."""

    tile: int
    rotation: int
    x: int
    y: int


@dataclass(frozen=True)
class Avatar:
    box: int
    color: str
    x: int
    y: int
    port: str

    @property
    def spot(self) -> Spot:
        return Spot(self.x, self.y, self.port)


@dataclass(frozen=True)
class Move:
    """A tile of the hand, laid before one's avatar."""

    tile: int
    rotation: int


@dataclass(frozen=True)
class FirstMove:
    """A tile of the hand on an empty square at the edge with no tile beside it, and a port that looks inward."""

    tile: int
    rotation: int
    x: int
    y: int
    port: str


class Board:
    """What lies and stands on the board."""

    def __init__(self, tiles: tuple[Tile, ...] = (), avatars: tuple[Avatar, ...] = ()) -> None:
        self.tiles = tiles
        self.avatars = avatars
        self._by_square = {(tile.x, tile.y): tile for tile in tiles}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Board":
        tiles = tuple(Tile(t["tile"], t["rotation"], t["x"], t["y"]) for t in data["tiles"])
        avatars = tuple(Avatar(a["box"], a["color"], a["x"], a["y"], a["port"]) for a in data["avatars"])
        return cls(tiles, avatars)

    def tile_at(self, x: int, y: int) -> Tile | None:
        return self._by_square.get((x, y))

    def avatar(self, color: str) -> Avatar:
        """The avatar of a colour; raises KeyError if it is not on the board."""
        for avatar in self.avatars:
            if avatar.color == color:
                return avatar
        raise KeyError(color)

    def laid(self, color: str, move: Move) -> "Board":
        """The board with a tile laid before an avatar; nobody has moved yet."""
        square = beyond(self.avatar(color).spot)
        if square is None:
            raise ValueError(f"{color} looks over the edge")
        return Board((*self.tiles, Tile(move.tile, move.rotation, square.x, square.y)), self.avatars)

    def follow(self, start: Spot) -> Spot | None:
        """Where an avatar comes to stand, None if it leaves the board; in a closed loop that is where it was."""
        spot = start
        while (entered := beyond(spot)) is not None:
            tile = self.tile_at(entered.x, entered.y)
            if tile is None:
                return spot
            spot = Spot(entered.x, entered.y, exit_of(tile.tile, tile.rotation, entered.port))
            if spot == start:
                return spot
        return None


def exit_of(tile: int, rotation: int, port: str) -> str:
    """The port at the other end of a tile's path."""
    shift = rotation // 45
    unturned = PORTS[(PORTS.index(port) - shift) % 8]
    pair = next(pair for pair in TILES[tile].split() if unturned in pair)
    return PORTS[(PORTS.index(pair.replace(unturned, "")) + shift) % 8]


def beyond(spot: Spot) -> Spot | None:
    """The port that touches this one from the next square, None at the edge of the board."""
    dx, dy = _STEP[spot.port]
    x, y = spot.x + dx, spot.y + dy
    return Spot(x, y, _FACING[spot.port]) if 0 <= x < SIZE and 0 <= y < SIZE else None


class Strategy(ABC):
    """A player of Tsuro. It is asked from a process of its own, one question at a time.

    Whoever raises, takes too long or answers something else than a move forfeits that move.
    """

    color = ""

    def set_color(self, color: str) -> None:
        """You are this colour; called before anything else."""
        self.color = color

    @abstractmethod
    def generate_first_move(self, tiles: list[int], board: Board) -> FirstMove:
        """Choose one of three tiles, where it lies, and where the avatar stands on it."""

    @abstractmethod
    def generate_move(self, tiles: list[int], board: Board) -> Move:
        """Choose one of two tiles, and how it lies before the avatar."""
