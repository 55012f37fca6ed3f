"""What happened, as the log keeps it: with every value, whoever may see it. `view` is where values are hidden."""

from typing import TypeAlias

from shared.kernel import Event, Seat


class RoundStarted(Event, frozen=True, tag="round_started"):
    """The cards were shuffled; `deck` is their order, first dealt first."""

    deck: tuple[int, ...]


class TurnStarted(Event, frozen=True, tag="turn_started"):
    """The round's first player was chosen."""

    seat: Seat


class Drawn(Event, frozen=True, tag="drawn"):
    """A card was taken from the heap, to be kept or discarded."""

    seat: Seat
    value: int


class Replaced(Event, frozen=True, tag="replaced"):
    """A card in hand was replaced by `taken`, and went to the discard pile."""

    seat: Seat
    index: int
    taken: int
    discarded: int
    from_heap: bool  # otherwise from the pile


class Shown(Event, frozen=True, tag="shown"):
    """Cards were claimed to be equal."""

    seat: Seat
    indexes: tuple[int, ...]
    values: tuple[int, ...]

    @property
    def are_equal(self) -> bool:
        return len(set(self.values)) == 1


class ShownReplaced(Event, frozen=True, tag="shown_replaced"):
    """The equal cards that were shown went to the discard pile, and one card came for them."""

    seat: Seat
    taken: int
    from_heap: bool


class Stopped(Event, frozen=True, tag="stopped"):
    """Somebody called the end of the round."""

    seat: Seat


class Discarded(Event, frozen=True, tag="discarded"):
    """The drawn card went to the discard pile; with `is_skipped` the power that it may have is lost."""

    seat: Seat
    value: int
    is_skipped: bool = False


class OwnCardPeeked(Event, frozen=True, tag="own_card_peeked"):
    seat: Seat
    index: int
    value: int


class CardPeeked(Event, frozen=True, tag="card_peeked"):
    seat: Seat
    other: Seat
    index: int
    value: int


class Exchanged(Event, frozen=True, tag="exchanged"):
    seat: Seat
    index: int
    other: Seat
    other_index: int


class PowerSkipped(Event, frozen=True, tag="power_skipped"):
    """A discarded card's power was not used in time."""

    seat: Seat


class RoundFinished(Event, frozen=True, tag="round_finished"):
    """All cards were laid open; `starter` is who may start the next round, if there is one."""

    hands: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    totals: tuple[int, ...]
    starter: Seat | None


InTurn: TypeAlias = (
    Drawn
    | Replaced
    | Shown
    | ShownReplaced
    | Stopped
    | Discarded
    | OwnCardPeeked
    | CardPeeked
    | Exchanged
    | PowerSkipped
)
CaboEvent: TypeAlias = RoundStarted | TurnStarted | InTurn | RoundFinished
