"""Strategies in games on a real server, good ones and bad ones."""

import asyncio
from pathlib import Path

import pytest

from parlor_sdk import AsyncClient, ParlorError, Refused, play
from parlor_sdk.sandbox import BadStrategy, Forfeit, Sandbox, named
from tests.sdk import contestants
from tests.support.product import Product

ORDERED = {"supply": "ordered", "move_time": 60}
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
    result = await play(client, game, contestants.Sane)
    assert result.box == 1
    assert result.forfeited == 0
    assert (await client.view(game))["result"]["winners"] == list(result.winners)
    assert await discarded(client, game, 1) == []


async def test_strategies_can_play_among_themselves(client: AsyncClient, arena: Product) -> None:
    async with AsyncClient(arena.url) as other:
        await other.sign_in_as_guest("Bob")
        game = await client.create("tsuro", ["open", "open"], ORDERED)
        one, two = await asyncio.gather(play(client, game, contestants.Sane), play(other, game, contestants.Sane))
    assert {one.box, two.box} == {0, 1}
    assert one.winners == two.winners


@pytest.mark.parametrize("name", ["Raises", "Exits", "Dies", "Babbles", "WrongRotation"])
async def test_a_strategy_that_fails_forfeits_that_move_and_plays_on(
    client: AsyncClient, misdeed: Path, name: str
) -> None:
    game = await client.create("tsuro", ["me", "bot:greedy"], ORDERED)
    result = await play(client, game, f"{CONTESTANTS}:{name}")
    assert result.forfeited == 1
    assert await discarded(client, game, 0) == ["tile_not_in_hand"]
    assert await laid(client, game, 0) > 1


@pytest.mark.parametrize("name", ["Sleeps", "Spins"])
async def test_a_strategy_that_hangs_is_given_up_and_started_anew(
    client: AsyncClient, misdeed: Path, name: str
) -> None:
    game = await client.create("tsuro", ["me", "bot:greedy"], ORDERED)
    result = await play(client, game, f"{CONTESTANTS}:{name}", limit=3.0)
    assert result.forfeited == 1
    assert await discarded(client, game, 0) == ["tile_not_in_hand"]
    assert await laid(client, game, 0) > 1


async def test_the_clock_of_the_game_is_a_limit_too(client: AsyncClient, misdeed: Path) -> None:
    options = {"supply": "ordered", "move_time": 4, "time_bank": 0}
    game = await client.create("tsuro", ["me", "bot:greedy"], options)
    result = await play(client, game, f"{CONTESTANTS}:Sleeps", limit=600)
    assert result.forfeited == 1
    assert len(await discarded(client, game, 0)) == 1
    assert await laid(client, game, 0) > 1


async def test_trouble_with_a_colour_costs_nothing(client: AsyncClient) -> None:
    game = await client.create("tsuro", ["me", "bot:first"], ORDERED)
    assert (await play(client, game, contestants.BadColor)).forfeited == 0


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
        await sandbox.set_color("red", 5)
        with pytest.raises(Forfeit):
            await sandbox.ask(question, 5)
        assert await sandbox.ask(question, 20) == {"type": "move", "tile": 2, "rotation": 0}


async def test_a_strategy_that_hangs_at_its_colour_forfeits_what_it_is_asked() -> None:
    async with Sandbox(f"{CONTESTANTS}:SilentColor") as sandbox:
        with pytest.raises(Forfeit, match="no answer"):
            await sandbox.set_color("red", 0.2)
        with pytest.raises(Forfeit, match="no answer"):
            await sandbox.ask({"event": "generate_move", "tiles": [], "board": {"tiles": [], "avatars": []}}, 0.2)


def test_a_class_is_named_so_that_another_process_finds_it() -> None:
    assert named(contestants.Sane) == "tests.sdk.contestants:Sane"
