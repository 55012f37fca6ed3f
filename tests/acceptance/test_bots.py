"""Players of the house: they move by themselves, approve every undo and reject every draw."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from tests.support.client import Json, Player, open_client
from tests.support.duel import accepted, count, words
from tests.support.facts import facts
from tests.support.problems import assert_problem
from tests.support.product import Product, short_directory
from tests.support.sse import Events

THINKING_MS = 300  # by default


@pytest.fixture(scope="module")
def thoughtful_product() -> Iterator[Product]:
    """The product with bots that do not move before something has been said to them."""
    settings = {"PARLOR_BOT_DELAY_MS": "240000", "PARLOR_RATE_LIMIT": "off"}
    with short_directory() as home, Product(home, settings=settings) as running:
        yield running


@pytest.fixture
async def cy(thoughtful_product: Product) -> AsyncIterator[Player]:
    """A guest of that product."""
    async with open_client(thoughtful_product.url) as http:
        yield await Player.guest(http, "Cy")


async def to_move_first(player: Player) -> tuple[str, Json]:
    """A game against a bot in which the player was drawn to begin, and the player's view of it."""
    for _ in range(60):
        game = (await player.create(seats=("me", "bot:random"), options={"move_time": 0}))["id"]
        if words(view := await player.view(game))[0] == "my_turn":
            return game, view
    raise AssertionError("the bot begins every time")


async def until_my_turn(player: Player, game: str, events: Events) -> Json:
    """Wait until the bot has moved, if it is to move; return the view."""
    while words(view := await player.view(game))[0] != "my_turn" and view["status"] == "active":
        await events.next("response", "game_over")
    return view


async def test_a_bot_sits_at_the_table_as_any_player(ann: Player) -> None:
    created = await ann.create(seats=("bot:random", "me"))
    assert created["status"] == "active"
    bot, human = (await ann.view(created["id"]))["players"]
    assert (bot["box"], bot["user"], bot["online"], bot["away"]) == (0, "bot:random", True, False)
    assert (human["box"], human["user"]) == (1, ann.id)


async def test_a_bot_waits_for_a_human_to_join(ann: Player, eve: Player) -> None:
    created = await eve.create(seats=("bot:random", "open"))
    assert created["status"] == "waiting"
    joined = await ann.join(created["id"])
    assert (joined.json()["status"], joined.json()["box"]) == ("active", 1)


@pytest.mark.parametrize("game_type", ["xsos", "gomoku", "go"])
async def test_a_bot_answers_every_move(ann: Player, game_type: str) -> None:
    game = (await ann.create(seats=("me", "bot:random"), game_type=game_type))["id"]
    async with ann.events(game) as events:
        for _ in range(3):
            view = await until_my_turn(ann, game, events)
            if view["status"] == "finished":
                break
            accepted(await ann.move(game, view["legal_moves"][0]))
        await until_my_turn(ann, game, events)
    colors = {event.data["color"] for event in events.logged if event.name == "response"}
    assert len(colors) == 2


async def test_a_game_against_a_bot_comes_to_its_end(ann: Player) -> None:
    game = (await ann.create(seats=("me", "bot:random")))["id"]
    async with ann.events(game) as events:
        while (view := await until_my_turn(ann, game, events))["status"] == "active":
            accepted(await ann.move(game, view["legal_moves"][0]))
    assert view["result"] is not None


@pytest.mark.parametrize(("game_type", "options"), [("xsos", {}), ("gomoku", {"size": 9})])
async def test_bots_among_themselves_play_to_the_end_without_delay(
    ann: Player, game_type: str, options: dict[str, int]
) -> None:
    created = await ann.create(seats=("bot:random", "bot:random"), game_type=game_type, options=options)
    async with ann.events(created["id"], cursor=created["version"]) as events:
        await events.next("game_over", timeout=120.0)
    view = await ann.view(created["id"])
    assert (view["status"], view["self"]) == ("finished", None)
    replayed = await ann.replay(created["id"])
    assert [event["event"] for event in replayed["events"]].count("response") == count(view["gamestate"]["board"])


async def test_between_humans_moves_a_bot_takes_its_time(ann: Player) -> None:
    game, view = await to_move_first(ann)
    async with ann.events(game) as events:
        played = accepted(await ann.move(game, view["legal_moves"][0]))
        await events.until(played + 1)
    mine, the_bots = [event for event in events.logged if event.name == "response"]
    assert words(mine.data) == ("not_my_turn", "allow")
    assert words(the_bots.data) == ("my_turn", "ban")
    asked, answered = [fact["at"] for fact in await facts(ann, game) if fact["type"] == "played"]
    assert answered - asked >= THINKING_MS


async def test_a_bot_approves_an_undo_at_once(cy: Player) -> None:
    game, view = await to_move_first(cy)
    async with cy.events(game) as events:
        played = accepted(await cy.move(game, view["legal_moves"][0]))
        accepted(await cy.undo(game, "request", seen=played))
        assert words((await events.next("approve_undo")).data) == ("my_turn", "ban")  # long before it would move
        undone = await events.next("response")
    assert undone.data["undone"] is True
    assert count(undone.data["board"]) == 0


async def test_a_bot_rejects_a_draw(cy: Player) -> None:
    game, view = await to_move_first(cy)  # so that it is no move of the bot that declines
    async with cy.events(game) as events:
        offered = accepted(await cy.draw(game, "offer"))
        rejected = await events.next("draw_rejected")
        assert (rejected.id, rejected.data["by"]) == (str(offered + 1), 1)
    assert (await cy.view(game))["gamestate"] == view["gamestate"]


async def test_a_bots_turn_survives_a_crash() -> None:
    settings = {"PARLOR_BOT_DELAY_MS": "1000"}
    with short_directory() as home, Product(home, settings=settings) as product:
        async with open_client(product.url) as http:
            cy = await Player.guest(http, "Cy")
            game, view = await to_move_first(cy)
            played = accepted(await cy.move(game, view["legal_moves"][0]))
            await asyncio.to_thread(product.kill)
            await asyncio.to_thread(product.start)
            async with cy.events(game, cursor=played) as events:
                answer = await events.next("response")
    assert count(answer.data["board"]) == 2
    assert words(answer.data)[0] == "my_turn"


@pytest.mark.parametrize("seat", ["bot:nobody", "bot:", "bot", "bot:greedy", "random", "bot:random "])
async def test_an_unknown_bot_is_invalid(ann: Player, seat: str) -> None:
    body = {"game_type": "xsos", "seats": ["me", seat]}
    assert_problem(await ann.post("/session/games", body), 422, "invalid_request")


async def test_nobody_signs_in_as_a_bot(http: httpx.AsyncClient) -> None:
    """A user's id is the server's to choose, so that a nick like a bot's gives no seat."""
    impostor = await Player.guest(http, "bot:random")
    game = (await impostor.create(seats=("bot:random", "bot:random")))["id"]
    assert (await impostor.view(game))["self"] is None
    assert_problem(await impostor.resign(game), 403, "forbidden")
