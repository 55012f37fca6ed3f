"""Two deals that one viewer cannot tell apart: what a game must say so that the leak checker can make them.

A game with hidden information shuffles by `Chance.shuffled`. Its twin maker knows the rules of who sees what, written
down a second time and independent of the game's own `view`. Told which events a viewer has heard of, it names other
outcomes of the shuffles with which that viewer would have heard the very same.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar, cast

from services.session.games import AnyGame
from shared.kernel import Chance, Decision, Move, Outcome, Refusal, Seat, Viewer

Item = TypeVar("Item")
Deals = Mapping[tuple[Any, ...], tuple[Any, ...]]
"""Which order of the cards takes the place of which."""


class TwinMaker(Protocol):
    @property
    def is_course_settled(self) -> bool:
        """Do the events that a viewer was told settle what becomes of the moves? If not, a deal with which the same
        moves do something else is no twin."""

    @property
    def probes(self) -> Sequence[Move]:
        """Moves to try at every version: some are refused, and the refusal must not tell."""

    def other_deals(self, start: Any, told: Sequence[Any], viewer: Viewer, dice: random.Random) -> Deals | None:
        """Other shuffles that suit what a viewer was told since the start, or None if nothing is hidden from it."""


class Stacked(Chance):
    """The dice of another deal: a shuffle that the twin changes comes out as the twin has it."""

    def __init__(self, chance: Chance, deals: Deals) -> None:
        self._chance, self._deals = chance, deals

    def below(self, n: int) -> int:
        return self._chance.below(n)

    def shuffled(self, items: Sequence[Item]) -> tuple[Item, ...]:
        deck = self._chance.shuffled(items)
        return self._deals.get(deck, deck)


class _Rigged:
    """A game played with stacked cards, and like the game itself in everything else."""

    def __init__(self, game: AnyGame, deals: Deals) -> None:
        self._game, self._deals = game, deals

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def setup(self, game_type: str, seats: int, options: Any, chance: Chance) -> Any:
        return self._game.setup(game_type, seats, options, Stacked(chance, self._deals))

    def decide(self, state: Any, seat: Seat, move: Any, chance: Chance) -> Decision[Any] | Refusal:
        return self._game.decide(state, seat, move, Stacked(chance, self._deals))

    def on_timeout(self, state: Any, seat: Seat, chance: Chance) -> Decision[Any] | Outcome:
        return self._game.on_timeout(state, seat, Stacked(chance, self._deals))

    def on_resign(self, state: Any, seat: Seat, chance: Chance) -> Decision[Any] | Outcome:
        return self._game.on_resign(state, seat, Stacked(chance, self._deals))


def rigged(game: AnyGame, deals: Deals) -> AnyGame:
    return cast(AnyGame, _Rigged(game, deals))
