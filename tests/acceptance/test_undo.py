"""Taking a move back, message by message, as the diagrams of session syncing draw it."""

import pytest

from tests.support.client import Player
from tests.support.convergence import messages
from tests.support.duel import MINE, THEIRS, Duel, accepted, asked, count, names, refused, told, words
from tests.support.facts import credit, facts
from tests.support.problems import assert_problem

VERDICTS = {"approve_undo", "reject_undo", "auto_reject_undo", "timeup_reject_undo"}


async def test_the_turn_passes_with_the_response(duel: Duel, eve: Player) -> None:
    async with duel.listen(eve) as (first, second, watcher):
        assert await duel.sync(duel.first) == (MINE, "ban")
        assert await duel.sync(duel.second) == (THEIRS, "ban")
        version = await duel.play(duel.first, 0)
        assert told(await first.next()) == ("response", version, (THEIRS, "allow"))
        assert told(await second.next()) == ("response", version, (MINE, "ban"))
        assert told(await watcher.next()) == ("response", version, (THEIRS, "ban"))
        version = await duel.play(duel.second, 1)
        assert told(await first.next()) == ("response", version, (MINE, "ban"))
        assert told(await second.next()) == ("response", version, (THEIRS, "allow"))
    assert await duel.sync(duel.first) == (MINE, "ban")
    assert await duel.sync(duel.second) == (THEIRS, "allow")
    assert await duel.sync(eve) == (THEIRS, "ban")


async def test_the_opponent_is_asked(duel: Duel, eve: Player) -> None:
    async with duel.listen(eve) as streams:
        played = await duel.play(duel.first, 0)
        for events in streams:
            await events.until(played)
            await events.next("response")
        first, second, watcher = streams
        version = accepted(await duel.first.undo(duel.id, "request", seen=played))
        assert version == played + 1
        assert told(await first.next()) == ("sync", version, (THEIRS, "requesting"))
        request = await second.next()
        assert told(request) == ("request_undo", version, (MINE, "approving"))
        assert request.data["by"] == duel.box(duel.first)
        assert 15_000 < request.data["deadline_ms"] <= 20_000
        assert told(waiting := await watcher.next()) == ("sync", version, (THEIRS, "ban"))
        assert {wait["name"] for wait in waiting.data["waits"]} == {"move", "undo"}
    assert await duel.sync(duel.first) == (THEIRS, "requesting")
    assert await duel.sync(duel.second) == (MINE, "approving")
    assert await duel.sync(eve) == (THEIRS, "ban")


async def test_approved_the_stone_is_gone_and_the_requester_is_to_move(duel: Duel, eve: Player) -> None:
    async with duel.listen(eve) as (first, second, watcher):
        await asked(duel)
        version = accepted(await duel.second.undo(duel.id, "approve"))
        for events in (first, second, watcher):
            await events.until(version)
        assert names(first) == ["response", "sync", "approve_undo", "response"]
        assert names(second) == ["response", "request_undo", "response"]
        assert names(watcher) == ["response", "sync", "response"]
        verdict, response = first.logged[-2:]
        assert (verdict.id, response.id) == (f"{version}.0", str(version))
        assert words(verdict.data) == words(response.data) == (MINE, "ban")
        played = first.logged[1].data
        for events, expected in ((first, (MINE, "ban")), (second, (THEIRS, "ban")), (watcher, (THEIRS, "ban"))):
            data = events.logged[-1].data
            assert data["undone"] is True
            assert count(data["board"]) == 0
            named = {name: data.get(name) for name in ("color", "x", "y", "cell")}
            assert named == {name: played.get(name) for name in named}
            assert data["turn"] == played["color"]
            assert words(data) == expected
            assert [wait["box"] for wait in data["waits"]] == [duel.box(duel.first)]
    assert await duel.sync(duel.first) == (MINE, "ban")
    assert await duel.sync(duel.second) == (THEIRS, "ban")
    assert await duel.stones() == 0
    await duel.play(duel.first, 5)
    assert await duel.stones() == 1


