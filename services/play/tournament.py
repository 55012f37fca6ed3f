"""`parlor tournament`: strategies against one another, in groups, through a server."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from parlor_sdk.client import AsyncClient
from parlor_sdk.errors import ParlorError, Refused
from parlor_sdk.runner import DEFAULT_LIMIT, play
from parlor_sdk.sandbox import BadStrategy, Sandbox
from services.play.local import BUILT_IN
from services.play.remote import DEFAULT_PATIENCE, DEFAULT_URL, Patience, Url
from services.play.terminal import MISUSED, err, fail, note, out


@dataclass(frozen=True)
class Entry:
    """One participant; `client` is None for a bot of the server."""

    label: str
    strategy: str
    client: AsyncClient | None = None

    @property
    def seat(self) -> str:
        return "open" if self.client else f"bot:{self.strategy}"


@dataclass(frozen=True)
class Plan:
    """How a tournament is held."""

    url: str
    patience: float
    group: int
    rounds: int
    at_once: int
    options: dict[str, Any]
    limit: float

    def client(self) -> AsyncClient:
        return AsyncClient(self.url, patience=self.patience)


@dataclass
class Standing:
    games: Counter[str] = field(default_factory=Counter)
    wins: Counter[str] = field(default_factory=Counter)
    points: Counter[str] = field(default_factory=Counter)
    """A game is worth one point, shared by its winners; in 840ths, which all numbers of winners divide."""
    forfeited: Counter[str] = field(default_factory=Counter)

    def add(self, seated: Sequence[str], winners: Sequence[str]) -> None:
        self.games.update(seated)
        self.wins.update(winners)
        for label in winners:
            self.points[label] += 840 // len(winners)

    def rows(self) -> list[dict[str, Any]]:
        return [
            {
                "strategy": label,
                "games": self.games[label],
                "wins": self.wins[label],
                "points": round(self.points[label] / 840, 3),
                "forfeited": self.forfeited[label],
            }
            for label in sorted(self.games, key=lambda each: (-self.points[each], each))
        ]


def groups(entries: Sequence[Entry], size: int, dice: random.Random) -> list[list[Entry]]:
    """Everyone once, in groups as equal as they can be, of at most `size` and at least two."""
    drawn = dice.sample(list(entries), len(entries))
    count = min(-(-len(drawn) // size), len(drawn) // 2)
    return [drawn[number::count] for number in range(count)]


def tournament(
    strategies: Annotated[
        list[str], typer.Argument(help="first, last, random, greedy (the server's bots), my_bot:MyBot.")
    ],
    url: Url = DEFAULT_URL,
    group: Annotated[int, typer.Option(min=2, max=8, help="How many play in one game.")] = 4,
    rounds: Annotated[int, typer.Option(min=1, help="How often everybody plays, in new groups each time.")] = 5,
    seed: Annotated[int | None, typer.Option(help="Decides the groups and the order of seats.")] = None,
    at_once: Annotated[int, typer.Option(min=1, help="How many games are played at the same time.")] = 4,
    move_time: Annotated[int, typer.Option(min=1, help="Seconds for a move.")] = 10,
    limit: Annotated[float, typer.Option(min=0.01, help="Seconds for a strategy's answer.")] = DEFAULT_LIMIT,
    patience: Patience = DEFAULT_PATIENCE,
    as_json: Annotated[bool, typer.Option("--json", help="Print the standing as JSON.")] = False,
) -> None:
    """Let strategies play Tsuro against one another on a server, and print the standing.

    Built-in strategies play as bots of the server, yours as clients of it, each in a process of its own. In tournament
    games a bad move costs the avatar. A game is worth one point, which joint winners share.
    """
    if len(strategies) < 2:
        fail("A tournament needs two strategies or more.", "For example: parlor tournament random greedy", MISUSED)
    options = {"move_time": move_time, "time_bank": 0, "invalid": "eliminate"}
    plan = Plan(url, patience, group, rounds, at_once, options, limit)
    try:
        standing = asyncio.run(_tournament(strategies, plan, random.Random(seed)))
    except BadStrategy as bad:
        fail(f"This strategy cannot be used: {bad}", "It must be a class derived from parlor_sdk.Strategy.", MISUSED)
    except Refused as refused:
        fail(f"The server refused: {refused.detail} ({refused.code})", f"The server is {url}.")
    except ParlorError as error:
        fail(str(error), f"Is Parlor running at {url}? Name another with --url.")
    except KeyboardInterrupt:
        fail("Interrupted; no standing.", "Games under way end by their clocks.", 130)
    if as_json:
        print(json.dumps(standing.rows()))
    else:
        out.print(_table(standing))


async def _tournament(names: Sequence[str], plan: Plan, dice: random.Random) -> Standing:
    standing = Standing()
    gate = asyncio.Semaphore(plan.at_once)
    async with AsyncExitStack() as stack:
        organiser = await stack.enter_async_context(plan.client())
        await organiser.sign_in_as_guest("tournament")
        entries = [await _entered(name, label, plan, stack) for name, label in zip(names, _labels(names), strict=True)]
        drawn = [group for _ in range(plan.rounds) for group in groups(entries, plan.group, dice)]
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, console=err, disable=not err.is_terminal, transient=True) as progress:
            task = progress.add_task("games", total=len(drawn))
            games = [_game(organiser, group, plan, gate, standing) for group in drawn]
            for game in asyncio.as_completed(games):
                await game
                progress.advance(task)
    return standing


def _labels(names: Sequence[str]) -> list[str]:
    """Names for the standing: the second of a kind is called `random#2`."""
    seen: Counter[str] = Counter()
    labels = []
    for name in names:
        seen[name] += 1
        labels.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return labels


async def _entered(name: str, label: str, plan: Plan, stack: AsyncExitStack) -> Entry:
    if ":" not in name:
        if name not in BUILT_IN:
            hint = f"Choose among {', '.join(BUILT_IN)}, or name your own like my_bot:MyBot."
            fail(f"There is no strategy {name!r}.", hint, MISUSED)
        return Entry(label, name)
    async with Sandbox(name):
        pass  # if it cannot be used, that is known before anybody plays
    client = await stack.enter_async_context(plan.client())
    await client.sign_in_as_guest(label[-32:])
    return Entry(label, name, client)


async def _game(
    organiser: AsyncClient, group: Sequence[Entry], plan: Plan, gate: asyncio.Semaphore, standing: Standing
) -> None:
    async with gate:
        game = await organiser.create("tsuro", [entry.seat for entry in group], plan.options)
        seated = {box: entry.label for box, entry in enumerate(group) if entry.client is None}
        contestants = [(entry, entry.client) for entry in group if entry.client is not None]
        for entry, client in contestants:
            seated[(await client.join(game))["box"]] = entry.label
        players = [_played(entry, client, game, plan.limit, standing) for entry, client in contestants]
        playing = asyncio.gather(*players)
        winners = await _winners(organiser, game)
        await playing
        standing.add(list(seated.values()), [seated[box] for box in winners])


async def _played(entry: Entry, client: AsyncClient, game: str, limit: float, standing: Standing) -> None:
    """One contestant's game; whatever goes wrong for it is its own trouble, the others play on."""

    def notice(words: str) -> None:
        note(f"{entry.label} {words}")

    try:
        result = await play(client, game, entry.strategy, limit=limit, notice=notice)
        standing.forfeited[entry.label] += result.forfeited
    except ParlorError as error:
        notice(f"plays no more: {error}")


async def _winners(organiser: AsyncClient, game: str) -> list[int]:
    async with aclosing(organiser.events(game)) as events:
        async for event in events:
            if event.data.get("result"):
                return [int(box) for box in event.data["result"]["winners"]]
            if event.name == "aborted":
                raise ParlorError(f"Game {game} was aborted.")
    raise ParlorError(f"Game {game} has no result.")


def _table(standing: Standing) -> Table:
    table = Table(title="Standing")
    table.add_column("strategy")
    for name in ("points", "wins", "games", "forfeited"):
        table.add_column(name, justify="right")
    for row in standing.rows():
        table.add_row(
            row["strategy"], f"{row['points']:g}", *(str(row[name]) for name in ("wins", "games", "forfeited"))
        )
    return table
