"""Which placements the rules allow, and what each of them does to the avatars."""

from functools import cache, lru_cache
from typing import NamedTuple

from services.session.games.tsuro.state import AnyMove, Avatar, FirstMove, Port, Rotation, State, TileMove
from services.session.games.tsuro.tiles import (
    BESIDE,
    BEYOND,
    EDGE,
    EMPTY,
    PERIPHERY,
    PORTS,
    SIZE,
    cell_of,
    follow,
)
from shared.kernel import Seat

_ROTATIONS: tuple[Rotation, ...] = (0, 90, 180, 270)
_LETTERS: tuple[Port, ...] = ("A", "B", "C", "D", "E", "F", "G", "H")


class Trip(NamedTuple):
    """Where an avatar comes to stand when a tile is laid before it."""

    seat: Seat
    spot: int
    looped: bool

    @property
    def off(self) -> bool:
        return BEYOND[self.spot] == EDGE


class Option(NamedTuple):
    """One of the ways to place a tile of the hand before the mover's avatar."""

    tile: int
    rotation: Rotation
    trips: tuple[Trip, ...]
    flaw: str | None
    """Why the rules refuse it."""


def ahead(avatar: Avatar) -> int:
    """The square that an avatar on the board faces."""
    return BEYOND[avatar.spot] >> 3


def options(state: State) -> tuple[Option, ...]:
    """Every way to place a tile of the hand, tile by tile and rotation by rotation, for a seat with an avatar."""
    return _options(state.cells, state.avatars, state.asked, state.hand)


def first_move_flaw(state: State, move: FirstMove) -> str | None:
    """Why a first move is refused, None if it is not."""
    if move.tile not in state.hand:
        return "tile_not_in_hand"
    if not (0 <= move.x < SIZE and 0 <= move.y < SIZE):
        return "off_the_board"
    square = SIZE * move.y + move.x
    if square not in PERIPHERY:
        return "not_at_the_periphery"
    if state.cells[square] != EMPTY:
        return "square_taken"
    if not _is_free(state.cells, square):
        return "beside_a_tile"
    if BEYOND[8 * square + PORTS.index(move.port)] == EDGE:
        return "port_faces_the_edge"
    return None


def legal_moves(state: State) -> list[AnyMove]:
    """What the asked seat may answer: squares clockwise from (0,0), then tiles, rotations and ports in their order."""
    if state.round:
        return [TileMove(option.tile, option.rotation) for option in options(state) if not option.flaw]
    hand = tuple(dict.fromkeys(state.hand))
    free = [square for square in PERIPHERY if _is_free(state.cells, square)]
    return [move for square in free for tile in hand for move in _first_moves(square, tile)]


def open_spots(state: State) -> list[int]:
    """Every spot on which a first move may put an avatar, in the order of `legal_moves`."""
    return [spot for square in PERIPHERY if _is_free(state.cells, square) for spot in _inward(square)]


def _is_free(cells: tuple[int, ...], square: int) -> bool:
    return cells[square] == EMPTY and all(cells[beside] == EMPTY for beside in BESIDE[square])


@cache
def _inward(square: int) -> tuple[int, ...]:
    return tuple(spot for spot in range(8 * square, 8 * square + 8) if BEYOND[spot] != EDGE)


@cache  # 36 squares × 35 tiles, up to 24 moves each; made anew they would cost more than all else in a first turn
def _first_moves(square: int, tile: int) -> tuple[FirstMove, ...]:
    return tuple(
        FirstMove(tile, rotation, square % SIZE, square // SIZE, _LETTERS[spot & 7])
        for rotation in _ROTATIONS
        for spot in _inward(square)
    )


@lru_cache(maxsize=1024)  # a position is asked about several times: by a bot, by the views, by the decision
def _options(
    cells: tuple[int, ...], avatars: tuple[Avatar, ...], mover: Seat, hand: tuple[int, ...]
) -> tuple[Option, ...]:
    square = next(ahead(avatar) for avatar in avatars if avatar.seat == mover)
    facing = [(avatar.seat, avatar.spot) for avatar in avatars if ahead(avatar) == square]  # in a loop one faces a tile
    laid = list(cells)
    tried: list[tuple[int, Rotation, tuple[Trip, ...]]] = []
    for tile in dict.fromkeys(hand):
        for rotation in _ROTATIONS:
            laid[square] = cell_of(tile, rotation)
            tried.append((tile, rotation, tuple(_trip(laid, seat, spot) for seat, spot in facing)))
    deadly = [any(trip.seat == mover and trip.off for trip in trips) for _, _, trips in tried]
    looping = [any(trip.looped for trip in trips) for _, _, trips in tried]
    flaws = _flaws(deadly, looping)
    return tuple(Option(*each, flaw) for each, flaw in zip(tried, flaws, strict=True))


def _flaws(deadly: list[bool], looping: list[bool]) -> list[str | None]:
    """Suicide and loops are refused unless nothing else can be done."""
    suicide_is_forced, loop_is_forced = all(deadly), all(looping)
    flaws: list[str | None] = []
    for kills, loops in zip(deadly, looping, strict=True):
        if kills and not suicide_is_forced:
            flaws.append("suicide")
        elif loops and not loop_is_forced:
            flaws.append("loop")
        else:
            flaws.append(None)
    return flaws if None in flaws else [None] * len(flaws)


def _trip(cells: list[int], seat: Seat, spot: int) -> Trip:
    end = follow(cells, spot)
    return Trip(seat, end, looped=end == spot)
