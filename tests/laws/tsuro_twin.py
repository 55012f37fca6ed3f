"""Who is told which tile in Tsuro, written down a second time, tile by tile."""

import random
from collections.abc import Sequence

from services.session.games.tsuro.state import (
    AnyEvent,
    AnyMove,
    Asked,
    FirstMove,
    State,
    Supplied,
    TileMove,
    TilePlaced,
)
from shared.kernel import Seat, Viewer
from tests.laws.twins import Deals

Place = tuple[int, int]  # which round of the 35 tiles, and where in its order


class Eyes:
    """A game through the eyes of one viewer: which of the dealt tiles it has been told."""

    def __init__(self, supply: tuple[int, ...], viewer: Viewer) -> None:
        self.viewer = viewer
        self.orders = [supply]
        self.supply: list[Place] = [(0, place) for place in range(len(supply))]
        self.hands: dict[Seat, list[Place]] = {}
        self.told: set[Place] = set()

    def hear(self, event: AnyEvent) -> None:
        match event:
            case Supplied(tiles):
                self.supply += [(len(self.orders), place) for place in range(len(tiles))]
                self.orders.append(tiles)
            case Asked(seat, _, hand):
                self.hands[seat], self.supply = self.supply[: len(hand)], self.supply[len(hand) :]
                if seat == self.viewer:
                    self.told.update(self.hands[seat])
            case TilePlaced(seat, cell):
                self.told.add(next(place for place in self.hands[seat] if self._tile(place) == cell // 4))

    def another_deal(self, dice: random.Random) -> dict[tuple[int, ...], tuple[int, ...]]:
        """The same for this viewer, with the hidden tiles of each round in another order."""
        others = {}
        for number, order in enumerate(self.orders):
            hidden = [place for place in range(len(order)) if (number, place) not in self.told]
            tiles = list(order)
            for place, tile in zip(hidden, dice.sample([order[place] for place in hidden], len(hidden)), strict=True):
                tiles[place] = tile
            if tuple(tiles) != order:
                others[order] = tuple(tiles)
        return others

    def _tile(self, place: Place) -> int:
        return self.orders[place[0]][place[1]]


class TsuroTwins:
    is_course_settled = False  # whether a placement is suicide one could avoid depends on the other tiles in hand
    probes: Sequence[AnyMove] = (
        FirstMove(0, 0, 0, 0, "C"), FirstMove(7, 90, 5, 0, "F"), FirstMove(7, 90, 5, 5, "F"), TileMove(3, 180),
        TileMove(20, 270), TileMove(3, 0, number=1),
    )  # fmt: skip

    def other_deals(self, start: State, told: Sequence[AnyEvent], viewer: Viewer, dice: random.Random) -> Deals | None:
        eyes = Eyes(start.supply, viewer)
        for event in told:
            eyes.hear(event)
        return eyes.another_deal(dice) or None
