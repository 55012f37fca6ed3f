"""Loads of the session: moves, pushed events, acknowledgements, streams being opened, idle matches."""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from statistics import linear_regression

from benchmarks.acks import PER_GAME, Lane
from benchmarks.compare.loads import PLAYERS, Load
from benchmarks.driver import BenchmarkError, Stream, request
from benchmarks.players import Player, in_parallel
from benchmarks.server import Server

_SIZE = 9
_NEW_GAME = {"game_type": "gomoku", "seats": ["me", "open"], "options": {"move_time": 0, "size": _SIZE}}


def _quiet_moves() -> list[tuple[int, int]]:
    """Stones in turns that fill the board (but for one point) and never come to more than two in a row."""
    points = [(x, y) for y in range(_SIZE) for x in range(_SIZE)]
    black = [(x, y) for x, y in points if (x + 2 * y) % 4 < 2]
    white = [(x, y) for x, y in points if (x + 2 * y) % 4 >= 2]
    return [point for pair in zip(black, white, strict=False) for point in pair]


QUIET_MOVES = _quiet_moves()


class Match:
    """A game of gomoku that is not won by anybody, ready to be played move by move."""

    def __init__(self, load: Load, pair: tuple[Player, Player]) -> None:
        self._load = load
        self._pair = pair
        self._moves: Iterator[tuple[Player, bytes]] = iter(())
        self.game = ""

    async def open(self) -> None:
        first, second = self._pair
        self.game = (await first.post("/session/games", _NEW_GAME))["id"]
        await second.post(f"/session/games/{self.game}/join")
        black = 0
        for player in self._pair:
            stream, snapshot = await player.watch(self.game, on_response=self._load.tally.pushed)
            self._load.streams.append(stream)
            black = snapshot["gamestate"]["colors"].index("black")
        order = cycle((self._pair[black], self._pair[1 - black]))
        path = f"/session/games/{self.game}/moves"
        self._moves = iter(
            [
                (player, request("POST", path, player.token, {"type": "play", "x": x, "y": y}))
                for player, (x, y) in zip(order, QUIET_MOVES, strict=False)
            ]
        )

    async def show_to(self, watcher: Player) -> Stream:
        return (await watcher.watch(self.game, on_response=self._load.tally.pushed))[0]

    def move(self) -> None:
        player, raw = next(self._moves)
        player.connection.send(raw)


class Moves(Load):
    """Matches of two with both streams open: fifty of them play a move at a time, then the next fifty.

    Their weight is the slope of the server's memory as more and more of them are open, before anybody moves in them.
    Single readings are off by a few per cent, for want of a collection of garbage.
    """

    beats = 32
    each = PLAYERS // 2
    weight = 0.0  # bytes a match

    def __init__(self, server: Server, players: Sequence[Player], weigh: bool) -> None:
        super().__init__(server, players)
        self._weigh = weigh

    async def prepare(self) -> None:
        groups, readings = [], []
        for distance in range(1, 24 if self._weigh else 8, 2):
            groups.append(await self._open(distance))
            if self._weigh:
                await self.server.settle()
                readings.append(self.server.memory())
        if self._weigh:
            self.weight = linear_regression(range(len(readings)), readings).slope / self.each
        self._turns = cycle(groups)
        self.listen()

    async def _open(self, distance: int) -> list[Match]:
        """A match for each player of even number, with the one that sits so far from it."""
        pairs = [(self.players[n], self.players[(n + distance) % PLAYERS]) for n in range(0, PLAYERS, 2)]
        matches = [Match(self, pair) for pair in pairs]
        await in_parallel(Match.open, matches)
        return matches

    async def beat(self) -> None:
        self.tally.expect(3 * self.each)
        for match in next(self._turns):
            match.move()
        await self.tally.all_in()


class Pushes(Load):
    """Four games with a hundred streams each; all four move at a time."""

    games = 4
    beats = 40
    each = games * PLAYERS

    async def prepare(self) -> None:
        self._matches = [Match(self, (self.players[2 * n], self.players[2 * n + 1])) for n in range(self.games)]
        for number, match in enumerate(self._matches):
            await match.open()
            others = [*self.players[: 2 * number], *self.players[2 * number + 2 :]]
            self.streams += await in_parallel(match.show_to, others)
        self.listen()

    async def beat(self) -> None:
        self.tally.expect(self.games + self.each)
        for match in self._matches:
            match.move()
        await self.tally.all_in()


class Openings(Load):
    """Streams being opened, until their snapshots are there: of ten games by thirty-six watchers at a time."""

    games = 10
    beats = 16
    each = 36

    async def prepare(self) -> None:
        matches = [Match(self, (self.players[2 * n], self.players[2 * n + 1])) for n in range(self.games)]
        await in_parallel(Match.open, matches)
        guests = self.players[2 * self.games :]
        # Everybody watches each game once.
        self._visits = iter([(guest, match.game) for match in matches for guest in guests])

    async def beat(self) -> None:
        opened = await in_parallel(lambda visit: visit[0].watch(visit[1]), list(islice(self._visits, self.each)))
        self.streams += [stream for stream, _ in opened]


class Acks(Load):
    """Games of Cabo for three that wait for the acknowledgements of a round's beginning, twelve at a time."""

    beats = 14
    lanes = 12
    each = lanes * PER_GAME

    async def prepare(self) -> None:
        trios = [
            [self.players[(n + 33 * seat) % PLAYERS] for seat in range(3)] for n in range((self.beats + 2) * self.lanes)
        ]
        self._lanes = [Lane(trio) for trio in trios]
        for first in range(0, len(self._lanes), self.lanes):  # a player's connection carries one request at a time
            await in_parallel(lambda lane: lane.prepare(1), self._lanes[first : first + self.lanes])
        self._waiting = iter(self._lanes)

    async def beat(self) -> None:
        lanes = list(islice(self._waiting, self.lanes))
        for lane in lanes:
            lane.go_on()
        async with asyncio.timeout(30):
            await asyncio.gather(*(lane.done.wait() for lane in lanes))
        if trouble := next((lane.trouble for lane in lanes if lane.trouble), ""):
            raise BenchmarkError(trouble)

    def close(self) -> None:
        for lane in self._lanes:
            lane.close()
