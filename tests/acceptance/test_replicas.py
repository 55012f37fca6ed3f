"""Several processes on one Redis: any of them serves any request, and none owns a game."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import httpx
import pytest
from redis.asyncio import Redis

from shared.log.keys import log_keys
from tests.support.client import Player, open_client
from tests.support.convergence import messages, stable
from tests.support.databases import Database
from tests.support.deployment import Deployment, deployment
from tests.support.problems import assert_problem
from tests.support.sse import Events
from tests.support.waiting import eventually
from tests.support.xsos import DRAW, X_WINS, Match

pytestmark = pytest.mark.both_databases


@pytest.fixture(scope="module")
def parlor(database: Database) -> Iterator[Deployment]:
    with deployment(database.url("replicas")) as running:
        yield running


@pytest.fixture
async def lobby(parlor: Deployment) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(parlor.lobby.url) as http:
        yield http


@pytest.fixture
async def first(parlor: Deployment) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(parlor.sessions[0].url) as http:
        yield http


@pytest.fixture
async def second(parlor: Deployment) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(parlor.sessions[1].url) as http:
        yield http


async def sign_in(lobby: httpx.AsyncClient, session: httpx.AsyncClient) -> Player:
    return (await Player.guest(lobby)).at(session)


@pytest.fixture
async def match(lobby: httpx.AsyncClient, first: httpx.AsyncClient, second: httpx.AsyncClient) -> Match:
    """A game whose creator talks to the first process and whose joiner talks to the second."""
    return await Match.start(await sign_in(lobby, first), await sign_in(lobby, second))


async def test_a_move_posted_to_one_process_arrives_on_a_stream_of_the_other(match: Match) -> None:
    async with match.x.events(match.id) as x, match.o.events(match.id) as o:
        for number, cell in enumerate(X_WINS):
            version = await match.play(cell, after=number)
            for events in (x, o):
                event = await events.next("response")
                assert (event.data["version"], event.data["cell"]) == (version, cell)
        assert messages([await x.next("game_over")])[0][:2] == messages([await o.next("game_over")])[0][:2]


async def test_of_moves_posted_to_both_at_once_one_wins_each_version(
    match: Match, first: httpx.AsyncClient, second: httpx.AsyncClient
) -> None:
    accepted = []
    for number, _ in enumerate(DRAW):
        mover = match.x if number % 2 == 0 else match.o
        view = await mover.view(match.id)
        if view["status"] == "finished":
            break
        posts = [mover.at(http).move(match.id, move) for move in view["legal_moves"] for http in (first, second)]
        responses = await asyncio.gather(*posts)
        winners = [response for response in responses if response.status_code == 200]
        assert len(winners) == 1
        assert winners[0].json()["version"] == view["version"] + 1
        for response in responses:
            if response not in winners:
                assert response.status_code == 409
                assert response.json()["code"] in {"not_your_turn", "wrong_state"}
        accepted.append(winners[0].json()["version"])
    async with match.x.events(match.id, cursor=match.created_version) as events:
        logged = await events.until(accepted[-1])
    assert [event.data["version"] for event in logged if event.name == "response"] == accepted


async def test_of_two_who_join_through_different_processes_one_gets_the_seat(
    lobby: httpx.AsyncClient, first: httpx.AsyncClient, second: httpx.AsyncClient
) -> None:
    creator = await sign_in(lobby, first)
    rivals = [await sign_in(lobby, http) for http in (first, second)]
    for _ in range(5):
        game = (await creator.create())["id"]
        responses = await asyncio.gather(*(rival.join(game) for rival in rivals))
        assert sorted(response.status_code for response in responses) == [200, 409]
        refused = next(response for response in responses if response.status_code == 409)
        assert_problem(refused, 409, "room_full")


async def test_one_key_sent_to_both_processes_has_one_effect(
    match: Match, first: httpx.AsyncClient, second: httpx.AsyncClient
) -> None:
    posts = [match.x.at(http).play(match.id, 4, key="k") for _ in range(25) for http in (first, second)]
    responses = await asyncio.gather(*posts)
    assert {response.status_code for response in responses} == {200}
    assert len({response.content for response in responses}) == 1
    assert [response.headers.get("idempotent-replayed") for response in responses].count(None) == 1


async def test_a_stream_resumes_at_the_other_process(
    match: Match, first: httpx.AsyncClient, second: httpx.AsyncClient
) -> None:
    last = await match.play(*X_WINS)
    async with match.x.at(first).events(match.id, cursor=match.created_version) as events:
        whole = await events.until(last)
    for index, event in enumerate(whole[:-1]):
        async with match.x.at(second).events(match.id, cursor=event.id) as rest:
            assert messages(await rest.until(last)) == messages(whole[index + 1 :])


async def test_presence_is_known_to_both_processes(match: Match) -> None:
    async def told(events: Events, online: dict[int, bool]) -> None:
        while True:
            presence = await events.next("presence")
            if {player["box"]: player["online"] for player in presence.data["players"]} == online:
                return

    async with match.seats[0].events(match.id) as events:
        await told(events, {0: True, 1: False})
        async with match.seats[1].events(match.id) as others:
            await told(events, {0: True, 1: True})
            await told(others, {0: True, 1: True})
        await told(events, {0: True, 1: False})


async def test_logging_out_is_known_to_every_process_within_a_second(
    lobby: httpx.AsyncClient, first: httpx.AsyncClient, second: httpx.AsyncClient
) -> None:
    leaver = await Player.guest(lobby)
    for http in (first, second):
        made = await leaver.at(http).create()  # every process has met, and may have cached, the token
    async with leaver.at(second).events(made["id"]) as events:
        await events.next("snapshot")
        assert (await leaver.post("/lobby/auth/logout")).is_success
        await events.end()
    for http in (first, second):
        away = leaver.at(http)
        answer = await eventually(
            lambda away=away: away.post("/session/games", {}),  # type: ignore[misc]
            lambda response: response.status_code == 401,
            timeout=10.0,  # a second, on a machine that has nothing else to do
        )
        assert_problem(answer, 401, "unauthenticated")


async def test_losing_a_process_loses_nothing(match: Match, parlor: Deployment, first: httpx.AsyncClient) -> None:
    victim = parlor.sessions[1]
    async with match.seats[1].events(match.id, cursor=match.created_version) as events:
        so_far = await match.play(*X_WINS[:3])
        seen = await events.until(so_far)
        await asyncio.to_thread(victim.kill)
    try:
        survivors = replace(match, x=match.x.at(first), o=match.o.at(first))
        last = await survivors.play(*X_WINS[3:], after=3)
        async with match.seats[1].at(first).events(match.id, cursor=so_far) as events:
            rest = await events.until(last)
    finally:
        await asyncio.to_thread(victim.start)
    async with match.seats[1].events(match.id, cursor=match.created_version) as events:
        assert messages(await events.until(last)) == messages([*seen, *rest])


async def test_a_finished_game_whose_log_is_gone_is_shown_from_the_archive(
    parlor: Deployment, lobby: httpx.AsyncClient, first: httpx.AsyncClient, second: httpx.AsyncClient
) -> None:
    match = await Match.start(await sign_in(lobby, first), await sign_in(lobby, first))
    await match.play(*X_WINS)
    before = await match.x.view(match.id)
    async with Redis.from_url(parlor.redis.url) as redis:
        keys = log_keys("session", "game", match.id)
        await eventually(lambda: redis.ttl(keys.log), lambda seconds: seconds > 0)  # it has been archived
        await redis.delete(keys.log, keys.snapshot)
    late = match.x.at(second)  # which has never heard of this game
    assert stable(await late.view(match.id)) == stable(before)
    for cursor, names in ((None, ["snapshot"]), (before["version"] - 1, ["response", "game_over"])):
        async with late.events(match.id, cursor) as events:
            await events.next("presence")
            assert [event.name for event in events.logged] == names
    for refused in (late.play(match.id, 8), late.resign(match.id), late.undo(match.id, "request")):
        assert_problem(await refused, 409, "wrong_state")
    acked = await late.post(f"/session/games/{match.id}/acks", {"version": before["version"]}, key="k")
    assert acked.json() == {"version": before["version"]}
