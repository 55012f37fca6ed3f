"""`make bench`: measure the hot paths as ratios to a bare server, all in one run."""

import gc
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import Annotated

import typer
import uvloop
from rich.console import Console

from benchmarks import acks, matching, memory, moves, push, relay
from benchmarks.arena import Window
from benchmarks.driver import BenchmarkError
from benchmarks.moves import Latency
from benchmarks.players import DRAW, Player, sign_in
from benchmarks.report import ACK_TARGET, MATCH_TARGET, MOVE_TARGET, PUSH_TARGET, RELAY_TARGET, Comparison, Report
from benchmarks.server import Server, baseline, parlor, pin_driver

Say = Callable[[str], None]


class Measure(StrEnum):
    MOVE = "move"
    ACK = "ack"
    PUSH = "push"
    LATENCY = "latency"
    MEMORY = "memory"
    RELAY = "relay"
    MATCH = "match"


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of everything to do: what is measured is the same, only for longer."""

    move_windows: int
    move_seconds: float
    push_windows: int
    push_games: int
    latency_windows: int
    latency_seconds: float


FULL = Plan(move_windows=7, move_seconds=1.0, push_windows=5, push_games=10, latency_windows=3, latency_seconds=4.0)
QUICK = Plan(move_windows=1, move_seconds=0.8, push_windows=1, push_games=8, latency_windows=1, latency_seconds=1.5)

# A window in which other processes took more than this share of a core is repeated.
QUIET = 0.1


async def run(plan: Plan, wanted: set[Measure], say: Say) -> Report:
    report = Report()
    if wanted - {Measure.MEMORY, Measure.MATCH}:
        async with parlor() as server:
            say("Parlor is up; signing in")
            await _play(report, plan, wanted, server, await sign_in(server.port, 2 * moves.GAMES), say)
    if Measure.MATCH in wanted:
        async with parlor(matching.SETTINGS) as server:
            await _matches(report, plan, server, say)
    if Measure.MEMORY in wanted:
        # A server that has been busy would open streams in memory that it has already.
        async with parlor() as server:
            say(f"memory: opening {memory.STREAMS:,} streams on a fresh server")
            report.memory = await memory.measure(server)
    return report


async def _play(
    report: Report, plan: Plan, wanted: set[Measure], server: Server, players: Sequence[Player], say: Say
) -> None:
    rate = 0.0
    if wanted & {Measure.MOVE, Measure.ACK, Measure.LATENCY}:
        say("warming up")
        rate = (await moves.window(server, players, 2 * moves.GAMES * len(DRAW))).rate
    if Measure.MOVE in wanted:
        report.move = await _moves(plan, server, players, int(rate * plan.move_seconds), say)
        rate = median(w.rate for w in report.move.ours)
    if Measure.ACK in wanted:
        report.ack = await _acks(plan, server, players, int(rate * plan.move_seconds), say)
    if Measure.LATENCY in wanted:
        report.latency = await _latency(plan, server, players, rate / 2, say)
    if Measure.PUSH in wanted:
        report.push = await _pushes(plan, server, players, say)
    if Measure.RELAY in wanted:
        report.relay, report.relay_latency = await _relayed(plan, server, players, say)


async def _moves(plan: Plan, server: Server, players: Sequence[Player], count: int, say: Say) -> Comparison:
    async with baseline("bare") as bare:
        await moves.bare_window(bare, 0.2)
        ours, theirs = await _in_turns(
            plan.move_windows,
            lambda: moves.window(server, players, count),
            lambda: moves.bare_window(bare, plan.move_seconds),
            lambda line: say(f"move {line}"),
        )
    return Comparison("move", MOVE_TARGET, ours, theirs)


async def _acks(plan: Plan, server: Server, players: Sequence[Player], count: int, say: Say) -> Comparison:
    ours, theirs = await _in_turns(
        plan.move_windows,
        lambda: acks.window(server, players, count),
        lambda: moves.window(server, players, count),
        lambda line: say(f"ack {line}"),
    )
    return Comparison("ack", ACK_TARGET, ours, theirs)


async def _latency(plan: Plan, server: Server, players: Sequence[Player], rate: float, say: Say) -> Latency:
    return await _quietest(
        plan.latency_windows, lambda: moves.latency(server, players, rate, plan.latency_seconds), say, "latency"
    )


async def _pushes(plan: Plan, server: Server, players: Sequence[Player], say: Say) -> Comparison:
    events = await push.record(players)
    async with baseline("raw_sse") as raw:
        repeaters = await push.repeaters(raw, events)
        await push.window(raw, repeaters, 2)
        ours, theirs = await _in_turns(
            plan.push_windows,
            lambda: push.window(server, players, plan.push_games),
            lambda: push.window(raw, repeaters, plan.push_games),
            lambda line: say(f"push {line}"),
        )
    return Comparison("event", PUSH_TARGET, ours, theirs)


async def _relayed(plan: Plan, server: Server, players: Sequence[Player], say: Say) -> tuple[Comparison, Latency]:
    say("relay: warming up")
    rate = (await relay.window(server, players, 20 * relay.ROOMS)).rate
    async with baseline("bare") as bare:
        await moves.bare_window(bare, 0.2)
        ours, theirs = await _in_turns(
            plan.move_windows,
            lambda: relay.window(server, players, int(rate * plan.move_seconds)),
            lambda: moves.bare_window(bare, plan.move_seconds),
            lambda line: say(f"relay {line}"),
        )
    compared = Comparison("message", RELAY_TARGET, ours, theirs)
    paced = median(w.rate for w in ours) / 2
    return compared, await _quietest(
        plan.latency_windows, lambda: relay.latency(server, players, paced, plan.latency_seconds), say, "relay latency"
    )


async def _matches(report: Report, plan: Plan, server: Server, say: Say) -> None:
    say("match: warming up")
    await matching.window(server, matching.FEW)
    ours, theirs = await _in_turns(
        max(1, plan.move_windows // 2),
        lambda: matching.window(server, matching.MANY),
        lambda: matching.window(server, matching.FEW),
        lambda line: say(f"match {line}"),
    )
    report.match = Comparison("ticket", MATCH_TARGET, ours, theirs)
    report.match_latency = await _quietest(plan.latency_windows, lambda: matching.latency(server), say, "match latency")


async def _quietest(windows: int, measure: Callable[[], Awaitable[Latency]], say: Say, name: str) -> Latency:
    """The first window that others did not disturb, or the least disturbed."""
    found = []
    for number in range(windows):
        found.append(await measure())
        say(f"{name} {number + 1}: p50 {found[-1].p50 * 1e3:.2f} ms, p99 {found[-1].p99 * 1e3:.2f} ms")
        if found[-1].window.disturbance < QUIET:
            break
    return min(found, key=lambda latency: latency.window.disturbance)


async def _in_turns(
    windows: int, ours: Callable[[], Awaitable[Window]], theirs: Callable[[], Awaitable[Window]], say: Say
) -> tuple[list[Window], list[Window]]:
    """Pairs of neighbouring windows: of up to twice as many as wanted, those that others disturbed least."""
    pairs: list[tuple[Window, Window]] = []
    while len(pairs) < 2 * windows and sum(_disturbance(pair) < QUIET for pair in pairs) < windows:
        gc.collect()
        pairs.append((await ours(), await theirs()))
        mine, other = pairs[-1]
        say(
            f"{len(pairs)}: {mine.rate:,.0f} against {other.rate:,.0f}/s,"
            f" server CPU {mine.cpu_us:.1f} against {other.cpu_us:.1f} µs,"
            f" other processes {_disturbance(pairs[-1]):.0%}"
        )
    quietest = sorted(pairs, key=_disturbance)[:windows]
    return [mine for mine, _ in quietest], [other for _, other in quietest]


def _disturbance(pair: tuple[Window, Window]) -> float:
    return max(window.disturbance for window in pair)


def main(
    quick: Annotated[bool, typer.Option("--quick", help="Short windows, under half a minute.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    only: Annotated[str, typer.Option(help="Measure only these: move,ack,push,latency,memory,relay,match.")] = "",
) -> None:
    """Measure Parlor against bare servers: the server on one core, Redis and the driver on another."""
    progress = Console(stderr=True)
    try:
        wanted = {Measure(word.strip()) for word in only.split(",")} if only else set(Measure)
    except ValueError as error:
        raise typer.BadParameter(f"{error}; choose from {', '.join(Measure)}", param_hint="--only") from None
    pin_driver()
    # A collection in the middle of a window would be charged to the server's rate.
    gc.disable()
    try:
        plan = QUICK if quick else FULL
        report = uvloop.run(run(plan, wanted, lambda line: progress.print(line, style="dim")))
    except (BenchmarkError, OSError) as error:
        progress.print(f"[red]The benchmark failed:[/red] {str(error) or 'no answer in time'}")
        raise typer.Exit(1) from None
    if as_json:
        json.dump(report.as_json(), sys.stdout, indent=2)
        sys.stdout.write("\n")
    else:
        report.print(Console())


if __name__ == "__main__":
    typer.run(main)
