"""Anyone can check a finished game with `parlor verify`, and no server is asked."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from services import cli
from tests.support.client import Json, Player
from tests.support.product import run_parlor
from tests.support.waiting import eventually

pytestmark = pytest.mark.both_databases

Tamper = Callable[[Json], None]


async def replay_of(ann: Player, game: str) -> Json:
    response = await eventually(lambda: ann.get(f"/session/games/{game}/replay"), lambda r: r.status_code == 200)
    replay: Json = response.json()
    return replay


@pytest.fixture
async def replay(ann: Player) -> Json:
    """The replay of a game between two bots."""
    return await replay_of(ann, (await ann.create(["bot:random", "bot:random"]))["id"])


def saved(replay: Any, tmp_path: Path) -> str:
    path = tmp_path / "replay.json"
    path.write_text(json.dumps(replay))
    return str(path)


def verified(replay: Any, tmp_path: Path) -> tuple[int, str]:
    """What the command says, without a process of its own."""
    done = CliRunner().invoke(cli.app, ["verify", saved(replay, tmp_path)])
    return done.exit_code, done.stderr


async def test_an_honest_replay_is_found_in_order(replay: Json, tmp_path: Path) -> None:
    done = run_parlor("verify", saved(replay, tmp_path), settings={}, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "✗" not in done.stderr
    assert done.stderr.count("✓") >= 4
    assert verified(replay, tmp_path) == (done.returncode, done.stderr)


def another_seed(replay: Json) -> None:
    replay["seed"] = "00" * 32


def another_beginning(replay: Json) -> None:
    (started,) = [fact for line in replay["log"] for fact in line["facts"] if fact["type"] == "started"]
    started["position"]["first"] = 1 - started["position"]["first"]


def another_effect(replay: Json) -> None:
    played = next(fact for line in replay["log"] for fact in line["facts"] if fact["type"] == "played")
    played["events"][0]["cell"] = (played["events"][0]["cell"] + 1) % 9


def another_message(replay: Json) -> None:
    response = next(event for event in replay["events"] if event["event"] == "response")
    response["data"]["cell"] = (response["data"]["cell"] + 1) % 9


def another_result(replay: Json) -> None:
    replay["result"]["winners"] = [0, 1]


@pytest.mark.parametrize(
    "tamper",
    [another_seed, another_beginning, another_effect, another_message, another_result],
    ids=lambda f: f.__name__,
)
async def test_a_replay_that_was_tampered_with_is_found_out(replay: Json, tamper: Tamper, tmp_path: Path) -> None:
    tamper(replay)
    code, said = verified(replay, tmp_path)
    assert code == 1, said
    assert "✗" in said


async def test_what_is_no_replay_is_told_apart_from_a_false_one(tmp_path: Path) -> None:
    code, said = verified({"hello": "world"}, tmp_path)
    assert code == 2
    assert "no replay" in said


async def test_a_seats_replay_holds_no_log(ann: Player, replay: Json) -> None:
    game = next(event for event in replay["events"] if event["event"] == "started")["data"]["id"]
    seat = (await ann.get(f"/session/games/{game}/replay", {"as": "0"})).json()
    assert "log" not in seat
    assert "log" in replay
