"""The clients of the kit against the real product."""

import threading
from contextlib import aclosing
from uuid import uuid4

import httpx
import pytest

from parlor_sdk import AsyncClient, Client, Event, Refused, Unreachable
from tests.support.ports import own_port
from tests.support.product import Product, short_directory

FIRST = {"type": "first_move", "tile": 0, "rotation": 0, "x": 0, "y": 0, "port": "C"}
ORDERED = {"supply": "ordered"}
PATIENT = 90.0  # seconds: a server takes its time to start while the machine is busy


def test_a_blocking_client_plays_a_game(arena: Product) -> None:
    with Client(arena.url) as ann:
        assert ann.sign_in_as_guest("Ann")["user"]["nick"] == "Ann"
        game = ann.create("tsuro", ["me", "bot:first"], ORDERED)
        assert ann.move(game, FIRST)["accepted"] is True
        stream = ann.events(game)
        assert next(stream).name == "snapshot"
        ann.resign(game)
        assert [event.name for event in stream][-1] == "game_over"
        assert ann.view(game)["result"] == {"winners": [1], "reason": "resigned"}
        assert ann.replay(game)["result"]["winners"] == [1]


async def test_whoever_has_an_account_can_log_in(client: AsyncClient, arena: Product) -> None:
    account = {"nick": f"Ann {uuid4().hex[:8]}", "password": "correct horse"}
    async with httpx.AsyncClient(base_url=arena.url, trust_env=False) as http:
        assert (await http.post("/lobby/auth/register", json=account)).is_success
    assert (await client.log_in(**account))["user"]["guest"] is False
    with pytest.raises(Refused) as refused:
        await client.log_in(account["nick"], "not a password")
    assert (refused.value.status, refused.value.code) == (401, "bad_credentials")


async def test_a_refusal_has_the_servers_code(client: AsyncClient) -> None:
    game = await client.create("tsuro", ["open", "me"])
    with pytest.raises(Refused) as refused:
        await client.move(game, FIRST)
    assert refused.value.code == "wrong_state"


async def test_a_command_with_the_same_key_takes_effect_once(client: AsyncClient) -> None:
    game = await client.create("tsuro", ["me", "bot:first"], ORDERED, key="mine")
    assert await client.create("tsuro", ["me", "bot:first"], ORDERED, key="mine") == game
    assert await client.move(game, FIRST, key="one") == await client.move(game, FIRST, key="one")


async def test_a_cursor_continues_after_it(client: AsyncClient) -> None:
    game = await client.create("tsuro", ["me", "bot:first"], ORDERED)
    await client.resign(game)
    async with aclosing(client.events(game, cursor=0)) as events:
        names = [event.name async for event in events]
    assert names[0] == "joined"
    assert names[-1] == "game_over"
    assert "snapshot" not in names


async def test_a_cursor_from_another_life_starts_over_with_a_snapshot(client: AsyncClient) -> None:
    game = await client.create("tsuro", ["me", "bot:first"], ORDERED)
    async with aclosing(client.events(game, cursor=999)) as events:
        first = await anext(events)
    assert (first.name, first.data["reason"]) == ("snapshot", "gap")


async def test_nobody_there_is_said_after_a_while() -> None:
    async with AsyncClient(f"http://127.0.0.1:{own_port()}", patience=0.3) as client:
        with pytest.raises(Unreachable):
            await client.sign_in_as_guest("Ann")


def test_a_stream_survives_the_servers_death_and_misses_nothing() -> None:
    with (
        short_directory() as home,
        Product(home) as product,
        Client(product.url, patience=PATIENT) as ann,
        Client(product.url, patience=PATIENT) as bob,
    ):
        ann.sign_in_as_guest("Ann")
        bob.sign_in_as_guest("Bob")
        game = ann.create("tsuro", ["me", "open"], ORDERED)
        seen: list[Event] = []
        connected = threading.Event()

        def listen() -> None:
            for event in ann.events(game):
                seen.append(event)
                connected.set()

        listener = threading.Thread(target=listen)
        listener.start()
        assert connected.wait(PATIENT)
        bob.join(game)
        product.kill()
        restarting = threading.Thread(target=product.start)
        restarting.start()
        ann_again = Client(product.url, ann.token, patience=PATIENT)
        ann_again.move(game, FIRST)  # tried again until the server is back
        bob.resign(game)
        listener.join(PATIENT)
        restarting.join()
        ann_again.close()
    logged = [event for event in seen if event.id is not None]
    # The clock that ran on while the server was away is put right, by a `sync` of its own.
    assert [event.name for event in logged if event.name != "sync"] == [
        "snapshot", "joined", "started", "set_color", "generate_first_move",
        "tile_placed", "avatar_moved", "resigned", "game_over",
    ]  # fmt: skip
    assert len({event.id for event in logged}) == len(logged)
