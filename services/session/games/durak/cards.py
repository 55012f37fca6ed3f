"""The 36 cards, from six to ace, written as rank and suit: `6d`, `10h`, `Ks`."""

from typing import Annotated, TypeAlias

from msgspec import Meta

Card: TypeAlias = Annotated[str, Meta(pattern=r"^([6-9]|10|[JQKA])[cdhs]$(?!\n)")]  # `$` alone lets a line break pass
Suit: TypeAlias = str

RANKS = ("6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUITS = "cdhs"
CARDS: tuple[Card, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)

RANK = {card: RANKS.index(card[:-1]) for card in CARDS}
"""How high a card is within its suit."""
SUIT: dict[Card, Suit] = {card: card[-1] for card in CARDS}


def beats(card: Card, attack: Card, trump: Suit) -> bool:
    """A higher card of the same suit does, and any trump beats what is no trump."""
    if SUIT[card] == SUIT[attack]:
        return RANK[card] > RANK[attack]
    return SUIT[card] == trump
