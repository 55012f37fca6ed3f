"""A server that comes back without the last of what it had answered: nobody may build on what was lost."""

from collections.abc import Iterator

import pytest

from shared.log.commit import Commit, Committed, Conflict
from shared.log.keys import LogKeys
from shared.log.live import LiveLog
from tests.log.conftest import NoteLog, Notes, Replica
from tests.log.test_hub import Reader
from tests.support.product import short_directory
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually


@pytest.fixture
def server() -> Iterator[RedisServer]:
    with short_directory() as home, RedisServer(home) as running:
        yield running


@pytest.fixture
def url(server: RedisServer) -> str:
    return server.url


def lose(server: RedisServer, keys: LogKeys, *, after: int) -> None:
    """Let the server die, and come back with only the first entries, as a replica that never had the others would.

    All in one go: whoever is connected again in between would find what is about to be lost, and believe it.
    """
    server.kill()
    server.start()
    entries = server.ask("XRANGE", keys.log, "-", "+")
    server.ask("DEL", keys.log)
    for entry_id, fields in entries[:after]:
        server.ask("XADD", keys.log, entry_id, "e", fields[b"e"])


async def note(here: Replica, live: LiveLog[Notes, str], text: str) -> object:
    """Append as a service does: decided on what the process remembers."""
    commit = Commit(live.keys, live.version, [text.encode()], past=live.past_of_commit)
    outcome = await here.store.commit(commit)
    if isinstance(outcome, Committed):
        live.landed(commit, [(text, (*live.state, text))])
    return outcome


async def test_a_restart_that_loses_nothing_changes_nothing(here: Replica, server: RedisServer, keys: LogKeys) -> None:
    await here.write(keys, 0, "a", "b")
    live = await here.log(keys)
    lose(server, keys, after=2)
    assert await note(here, live, "c") == Committed(3)
    assert await here.store.read(keys, 0) == [(1, b"a"), (2, b"b"), (3, b"c")]


async def test_nothing_is_appended_that_was_decided_on_a_lost_entry(
    here: Replica, there: Replica, server: RedisServer, keys: LogKeys
) -> None:
    """Even where somebody else has filled its place meanwhile, so that the number is right."""
    await here.write(keys, 0, "a", "lost")
    live = await here.log(keys)
    lose(server, keys, after=1)
    assert await there.write(keys, 1, "another") == Committed(2)
    assert await note(here, live, "on what was lost") == Conflict(0)
    await here.hub.start_over(live)
    assert live.state == ("a", "another")
    assert await note(here, live, "on what is there") == Committed(3)


async def test_what_is_read_is_never_folded_onto_a_lost_entry(
    here: Replica, there: Replica, server: RedisServer, keys: LogKeys
) -> None:
    await here.write(keys, 0, "a", "lost")
    live = await here.log(keys)
    lose(server, keys, after=1)
    await there.write(keys, 1, "another", "more")
    await eventually(live.catch_up, lambda _: live.state == ("a", "another", "more"))


async def test_what_was_asked_before_a_break_is_asked_again_after_it(
    here: Replica, there: Replica, keys: LogKeys
) -> None:
    await here.write(keys, 0, "a")
    live = await here.log(keys)
    asked = live.ask()
    await there.write(keys, 1, "b")
    read = await here.store.read(keys, asked.after)
    here.store.era.end()
    assert await live.accept(read, asked)
    assert live.state == ("a", "b")


async def test_who_was_told_of_a_lost_entry_is_told_anew(
    here: Replica, there: Replica, server: RedisServer, keys: LogKeys
) -> None:
    await here.write(keys, 0, "a", "lost")
    reader = Reader()
    await reader.follow(here, keys)
    await reader.sees('"notes":["a","lost"]')
    lose(server, keys, after=1)
    await there.write(keys, 1, "another", "more")
    await reader.sees('"notes":["a","another","more"],"reason":"gap"')
    await there.write(keys, 3, "last")
    await reader.sees('"text":"last"')
    assert "on what was lost" not in reader.text
    assert reader.ids()[-2:] == ["3", "4"]


async def test_a_log_that_is_lost_as_a_whole_is_no_more(here: Replica, server: RedisServer, keys: LogKeys) -> None:
    await here.write(keys, 0, "lost")
    live = await here.log(keys)
    lose(server, keys, after=0)
    await eventually(live.catch_up, lambda _: live.version == 0)
    assert await here.hub.log(NoteLog(), keys.id) is None
