"""`parlor tsuro`: games on this machine."""

import json
import re
import resource
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from services.cli import app
from tests.sdk import contestants
from tests.support.product import run_parlor

CONTESTANTS = str(Path(contestants.__file__))


def tsuro(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["tsuro", *arguments])


def test_a_game_draws_its_board_and_prints_the_winners() -> None:
    outcome = run_parlor("tsuro", "first", "random", "greedy", "--seed", "7")
    assert outcome.returncode == 0
    assert re.fullmatch(r"((white first|black random|red greedy)\n)+", outcome.stdout)
    assert "seed 7" in outcome.stderr
    assert any("\u2801" <= char <= "\u28ff" for char in outcome.stderr), "no path was drawn"


def test_quiet_prints_the_winners_only() -> None:
    loud, quiet = tsuro("first", "random", "--seed", "7"), tsuro("first", "random", "--seed", "7", "--quiet")
    assert quiet.stdout == loud.stdout
    assert quiet.stderr == ""


def test_the_same_seed_gives_the_same_game_and_another_another() -> None:
    def told(seed: int) -> dict[str, object]:
        result: dict[str, object] = json.loads(
            tsuro("random", "random", "random", "--seed", str(seed), "--json").stdout
        )
        return result

    assert told(7) == told(7)
    assert len({json.dumps({**told(seed), "seed": 0}) for seed in range(10)}) > 1


def test_json_tells_who_played_and_how_it_ended() -> None:
    told = json.loads(tsuro("first", "last", "--seed", "1", "--json").stdout)
    assert told["seed"] == 1
    assert told["players"] == [
        {"box": 0, "color": "white", "strategy": "first"},
        {"box": 1, "color": "black", "strategy": "last"},
    ]
    assert set(told["winners"]) <= {0, 1}
    assert told["reason"] in ("last_on_board", "left_together", "all_in_loops")
    assert told["moves"] > 2


def test_a_series_is_counted() -> None:
    told = json.loads(tsuro("random", "greedy", "--seed", "1", "--games", "40", "--json").stdout)
    wins, shared = ([player[name] for player in told["players"]] for name in ("wins", "shared"))
    assert told["games"] == 40
    assert sum(wins) - sum(shared) // 2 == 40, "a game of two has one winner, or both"
    assert sum(told["reasons"].values()) == 40


def test_a_series_ends_with_a_table() -> None:
    outcome = tsuro("random", "greedy", "--seed", "1", "--games", "20")
    assert re.search(r"white\W+random\W+\d+ \(\d+\.\d %\)", outcome.stdout)
    quiet = tsuro("random", "greedy", "--seed", "1", "--games", "20", "--quiet")
    assert re.fullmatch(r"white random \d+\nblack greedy \d+\n", quiet.stdout)


def test_a_strategy_of_ones_own_plays_too() -> None:
    outcome = tsuro(f"{CONTESTANTS}:Sane", "random", "--seed", "2", "--quiet")
    assert outcome.exit_code == 0
    assert outcome.stdout


def test_ones_own_strategy_that_fails_loses_its_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISDEED", str(tmp_path / "misdeed"))
    outcome = tsuro(f"{CONTESTANTS}:Raises", "random", "--seed", "2")
    assert outcome.exit_code == 0
    assert "forfeits its move: RuntimeError: no idea" in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["random"], "two to eight"),
        (["random"] * 9, "two to eight"),
        (["random", "clever"], "clever"),
        (["random", f"{CONTESTANTS}:NoStrategy"], "NoStrategy"),
        (["random", "nowhere:Bot"], "nowhere"),
    ],
)
def test_what_cannot_be_played_is_said(arguments: list[str], word: str) -> None:
    outcome = tsuro(*arguments)
    assert outcome.exit_code == 2
    assert outcome.stdout == ""
    assert word in outcome.stderr


@pytest.mark.soak
def test_a_thousand_games_take_less_than_twenty_seconds_of_one_core() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    outcome = run_parlor("tsuro", *["random"] * 4, "--games", "1000", "--quiet", timeout=120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert outcome.returncode == 0
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 20
