"""A game for two on a board, of any type, and the streams of both players and of someone who watches."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.support.client import Json, Player
from tests.support.problems import assert_problem
from tests.support.sse import Event, Events

GAME_TYPES = ("xsos", "gomoku", "go")
MINE, THEIRS = "my_turn", "not_my_turn"


@dataclass
class Duel:
    """A started game; `first` has the first move."""

    id: str
    game_type: str
    created_version: int
    seats: list[Player]
    first: Player
    second: Player

    @classmethod
    async def start(cls, ann: Player, bob: Player, game_type: str = "xsos", **options: int) -> "Duel":
        created = await ann.create(game_type=game_type, options=options)
        joined = await bob.join(created["id"])
        assert joined.status_code == 200, joined.text
        to_move = (await ann.view(created["id"]))["sync"]["turn"] == "my_turn"
        first, second = (ann, bob) if to_move else (bob, ann)
        return cls(created["id"], game_type, created["version"], [ann, bob], first, second)

    def box(self, player: Player) -> int:
        return self.seats.index(player)

    def other(self, player: Player) -> Player:
        return self.seats[1 - self.box(player)]

    def move(self, place: int) -> Json:
        """A play on the place with that number, 0 to 8."""
        if self.game_type == "xsos":
            return {"type": "play", "cell": place}
        return {"type": "play", "x": place, "y": place % 2}

    async def play(self, player: Player, place: int) -> int:
        """Let a player play; return the version."""
        return accepted(await player.move(self.id, self.move(place)))

    async def sync(self, player: Player) -> tuple[str, str]:
        """The two words of a viewer, by a fresh view."""
        return words(await player.view(self.id))

    async def stones(self) -> int:
        """How many lie on the board."""
        return count((await self.first.view(self.id))["gamestate"]["board"])

    @asynccontextmanager
    async def listen(self, watcher: Player) -> AsyncIterator[tuple[Events, Events, Events]]:
        """The streams of the first player, the second and a watcher, each with its snapshot read."""
        async with (
            self.first.events(self.id) as first,
            self.second.events(self.id) as second,
            watcher.events(self.id) as watching,
        ):
            for events in (first, second, watching):
                await events.next("snapshot")
            yield first, second, watching


def accepted(response: Any) -> int:
    """The version at which a command took effect."""
    assert response.status_code == 200, response.text
    version = response.json()["version"]
    assert isinstance(version, int)
    return version


def words(data: Json) -> tuple[str, str]:
    return data["sync"]["turn"], data["sync"]["undo"]


def count(board: list[Any]) -> int:
    rows = board if isinstance(board[0], list) else [board]
    return sum(place is not None for row in rows for place in row)


def told(event: Event) -> tuple[str, int, tuple[str, str]]:
    """A message by its name, its version and the viewer's two words."""
    return event.name, event.data["version"], words(event.data)


async def asked(duel: Duel, place: int = 0) -> int:
    """The first player plays and asks for the move back; return the request's version."""
    await duel.play(duel.first, place)
    return accepted(await duel.first.undo(duel.id, "request"))


async def refused(player: Player, duel: Duel, seen: int | None = None) -> None:
    """Asking is banned, changes nothing and is not passed on."""
    before = await duel.other(player).view(duel.id)
    assert_problem(await player.undo(duel.id, "request", seen=seen), 409, "undo_banned")
    after = await duel.other(player).view(duel.id)
    assert (after["version"], after["sync"]) == (before["version"], before["sync"])


def names(events: Events) -> list[str]:
    """Everything from the log that a stream has brought since its snapshot."""
    return [event.name for event in events.logged[1:]]