@pytest.mark.parametrize("answer", ["reject", "auto_reject"])
async def test_rejected_the_requester_is_told_and_the_game_goes_on(duel: Duel, eve: Player, answer: str) -> None:
    async with duel.listen(eve) as (first, second, watcher):
        await asked(duel)
        version = accepted(await duel.second.undo(duel.id, answer))
        for events in (first, second, watcher):
            await events.until(version)
        assert names(first) == ["response", "sync", f"{answer}_undo"]
        assert names(second) == ["response", "request_undo", "sync"]
        assert names(watcher) == ["response", "sync", "sync"]
        assert [words(events.logged[-1].data) for events in (first, second)] == [(THEIRS, "ban"), (MINE, "ban")]
    assert await duel.sync(duel.first) == (THEIRS, "ban")
    assert await duel.sync(duel.second) == (MINE, "ban")
    assert await duel.stones() == 1
    await duel.play(duel.second, 1)


async def test_unanswered_the_request_is_rejected_at_its_deadline(ann: Player, bob: Player, eve: Player) -> None:
    duel = await Duel.start(ann, bob, undo_time=1)
    async with duel.listen(eve) as (first, second, watcher):
        version = await asked(duel) + 1
        for events in (first, second, watcher):
            await events.until(version)
        assert names(first) == ["response", "sync", "timeup_reject_undo"]
        assert names(second) == ["response", "request_undo", "sync"]
        assert names(watcher) == ["response", "sync", "sync"]
    assert await duel.sync(duel.first) == (THEIRS, "ban")
    assert await duel.sync(duel.second) == (MINE, "ban")
    for answer in ("approve", "reject"):
        assert_problem(await duel.second.undo(duel.id, answer), 409, "no_undo_pending")
    assert (await duel.first.view(duel.id))["version"] == version
    assert await duel.stones() == 1
    await refused(duel.first, duel)
    await duel.play(duel.second, 1)


async def test_a_play_rejects_the_request_in_the_same_commit_verdict_first(duel: Duel, eve: Player) -> None:
    async with duel.listen(eve) as (first, second, watcher):
        await asked(duel)
        version = await duel.play(duel.second, 1)
        for events in (first, second, watcher):
            await events.until(version)
        assert names(first) == ["response", "sync", "auto_reject_undo", "response"]
        assert names(second) == ["response", "request_undo", "response"]
        assert names(watcher) == ["response", "sync", "response"]
        verdict, response = first.logged[-2:]
        assert (verdict.id, response.id) == (f"{version}.0", str(version))
        assert told(verdict)[1:] == (version, (MINE, "ban"))
        assert told(response)[1:] == (version, (MINE, "ban"))
        assert told(second.logged[-1])[1:] == (version, (THEIRS, "allow"))
        # The second player's client, which had played before it heard of the request, rejects it once more.
        late = await duel.second.undo(duel.id, "auto_reject", seen=version - 1)
        assert accepted(late) == version
        assert (await duel.first.view(duel.id))["version"] == version
    assert await duel.stones() == 2


async def test_a_request_that_crosses_the_opponents_play_is_rejected_at_once(duel: Duel, eve: Player) -> None:
    seen = await duel.play(duel.first, 0)
    answered = await duel.play(duel.second, 1)
    async with duel.listen(eve) as (first, second, watcher):
        version = accepted(await duel.first.undo(duel.id, "request", seen=seen))
        assert version == answered + 1
        assert told(await first.next()) == ("auto_reject_undo", version, (MINE, "ban"))
        last = await duel.play(duel.first, 2)
        for events in (first, second, watcher):
            await events.until(last)
        assert names(second) == names(watcher) == ["response"]
    assert await duel.stones() == 3
    await refused(duel.first, await _after_another_crossing(duel), seen=seen)


async def _after_another_crossing(duel: Duel) -> Duel:
    """The second player has answered once more, and a request that crossed that answer has been rejected."""
    seen = (await duel.first.view(duel.id))["version"]
    await duel.play(duel.second, 3)
    accepted(await duel.first.undo(duel.id, "request", seen=seen))
    return duel


