"""Games of Tsuro without a server: the same rules, and strategies that are asked directly."""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from parlor_sdk.sandbox import Forfeit, Sandbox
from services.session.games.tsuro import GAME, strategies
from services.session.games.tsuro import view as views
from services.session.games.tsuro.state import AnyEvent, AnyMove, FirstMove, State, TileMove, TsuroOptions
from shared.kernel import Bot, Chance, Decision, Outcome, Seat

BUILT_IN: dict[str, Bot[State, AnyMove]] = {
    "first": strategies.first,
    "last": strategies.last,
    "random": strategies.random,
    "greedy": strategies.greedy,
}
Step = tuple[State, tuple[AnyEvent, ...]]


def secret_of(seed: int, game: int) -> bytes:
    """What decides all chance in one game of a series."""
    return hashlib.sha256(f"{seed}:{game}".encode()).digest()


def played(players: Sequence[Bot[State, AnyMove]], options: TsuroOptions, secret: bytes) -> Iterator[Step]:
    """Every position of a game, with the events that led to it; the last is the end."""
    state = GAME.setup("tsuro", len(players), options, Chance(secret, "setup"))
    events = GAME.opening(state)
    while True:
        for event in events:
            state = GAME.evolve(state, event)
        yield state, events
        turn = GAME.to_act(state)
        if isinstance(turn, Outcome):
            return
        seat, version = turn[0], state.number
        move = players[seat](state, seat, Chance(secret, f"bot {version}"))
        decision = GAME.decide(state, seat, move, Chance(secret, f"move {version}"))
        assert isinstance(decision, Decision), "whoever is asked may answer"
        events = decision.events


def outcome(state: State) -> Outcome:
    over = GAME.to_act(state)
    assert isinstance(over, Outcome), "only a finished game has an outcome"
    return over


@dataclass
class Tally:
    """What came of a series."""

    games: int = 0
    wins: Counter[Seat] = field(default_factory=Counter)
    shared: Counter[Seat] = field(default_factory=Counter)
    """Wins together with others, which are among the wins."""
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, over: Outcome) -> None:
        self.games += 1
        self.wins.update(over.winners)
        self.reasons[over.reason] += 1
        if len(over.winners) > 1:
            self.shared.update(over.winners)


class Contestant(AbstractContextManager["Contestant"]):
    """A strategy of somebody else's, asked in its own process; what it fails to answer is a move that is discarded."""

    def __init__(self, name: str, limit: float, notice: Callable[[str], None]) -> None:
        self._sandbox = Sandbox(name)
        self._limit = limit
        self._notice = notice
        self._loop = asyncio.Runner()
        self._color: str | None = None

    def __enter__(self) -> Self:
        try:
            self._loop.run(self._sandbox.start())
        except BaseException:
            self._loop.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.run(self._sandbox.end())
        self._loop.close()

    def __call__(self, state: State, seat: Seat, chance: Chance) -> AnyMove:
        seen = views.view(state, seat)
        request = seen["request"]
        question = {"event": request["event"], "tiles": request["tiles"], "board": seen["board"]}
        try:
            self._loop.run(self._told(seen["colors"][seat]))
            answer = self._loop.run(self._sandbox.ask(question, self._limit))
        except Forfeit as failure:
            self._notice(f"{self._sandbox.name} forfeits its move: {failure}")
            return TileMove(-1, 0)
        kind = answer.pop("type")
        return FirstMove(**answer) if kind == "first_move" else TileMove(**answer)

    async def _told(self, color: str) -> None:
        if color != self._color:
            self._color = color
            await self._sandbox.set_color(color, self._limit)
