"""What a player may ask for, spelled as on the wire: the command's name is the move's `type`.

Any integer fits the schema of an index; whether a card lies there is for the rules to say.
"""

from typing import TypeAlias

from shared.kernel import Move


class _Command(Move, frozen=True, rename="camel"):
    pass


class StartRound(_Command, frozen=True, tag="StartRound"):
    pass


class TakeCardFromHeap(_Command, frozen=True, tag="TakeCardFromHeap"):
    pass


class ReplaceCardByDiscarded(_Command, frozen=True, tag="ReplaceCardByDiscarded"):
    hand_card_index: int


class ShowCards(_Command, frozen=True, tag="ShowCards"):
    hand_card_indexes: tuple[int, ...]


class StopRound(_Command, frozen=True, tag="StopRound"):
    pass


class ReplaceCard(_Command, frozen=True, tag="ReplaceCard"):
    hand_card_index: int


class Discard(_Command, frozen=True, tag="Discard"):
    pass


class PeekOwnCard(_Command, frozen=True, tag="PeekOwnCard"):
    hand_card_index: int


class PeekCard(_Command, frozen=True, tag="PeekCard"):
    another_player_index: int
    hand_card_index: int


class ExchangeCards(_Command, frozen=True, tag="ExchangeCards"):
    hand_card_index: int
    another_player_index: int
    another_player_hand_card_index: int


class TakeDiscardedCard(_Command, frozen=True, tag="TakeDiscardedCard"):
    pass


Command: TypeAlias = (
    StartRound
    | TakeCardFromHeap
    | ReplaceCardByDiscarded
    | ShowCards
    | StopRound
    | ReplaceCard
    | Discard
    | PeekOwnCard
    | PeekCard
    | ExchangeCards
    | TakeDiscardedCard
)
