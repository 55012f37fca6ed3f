"""The games that can be played, found by name through the entry-point group `parlor.games`."""

from importlib.metadata import entry_points
from typing import Any

from shared.kernel import Game, GameType

AnyGame = Game[Any, Any, Any]


class Games:
    """Every registered game, by game type."""

    def __init__(self, games: list[AnyGame]) -> None:
        self._by_type = {t.game_type: (game, t) for game in games for t in game.types}
        self.all = games

    def __contains__(self, game_type: str) -> bool:
        return game_type in self._by_type

    def game(self, game_type: str) -> AnyGame:
        return self._by_type[game_type][0]

    def type(self, game_type: str) -> GameType:
        return self._by_type[game_type][1]


def registered() -> Games:
    return Games([entry.load() for entry in sorted(entry_points(group="parlor.games"))])
