"""Event streams: what comes first, in which order, and what a reconnecting client gets."""

from contextlib import AsyncExitStack

import pytest

from tests.support.client import Player
from tests.support.convergence import messages, stable
from tests.support.sse import Event, Events
from tests.support.xsos import X_WINS, Match


def place(event: Event) -> tuple[int, float]:
    """An event's place in the order of ids: `7.0`, `7.1`, then `7`."""
    assert event.id is not None, f"{event.name} has no id"
    version, _, part = event.id.partition(".")
    return int(version), int(part) if part else float("inf")


async def test_a_stream_begins_with_the_callers_view(match: Match, eve: Player) -> None:
    for viewer in (match.x, match.o, eve):
        async with viewer.events(match.id) as events:
            first = await events.next()
        view = await viewer.view(match.id)
        assert first.name == "snapshot"
        assert first.data["reason"] == "connect"
        assert first.id == str(view["version"])
        assert stable(first.data) == {**stable(view), "reason": "connect"}


async def test_a_move_reaches_everyone_who_listens(match: Match, eve: Player) -> None:
    async with match.x.events(match.id) as x, match.o.events(match.id) as o, eve.events(match.id) as watcher:
        for events in (x, o, watcher):
            await events.next("snapshot")
        version = await match.play(4)
        for events in (x, o, watcher):
            event = await events.next()
            assert (event.id, event.name) == (str(version), "response")
            assert (event.data["color"], event.data["cell"], event.data["turn"]) == ("X", 4, "O")


async def test_ids_are_unique_and_ordered_and_name_the_version(match: Match) -> None:
    async with match.x.events(match.id, cursor=0) as events:
        logged = await events.until(await match.play(*X_WINS))
    places = [place(event) for event in logged]
    assert places == sorted(set(places))
    assert [event.data["version"] for event in logged] == [version for version, _ in places]


async def test_the_last_message_of_a_commit_has_the_version_as_its_id(match: Match) -> None:
    async with match.x.events(match.id) as events:
        version = await match.play(*X_WINS)
        logged = await events.until(version)
    last_commit = [event for event in logged if place(event)[0] == version]
    assert [(event.id, event.name) for event in last_commit] == [
        (f"{version}.0", "response"),
        (str(version), "game_over"),
    ]


async def test_the_time_to_retry_is_sent_once(match: Match) -> None:
    async with match.x.events(match.id) as events:
        await events.until(await match.play(0, 1, 2))
        assert len(events.retries) == 1
        assert events.retries[0] > 0


@pytest.fixture
async def three_viewers(match: Match, eve: Player) -> list[Player]:
    return [match.x, match.o, eve]


async def test_a_stream_resumes_after_every_id_of_a_running_game(match: Match, three_viewers: list[Player]) -> None:
    so_far = await match.play(*X_WINS[:-1])
    async with AsyncExitStack() as stack:
        wholes = {
            viewer: await stack.enter_async_context(viewer.events(match.id, cursor=match.created_version))
            for viewer in three_viewers
        }
        resumed = [
            (whole, index, await stack.enter_async_context(viewer.events(match.id, cursor=event.id)))
            for viewer, whole in wholes.items()
            for index, event in enumerate(await whole.until(so_far))
        ]
        assert len(resumed) >= 3 * (len(X_WINS) - 1)
        last = await match.play(X_WINS[-1], after=len(X_WINS) - 1)
        for whole, index, rest in resumed:
            expected = (await whole.until(last))[index + 1 :]
            assert messages(await rest.until(last)) == messages(expected)


