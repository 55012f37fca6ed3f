"""Cabo through the real services: acknowledgements, refusals, and a whole game."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.conftest import Guest
from tests.support.cabo_clients import WATCHER, Trio
from tests.support.client import Player
from tests.support.convergence import messages
from tests.support.problems import assert_problem
from tests.support.product import run_parlor
from tests.support.waiting import eventually


@pytest.fixture
async def people(ann: Player, bob: Player, guest: Guest) -> list[Player]:
    return [ann, bob, await guest("Cid")]


@pytest.fixture
async def trio(people: list[Player], eve: Player) -> AsyncIterator[Trio]:
    """The first round has begun, and nobody is in a hurry."""
    async with Trio.seated(people, eve) as seated:
        await seated.start()
        yield seated


async def test_the_game_goes_on_without_the_acknowledgement_of_a_silent_client(
    people: list[Player], eve: Player
) -> None:
    async with Trio.seated(people, eve, ack_time=1) as trio:
        await trio.start()
        c1, c2, c3 = await trio.order()
        cursor = (await trio.view(c3))["version"]
        version = await trio.post(c1, "TakeCardFromHeap")
        assert await trio.ack(c2, version) in (version, version + 1)  # the latter if the time is up already
        card = await trio.streams[c1].next("Card")
        assert card.data["version"] == version + 1
        last = await trio.post(c1, "ReplaceCard", handCardIndex=0) + 1
        live = await trio.streams[c3].until(last)
        async with trio.players[c3].events(trio.game, cursor) as stream:
            caught_up = await stream.until(last)
    assert messages(caught_up) == messages(event for event in live if event.data["version"] > cursor)
    assert [event.name for event in caught_up if event.name != "sync"] == ["HeapCardTaken", "CardReplaced"]


async def test_of_many_commands_at_once_one_is_taken(trio: Trio) -> None:
    c1, _, _ = await trio.order()
    before = (await trio.view(WATCHER))["version"]
    move = {"type": "TakeCardFromHeap"}
    answers = await asyncio.gather(*(trio.players[c1].move(trio.game, move) for _ in range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7
    for answer in answers:
        if answer.status_code == 409:
            assert_problem(answer, 409, "waiting_for_acks")
    view = await trio.view(WATCHER)
    assert (view["version"], view["gamestate"]["heap"]) == (before + 1, 40)
    assert (await trio.settled(c1))["heap"] == 39


async def test_what_is_refused_changes_nothing(trio: Trio) -> None:
    c1, c2, _ = await trio.order()
    before = [await trio.view(box) for box in range(4)]
    for box, move, status, code in (
        (c2, {"type": "StartRound"}, 409, "not_your_turn"),
        (c2, {"type": "ReplaceCard", "handCardIndex": 77}, 409, "not_your_turn"),
        (c1, {"type": "StartRound"}, 409, "wrong_phase"),
        (c1, {"type": "ReplaceCard", "handCardIndex": 77}, 409, "wrong_phase"),
        (c1, {"type": "PeekCard", "anotherPlayerIndex": c2, "handCardIndex": 0}, 409, "wrong_phase"),
        (c1, {"type": "ReplaceCardByDiscarded", "handCardIndex": 0}, 409, "illegal_move"),
        (c1, {"type": "ShowCards", "handCardIndexes": [1]}, 409, "illegal_move"),
        (c1, {"type": "ShowCards", "handCardIndexes": [1, 1]}, 409, "illegal_move"),
        (c1, {"type": "ShowCards", "handCardIndexes": [0, 4]}, 409, "illegal_move"),
        (c1, {"type": "ShowCards", "handCardIndexes": [-1, 0]}, 409, "illegal_move"),
        (c1, {"type": "ShowCards", "handCardIndexes": "0,1"}, 422, "invalid_request"),
        (c1, {"type": "ShowCards"}, 422, "invalid_request"),
        (c1, {"type": "Cheat"}, 422, "invalid_request"),
        (WATCHER, {"type": "TakeCardFromHeap"}, 403, "forbidden"),
    ):
        assert_problem(await trio.players[box].move(trio.game, move), status, code)
    after = [await trio.view(box) for box in range(4)]
    assert [(view["version"], view["gamestate"]) for view in after] == [
        (view["version"], view["gamestate"]) for view in before
    ]


async def test_a_power_is_used_on_cards_of_others_that_exist(trio: Trio) -> None:
    c1 = await trio.drawn(9, 10)
    await trio.hurry(c1, "Discard")
    for other, index in ((c1, 0), (3, 0), (-1, 0), ((c1 + 1) % 3, 4), ((c1 + 1) % 3, -1)):
        move = {"type": "PeekCard", "anotherPlayerIndex": other, "handCardIndex": index}
        assert_problem(await trio.players[c1].move(trio.game, move), 409, "illegal_move")
    assert_problem(await trio.players[c1].move(trio.game, {"type": "Discard"}), 409, "wrong_phase")
    legal = (await trio.view(c1))["legal_moves"]
    assert {move["type"] for move in legal} == {"PeekCard"}
    assert (await trio.players[c1].move(trio.game, legal[-1])).status_code == 200


async def test_acknowledgements_count_once_for_what_was_sent(trio: Trio) -> None:
    c1, c2, c3 = await trio.order()
    version = await trio.post(c1, "TakeCardFromHeap")
    acks = f"/session/games/{trio.game}/acks"
    assert_problem(await trio.players[c2].post(acks, {"version": version + 1}), 409, "ack_ahead")
    assert_problem(await trio.players[WATCHER].post(acks, {"version": version}), 403, "forbidden")
    assert_problem(await trio.players[c2].post(acks, {"version": "all"}), 422, "invalid_request")
    for box, acked in ((c2, version - 1), (c3, version - 1), (c2, version), (c2, version), (c1, version)):
        assert await trio.ack(box, acked) == version
    assert await trio.ack(c3, version) == version + 1
    assert (await trio.streams[c1].next("Card")).data["version"] == version + 1
    assert await trio.ack(c1, version + 1) == version + 1, "the last wave is not waited for, but may be acknowledged"


async def test_a_game_of_bots_comes_to_its_end_and_its_replay_holds(ann: Player, tmp_path: Path) -> None:
    seats = ["bot:careful", "bot:random", "bot:careful", "bot:random"]
    created = await ann.post("/session/games", {"game_type": "cabo", "seats": seats})
    game = created.json()["id"]
    view = await eventually(lambda: ann.view(game), lambda view: view["status"] == "finished", timeout=180.0)
    totals = view["gamestate"]["totalScores"]
    assert max(totals) > 66
    assert view["result"]["reason"] == "lowest_total"
    assert view["result"]["scores"] == totals
    assert view["result"]["winners"] == [box for box, total in enumerate(totals) if total == min(totals)]
    path = tmp_path / "replay.json"
    path.write_text(json.dumps(await ann.replay(game)))
    verified = run_parlor("verify", str(path), cwd=tmp_path)
    assert verified.returncode == 0, verified.stderr
