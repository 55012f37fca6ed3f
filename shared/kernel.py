"""The game protocol: what a game must say so that the engine can run it.

A game is a pure package: no clock, no input or output, no randomness of its own. Everything that the engine
offers (clocks, resignation, watching, replays, …) comes for free to whatever speaks this protocol.
"""

import hashlib
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, ClassVar, Generic, NewType, Protocol, TypeAlias, TypeVar

import msgspec

Seat = NewType("Seat", int)
Viewer: TypeAlias = Seat | None  # None watches from outside


class Value(msgspec.Struct, frozen=True, gc=False):
    """An immutable value with a JSON form; states are made of these.

    Such values are built from the bottom up and never form a cycle, so the garbage collector need not visit them
    (`gc=False`): a server holds many, and its pauses grew with them.
    """


class Move(msgspec.Struct, frozen=True, gc=False, kw_only=True, tag_field="type", omit_defaults=True):
    """What a player asks for; `seen` is the last version that its client had."""

    seen: int | None = None


class Event(msgspec.Struct, frozen=True, gc=False, tag_field="event"):
    """What happened, as the log keeps it."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What every game type lets its creator choose; a game adds its own."""

    move_time: int = 30
    """Seconds for a move; 0 means no clock."""
    time_bank: int = 60
    """Seconds a player may overdraw in all."""

    MOST_SECONDS: ClassVar[int] = 7 * 24 * 3600

    def __post_init__(self) -> None:
        for name in ("move_time", "time_bank"):
            if not 0 <= getattr(self, name) <= self.MOST_SECONDS:
                raise ValueError(f"{name} is from 0 to {self.MOST_SECONDS} seconds")


class Refusal(StrEnum):
    """Why the rules say no."""

    NOT_YOUR_TURN = "not_your_turn"
    WRONG_PHASE = "wrong_phase"
    ILLEGAL_MOVE = "illegal_move"


class Outcome(Value, frozen=True):
    """How a game ended; a draw has no winners."""

    winners: tuple[Seat, ...]
    reason: str
    scores: tuple[int, ...] | None = None


class Message(Value, frozen=True):
    """One event for one viewer: its name and its data."""

    event: str
    data: dict[str, Any]


State = TypeVar("State")
AnyMove = TypeVar("AnyMove", bound=Move)
AnyEvent = TypeVar("AnyEvent", bound=Event)


class Wave(Value, frozen=True):
    """Who is told at the same moment; the next wave waits until all of these have acknowledged."""

    to: tuple[Seat, ...] | None = None  # None: everyone
    events: tuple[int, ...] | None = None  # which of the decision's events; None: all


class Decision(msgspec.Struct, Generic[AnyEvent], frozen=True, gc=False):
    """`events` change the state, once; `waves` only say who is told what, and when."""

    events: tuple[AnyEvent, ...]
    waves: tuple[Wave, ...] = (Wave(),)


class Chance:
    """Dice that anyone can check: block i of label l is SHA-256(seed ‖ l ‖ ":" ‖ i), read as 8-byte numbers.

    A number below n is the next 8-byte big-endian number, skipping those at or above the largest multiple of n,
    modulo n. A shuffle swaps, for i from the last position down to 1, positions i and below(i + 1).
    """

    def __init__(self, seed: bytes, label: str) -> None:
        self._seed, self._label = seed, label
        self._block = 0
        self._pool: list[int] = []

    def below(self, n: int) -> int:
        ceiling = 2**64 - 2**64 % n
        while (number := self._next()) >= ceiling:
            pass
        return number % n

    def shuffled(self, items: Sequence[State]) -> tuple[State, ...]:
        deck = list(items)
        for i in range(len(deck) - 1, 0, -1):
            j = self.below(i + 1)
            deck[i], deck[j] = deck[j], deck[i]
        return tuple(deck)

    def _next(self) -> int:
        if not self._pool:
            block = hashlib.sha256(self._seed + f"{self._label}:{self._block}".encode()).digest()
            self._block += 1
            self._pool = [int.from_bytes(block[i : i + 8], "big") for i in (24, 16, 8, 0)]
        return self._pool.pop()


class GameType(Value, frozen=True):
    """One way to play a game, as the catalogue shows it."""

    game_type: str
    title: str
    seats: tuple[int, ...]
    bets: tuple[int, ...] = (0,)


class Forms(Value, frozen=True):
    """The types of what a game reads and writes; codecs and schemas are made from them."""

    options: type[Options]
    state: Any
    move: Any  # one type, or the union of several
    event: Any


class Game(Protocol[State, AnyMove, AnyEvent]):
    """A game's rules. Every method is pure: the same arguments give the same answer."""

    name: str
    types: tuple[GameType, ...]
    forms: Forms

    def setup(self, game_type: str, seats: int, options: Any, chance: Chance) -> State:
        """The position before the first move."""

    def decide(self, state: State, seat: Seat, move: AnyMove, chance: Chance) -> Decision[AnyEvent] | Refusal: ...

    def evolve(self, state: State, event: AnyEvent) -> State: ...

    def to_act(self, state: State) -> tuple[Seat, ...] | Outcome:
        """Whose move it is (several may act at once), or how the game ended."""

    def on_timeout(self, state: State, seat: Seat, chance: Chance) -> Decision[AnyEvent] | Outcome:
        """What an exhausted clock does."""

    def on_resign(self, state: State, seat: Seat) -> Outcome: ...

    def legal_moves(self, state: State, seat: Seat) -> Sequence[AnyMove]: ...

    def view(self, state: State, viewer: Viewer) -> dict[str, Any]:
        """What that viewer may see."""

    def project(self, state: State, event: AnyEvent, viewer: Viewer) -> Message | None:
        """What that viewer is told of an event; `state` is the one after it."""

    def closing(self, state: State) -> dict[str, Any]:
        """What `game_over` tells beyond the result, for example the winning line."""