@pytest.mark.parametrize("way", ["header", "query"])
async def test_a_stream_resumes_after_every_id_of_a_finished_game(
    match: Match, three_viewers: list[Player], way: str
) -> None:
    last = await match.play(*X_WINS)
    path = f"/session/games/{match.id}/events"
    for viewer in three_viewers:
        async with viewer.events(match.id, cursor=match.created_version) as events:
            whole = await events.until(last)
        assert any("." in str(event.id) for event in whole)
        for index, event in enumerate(whole[:-1]):
            header = {"Last-Event-ID": str(event.id)} if way == "header" else {}
            query = {"last_event_id": str(event.id)} if way == "query" else {}
            async with Events(viewer.http, path, headers={**viewer.credentials, **header}, params=query) as rest:
                assert messages(await rest.until(last)) == messages(whole[index + 1 :])


async def test_after_the_last_id_there_is_nothing_to_send_but_presence(match: Match) -> None:
    last = await match.play(*X_WINS)
    async with match.x.events(match.id, cursor=last) as events:
        await events.next("presence")
        assert events.logged == []


@pytest.mark.parametrize(
    "cursor",
    [
        "abc",
        "-1",
        "1.2.3",
        "1e1",
        "0x1",
        "1-0",
        "$",
        "*",
        "+",
        "1.x",
        "1.-1",
        "9" * 50,
        "1000",
        "1000.0",
        "1.99",
        "٣",
    ],
)
@pytest.mark.parametrize("way", ["header", "query"])
async def test_a_cursor_that_was_never_given_out_starts_over_with_a_gap(match: Match, cursor: str, way: str) -> None:
    version = await match.play(0)
    path = f"/session/games/{match.id}/events"
    headers: list[tuple[bytes, bytes]] = [(b"Authorization", f"Bearer {match.o.token}".encode())]
    if way == "header":
        headers.append((b"Last-Event-ID", cursor.encode()))
    query = {"last_event_id": cursor} if way == "query" else {}
    async with Events(match.o.http, path, headers=headers, params=query) as events:
        first = await events.next()
        assert (first.name, first.id) == ("snapshot", str(version))
        assert first.data["reason"] == "gap"
        next_version = await match.play(1, after=1)
        assert (await events.next()).id == str(next_version)


async def test_the_version_of_the_creating_answer_replays_all_that_followed(match: Match) -> None:
    last = await match.play(*X_WINS)
    async with match.seats[0].events(match.id, cursor=match.created_version) as events:
        names = [event.name for event in await events.until(last)]
    assert names == ["joined", "started", *["response"] * len(X_WINS), "game_over"]


async def test_a_stream_opened_before_the_others_join_tells_the_same_story(ann: Player, bob: Player) -> None:
    created = await ann.create()
    async with ann.events(created["id"]) as live:
        await live.next("snapshot")
        await bob.join(created["id"])
        started = await live.next("started")
        assert started.id is not None
        seen = live.logged[1:]
        async with ann.events(created["id"], cursor=created["version"]) as replayed:
            assert messages(await replayed.until(started.id)) == messages(seen)


async def test_cursor_0_begins_with_the_first_entry(match: Match) -> None:
    last = await match.play(*X_WINS)
    async with match.x.events(match.id, cursor=0) as events:
        everything = await events.until(last)
    async with match.x.events(match.id, cursor=match.created_version) as events:
        after_creation = await events.until(last)
    assert "snapshot" not in {event.name for event in everything}
    assert messages(everything)[-len(after_creation) :] == messages(after_creation)
    assert {place(event)[0] for event in everything[: -len(after_creation)]} <= {match.created_version}


async def test_a_browser_may_listen_with_its_cookie(match: Match) -> None:
    cookie = {"Cookie": f"parlor_token={match.x.token}"}
    async with Events(match.x.http, f"/session/games/{match.id}/events", headers=cookie) as events:
        assert (await events.next("snapshot")).data["self"] == {"box": match.box(match.x)}


async def test_a_comment_comes_at_least_every_15_seconds(ann: Player) -> None:
    async with ann.events((await ann.create())["id"]) as events:
        await events.next("snapshot")
        await events.next("presence")
        await events.comment(after=len(events.comments), timeout=30.0)  # more, for a machine that is busy
