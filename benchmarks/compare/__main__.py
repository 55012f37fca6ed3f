"""`make compare OLD=<revision>`: does this tree cost more CPU time than an older one? Both run side by side."""

import gc
import random
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated

import typer
import uvloop
from rich.console import Console
from rich.status import Status

from benchmarks.compare.report import Comparison
from benchmarks.compare.rounds import MEASURES, Cost, play
from benchmarks.compare.trees import Tree, commit_of, old_tree, this_tree
from benchmarks.driver import BenchmarkError
from benchmarks.server import pin_driver

NO_ANSWER = 2
_MEASURES = ", ".join(f"{name} ({measure.what})" for name, measure in MEASURES.items())


class Progress:
    """A line that changes on a terminal, and a line after each round everywhere."""

    def __init__(self, console: Console, status: Status) -> None:
        self._console = console
        self._status = status
        self.heading = ""

    def doing(self, what: str) -> None:
        self._status.update(f"{self.heading}{what}")

    def note(self, line: str) -> None:
        self._console.print(line, style="dim", markup=False, highlight=False, soft_wrap=True)


def chosen(names: str) -> list[str]:
    """The measures of a list with commas, in the order of a round; all of them if the list is empty."""
    words = {word.strip() for word in names.split(",")} - {""}
    if unknown := sorted(words - set(MEASURES)):
        raise BenchmarkError(f"there is no measure {', '.join(unknown)}; choose from {', '.join(MEASURES)}")
    return [name for name in MEASURES if name in words or not words]


async def until_known(
    comparison: Comparison,
    a_round: Callable[[], Awaitable[Mapping[str, Cost]]],
    minutes: float,
    progress: Progress,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Play rounds until every interval is narrow, or until the next round would end too late."""
    begun, failures = clock(), 0
    while not comparison.is_settled:
        passed = clock() - begun
        if passed + passed / max(1, comparison.rounds + failures) > 60 * minutes:
            break
        progress.heading = f"{passed / 60:.1f} min, round {comparison.rounds + 1}: "
        try:
            comparison.add(await a_round())
        except (BenchmarkError, OSError, TimeoutError) as error:
            # On a busy machine a round may fail; a tree that is broken fails again and again.
            failures += 1
            progress.note(f"a round failed and does not count: {str(error) or 'no answer in time'}")
            if failures > 1 + comparison.rounds // 10:
                raise
        else:
            progress.note(f"medians of {comparison.rounds}: {comparison.line()}")


async def compare(
    new: Tree, old: Tree, comparison: Comparison, minutes: float, lot: random.Random, progress: Progress
) -> None:
    progress.heading = "trying out: "
    await play(new, old, ["start"], lot, progress.doing)  # the first start of a tree compiles it
    await until_known(comparison, lambda: play(new, old, comparison.wanted, lot, progress.doing), minutes, progress)


def main(
    old: Annotated[
        str, typer.Option(envvar="OLD", help="The revision to compare with: a commit, a branch, a tag.")
    ] = "",
    only: Annotated[str, typer.Option(envvar="ONLY", help=f"Only some measures, with commas: {_MEASURES}.")] = "",
    minutes: Annotated[float, typer.Option(envvar="MINUTES", help="At most so many minutes.", min=0.1)] = 20.0,
    seed: Annotated[
        str, typer.Option(envvar="SEED", help="Draws who goes first; that of an earlier run repeats it.")
    ] = "",
) -> None:
    """Compare the CPU time of this work tree's server with that of an older revision.

    Both are started anew in each round and driven side by side, with the same requests. It ends when every
    interval is within ± 0.02, or when the time is up. The exit code is 1 if some measure's whole interval lies above
    1.00, 0 if none does, and 2 if there is no answer.
    """
    console, progress = Console(), Console(stderr=True)
    seed = seed or str(secrets.randbelow(10**6))
    try:
        if not old:
            raise BenchmarkError("say with which revision: make compare OLD=<commit, branch or tag>")
        comparison = Comparison(chosen(only))
        commit = commit_of(old)
        with progress.status("setting up") as status:
            new, before = this_tree(), old_tree(commit)
            for tree in (new, before):
                status.update(f"setting up {tree.name}")
                tree.set_up()
            console.print(f"This tree against {commit[:12]}, measured for {minutes:g} minutes at most; SEED={seed}.")
            pin_driver()
            gc.disable()  # a collection would fall into one side's turn
            uvloop.run(compare(new, before, comparison, minutes, random.Random(seed), Progress(progress, status)))
    except (BenchmarkError, OSError, TimeoutError) as error:
        progress.print(f"[red]No comparison:[/red] {str(error) or 'no answer in time'}", soft_wrap=True)
        raise typer.Exit(NO_ANSWER) from None
    comparison.print(console)
    raise typer.Exit(comparison.exit_code)


if __name__ == "__main__":
    typer.run(main)
