"""Checking a replay without trusting the server: does everything in it follow from the seed and the moves? Pure."""

import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec

from services.session import decide as rules
from services.session import views
from services.session.facts import AnyEntry, Created, Ended, Entry, Fact, Played, Started
from services.session.games import AnyGame, Games
from services.session.machine import GameLog
from services.session.match import AnyMatch
from shared.kernel import Decision, Outcome, Refusal
from shared.log.forms import NotUnderstood


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at."""

    what: str
    holds: bool
    detail: str = ""


class LogLine(msgspec.Struct, frozen=True):
    """An entry as a replay shows it."""

    version: int
    at: int
    facts: list[Any]


class Replay(msgspec.Struct, frozen=True):
    """What `GET /session/games/{id}/replay` answers; `log` is missing when it was asked for as one seat."""

    game_type: str
    options: dict[str, Any]
    commitment: str
    seed: str
    events: list[Any]
    result: Any
    log: list[LogLine] | None = None


def verify(games: Games, replay: Replay) -> Iterator[Check]:
    """Everything that can be checked, as far as it can be followed."""
    seed = bytes.fromhex(replay.seed)
    yield Check("the seed is the one that was committed to", hashlib.sha256(seed).hexdigest() == replay.commitment)
    if replay.log is None:
        yield Check("the course", False, "this replay shows one seat; ask for it without ?as= to check the course too")
        return
    if replay.game_type not in games:
        yield Check("the course", False, f"{replay.game_type} is not installed here")
        return
    yield from _course(games, replay, replay.log)


def _course(games: Games, replay: Replay, log: list[LogLine]) -> Iterator[Check]:
    game = games.game(replay.game_type)
    machine = GameLog(games)
    match: AnyMatch | None = None
    told: list[dict[str, Any]] = []
    moves = 0
    for version, line in enumerate(log, start=1):
        entry = _entry(machine, match, line)
        for fact in entry.facts:
            if wrong := _wrong(game, match, version, fact, replay):
                yield Check("the course", False, f"version {version}: {wrong}")
                return
            moves += isinstance(fact, Played)
        after = machine.evolve(match, entry)
        messages = views.messages(game, _id_in(replay), match, entry, after, version, None, {})
        told += [{"version": version, "event": m.event, "data": {"version": version, **m.data}} for m in messages]
        match = after
    assert match is not None, "a log has a first entry"
    yield Check("the beginning and every move are as the rules and the seed make them", True, f"{moves} moves")
    yield Check("what was told follows from the course", _plain(told) == _plain(replay.events))
    yield Check("the result follows from the course", _plain(views.result(match)) == _plain(replay.result))


def _entry(machine: GameLog, match: AnyMatch | None, line: LogLine) -> AnyEntry:
    raw = msgspec.json.encode({"id": "", "at": line.at, "facts": line.facts})
    try:
        return machine.decode(match, raw)
    except NotUnderstood as error:
        raise ValueError(f"version {line.version} has a form that this release does not know") from error


def _wrong(game: AnyGame, match: AnyMatch | None, version: int, fact: Fact, replay: Replay) -> str | None:
    """Why a fact does not follow from what came before it."""
    if isinstance(fact, Created):
        same = (fact.seed, fact.commitment, fact.game_type) == (replay.seed, replay.commitment, replay.game_type)
        return None if same and _plain(fact.options) == _plain(replay.options) else "it is another game than it says"
    if match is None:
        return "a game begins with its creation"
    if isinstance(fact, Started):
        dealt = rules.start(game, match.game_type, len(match.players), match.options, match.seed)
        return None if fact == dealt else "the seed gives another beginning"
    if isinstance(fact, Played):
        return None if _made(game, match, version, fact) == fact else "the rules and the seed give another effect"
    return None


def _made(game: AnyGame, match: AnyMatch, version: int, fact: Played[Any, Any]) -> Fact | None:
    """The same move once more."""
    chance = rules.chance(match, version - 1)
    done: Decision[Any] | Refusal | Outcome
    if fact.move is not None:
        done = game.decide(match.position, fact.box, fact.move, chance)
    elif fact.cause == "resign":
        done = game.on_resign(match.position, fact.box, chance)
    else:
        done = game.on_timeout(match.position, fact.box, chance)
    if isinstance(done, Outcome):
        return Ended(done)
    if not isinstance(done, Decision):
        return None
    return Played(fact.box, done.events, fact.move, fact.cause, done.waves, done.discarded, done.restarts)


def _id_in(replay: Replay) -> str:
    """The id of the game, which the first view of it names."""
    started = (event["data"]["id"] for event in replay.events if event["event"] == "started")
    return str(next(started, ""))


def _plain(value: Any) -> Any:
    """As JSON would have it."""
    return msgspec.json.decode(msgspec.json.encode(value))


def shown(version: int, entry: Entry[Any, Any, Any, Any]) -> LogLine:
    """An entry for a replay: all that happened, without the name of the process that wrote it."""
    return LogLine(version, entry.at, list(entry.facts))
