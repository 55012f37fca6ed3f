"""A game of Xs and Os between two players, driven from outside."""

from dataclasses import dataclass

from tests.support.client import Player

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
X_WINS = (0, 3, 1, 4, 2)
O_WINS = (0, 2, 1, 4, 8, 6)
X_WINS_WITH_THE_LAST_CELL = (0, 3, 1, 4, 5, 7, 6, 8, 2)
DRAW = (0, 1, 2, 4, 3, 5, 7, 6, 8)


@dataclass
class Match:
    """A started game: `seats` by box, `x` and `o` as the seed drew them."""

    id: str
    created_version: int
    started_version: int
    seats: list[Player]
    x: Player
    o: Player

    @classmethod
    async def start(cls, creator: Player, joiner: Player, **options: int) -> "Match":
        created = await creator.create(options=options)
        game = created["id"]
        joined = await joiner.join(game)
        assert joined.status_code == 200, joined.text
        seats = [creator, joiner]
        colors = (await creator.view(game))["gamestate"]["colors"]
        return cls(
            id=game,
            created_version=created["version"],
            started_version=joined.json()["version"],
            seats=seats,
            x=seats[colors.index("X")],
            o=seats[colors.index("O")],
        )

    def box(self, player: Player) -> int:
        return self.seats.index(player)

    def other(self, player: Player) -> Player:
        return self.seats[1 - self.box(player)]

    async def play(self, *cells: int, after: int = 0) -> int:
        """Let X and O play the cells in turn, `after` so many moves; return the last version."""
        version = 0
        for number, cell in enumerate(cells, start=after):
            mover = self.x if number % 2 == 0 else self.o
            response = await mover.play(self.id, cell)
            assert response.status_code == 200, f"cell {cell}: {response.text}"
            version = response.json()["version"]
        return version
