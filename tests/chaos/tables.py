"""Two players who play one game after the other and write down what they sent, what was answered and what they saw."""

import asyncio
import random
from dataclasses import dataclass, field
from typing import Self

import httpx

from tests.chaos.clients import Client, Follower
from tests.chaos.tally import Tally
from tests.support.client import Json, Player

# No clock, and a clock so slow that no crash lets it run out; both kinds of commit are then in the log.
CLOCKS: list[dict[str, int]] = [{"move_time": 0}, {"move_time": 300}, {"move_time": 300, "time_bank": 0}]

_ON_WHAT_WAS_LOST = frozenset({"not_your_turn", "illegal_move", "wrong_state"})


@dataclass(frozen=True)
class Move:
    """A move as its player knows it: sent, and answered with this version."""

    version: int
    box: int
    cell: int


@dataclass
class Game:
    """The players' own record of a game."""

    id: str
    followers: list[Follower] = field(default_factory=list)
    sent: set[tuple[int, int]] = field(default_factory=set)  # box, cell
    answered: list[Move] = field(default_factory=list)


class Table:
    """A table in the corner: no game is left before it is over."""

    def __init__(
        self, number: int, clients: list[Client], chance: random.Random, tally: Tally, forgiving: bool
    ) -> None:
        self.clients = clients
        self.games: list[Game] = []
        self._number = number
        self._chance = chance
        self._tally = tally
        self._refusals = _ON_WHAT_WAS_LOST if forgiving else frozenset()
        self._commands = 0

    @classmethod
    async def seat(
        cls,
        number: int,
        lobby: httpx.AsyncClient,
        sessions: list[httpx.AsyncClient],
        chance: random.Random,
        tally: Tally,
        forgiving: bool,
    ) -> Self:
        """Sign two guests in and let them sit down.

        If they are forgiving, what they saw may be lost as long as it was nobody's accepted command: a move that rests
        on it is refused, and the stream begins anew.
        """
        players = [await Player.guest(lobby, nick) for nick in ("Ann", "Bob")]
        return cls(number, [Client(player, sessions, chance, tally) for player in players], chance, tally, forgiving)

    async def play_until(self, closing: asyncio.Event) -> None:
        """Play game after game; the one under way at closing time is played to its end."""
        while not closing.is_set():
            await self._game()
            self._tally.games += 1

    async def _game(self) -> None:
        options = self._chance.choice(CLOCKS)
        body: Json = {"game_type": "xsos", "seats": ["me", "open"], "options": options}
        created = await self.clients[0].insist("/session/games", body, self._key())
        game = Game(created["id"])
        game.followers = [Follower(client, game.id, self._tally) for client in self.clients]
        self.games.append(game)
        async with asyncio.TaskGroup() as group:
            for follower in game.followers:
                group.create_task(follower.follow())
            if self._chance.random() < 0.5:  # the second player watches before she has a seat, or comes with the seat
                await game.followers[1].until_view("snapshot", lambda view: True)
            await self.clients[1].insist(f"/session/games/{game.id}/join", None, self._key())
            for box in (0, 1):
                group.create_task(self._play(game, box))

    async def _play(self, game: Game, box: int) -> None:
        """Whenever it is this seat's turn, send a move that the stream says is legal."""
        follower = game.followers[box]
        while True:
            await self._tally.think()
            await follower.until_view("turn", lambda view: view["sync"]["turn"] == "my_turn" or follower.is_over)
            if follower.is_over:
                return
            move = self._chance.choice(follower.view["legal_moves"])
            game.sent.add((box, move["cell"]))
            seen = follower.beginnings, follower.view["version"]
            version = await self._submit(game, box, move)
            if version is None:
                self._tally.refusals += 1
                await follower.until_other(*seen)
                continue
            game.answered.append(Move(version, box, move["cell"]))
            self._tally.accepted()
            await follower.until_version(version)

    async def _submit(self, game: Game, box: int, move: Json) -> int | None:
        """Send a move; sometimes twice at once, as an impatient client does. None if it may be refused, and was."""
        key, copies = self._key(), self._chance.choice([1, 1, 1, 2])
        path = f"/session/games/{game.id}/moves"
        sending = (self.clients[box].propose(path, move, key, self._refusals) for _ in range(copies))
        answers = [answer for answer in await asyncio.gather(*sending) if answer is not None]
        if not answers:
            return None
        assert answers[0] == answers[-1], f"one command, two answers: {answers}"
        version: int = answers[0]["version"]
        return version

    def _key(self) -> str:
        self._commands += 1
        return f"{self._number}-{self._commands}"
