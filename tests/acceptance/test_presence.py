"""Presence: who listens, told whole on every change, outside the log."""

import pytest

from tests.conftest import Guest
from tests.support.client import Json, Player
from tests.support.problems import assert_problem
from tests.support.sse import Event, Events
from tests.support.waiting import eventually
from tests.support.xsos import Match


def online(presence: Event) -> dict[int, bool]:
    return {player["box"]: player["online"] for player in presence.data["players"]}


def watchers(presence: Event) -> list[str]:
    return sorted(watcher["user"] for watcher in presence.data["watchers"])


async def presence_with(events: Events, boxes: dict[int, bool], watching: list[Player] | None = None) -> Event:
    """The next presence that shows exactly these boxes online and these watchers."""
    expected = sorted(player.id for player in watching or [])
    while True:
        presence = await events.next("presence")
        if online(presence) == boxes and watchers(presence) == expected:
            return presence


async def test_presence_follows_every_connect_and_resume(match: Match) -> None:
    async with match.x.events(match.id) as events:
        presence = await presence_with(events, {match.box(match.x): True, match.box(match.o): False})
        assert [event.name for event in events.received][:2] == ["snapshot", "presence"]
        assert presence.data["players"][0].keys() == {"box", "online", "away"}
        assert presence.data["watchers"] == []
    version = (await match.x.view(match.id))["version"]
    async with match.x.events(match.id, cursor=version) as events:
        await presence_with(events, {match.box(match.x): True, match.box(match.o): False})


async def test_presence_is_the_only_event_without_an_id(match: Match) -> None:
    async with match.x.events(match.id) as events, match.o.events(match.id) as others:
        await presence_with(others, {0: True, 1: True})
        await events.until(await match.play(0, 1, 2))
        assert {event.name for event in events.received if event.id is None} == {"presence"}


async def test_coming_and_going_are_told_to_those_who_stay(match: Match) -> None:
    mine, theirs = match.box(match.x), match.box(match.o)
    async with match.x.events(match.id) as events:
        await presence_with(events, {mine: True, theirs: False})
        async with match.o.events(match.id):
            await presence_with(events, {mine: True, theirs: True})
        await presence_with(events, {mine: True, theirs: False})


async def test_a_watcher_is_named_to_all(match: Match, eve: Player) -> None:
    boxes = {match.box(match.x): True, match.box(match.o): False}
    async with match.x.events(match.id) as events:
        await presence_with(events, boxes)
        async with eve.events(match.id) as watching:
            presence = await presence_with(events, boxes, [eve])
            assert presence.data["watchers"] == [
                {"user": eve.id, "nick": eve.user["nick"], "avatar": eve.user["avatar"]}
            ]
            await presence_with(watching, boxes, [eve])
        await presence_with(events, boxes)


async def test_a_player_with_two_streams_is_online_until_both_are_closed(match: Match, guest: Guest) -> None:
    mine, theirs = match.box(match.x), match.box(match.o)
    observer = await guest("Observer")
    async with match.x.events(match.id) as events:
        async with match.o.events(match.id) as kept:
            await presence_with(events, {mine: True, theirs: True})
            async with match.o.events(match.id) as second:
                await second.next("presence")
            async with observer.events(match.id):
                await presence_with(events, {mine: True, theirs: True}, [observer])
            await kept.until((await match.x.view(match.id))["version"])
        await presence_with(events, {mine: True, theirs: False})
        told = [online(event)[theirs] for event in events.received if event.name == "presence"]
    # Once online, the opponent is never shown as gone before the last stream was closed.
    assert told[told.index(True) : -1].count(False) == 0


async def test_a_watcher_with_two_streams_is_listed_once(match: Match, eve: Player) -> None:
    boxes = {match.box(match.x): True, match.box(match.o): False}
    async with match.x.events(match.id) as events, eve.events(match.id), eve.events(match.id) as second:
        await presence_with(second, boxes, [eve])
        await presence_with(events, boxes, [eve])


