"""What a game of Tsuro knows: a position, the moves that are asked for, and the events that happen."""

from typing import Literal, TypeAlias

from services.session.games.tsuro.tiles import EMPTY, SQUARES
from shared.kernel import Event, Move, Options, Seat, Value

COLORS = ("white", "black", "red", "green", "blue", "yellow", "brown", "purple")
FIRST_HAND, LATER_HAND = 3, 2

Rotation: TypeAlias = Literal[0, 90, 180, 270]
Port: TypeAlias = Literal["A", "B", "C", "D", "E", "F", "G", "H"]
Cause: TypeAlias = Literal["edge", "first_move", "eliminated", "resigned"]


class TsuroOptions(Options, frozen=True):
    invalid: Literal["discard", "eliminate"] = "discard"
    """Whether a bad move, or none in time, costs the move or the avatar."""
    supply: Literal["shuffled", "ordered"] = "shuffled"
    """Whether each round of all 35 tiles is shuffled, or dealt 0, 1, 2, …"""


class Avatar(Value, frozen=True):
    seat: Seat
    spot: int
    looped: bool = False


class Gone(Value, frozen=True):
    """A seat that is out: since which round, and why."""

    seat: Seat
    round: int
    cause: Cause


class State(Value, frozen=True):
    seats: int
    eliminate: bool
    ordered: bool
    supply: tuple[int, ...]
    """The tiles to be dealt next, from the left; more are added when they run out."""
    cells: tuple[int, ...] = (EMPTY,) * SQUARES
    avatars: tuple[Avatar, ...] = ()
    """Those on the board, by box."""
    gone: tuple[Gone, ...] = ()
    round: int = 0
    """0 while first moves are made."""
    asked: Seat = Seat(-1)
    """Who was asked last."""
    hand: tuple[int, ...] = ()
    """The tiles it may choose from; none once it has answered."""
    number: int = 0
    """How many moves have been asked for."""
    discarded: int = 0
    """How many moves in a row came to nothing."""

    def avatar(self, seat: Seat) -> Avatar | None:
        return next((avatar for avatar in self.avatars if avatar.seat == seat), None)

    def is_gone(self, seat: Seat) -> bool:
        return any(gone.seat == seat for gone in self.gone)


class FirstMove(Move, frozen=True, tag="first_move"):
    tile: int
    rotation: Rotation
    x: int
    y: int
    port: Port
    number: int | None = None
    """Which request this answers; given, it is never taken for the answer to another."""


class TileMove(Move, frozen=True, tag="move"):
    tile: int
    rotation: Rotation
    number: int | None = None
    """Which request this answers; given, it is never taken for the answer to another."""


AnyMove: TypeAlias = FirstMove | TileMove


class ColorSet(Event, frozen=True, tag="color_set"):
    seat: Seat


class Supplied(Event, frozen=True, tag="supplied"):
    """All 35 tiles once more, in the order in which they will be dealt."""

    tiles: tuple[int, ...]


class Asked(Event, frozen=True, tag="asked"):
    seat: Seat
    round: int
    hand: tuple[int, ...]


class TilePlaced(Event, frozen=True, tag="tile_placed"):
    seat: Seat
    cell: int
    square: int


class AvatarMoved(Event, frozen=True, tag="avatar_moved"):
    seat: Seat
    spot: int


class AvatarLooped(Event, frozen=True, tag="avatar_looped"):
    seat: Seat


class AvatarOut(Event, frozen=True, tag="avatar_out"):
    seat: Seat
    cause: Cause


class Discarded(Event, frozen=True, tag="discarded"):
    seat: Seat
    reason: str


class Resigned(Event, frozen=True, tag="resigned"):
    seat: Seat


AnyEvent: TypeAlias = (
    ColorSet | Supplied | Asked | TilePlaced | AvatarMoved | AvatarLooped | AvatarOut | Discarded | Resigned
)
