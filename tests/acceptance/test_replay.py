"""Replays and the seed: secret until the end, then open to everyone's check."""

import base64
import hashlib

import pytest

from tests.support.client import Player
from tests.support.convergence import stable
from tests.support.problems import assert_problem
from tests.support.xsos import DRAW, O_WINS, X_WINS, Match

pytestmark = pytest.mark.both_databases


async def test_a_replay_tells_the_whole_game(match: Match) -> None:
    await match.play(*X_WINS)
    replay = await match.x.replay(match.id)
    view = await match.x.view(match.id)
    assert replay["game_type"] == "xsos"
    assert replay["options"] == view["options"]
    assert replay["result"] == view["result"]
    played = [event["data"]["cell"] for event in replay["events"] if event["event"] == "response"]
    assert played == list(X_WINS)
    assert replay["events"][-1]["event"] == "game_over"
    assert replay["events"][-1]["version"] == view["version"]


async def test_events_of_a_replay_are_in_order(match: Match) -> None:
    await match.play(*X_WINS)
    for box in (None, 0, 1):
        versions = [event["version"] for event in (await match.x.replay(match.id, box))["events"]]
        assert versions == sorted(versions)


@pytest.mark.parametrize("box", [0, 1])
async def test_a_replay_as_a_seat_is_what_that_seat_saw(match: Match, eve: Player, box: int) -> None:
    last = await match.play(*DRAW)
    seat = match.seats[box]
    async with seat.events(match.id, cursor=0) as events:
        saw = [(event.data["version"], event.name, stable(event.data)) for event in await events.until(last)]
    replay = await eve.replay(match.id, box)
    assert [(each["version"], each["event"], stable(each["data"])) for each in replay["events"]] == saw


@pytest.mark.parametrize("box", ["2", "-1", "x", "", "0.5", "9" * 30, "%00"])
async def test_a_replay_as_a_box_that_does_not_exist_is_invalid(match: Match, box: str) -> None:
    await match.play(*X_WINS)
    response = await match.x.get(f"/session/games/{match.id}/replay?as={box}")
    assert_problem(response, 422, "invalid_request")


async def test_there_is_no_replay_before_the_end(match: Match, ann: Player) -> None:
    waiting = (await ann.create())["id"]
    for game in (waiting, match.id):
        assert_problem(await ann.get(f"/session/games/{game}/replay"), 409, "wrong_state")


async def test_anyone_signed_in_may_read_a_replay(match: Match, eve: Player) -> None:
    await match.play(*O_WINS)
    assert await eve.replay(match.id) == await match.x.replay(match.id)


async def test_the_seed_was_committed_to_at_the_start(match: Match) -> None:
    commitment = (await match.x.view(match.id))["commitment"]
    await match.play(*X_WINS)
    replay = await match.x.replay(match.id)
    seed = bytes.fromhex(replay["seed"])
    assert len(seed) == 32
    assert hashlib.sha256(seed).hexdigest() == commitment == replay["commitment"]


async def test_every_game_has_its_own_seed(ann: Player, bob: Player) -> None:
    seeds = set()
    for _ in range(3):
        match = await Match.start(ann, bob)
        await match.x.resign(match.id)
        seeds.add((await ann.replay(match.id))["seed"])
    assert len(seeds) == 3


async def test_no_byte_sent_before_the_end_gives_the_seed_away(match: Match, eve: Player) -> None:
    everyone = [*match.seats, eve]
    sent = bytearray()
    for cursor in (None, "0", "gap"):
        for player in everyone:
            async with player.events(match.id, cursor=cursor) as events:
                await events.next("presence")
            sent += events.raw
    async with eve.events(match.id) as events:
        await events.until(await match.play(*X_WINS[:-1]))
        for player in everyone:
            await player.view(match.id)
            await player.get(f"/session/games/{match.id}/replay")
    sent += events.raw + b"".join(body for player in everyone for body in player.heard)
    await match.play(X_WINS[-1], after=len(X_WINS) - 1)
    seed = bytes.fromhex((await eve.replay(match.id))["seed"])
    commitment = hashlib.sha256(seed).hexdigest().encode()
    assert commitment in sent  # the bytes are what we think they are
    for spelling in (seed, seed.hex().encode(), seed.hex().upper().encode(), base64.b64encode(seed)[:-2]):
        assert spelling not in sent
