"""The game protocol: what a game must say so that the engine can run it.

A game is a pure package: no clock, no input or output, no randomness of its own. Everything that the engine
offers (clocks, resignation, watching, replays, …) comes for free to whatever speaks this protocol.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any, Generic, NewType, Protocol, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

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


UpToAWeek: TypeAlias = Annotated[int, Meta(ge=0, le=7 * 24 * 3600)]  # in seconds


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What every game type lets its creator choose; a game adds its own."""

    move_time: UpToAWeek = 30
    """Seconds for a move; 0 means no clock."""
    time_bank: UpToAWeek = 60
    """Seconds a player may overdraw in all."""


class Undoable(Options, frozen=True):
    """The options of an open-information game for two: with them the engine lets a player ask for a move back."""

    undo_time: Annotated[int, Meta(ge=1, le=120)] = 20
    """Seconds to answer a request."""


class Acknowledged(Options, frozen=True):
    """The options of a game whose decisions have several waves."""

    ack_time: Annotated[int, Meta(ge=1, le=120)] = 5
    """Seconds that a wave waits for its acknowledgements."""


class Refusal(StrEnum):
    """Why the rules say no."""

    NOT_YOUR_TURN = "not_your_turn"
    WRONG_PHASE = "wrong_phase"
    ILLEGAL_MOVE = "illegal_move"


class Outcome(Value, frozen=True):
    """How a game ended; a draw has no winners."""

    winners: tuple[Seat, ...]
    reason: str
    scores: tuple[int | float, ...] | None = None


class Message(Value, frozen=True):
    """One event for one viewer: its name and its data."""

    event: str
    data: dict[str, Any]


State = TypeVar("State")
AnyMove = TypeVar("AnyMove", bound=Move)
AnyEvent = TypeVar("AnyEvent", bound=Event)


class Wave(Value, frozen=True):
    """Who is told at the same moment; the next wave waits until all of these have acknowledged.

    Those who watch are told an event with the last wave that has it, and are never waited for.
    """

    to: tuple[Seat, ...] | None = None  # None: every seat
    events: tuple[int, ...] | None = None  # which of the decision's events; None: all


ONE_WAVE = (Wave(),)


class Decision(msgspec.Struct, Generic[AnyEvent], frozen=True, gc=False):
    """`events` change the state, once; `waves` only say who is told what, and when.

    Over all waves every seat is told every event, in their order. `discarded` is why the rules consumed a move
    without accepting it. `restarts` are seats whose move time begins anew although another moved.
    """

    events: tuple[AnyEvent, ...]
    waves: tuple[Wave, ...] = ONE_WAVE
    discarded: str | None = None
    restarts: tuple[Seat, ...] = ()


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


BETS = (0, 100, 200, 500, 1000, 5000, 10000, 20000)
"""The usual bets, for a game type that can be played for some."""


class GameType(Value, frozen=True):
    """One way to play a game, as the catalogue shows it."""

    game_type: str
    title: str
    seats: tuple[int, ...]
    bets: tuple[int, ...] = (0,)
    currency: str = "FUN"
    """What is played for when the bet is above 0: play money, never real money."""
    rake: Annotated[int, Meta(ge=0, le=100)] = 5
    """Percent of the pot that the house keeps."""


class Forms(Value, frozen=True):
    """The types of what a game reads and writes; codecs and schemas are made from them."""

    options: type[Options]
    state: Any
    move: Any  # one type, or the union of several
    event: Any


class Countdown(Value, frozen=True):
    """A wait of the game's own, for as long as a position lasts, in place of the move clock."""

    name: str
    seconds: int


Bot: TypeAlias = Callable[[State, Seat, Chance], AnyMove]
"""Chooses a move for a seat that is to act, from what that seat may know of the state."""


class Game(Protocol[State, AnyMove, AnyEvent]):
    """A game's rules. Every method is pure: the same arguments give the same answer.

    A game derives from this class and leaves out what it need not change.
    """

    name: str
    types: tuple[GameType, ...]
    forms: Forms
    bots: Mapping[str, Bot[Any, Any]] = MappingProxyType({})
    """Players of the house, beside `random`, which every game has."""

    def setup(self, game_type: str, seats: int, options: Any, chance: Chance) -> State:
        """The position before the first move."""

    def opening(self, state: State) -> tuple[AnyEvent, ...]:
        """What happens at once when the game starts, for example that the first player is asked."""
        return ()

    def decide(self, state: State, seat: Seat, move: AnyMove, chance: Chance) -> Decision[AnyEvent] | Refusal: ...

    def evolve(self, state: State, event: AnyEvent) -> State: ...

    def to_act(self, state: State) -> tuple[Seat, ...] | Outcome:
        """Whose move it is (several may act at once), or how the game ended."""

    def awaited(self, state: State, acting: tuple[Seat, ...]) -> tuple[Seat, ...]:
        """Whose clocks run: those of the acting seats without whom the game stands still; the others may wait."""
        return acting

    def countdown(self, state: State) -> Countdown | None:
        """What the seats that are to act are given instead of the move clock; None for the clock."""
        return None

    def on_timeout(self, state: State, seat: Seat, chance: Chance) -> Decision[AnyEvent] | Outcome:
        """What an exhausted clock or countdown does."""

    def on_resign(self, state: State, seat: Seat, chance: Chance) -> Decision[AnyEvent] | Outcome:
        """What a resignation does: it ends the game, or the others play on."""

    def legal_moves(self, state: State, seat: Seat) -> Sequence[AnyMove]:
        """Every move that a seat which is to act may make; nothing for any other seat."""

    def view(self, state: State, viewer: Viewer) -> dict[str, Any]:
        """What that viewer may see."""

    def project(self, state: State, event: AnyEvent, viewer: Viewer) -> Message | None:
        """What that viewer is told of an event; `state` is the one after it.

        When a move is taken back it is called once more with the state as it was before the event, so that the same
        message tells what was taken back and how the board is now.
        """

    def closing(self, state: State) -> dict[str, Any]:
        """What `game_over` tells beyond the result, for example the winning line."""
        return {}
