"""`parlor play` and `parlor tournament` against the real product."""

import asyncio
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from parlor_sdk import AsyncClient
from services.cli import app
from tests.sdk import contestants
from tests.support.ports import own_port
from tests.support.product import PARLOR, Product, environment, run_parlor
from tests.support.waiting import eventually

CONTESTANTS = str(Path(contestants.__file__))


class Contestant:
    """`parlor play` as somebody runs it, in a home directory of its own."""

    def __init__(self, home: Path, arena: Product, game: str, name: str, *more: str) -> None:
        self.thinking, self.go = home / "thinking", home / "go"
        self._command = [
            str(PARLOR), "play", "--strategy", f"{CONTESTANTS}:{name}", "--game", game, "--url", arena.url, *more,
        ]  # fmt: skip
        self._settings = {"XDG_STATE_HOME": str(home), "THINKING": str(self.thinking), "GO": str(self.go)}
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._command, env=environment(self._settings), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    async def is_thinking(self) -> bool:
        return await asyncio.to_thread(self.thinking.exists)

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate()

    def let_go(self) -> None:
        self.go.touch()

    def tokens(self) -> list[Path]:
        return list((self.go.parent / "parlor").iterdir())

    def end(self) -> tuple[int, str, str]:
        out, err = self._process.communicate(timeout=120)
        return self._process.returncode, out, err


async def test_a_strategy_killed_in_its_turn_takes_its_seat_again_and_plays_on(
    client: AsyncClient, arena: Product, tmp_path: Path
) -> None:
    options = {"supply": "ordered", "move_time": 120}
    game = await client.create("tsuro", ["bot:first", "open", "bot:last"], options)
    contestant = Contestant(tmp_path, arena, game, "Thinks", "--limit", "100")
    await eventually(contestant.is_thinking, bool, timeout=60)
    contestant.kill()
    killed = await client.view(game)
    assert killed["gamestate"]["turn"] == 1
    contestant.let_go()
    contestant.start()
    code, out, err = contestant.end()
    assert code == 0, err
    view = await client.view(game)
    assert view["status"] == "finished"
    assert view["players"][1]["user"] == killed["players"][1]["user"]
    colors = view["gamestate"]["colors"]
    assert out.splitlines() == [f"{colors[box]} {view['players'][box]['nick']}" for box in view["result"]["winners"]]
    events = (await client.replay(game))["events"]
    assert [e for e in events if e["event"] == "move_discarded"] == []
    assert sum(e["event"] == "tile_placed" and e["data"]["box"] == 1 for e in events) > 2
    assert contestant.tokens() == [], "the token of a game that is over is forgotten"


def parlor(home: Path, *arguments: str) -> Result:
    """A command that ends by itself, run in this process."""
    return CliRunner().invoke(app, arguments, env={"XDG_STATE_HOME": str(home)})


def test_a_strategy_without_a_game_says_so(arena: Product, tmp_path: Path) -> None:
    strategy = f"{CONTESTANTS}:Sane"
    outcome = parlor(tmp_path, "play", "--strategy", strategy, "--game", "nosuchgamenosuchgame", "--url", arena.url)
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    assert "not_found" in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_a_strategy_that_is_none_says_so(arena: Product, tmp_path: Path) -> None:
    strategy = f"{CONTESTANTS}:NoStrategy"
    outcome = parlor(tmp_path, "play", "--strategy", strategy, "--game", "nosuchgamenosuchgame", "--url", arena.url)
    assert outcome.exit_code == 2
    assert "NoStrategy" in outcome.stderr


def test_a_tournament_ends_with_a_standing(arena: Product, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISDEED", str(tmp_path / "misdeed"))
    entries = ["first", "greedy", "greedy", f"{CONTESTANTS}:Sane", f"{CONTESTANTS}:Babbles"]
    arguments = ["--url", arena.url, "--rounds", "2", "--group", "3", "--seed", "5", "--json"]
    patience = ["--move-time", "60", "--limit", "50"]  # nobody is to forfeit because the machine is busy
    outcome = run_parlor("tournament", *entries, *arguments, *patience, settings=dict(os.environ), timeout=120)
    assert outcome.returncode == 0, outcome.stderr
    standing = {row["strategy"]: row for row in json.loads(outcome.stdout)}
    assert set(standing) == {"first", "greedy", "greedy#2", f"{CONTESTANTS}:Sane", f"{CONTESTANTS}:Babbles"}
    assert all(row["games"] == 2 for row in standing.values())
    assert sum(row["points"] for row in standing.values()) == pytest.approx(4, abs=0.01)
    assert standing[f"{CONTESTANTS}:Babbles"]["forfeited"] == 1
    assert standing[f"{CONTESTANTS}:Sane"]["forfeited"] == 0


def test_a_tournament_without_a_server_says_so(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{own_port()}"
    outcome = parlor(tmp_path, "tournament", "first", "last", "--url", url, "--patience", "0.5")
    assert outcome.exit_code == 1
    assert url in outcome.stderr
    assert "Traceback" not in outcome.stderr
