"""Games being played, one move in flight each: the opponent posts the next once its stream shows it."""

import asyncio
import random
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.driver import BenchmarkError, Stream
from benchmarks.players import DRAW, Player, in_parallel
from benchmarks.server import Server, Usage

_WINDOW_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Window:
    """What was counted between two readings of the clocks."""

    count: int
    usage: Usage

    @property
    def rate(self) -> float:
        return self.count / self.usage.wall

    @property
    def cpu_us(self) -> float:
        """Server CPU per thing counted, in microseconds."""
        return self.usage.server / self.count * 1e6

    @property
    def disturbance(self) -> float:
        """The share of the busier of the two cores that went to other processes."""
        return max(self.usage.others()) / self.usage.wall


class Match:
    """One game between the two players of a lane, with its open streams."""

    __slots__ = ("_lane", "_mover", "_moves", "_ply", "_seen", "_sent", "game_id", "streams")

    def __init__(self, lane: "Lane", game_id: str) -> None:
        self.game_id = game_id
        self.streams: list[Stream] = []
        self._lane = lane
        self._moves = [player.moves(game_id) for player in lane.pair]
        self._mover = 0
        self._ply = 0
        self._seen = [0, 0]
        self._sent = 0.0

    async def open_streams(self, watchers: Sequence[Player]) -> None:
        # The players come first, as they do in life; X, who begins, is drawn by lot.
        for box, player in enumerate(self._lane.pair):
            stream, snapshot = await player.watch(self.game_id, box, self._pushed)
            self.streams.append(stream)
            self._mover = snapshot["gamestate"]["colors"].index("X")
        opened = await in_parallel(lambda watcher: watcher.watch(self.game_id), watchers)
        self.streams += [stream for stream, _ in opened]

    def post(self) -> None:
        self._sent = time.perf_counter()
        self._lane.pair[self._mover].connection.send(self._moves[self._mover][self._ply])

    def _pushed(self, box: int, count: int) -> None:
        self._seen[box] += count
        if box == self._mover or self._seen[box] <= self._ply:
            return
        self._ply += 1
        self._mover = box
        self._lane.moved(self, self._sent, over=self._ply == len(DRAW))

    def check(self) -> None:
        """Every viewer has seen every move once and the end once."""
        for stream in self.streams:
            if (stream.seen, stream.overs, stream.lost) != (len(DRAW), 1, False):
                saw = f"{stream.seen} moves and {stream.overs} ends"
                raise BenchmarkError(f"a stream of game {self.game_id} saw {saw}, lost: {stream.lost}")


class Lane:
    """A sequence of games between the same two players, played one after the other."""

    __slots__ = ("_arena", "_waiting", "matches", "pair")

    def __init__(self, arena: "Arena", pair: Sequence[Player]) -> None:
        self.pair = pair
        self.matches: list[Match] = []
        self._arena = arena
        self._waiting: deque[Match] = deque()

    async def prepare(self, games: int, watchers: Sequence[Player]) -> None:
        for _ in range(games):
            match = Match(self, await self.pair[0].start_game(self.pair[1]))
            await match.open_streams(watchers)
            self.matches.append(match)
        for player in self.pair:
            player.connection.on_answer = self._arena.answered
        self._waiting.extend(self.matches)

    def next_match(self) -> Match | None:
        return self._waiting.popleft() if self._waiting else None

    def moved(self, match: Match, sent: float, over: bool) -> None:
        self._arena.moved(self, match, sent, over)


class Arena:
    """Lanes that play side by side, with everything that a move needs made before the first one is posted."""

    def __init__(self, server: Server, pairs: Sequence[Sequence[Player]], interval: float = 0.0) -> None:
        self.moves = 0
        self.latencies: list[float] = []
        self._server = server
        self._lanes = [Lane(self, pair) for pair in pairs]
        self._interval = interval
        self._answers = 0
        self._trouble = ""
        self._loop = asyncio.get_running_loop()
        self._first_end = asyncio.Event()

    async def prepare(self, games: int, watchers: Sequence[Player] = ()) -> None:
        """Make that many games for each lane and open the streams of players and watchers."""
        await in_parallel(lambda lane: lane.prepare(games, watchers), self._lanes)
        await self._server.settle()

    async def play(self, warm_up: int) -> tuple[Window, Window]:
        """Play all games; the windows of moves and of pushes last from the warm-up until a lane runs dry."""
        try:
            async with asyncio.timeout(_WINDOW_SECONDS):
                for lane in self._lanes:
                    self._begin(lane, sent=time.perf_counter())
                while self.moves < warm_up:
                    await self._pause()
                self.latencies.clear()
                moves, pushes, before = self.moves, self._pushes(), self._server.usage()
                await self._first_end.wait()
                usage = self._server.usage() - before
                windows = Window(self.moves - moves, usage), Window(self._pushes() - pushes, usage)
                await self._finish()
                await self._check()
        except TimeoutError:
            raise BenchmarkError(f"the games did not end within {_WINDOW_SECONDS:.0f} s") from None
        finally:
            for stream in self._streams():
                stream.close()
        # What the games leave behind to be done must not fall into the other side's window.
        await self._server.settle()
        return windows

    def answered(self, status: int, body: bytes) -> None:
        self._answers += 1
        if status != 200:
            self._trouble = f"a move was answered {status}: {body[:300]!r}"
            self._first_end.set()

    def moved(self, lane: Lane, match: Match, sent: float, over: bool) -> None:
        self.moves += 1
        self.latencies.append(time.perf_counter() - sent)
        if over:
            self._begin(lane, sent)
        else:
            self._post(match, sent)

    def _begin(self, lane: Lane, sent: float) -> None:
        match = lane.next_match()
        if match:
            self._post(match, sent)
        else:
            self._first_end.set()

    def _post(self, match: Match, sent: float) -> None:
        if self._interval:
            # Spread over the interval, so that games do not move in step.
            due = sent + self._interval * random.uniform(0.5, 1.5)
            self._loop.call_later(max(0.0, due - time.perf_counter()), match.post)
        else:
            match.post()

    async def _finish(self) -> None:
        expected = len(DRAW) * sum(len(lane.matches) for lane in self._lanes)
        pushes = len(DRAW) * len(self._streams())
        while self._answers < expected or self._pushes() < pushes:
            await self._pause()
        await asyncio.sleep(0.05)

    async def _pause(self) -> None:
        if self._trouble:
            raise BenchmarkError(self._trouble)
        await asyncio.sleep(0.002)

    async def _check(self) -> None:
        for lane in self._lanes:
            for match in lane.matches:
                match.check()
        lane = self._lanes[0]
        view = await lane.pair[0].view(lane.matches[0].game_id)
        if view["status"] != "finished" or view["result"]["winners"]:
            raise BenchmarkError(f"the game that should be a draw was not: {view}")

    def _streams(self) -> list[Stream]:
        return [stream for lane in self._lanes for match in lane.matches for stream in match.streams]

    def _pushes(self) -> int:
        return sum(stream.seen for stream in self._streams())
