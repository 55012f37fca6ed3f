"""A game of any type played at random by the engine's pure parts, with its log as Redis would hold it."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from services.session import decide as rules
from services.session.decide import Pace, Play
from services.session.facts import AnyEntry, Created, Entry, Fact, Player, Released
from services.session.games import AnyGame, registered
from services.session.machine import GameLog
from services.session.match import AnyMatch, Status
from services.session.verdict import Verdict
from shared.ids import UserId
from shared.kernel import GameType, Seat, Viewer

GAMES = registered()
MACHINE = GameLog(GAMES)
MOST_MOVES = 5_000
BRIEF: dict[str, Sequence[dict[str, Any]]] = {
    "go": [{"size": 9}],
    "gomoku": [{"size": 9, "rule": rule} for rule in ("freestyle", "standard", "renju")],
}
"""Options with which a game is short, taken in turn; the laws do not depend on the size of a board."""
PACE = Pace(idle_ms=7 * 24 * 3600 * 1000, bot_ms=300)


class Table:
    """A game played at random by the engine's pure parts, with its log as Redis would hold it."""

    def __init__(
        self,
        game: AnyGame,
        game_type: GameType,
        seed: int,
        seats: int | None = None,
        machine: GameLog = MACHINE,
    ) -> None:
        self.game = game
        self.machine = machine
        self.dice = random.Random(seed)
        self.log: list[bytes] = []
        self.states: list[AnyMatch] = []
        self.now = 1_000_000
        seats = seats or self.dice.choice(game_type.seats)
        players = tuple(Player(UserId(f"u{i}"), f"nick {i}", None) for i in range(seats))
        secret = self.dice.randbytes(32).hex()
        choices = BRIEF.get(game_type.game_type, ({},))
        options = msgspec.convert(choices[seed % len(choices)], game.forms.options)
        self.append((Created(game_type.game_type, options, players, secret, "commitment"),))
        self.append((rules.start(game, game_type.game_type, seats, options, secret),))

    @property
    def match(self) -> AnyMatch:
        return self.states[-1]

    def append(self, facts: tuple[Fact, ...]) -> AnyEntry:
        entry: AnyEntry = Entry(str(len(self.log)), self.now, facts)
        before = self.states[-1] if self.states else None
        self.states.append(self.machine.evolve(before, entry))
        self.log.append(self.machine.encode(entry))
        return entry

    def decide(self, command: rules.Command) -> Verdict:
        return rules.decide(self.game, self.match, len(self.log), command, self.now, PACE)

    def random_move(self) -> None:
        """Somebody moves; before that, everyone has acknowledged what was told before."""
        self.settle()
        if self.match.status is not Status.ACTIVE:
            return
        self.now += self.dice.randrange(20_000)
        box = self.dice.choice(self.match.acting)
        move = self.dice.choice(list(self.game.legal_moves(self.match.position, box)))
        verdict = self.decide(Play(box, move))
        assert isinstance(verdict, tuple), f"a legal move was refused: {move} {verdict}"
        self.append(verdict)

    def settle(self) -> None:
        """Let all waves of the last move out."""
        while self.match.open is not None:
            self.append((Released(),))

    def play_out(self) -> "Table":
        while self.match.status is Status.ACTIVE:
            assert len(self.log) < MOST_MOVES, "random play never ends"
            self.random_move()
        return self

    def viewers(self) -> Iterator[Viewer]:
        yield None
        yield from (Seat(box) for box in range(len(self.match.players)))


def some_tables(game: AnyGame, game_type: GameType, most: int = 100, entries: int = 3_000) -> Iterator[Table]:
    """New tables, until so many games or so many entries of log were played: long games need not be as many."""
    played = 0
    for seed in range(most):
        yield (table := Table(game, game_type, seed))
        played += len(table.log)
        if played >= entries:
            return
