"""What the players wrote down, held against what the server says happened."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from tests.chaos.clients import Follower
from tests.chaos.tables import Game, Move, Table
from tests.support.client import Json
from tests.support.convergence import law, stable


@dataclass
class Findings:
    """Broken promises, each with its evidence."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    unsent: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    streams: list[str] = field(default_factory=list)
    diverged: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Seat:
    """A seat of a game and what its client saw."""

    game: str
    box: int
    follower: Follower

    def __str__(self) -> str:
        return f"{self.game}, box {self.box}"


async def audit(table: Table, findings: Findings) -> None:
    """Look at every game of a table as both its players see it now."""
    for game in table.games:
        for box, client in enumerate(table.clients):
            try:
                view = await client.ask(f"/session/games/{game.id}")
                over = view["status"] == "finished"
                replay = await client.ask(f"/session/games/{game.id}/replay", {"as": str(box)}) if over else None
            except AssertionError as refused:
                findings.lost.append(str(refused))
                continue
            seat = Seat(game.id, box, game.followers[box])
            check_gaps(seat, findings)
            if replay is None:
                _check_unfinished(game, view, findings)
            else:
                _check_moves(game, _moves(replay), findings)
                check_stream(seat, replay, findings)
                check_view(seat, view, findings)


def _moves(replay: Json) -> list[Move]:
    events = replay["events"]
    colors = next(event["data"]["gamestate"]["colors"] for event in events if event["event"] == "started")
    return [
        Move(event["version"], colors.index(event["data"]["color"]), event["data"]["cell"])
        for event in events
        if event["event"] == "response"
    ]


def _check_moves(game: Game, written: list[Move], findings: Findings) -> None:
    counts = Counter((move.box, move.cell) for move in written)
    findings.lost += [f"{game.id}: {move} is not in {written}" for move in game.answered if move not in written]
    findings.doubled += [f"{game.id}: {move} is in {written} twice" for move, count in counts.items() if count > 1]
    findings.unsent += [f"{game.id}: nobody sent {move}" for move in counts if move not in game.sent]


def _check_unfinished(game: Game, view: Json, findings: Findings) -> None:
    """A game that its players had to give up has no replay, but the moves must be on its board."""
    board, colors = view["gamestate"].get("board", [None] * 9), view["gamestate"].get("colors", [])
    for move in game.answered:
        if move.version > view["version"] or board[move.cell] != colors[move.box]:
            findings.lost.append(f"{game.id}: {move} is not in version {view['version']}, {board}")
    if all(follower.is_over for follower in game.followers):
        findings.lost.append(f"{game.id}: its end, which both had seen")


def check_gaps(seat: Seat, findings: Findings) -> None:
    for event in seat.follower.seen:
        if event.name == "snapshot" and event.data["reason"] == "gap":
            findings.gaps.append(f"{seat}, at {event.id}")


def check_stream(seat: Seat, replay: Json, findings: Findings) -> None:
    """After the snapshot that it began with, a client saw what its seat was told, each event once and in order."""
    if not seat.follower.seen:
        return
    first, *seen = [(event.id, event.name, stable(event.data)) for event in seat.follower.seen]
    told = [event for event in _told(replay) if event[2]["version"] > first[2]["version"]]
    if seen != told:
        ids = [event[0] for event in seen], [event[0] for event in told]
        other = [(ours, theirs) for ours, theirs in zip(seen, told, strict=False) if ours != theirs][:1]
        findings.streams.append(f"{seat}, from {first[0]}: saw {ids[0]}, was told {ids[1]}; {other}")


def _told(replay: Json) -> list[tuple[str, str, Any]]:
    """A seat's replay as its stream must have carried it: the last event of a version has the bare number."""
    by_version = defaultdict(list)
    for event in replay["events"]:
        by_version[event["version"]].append(event)
    told = []
    for version, events in by_version.items():
        for k, event in enumerate(events):
            event_id = str(version) if event is events[-1] else f"{version}.{k}"
            told.append((event_id, event["event"], stable(event["data"])))
    return told


def check_view(seat: Seat, view: Json, findings: Findings) -> None:
    believed = seat.follower.view
    if believed and (law(view) != law(believed) or view["version"] != believed["version"]):
        findings.diverged.append(f"{seat}: believed {law(believed)}, but it is {law(view)}")
