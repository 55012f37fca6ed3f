"""What players ask for, and what happens then."""

from typing import Annotated, TypeAlias

from msgspec import Meta

from services.session.games.durak.cards import Card
from shared.kernel import Event, Move, Seat


class Attack(Move, frozen=True, tag="attack"):
    """The first cards of a bout, or cards thrown in."""

    cards: Annotated[tuple[Card, ...], Meta(min_length=1)]


class Defend(Move, frozen=True, tag="defend"):
    attack_card: Card
    defend_card: Card


class Take(Move, frozen=True, tag="take"):
    """The defender gives up."""


class Finish(Move, frozen=True, tag="finish"):
    """Whoever may throw in passes."""


class Transfer(Move, frozen=True, tag="transfer"):
    """The defender hands the attack on to the next player, with one more card."""

    card: Card


DurakMove: TypeAlias = Attack | Defend | Take | Finish | Transfer


class Attacked(Event, frozen=True, tag="attacked"):
    seat: Seat
    cards: tuple[Card, ...]


class Beaten(Event, frozen=True, tag="beaten"):
    seat: Seat
    attack: Card
    card: Card


class Transferred(Event, frozen=True, tag="transferred"):
    seat: Seat
    card: Card


class GaveUp(Event, frozen=True, tag="gave_up"):
    """The defender takes, by choice or because it can beat nothing."""

    seat: Seat
    automatic: bool


class Passed(Event, frozen=True, tag="passed"):
    seat: Seat


class BoutEnded(Event, frozen=True, tag="bout_ended"):
    """The cards leave the game or the defender takes them, and hands are refilled."""

    defender: Seat
    taken: bool
    cards: tuple[Card, ...]


class Dealt(Event, frozen=True, tag="dealt"):
    """These seats are told their new hands; the state has them already."""

    seats: tuple[Seat, ...]


class TurnCame(Event, frozen=True, tag="turn_came"):
    """All are told who attacks whom."""


class Asked(Event, frozen=True, tag="asked"):
    """Whoever may act is told what it may do."""


DurakEvent: TypeAlias = Attacked | Beaten | Transferred | GaveUp | Passed | BoutEnded | Dealt | TurnCame | Asked
