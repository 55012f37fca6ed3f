"""The hub: followers see every entry once and in order, whatever the doorbell does."""

import asyncio
from collections.abc import Callable

from starlette.types import Message

from shared.ids import UserId
from shared.log import presence
from shared.log.keys import LogKeys
from shared.log.live import Person
from tests.log.conftest import NoteLog, Replica
from tests.support.waiting import eventually


class Reader(asyncio.Transport):
    """Follows a log and keeps what it is sent, as a client would read it; its own connection, too."""

    on_hang_up: Callable[[], None] | None = None

    @property
    def transport(self) -> asyncio.Transport:
        return self

    def write(self, data: bytes | bytearray | memoryview) -> None:
        rest = bytes(data)
        while rest:  # what was waiting while the response began comes with its first chunk
            size, _, rest = rest.partition(b"\r\n")
            end = int(size, 16)
            assert rest[end : end + 2] == b"\r\n"
            self.text += rest[:end].decode()
            rest = rest[end + 2 :]
        self._grown.set()

    def is_gone(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return 0

    def abort(self) -> None:
        raise AssertionError("it read all the time")

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self._grown = asyncio.Event()

    async def follow(self, replica: Replica, keys: LogKeys, name: str = "ann", cursor: str | None = None) -> None:
        live = await replica.log(keys)
        response = await replica.hub.follow(live, Person(UserId(name), name, None), cursor)
        scope = {"type": "http", "method": "GET", "parlor.connection": self}
        self._task = asyncio.ensure_future(response(scope, self._wait, self._ignore))

    async def sees(self, part: str, times: int = 1) -> None:
        async with asyncio.timeout(60):
            while self.text.count(part) < times:
                self._grown.clear()
                await self._grown.wait()

    def ids(self) -> list[str]:
        return [line[4:] for line in self.text.splitlines() if line.startswith("id: ")]

    async def ends(self) -> None:
        """Return once the response is over."""
        await asyncio.wait_for(self._task, 60)

    async def leave(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _ignore(self, message: Message) -> None:
        """The head and the end of the response."""

    async def _wait(self) -> Message:
        await asyncio.Event().wait()
        raise AssertionError


async def test_an_entry_written_in_one_replica_is_seen_in_another(here: Replica, there: Replica, keys: LogKeys) -> None:
    await here.write(keys, 0, "first")
    reader = Reader()
    await reader.follow(there, keys)
    await reader.sees('"reason":"connect"')
    await here.write(keys, 1, "second")
    await reader.sees("second")
    assert reader.ids() == ["1", "2"]


async def test_a_doorbell_that_skips_a_version_is_mended_by_reading(
    here: Replica, there: Replica, keys: LogKeys
) -> None:
    await here.write(keys, 0, "first")
    reader = Reader()
    await reader.follow(there, keys)
    await here.redis.xadd(keys.log, {"e": "unannounced"}, id="2-0")
    await here.write(keys, 2, "third")
    await reader.sees("third")
    assert reader.ids() == ["1", "2", "3"]


async def test_a_lost_last_doorbell_is_noticed_at_the_heartbeat(here: Replica, there: Replica, keys: LogKeys) -> None:
    await here.write(keys, 0, "first")
    reader = Reader()
    await reader.follow(there, keys)
    await here.redis.xadd(keys.log, {"e": "unannounced"}, id="2-0")
    await reader.sees("unannounced")
    assert reader.ids() == ["1", "2"]


async def test_whoever_hears_a_log_by_itself_is_told_of_what_a_lost_last_doorbell_said(
    here: Replica, keys: LogKeys
) -> None:
    await here.write(keys, 0, "first")
    heard = asyncio.Event()
    end = await here.hub.tap(await here.log(keys), lambda _: heard.set())
    await here.redis.xadd(keys.log, {"e": "unannounced"}, id="2-0")
    async with asyncio.timeout(20):
        await heard.wait()
    end()


async def test_after_its_connection_was_cut_the_doorbell_catches_up(
    here: Replica, there: Replica, keys: LogKeys
) -> None:
    await here.write(keys, 0, "first")
    reader = Reader()
    await reader.follow(there, keys)
    await here.redis.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
    await here.write(keys, 1, "second")
    await reader.sees("second")
    await here.write(keys, 2, "third")
    await reader.sees("third")
    assert reader.ids() == ["1", "2", "3"]


async def test_resuming_gives_exactly_what_came_after_the_cursor(here: Replica, keys: LogKeys) -> None:
    await here.write(keys, 0, *[f"note {i}" for i in range(1, 101)])
    for cursor in (0, 1, 50, 99, 100):  # older than what the process remembers, and younger
        reader = Reader()
        await reader.follow(here, keys, cursor=str(cursor))
        await reader.sees("presence")
        assert reader.ids() == [str(i) for i in range(cursor + 1, 101)]
        await reader.leave()


async def test_what_is_remembered_is_told_only_where_nothing_before_it_is_missing(here: Replica, keys: LogKeys) -> None:
    await here.write(keys, 0, *[f"note {i}" for i in range(1, 101)])
    live = await here.log(keys)
    remembered = [step.version for step in live.past(36) or []]
    assert remembered == list(range(37, 101)), "the last 64"
    assert live.past(35) is None


async def test_a_cursor_that_never_was_starts_over_with_a_gap(here: Replica, keys: LogKeys) -> None:
    await here.write(keys, 0, "first")
    for cursor in ("2", "-1", "1.0", "x", "", "1.5.5", "0.0", "99999999999999999999"):
        reader = Reader()
        await reader.follow(here, keys, cursor=cursor)
        await reader.sees('"reason":"gap"')
        await reader.leave()


async def test_everyone_is_told_who_comes_and_goes(here: Replica, there: Replica, keys: LogKeys) -> None:
    await here.write(keys, 0, "first")
    ann, bob = Reader(), Reader()
    await ann.follow(here, keys, "ann")
    await bob.follow(there, keys, "bob")
    await ann.sees('{"here":["ann","bob"]}')
    await bob.leave()
    await ann.sees('{"here":["ann"]}', times=2)


async def test_it_is_rung_for_who_comes_so_that_nobody_learns_of_it_by_a_later_look(
    here: Replica, there: Replica, keys: LogKeys
) -> None:
    await here.write(keys, 0, "first")
    rung = asyncio.Event()
    there.doorbell.add(keys.log, lambda payload: rung.set() if payload == presence.BELL else None)
    await there.doorbell.ready(keys.log)
    ann = Reader()
    await ann.follow(here, keys, "ann")
    async with asyncio.timeout(60):  # the looks of the hub ring for nobody
        await rung.wait()


async def test_draining_ends_every_stream_cleanly(here: Replica, keys: LogKeys) -> None:
    await here.write(keys, 0, "first")
    readers = [Reader() for _ in range(20)]
    for reader in readers:
        await reader.follow(here, keys)
    await here.hub.drain(0.1)
    async with asyncio.timeout(30):
        await asyncio.gather(*[reader._task for reader in readers])


async def test_a_log_nobody_follows_is_not_listened_to(here: Replica, keys: LogKeys) -> None:
    await here.write(keys, 0, "first")
    reader = Reader()
    await reader.follow(here, keys)
    assert await here.redis.execute_command("PUBSUB", "SHARDNUMSUB", keys.log) == [keys.log.encode(), 1]
    await reader.leave()
    await here.hub.settle()
    await eventually(lambda: here.redis.execute_command("PUBSUB", "SHARDNUMSUB", keys.log), lambda n: n[1] == 0)


async def test_the_gate_lets_each_version_pass_once(here: Replica, keys: LogKeys) -> None:
    live = here.hub.fresh(NoteLog(), keys.id)
    assert live.ring(1, b"a")
    assert live.ring(1, b"a")
    assert not live.ring(3, b"c")
    assert live.ring(2, b"b")
    assert live.state == ("a", "b")
    assert not live.ring(2, b"another in its place")
    assert live.state == ("a", "b")


async def test_a_client_that_hung_up_while_its_stream_was_opened_is_not_kept(here: Replica, keys: LogKeys) -> None:
    class Hasty(Reader):
        def is_gone(self) -> bool:
            return True

    await here.write(keys, 0, "first")
    reader = Hasty()
    await reader.follow(here, keys)
    async with asyncio.timeout(30):
        await reader._task
    live = await here.log(keys)
    assert not live.streams
    assert not live.visits


async def test_a_log_that_lost_entries_is_told_anew_to_those_who_follow_it(here: Replica, keys: LogKeys) -> None:
    """A replica promoted before it had everything: what we had seen is no longer true."""
    await here.write(keys, 0, "kept", "lost")
    reader = Reader()
    await reader.follow(here, keys)
    await here.redis.xdel(keys.log, "2-0")
    live = await here.log(keys)
    await here.hub.start_over(live)
    assert (live.version, live.state) == (1, ("kept",))
    await reader.sees('"reason":"gap"')
    await here.redis.delete(keys.log)
    await here.hub.start_over(live)
    async with asyncio.timeout(30):
        await reader._task
    assert await here.hub.log(NoteLog(), keys.id) is None