async def test_a_request_may_cross_the_move_that_the_opponent_wants_back(duel: Duel, eve: Player) -> None:
    seen = await duel.play(duel.first, 0)
    await duel.play(duel.second, 1)
    accepted(await duel.second.undo(duel.id, "request"))
    async with duel.listen(eve) as (first, second, _):
        version = accepted(await duel.first.undo(duel.id, "request", seen=seen))
        assert told(await first.next()) == ("auto_reject_undo", version, (MINE, "approving"))
        version = accepted(await duel.first.undo(duel.id, "approve"))
        await second.until(version)
        assert names(second) == ["approve_undo", "response"]
    assert await duel.stones() == 1


async def test_the_approvers_clock_stands_still(ann: Player, bob: Player) -> None:
    duel = await Duel.start(ann, bob, move_time=1, time_bank=120, undo_time=2)
    async with duel.first.events(duel.id) as events:
        await asked(duel)
        move, undo = (await events.next("sync")).data["waits"]
        assert (move["name"], move["box"], move["paused"]) == ("move", duel.box(duel.second), True)
        assert (undo["name"], undo["box"], undo["value"]) == ("undo", duel.box(duel.second), 2_000)
        verdict = await events.next("timeup_reject_undo")  # twice as late as a move may take
        (resumed,) = verdict.data["waits"]
        assert (resumed["name"], resumed["box"]) == ("move", duel.box(duel.second))
        assert resumed["tick"] == move["tick"]
        await duel.play(duel.second, 1)
    players = (await duel.first.view(duel.id))["players"]
    found = [fact for fact in await facts(duel.first, duel.id) if fact["type"] not in ("created", "joined", "ended")]
    _, first, request, rejection, second = [fact["at"] for fact in found if fact["type"] != "credited"]
    assert rejection - request >= 2_000
    thought = second - first - (rejection - request)
    overrun = max(0, thought - credit(found, first) - 1_000)  # nothing, unless the machine is busy
    assert players[duel.box(duel.second)]["timeBank"] == 120_000 - overrun


async def test_a_game_without_a_clock_has_undo_with_a_deadline(ann: Player, bob: Player) -> None:
    duel = await Duel.start(ann, bob, move_time=0, undo_time=1)
    async with duel.first.events(duel.id) as events:
        await asked(duel)
        assert [wait["name"] for wait in (await events.next("sync")).data["waits"]] == ["undo"]
        assert (await events.next("timeup_reject_undo")).data["waits"] == []


async def test_a_stream_resumes_after_every_message_of_an_undo(duel: Duel, eve: Player) -> None:
    await asked(duel)
    accepted(await duel.second.undo(duel.id, "approve"))
    await asked(duel, place=1)
    last = await duel.play(duel.second, 2)
    for viewer in (*duel.seats, eve):
        async with viewer.events(duel.id, cursor=duel.created_version) as events:
            whole = await events.until(last)
        assert len({event.id for event in whole}) == len(whole)
        for index, event in enumerate(whole[:-1]):
            async with viewer.events(duel.id, cursor=event.id) as rest:
                assert messages(await rest.until(last)) == messages(whole[index + 1 :])


async def test_a_player_who_returns_in_time_is_told_what_remains_of_it(xsos: Duel) -> None:
    version = await asked(xsos)
    async with xsos.second.events(xsos.id, cursor=version - 1) as events:
        remaining = (await events.next("request_undo")).data["deadline_ms"]
    (wait,) = [wait for wait in (await xsos.second.view(xsos.id))["waits"] if wait["name"] == "undo"]
    assert wait["value"] - wait["tick"] <= remaining <= 20_000


async def test_a_replay_shows_requests_and_verdicts_to_those_who_saw_them(xsos: Duel) -> None:
    await asked(xsos)
    accepted(await xsos.second.undo(xsos.id, "approve"))
    await xsos.first.resign(xsos.id)
    seen = {}
    for box in (None, 0, 1):
        seen[box] = {event["event"] for event in (await xsos.first.replay(xsos.id, box))["events"]}
    assert not seen[None] & (VERDICTS | {"request_undo"})
    assert seen[xsos.box(xsos.first)] & (VERDICTS | {"request_undo"}) == {"approve_undo"}
    assert seen[xsos.box(xsos.second)] & (VERDICTS | {"request_undo"}) == {"request_undo"}
