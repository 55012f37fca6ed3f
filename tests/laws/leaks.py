"""The leak checker: play a course twice, with two deals that differ only in what a viewer may not know, and compare
every byte that the viewer gets: its messages, its view, its legal moves, refusals, a bot's choice, and the replay."""

import asyncio
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import msgspec

from services.session import decide as rules
from services.session import views
from services.session.facts import AnyEntry, Played, Released, Started
from services.session.games import AnyGame, Games
from services.session.machine import GameLog
from services.session.match import AnyMatch, Status
from services.session.replays import Replays
from services.session.verdict import EngineRefusal, Verdict
from shared.kernel import Chance, GameType, Move, Refusal, Seat, Viewer
from shared.problems import Problem
from tests.laws.table import PACE, Table
from tests.laws.twins import Deals, TwinMaker, rigged

LONGEST = 120  # entries of a course; a round of Cabo played at random has about 60
ATTEMPTS = 10  # twins whose last move takes another course before the viewer is given up
A_GAME = "g" * 20


class Leak(AssertionError):
    """A viewer could tell two deals apart by looking at `place`."""

    def __init__(self, place: str, version: int, viewer: Viewer, seen: bytes, instead: bytes) -> None:
        same = next((i for i, (one, other) in enumerate(zip(seen, instead, strict=False)) if one != other), 0)
        around = slice(max(0, same - 100), same + 100)
        super().__init__(
            f"{place} at version {version} tells {viewer} too much:\n… {seen[around]!r}\n… {instead[around]!r}"
        )
        self.place = place


@dataclass(frozen=True)
class Step:
    """A command and when it came; None lets the next wave out."""

    at: int
    command: rules.Command | None


@dataclass
class Course:
    table: Table
    steps: list[Step] = field(default_factory=list)

    def play(self, step: Step) -> AnyEntry | None:
        """Take a step, unless it is refused."""
        self.table.now = step.at
        verdict = (Released(),) if step.command is None else self.table.decide(step.command)
        if not isinstance(verdict, tuple) or not verdict:
            return None
        self.steps.append(step)
        return self.table.append(verdict)


class Checker:
    """Looks for leaks in one game type."""

    def __init__(self, game: AnyGame, game_type: GameType, twins: TwinMaker) -> None:
        self.game, self.game_type, self.twins = game, game_type, twins
        self.machine = GameLog(Games([game]))
        self.courses = 0
        self.compared: dict[Viewer, int] = {}

    def check(self, seed: int) -> None:
        """One course at random, through the eyes of every seat and of those who watch; raises Leak."""
        dice = random.Random(f"leaks {seed}")
        course = self._at_random(seed, dice)
        self.courses += 1
        for viewer in course.table.viewers():
            twin = self._twin(course, seed, viewer, dice)
            if twin is not None:
                self._compare(course.table, twin, viewer)
                self.compared[viewer] = self.compared.get(viewer, 0) + 1

    def _at_random(self, seed: int, dice: random.Random) -> Course:
        course = Course(Table(self.game, self.game_type, seed, machine=self.machine))
        for _ in range(dice.randrange(1, LONGEST)):
            if course.table.match.status is Status.ACTIVE:
                assert course.play(self._random_step(course.table, dice)), "a legal move was refused"
        if course.table.match.status is Status.ACTIVE and dice.random() < 0.3:
            box = Seat(dice.randrange(len(course.table.match.players)))
            course.play(Step(course.table.now + 1, rules.Resign(box)))
        return course

    def _random_step(self, table: Table, dice: random.Random) -> Step:
        match, later = table.match, table.now + dice.randrange(1, 5_000)
        if match.open is not None:
            return Step(later, None)
        if dice.random() < 0.05:
            return Step(rules.deadline(match, PACE), rules.Expire())
        box = dice.choice(match.acting)
        bots = list(self.game.bots.values())
        if bots and dice.random() < 0.5:
            move: Move = dice.choice(bots)(match.position, box, _dice_of_a_bot(match))
        else:
            move = _random_move(self.game.legal_moves(match.position, box), dice)
        return Step(later, rules.Play(box, move))

    def _twin(self, course: Course, seed: int, viewer: Viewer, dice: random.Random) -> Table | None:
        """The same course on a deal that should look the same, or None if there is no such deal."""
        start, told = _told(course.table, viewer)
        for _ in range(ATTEMPTS):
            deals = self.twins.other_deals(start, told, viewer, dice)
            if deals is None:
                return None
            twin = self._replayed(course, seed, viewer, deals)
            if twin is not None:
                return twin
        return None

    def _replayed(self, course: Course, seed: int, viewer: Viewer, deals: Deals) -> Table | None:
        """None if the twin goes another way, and the viewer has not been told of what would forbid that."""
        twin = Course(Table(rigged(self.game, deals), self.game_type, seed, machine=self.machine))
        settled_until = _untold_from(course.table) if self.twins.is_course_settled else 0
        for step in course.steps:
            version = len(twin.table.log) + 1
            entry = twin.play(step)
            expected = _shape(_entry(course.table, version), course.table.states[version - 1])
            shape = _shape(entry, twin.table.match)
            if shape != expected:
                if version >= settled_until:
                    return None
                raise Leak("the course", version, viewer, expected, shape)
        return twin.table

    def _compare(self, one: Table, other: Table, viewer: Viewer) -> None:
        pairs = zip(self._observed(one, viewer), self._observed(other, viewer), strict=True)
        for (place, version, seen), (_, _, instead) in pairs:
            if seen != instead:
                raise Leak(place, version, viewer, seen, instead)

    def _observed(self, table: Table, viewer: Viewer) -> Iterator[tuple[str, int, bytes]]:
        """Everything that a viewer can get to see, in the order of the versions; the most telling place first."""
        before = None
        for version, after in enumerate(table.states, start=1):
            entry = _entry(table, version)
            if viewer is not None and viewer in after.acting:
                yield "legal_moves", version, _encode(self.game.legal_moves(after.position, viewer))
                yield "a bot's choice", version, _encode(self._choices(after, viewer))
            if viewer is not None:
                yield "a refusal", version, _encode(self._answers(after, version, viewer, entry.at))
            view = views.view(self.game, after, A_GAME, version, viewer, {}, entry.at)
            yield "the view", version, _encode(view)
            told = views.messages(self.game, A_GAME, before, entry, after, version, viewer, {})
            yield "a message", version, _encode([(message.event, message.data) for message in told])
            before = after
        if table.match.over:
            replay = asyncio.run(_Kept(self.machine, table.log).replay(A_GAME, viewer))
            replay.pop("log", None)  # once a game is over its whole log is open, so that anyone can verify it
            yield "the replay", len(table.log), _encode(replay)

    def _choices(self, match: AnyMatch, viewer: Seat) -> list[Move]:
        return [bot(match.position, viewer, _dice_of_a_bot(match)) for bot in self.game.bots.values()]

    def _answers(self, match: AnyMatch, version: int, viewer: Seat, now: int) -> list[str]:
        """Why moves that a seat might try are refused or consumed; nothing for those that are accepted."""
        probes = self.twins.probes if match.open is None else self.twins.probes[:1]  # then all are refused
        verdicts = [rules.decide(self.game, match, version, rules.Play(viewer, each), now, PACE) for each in probes]
        return [_why(each) for each in verdicts]