async def test_the_view_shows_who_listens(match: Match, eve: Player) -> None:
    async def look() -> Json:
        return await match.o.view(match.id)

    assert {player["online"] for player in (await look())["players"]} == {False}
    assert (await look())["watchers"] == []
    async with match.x.events(match.id) as events, eve.events(match.id):
        await presence_with(events, {match.box(match.x): True, match.box(match.o): False}, [eve])
        view = await eventually(look, lambda each: bool(each["watchers"]))
        assert view["players"][match.box(match.x)]["online"] is True
        assert view["players"][match.box(match.o)]["online"] is False
        assert [watcher["user"] for watcher in view["watchers"]] == [eve.id]
    await eventually(look, lambda each: each["watchers"] == [])


async def test_presence_changes_no_version(match: Match, eve: Player) -> None:
    before = (await match.x.view(match.id))["version"]
    async with match.x.events(match.id) as events, eve.events(match.id):
        boxes = {match.box(match.x): True, match.box(match.o): False}
        await presence_with(events, boxes, [eve])
        assert (await match.x.view(match.id))["version"] == before
        assert [event.id for event in events.logged] == [str(before)]


def away(presence: Event) -> dict[int, bool]:
    return {player["box"]: player["away"] for player in presence.data["players"]}


async def presence_with_away(events: Events, boxes: dict[int, bool]) -> Event:
    """The next presence in which exactly these are away."""
    while away(presence := await events.next("presence")) != boxes:
        pass
    return presence


async def test_leaving_and_returning_are_told_and_shown(match: Match, eve: Player) -> None:
    mine, theirs = match.box(match.x), match.box(match.o)
    async with match.o.events(match.id) as events, eve.events(match.id) as watching:
        before = (await match.o.view(match.id))["version"]
        left = await match.x.leave(match.id)
        assert (left.status_code, left.json()) == (200, {"version": before})
        for stream in (events, watching):
            await presence_with_away(stream, {mine: True, theirs: False})
        shown = {player["box"]: player["away"] for player in (await match.o.view(match.id))["players"]}
        assert shown == {mine: True, theirs: False}
        returned = await match.x.come_back(match.id)
        assert (returned.status_code, returned.json()) == (200, {"version": before})
        for stream in (events, watching):
            await presence_with_away(stream, {mine: False, theirs: False})
        assert not any(player["away"] for player in (await match.o.view(match.id))["players"])
        assert [event.id for event in events.logged] == [str(before)]


async def test_away_is_not_offline_and_lasts_until_the_player_returns(match: Match) -> None:
    mine, theirs = match.box(match.x), match.box(match.o)
    await match.x.leave(match.id)
    async with match.x.events(match.id) as events:
        presence = await presence_with(events, {mine: True, theirs: False})
        assert away(presence) == {mine: True, theirs: False}
    await match.play(0)
    assert (await match.o.view(match.id))["players"][mine]["away"] is True
    await match.x.leave(match.id)
    await match.x.come_back(match.id)
    assert (await match.o.view(match.id))["players"][mine]["away"] is False


async def test_who_left_under_another_nick_can_return(match: Match) -> None:
    """Registering keeps a guest's id, not its nick."""
    await match.x.leave(match.id)
    body = {"nick": f"nick {match.x.id}"[:32], "password": "long enough"}
    registered = await match.x.post("/lobby/auth/register", body)
    assert registered.status_code == 201, registered.text
    known = Player(match.x.http, registered.json()["user"], registered.json()["token"])
    assert known.id == match.x.id
    await known.come_back(match.id)
    assert not any(player["away"] for player in (await match.o.view(match.id))["players"])


@pytest.mark.parametrize("word", ["leave", "return"])
async def test_only_players_of_a_game_that_is_not_over_leave_it_and_return(
    match: Match, eve: Player, word: str
) -> None:
    path = f"/session/games/{match.id}/{word}"
    assert_problem(await eve.post(path), 403, "forbidden")
    assert_problem(await eve.post(f"/session/games/{'0' * 20}/{word}"), 404, "not_found")
    assert_problem(await eve.http.post(path), 401, "unauthenticated")
    assert_problem(await match.x.post(path, [1]), 422, "invalid_request")
    await match.x.resign(match.id)
    assert_problem(await match.x.post(path), 409, "wrong_state")


async def test_leaving_with_a_key_is_answered_once(match: Match) -> None:
    once, again = [await match.x.leave(match.id, key="leave") for _ in range(2)]
    assert once.content == again.content
    assert again.headers["idempotent-replayed"] == "true"
