"""Strategies in games on a real server, good ones and bad ones."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from parlor_sdk import AsyncClient, ParlorError, Refused, play
from parlor_sdk.sandbox import BadStrategy, Forfeit, Sandbox, named
from tests.sdk import contestants
from tests.support.product import Product

ORDERED = {"supply": "ordered", "move_time": 60}
PATIENT = 50.0  # seconds for an answer: the machine may be busy
CONTESTANTS = str(Path(contestants.__file__))


@pytest.fixture
def misdeed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    done = tmp_path / "misdeed"
    monkeypatch.setenv("MISDEED", str(done))
    return done


async def discarded(client: AsyncClient, game: str, box: int) -> list[str]:
    """Why moves of a seat came to nothing."""
    events = (await client.replay(game))["events"]
    return [e["data"]["reason"] for e in events if e["event"] == "move_discarded" and e["data"]["box"] == box]


async def laid(client: AsyncClient, game: str, box: int) -> int:
    """How many tiles a seat has laid."""
    events = (await client.replay(game))["events"]
    return sum(e["event"] == "tile_placed" and e["data"]["box"] == box for e in events)


async def test_a_strategy_takes_an_open_seat_and_plays_to_the_end(client: AsyncClient) -> None:
    game = await client.create("tsuro", ["bot:random", "open", "bot:last"], ORDERED)
    result = await play(client, game, contestants.Sane, limit=PATIENT)
    assert result.box == 1
    assert result.forfeited == 0
    assert (await client.view(game))["result"]["winners"] == list(result.winners)
    assert await discarded(client, game, 1) == []


async def test_strategies_can_play_among_themselves(client: AsyncClient, arena: Product) -> None:
    async with AsyncClient(arena.url) as other:
        await other.sign_in_as_guest("Bob")
        game = await client.create("tsuro", ["open", "open"], ORDERED)
        playing = [play(each, game, contestants.Sane, limit=PATIENT) for each in (client, other)]
        one, two = await asyncio.gather(*playing)
    assert {one.box, two.box} == {0, 1}
    assert one.winners == two.winners


@pytest.mark.parametrize("name", ["Raises", "Exits", "Dies", "Babbles", "WrongRotation"])
async def test_a_strategy_that_fails_forfeits_that_move_and_plays_on(
    client: AsyncClient, misdeed: Path, name: str
) -> None:
    game = await client.create("tsuro", ["me", "bot:greedy"], ORDERED)
    result = await play(client, game, f"{CONTESTANTS}:{name}", limit=PATIENT)
    assert result.forfeited == 1
    assert await discarded(client, game, 0) == ["tile_not_in_hand"]
    assert await laid(client, game, 0) > 1


@dataclass(frozen=True)
class Course:
    """What became of a strategy that hangs once."""

    forfeited: int
    discarded: list[str]
    laid: int


@pytest.fixture(scope="module")
def hung(arena: Product, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Course]:
    """Games that have to be waited for, all at once. Limits are long enough for any answer of a busy machine."""
    clocked = {"supply": "ordered", "move_time": 8, "time_bank": 0}
    games = (("Sleeps", ORDERED, 6.0), ("Spins", ORDERED, 6.0), ("Oversleeps", clocked, 600.0))

    async def all_at_once() -> list[Course]:
        return await asyncio.gather(*(played_by(arena, name, options, limit) for name, options, limit in games))

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MISDEED", str(tmp_path_factory.mktemp("hung") / "misdeed"))
        return {name: course for (name, *_), course in zip(games, asyncio.run(all_at_once()), strict=True)}


async def played_by(arena: Product, name: str, options: Mapping[str, object], limit: float) -> Course:
    async with AsyncClient(arena.url) as client:
        await client.sign_in_as_guest(name)
        seats = ["open", "bot:greedy"]  # so that no clock runs before the strategy is there
        game = await client.create("tsuro", seats, options)
        result = await play(client, game, f"{CONTESTANTS}:{name}", limit=limit)
        return Course(result.forfeited, await discarded(client, game, 0), await laid(client, game, 0))


@pytest.mark.parametrize("name", ["Sleeps", "Spins"])
def test_a_strategy_that_hangs_is_given_up_and_started_anew(hung: dict[str, Course], name: str) -> None:
    assert hung[name].forfeited == 1
    assert hung[name].discarded == ["tile_not_in_hand"]
    assert hung[name].laid > 1


def test_the_clock_of_the_game_is_a_limit_too(hung: dict[str, Course]) -> None:
    assert hung["Oversleeps"].forfeited == 1
    assert len(hung["Oversleeps"].discarded) == 1
    assert hung["Oversleeps"].laid > 1


async def test_trouble_with_a_colour_costs_nothing(client: AsyncClient) -> None:
    game = await client.create("tsuro", ["me", "bot:first"], ORDERED)
    assert (await play(client, game, contestants.BadColor, limit=PATIENT)).forfeited == 0


async def test_a_late_answer_is_never_taken_for_the_next(client: AsyncClient) -> None:
    game = await client.create("tsuro", ["me", "bot:first"], ORDERED)
    number = (await client.view(game))["gamestate"]["request"]["number"]
    first = {"type": "first_move", "tile": 0, "rotation": 0, "x": 5, "y": 0, "port": "E"}
    with pytest.raises(Refused) as refused:
        await client.move(game, {**first, "number": number + 1})
    assert refused.value.code == "wrong_phase"
    assert (await client.move(game, {**first, "number": number}))["accepted"] is True


async def test_a_full_game_is_refused(client: AsyncClient) -> None:
    game = await client.create("tsuro", ["bot:first", "bot:last"])
    with pytest.raises(Refused) as refused:
        await play(client, game, contestants.Sane)
    assert refused.value.code in ("room_full", "wrong_state")


async def test_strategies_play_tsuro_only(client: AsyncClient) -> None:
    game = await client.create("xsos", ["me", "open"])
    with pytest.raises(ParlorError, match="xsos"):
        await play(client, game, contestants.Sane)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("no_such_module:Bot", "No module named"),
        (f"{CONTESTANTS}:Nobody", "Nobody"),
        (f"{CONTESTANTS}:NoStrategy", "no subclass"),
        (f"{CONTESTANTS}:Unborn", "RuntimeError: no"),
        ("nowhere.py:Bot", "no file"),
        ("Sane", "my_bot:MyBot"),
    ],
)
async def test_what_is_no_strategy_is_named(name: str, complaint: str) -> None:
    with pytest.raises(BadStrategy, match=complaint):
        async with Sandbox(name):
            pass


async def test_a_sandbox_that_was_ended_knows_its_colour_again(misdeed: Path) -> None:
    avatar = {"box": 0, "color": "red", "x": 0, "y": 0, "port": "C"}
    board = {"tiles": [{"tile": 2, "rotation": 0, "x": 0, "y": 0}], "avatars": [avatar]}
    question = {"event": "generate_move", "tiles": [2, 3], "board": board}
    async with Sandbox(f"{CONTESTANTS}:Dies") as sandbox:
        await sandbox.set_color("red", PATIENT)
        with pytest.raises(Forfeit):
            await sandbox.ask(question, PATIENT)
        assert await sandbox.ask(question, PATIENT) == {"type": "move", "tile": 2, "rotation": 0}


async def test_a_strategy_that_hangs_at_its_colour_forfeits_what_it_is_asked() -> None:
    async with Sandbox(f"{CONTESTANTS}:SilentColor") as sandbox:
        with pytest.raises(Forfeit, match="no answer"):
            await sandbox.set_color("red", 0.2)
        with pytest.raises(Forfeit, match="no answer"):
            await sandbox.ask({"event": "generate_move", "tiles": [], "board": {"tiles": [], "avatars": []}}, 0.2)


def test_a_class_is_named_so_that_another_process_finds_it() -> None:
    assert named(contestants.Sane) == "tests.sdk.contestants:Sane"