class _Kept(Replays):
    """Replays of a log in memory."""

    def __init__(self, machine: GameLog, log: list[bytes]) -> None:
        self._machine = machine
        self._log = log

    async def _entries(self, game_id: str) -> list[bytes]:
        return self._log


def _told(table: Table, viewer: Viewer) -> tuple[Any, list[Any]]:
    """The position at the start and the game's events of which a viewer has been told."""
    start: Any = None
    events: list[Any] = []
    for version in range(1, len(table.log) + 1):
        for fact in _entry(table, version).facts:
            if isinstance(fact, Started):
                start = fact.position
            if isinstance(fact, Started | Played):
                events += fact.events
    if (move := table.match.open) is not None:
        told = [event for event in range(len(move.events)) if _has_reached(table.match, event, viewer)]
        events = events[: len(events) - len(move.events) + len(told)]
    return start, events


def _has_reached(match: AnyMatch, event: int, viewer: Viewer) -> bool:
    """Has one of the open move's events been sent to a viewer? Those who watch get it with its last wave."""
    move = match.open
    assert move is not None
    having = [number for number, wave in enumerate(move.waves) if wave.events is None or event in wave.events]
    if viewer is None:
        return having[-1] <= move.sent
    audiences = [move.waves[number].to for number in having if number <= move.sent]
    return any(audience is None or viewer in audience for audience in audiences)


def _untold_from(table: Table) -> int:
    """The version of the move whose waves are still open, or the one after the last."""
    version = len(table.log)
    if table.match.open is None:
        return version + 1
    while not any(isinstance(fact, Played) for fact in _entry(table, version).facts):
        version -= 1
    return version


def _entry(table: Table, version: int) -> AnyEntry:
    before = table.states[version - 2] if version > 1 else None
    return table.machine.decode(before, table.log[version - 1])


def _shape(entry: AnyEntry | None, after: AnyMatch) -> bytes:
    """What kind of things happened, who was told when, and who is waited for: what everyone may know of a course."""
    if entry is None:
        return b"refused"
    return _encode(
        [
            after.status,
            views.waits(after, entry.at),
            *[
                [type(fact).__name__, [type(event).__name__ for event in fact.events], fact.waves, fact.discarded]
                if isinstance(fact, Played)
                else type(fact).__name__
                for fact in entry.facts
            ],
        ]
    )


def _random_move(moves: Sequence[Move], dice: random.Random) -> Move:
    """Any kind of move is as likely as another, however many there are of each."""
    kind = dice.choice(sorted({type(move) for move in moves}, key=lambda kind: kind.__name__))
    return dice.choice([move for move in moves if type(move) is kind])


def _why(verdict: Verdict) -> str:
    if isinstance(verdict, Refusal | EngineRefusal):
        return _problem(verdict.value)
    move = verdict[-1] if isinstance(verdict, tuple) else None
    return (move.discarded or "") if isinstance(move, Played) else ""


@cache
def _problem(code: str) -> str:
    return Problem(code).body().decode()


def _dice_of_a_bot(match: AnyMatch) -> Chance:
    return Chance(bytes.fromhex(match.seed), f"bot {match.version + 1}")


_encode = msgspec.json.Encoder().encode
