"""What `make compare` makes of its arguments and of the rounds."""

from collections.abc import Mapping

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from benchmarks.compare.__main__ import NO_ANSWER, Progress, chosen, main, until_known
from benchmarks.compare.games import QUIET_MOVES
from benchmarks.compare.report import DEARER, Comparison
from benchmarks.compare.rounds import MEASURES, Cost
from benchmarks.compare.trees import commit_of
from benchmarks.driver import BenchmarkError

CHEAP, DEAR, UNCLEAR = [0.94] * 12, [1.06] * 12, [0.94, 1.06] * 6


def comparison(**ratios: list[float]) -> Comparison:
    made = Comparison(list(ratios))
    for costs in zip(*ratios.values(), strict=True):
        made.add({name: Cost(ratio, 1.0, ratio) for name, ratio in zip(ratios, costs, strict=True)})
    return made


def progress() -> Progress:
    quiet = Console(quiet=True)
    return Progress(quiet, quiet.status(""))


@pytest.mark.parametrize(
    ("moves", "acks", "code"),
    [
        (DEAR, CHEAP, DEARER),
        (DEAR, DEAR, DEARER),
        (UNCLEAR, CHEAP, 0),
        (CHEAP, CHEAP, 0),
        (DEAR[:5], DEAR[:5], 0),  # too few rounds to say
    ],
)
def test_the_exit_code_is_1_if_some_whole_interval_lies_above_1(
    moves: list[float], acks: list[float], code: int
) -> None:
    assert comparison(move=moves, ack=acks).exit_code == code


def test_measures_are_chosen_by_name_and_taken_in_the_order_of_a_round() -> None:
    assert chosen("") == list(MEASURES)
    assert chosen("relay, move,") == ["move", "relay"]
    with pytest.raises(BenchmarkError, match="there is no measure moves; choose from start, memory, move"):
        chosen("moves,relay")


@pytest.mark.parametrize("revision", ["no-such-branch", "--all", "HEAD; true", "HEAD:README.md", ""])
def test_what_names_no_commit_is_refused(revision: str) -> None:
    with pytest.raises(BenchmarkError, match="there is no revision"):
        commit_of(revision)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "say with which revision"),
        (["--old", "no-such-branch"], "there is no revision 'no-such-branch' here"),
        (["--old", "HEAD", "--only", "moves"], "there is no measure moves"),
    ],
)
def test_mistakes_are_told_in_a_sentence(arguments: list[str], says: str) -> None:
    command = typer.Typer()
    command.command()(main)
    done = CliRunner().invoke(command, arguments, env={"OLD": "", "ONLY": "", "COLUMNS": "200"})
    assert (done.exit_code, says in done.output) == (NO_ANSWER, True), done.output


class Clock:
    """Stands still but for the rounds."""

    def __init__(self) -> None:
        self.now = 0.0
        self.rounds = 0

    async def a_round(self, ratio: float) -> Mapping[str, Cost]:
        self.now += 10.0
        self.rounds += 1
        return {"move": Cost(ratio, 1.0, ratio)}


async def test_it_ends_once_every_interval_is_narrow() -> None:
    clock, made = Clock(), Comparison(["move"])
    await until_known(made, lambda: clock.a_round(1.0), 20, progress(), lambda: clock.now)
    assert made.is_settled
    assert made.rounds == 6


async def test_it_ends_before_a_round_that_would_not_be_over_in_time() -> None:
    clock, made = Clock(), Comparison(["move"])
    await until_known(made, lambda: clock.a_round(1.0 + clock.rounds % 2), 2, progress(), lambda: clock.now)
    assert not made.is_settled
    assert clock.now == 120.0


async def test_a_round_that_fails_does_not_count_and_the_second_ends_it() -> None:
    clock, made = Clock(), Comparison(["move"])

    async def fragile() -> Mapping[str, Cost]:
        found = await clock.a_round(2.0 + clock.rounds % 2)
        if clock.rounds in (2, 4):
            raise BenchmarkError("no answer")
        return found

    with pytest.raises(BenchmarkError):
        await until_known(made, fragile, 20, progress(), lambda: clock.now)
    assert made.rounds == 2


def test_nobody_wins_the_game_of_the_moves() -> None:
    assert len(QUIET_MOVES) == len(set(QUIET_MOVES)) == 80
    for stones in (set(QUIET_MOVES[::2]), set(QUIET_MOVES[1::2])):
        for x, y in stones:
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                assert not {(x + step * dx, y + step * dy) for step in range(3)} <= stones
