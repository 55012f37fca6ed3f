"""Work goes from one process to another, which may know a log only as it was: even what has no effect is not judged
by old news."""

import asyncio

import msgspec
import pytest

from services.lobby import letters as mail
from services.lobby import seating
from services.lobby.channels import Who
from services.lobby.kinds import kinds
from services.lobby.logs import Decided, Logs
from services.lobby.queues import Queues
from services.lobby.table import Table, TableFact
from services.session.decide import Ack, Command, Pace, Play, Start, TakeSeat
from services.session.engine import Engine
from services.session.facts import Player
from services.session.games import registered
from services.session.games.cabo.commands import StartRound
from services.session.machine import GameLog
from services.session.match import AnyMatch, Status
from shared import bridge
from shared.ids import GameId, UserId, new_id
from shared.kernel import Seat
from shared.log.keys import log_keys
from shared.log.outbox import Letter
from shared.problems import Unavailable
from shared.runtime import wall_clock
from tests.lobby.support import WAITS
from tests.log.conftest import Replica

ANN, BOB = (Player(UserId(new_id()), name, None) for name in ("Ann", "Bob"))


async def nothing(_: GameId) -> list[bytes]:
    return []


def engine(replica: Replica) -> Engine:
    games = registered()
    pace = Pace(idle_ms=3_600_000, bot_ms=0)
    return Engine(games, GameLog(games), replica.hub, replica.store, wall_clock, pace, nothing)


async def obey(where: Engine, game: GameId, command: Command) -> AnyMatch:
    def asked(_: AnyMatch) -> Command:
        return command

    await where.submit(game, "lobby", asked, None)
    return (await where.game(game)).state


async def test_a_game_is_started_by_a_process_that_had_not_heard_of_its_last_seat(
    here: Replica, there: Replica
) -> None:
    ours, theirs, game = engine(here), engine(there), GameId(new_id())
    options = msgspec.convert({}, registered().game("xsos").forms.options)
    await ours.create(game, "xsos", options, (ANN, None), None, table="t", order=1)
    assert (await theirs.game(game)).state.status is Status.WAITING
    await obey(ours, game, TakeSeat(Seat(1), BOB, 2))
    assert (await obey(theirs, game, Start())).status is Status.ACTIVE


async def test_an_acknowledgement_counts_at_a_process_that_had_not_heard_of_the_wave(
    here: Replica, there: Replica
) -> None:
    """What it acknowledges is beyond what is known there; only an older one is settled without a look."""
    ours, theirs, game = engine(here), engine(there), GameId(new_id())
    options = msgspec.convert({}, registered().game("cabo").forms.options)
    await ours.create(game, "cabo", options, (ANN, BOB), None)
    before = (await theirs.game(game)).version
    wave = before + 1
    await obey(ours, game, Play(Seat(0), StartRound()))
    assert (await obey(theirs, game, Ack(Seat(0), before))).open is None
    assert (await obey(theirs, game, Ack(Seat(0), wave))).version == wave
    assert (await obey(theirs, game, Ack(Seat(1), wave))).version == wave + 1


class Desk:
    """A process's queues, with letters that come one after the other."""

    def __init__(self, replica: Replica, queue: str) -> None:
        self._queues = Queues(replica.store, replica.redis, wall_clock)
        self._queue = queue

    async def take(self, place: int, *letters: mail.ToQueue) -> None:
        """Letters that lie one behind the other, from a place on."""
        bag = [(Letter("l0", f"{place + i}-0", b""), bridge.write(letter)) for i, letter in enumerate(letters)]
        await self._queues.deliver(self._queue, bag)


@pytest.fixture
def queue() -> str:
    return new_id()


def _outbox(queue: str) -> str:
    return log_keys("lobby", "log", f"queue:{queue}").outbox


def ticket(who: Who) -> mail.Ticket:
    return mail.Ticket(new_id(), who, wall_clock(), (("xsos", 2, 0),), {"xsos": 25.0})


async def told(replica: Replica, queue: str) -> list[bytes]:
    """What the queue has let go out."""
    return [fields[b"m"] for _, fields in await replica.redis.xrange(_outbox(queue))]


async def test_a_search_is_cancelled_by_a_process_that_had_not_heard_of_it(
    here: Replica, there: Replica, queue: str
) -> None:
    ours, theirs = Desk(here, queue), Desk(there, queue)
    ann, bob = (Who(UserId(new_id()), name, None, new_id()) for name in ("Ann", "Bob"))
    first, second = ticket(ann), ticket(bob)
    await theirs.take(1, mail.Find(first))
    await theirs.take(2, mail.CancelFind(first.id, ann, "ask 1"))
    await ours.take(3, mail.Find(second))
    await theirs.take(4, mail.CancelFind(second.id, bob, "ask 2"))
    assert [b"ask 1" in letter or b"ask 2" in letter for letter in await told(there, queue)] == [True, True]


async def test_the_cancellation_of_a_search_that_was_matched_before_is_not_granted(
    here: Replica, there: Replica, queue: str
) -> None:
    """Its channel hears of the match instead."""
    ours, theirs = Desk(here, queue), Desk(there, queue)
    ann, bob = (Who(UserId(new_id()), name, None, new_id()) for name in ("Ann", "Bob"))
    first = ticket(ann)
    await ours.take(1, mail.Find(first))
    await theirs.take(2, mail.Find(ticket(bob)))
    await ours.take(3, mail.CancelFind(first.id, ann, "ask 1"), mail.Find(ticket(bob)))
    (match,) = await told(here, queue)
    assert first.id.encode() in match


async def test_a_letter_that_comes_again_after_a_crash_has_one_effect(here: Replica, there: Replica) -> None:
    """Both replicas are told to put Ann in line; meanwhile she has left it."""
    tables = kinds(WAITS).table
    ours, theirs = (Logs(each.hub, each.store, each.redis, wall_clock) for each in (here, there))
    table, ann = new_id(), Who(UserId(new_id()), "Ann", None, new_id())

    async def take(where: Logs, place: int, command: seating.Command) -> None:
        def decide(state: Table | None, version: int, now: int) -> Decided[Table, TableFact]:
            draft = seating.decide(table, state, command, now, WAITS)
            return Decided(draft.facts, draft.letters)

        await where.submit(tables, table, decide, Letter("l0", f"{place}-0", b""))

    await take(ours, 1, mail.Watch(ann, GameId("g"), "xsos", 2))
    for where in (ours, theirs):
        await take(where, 2, mail.LineUp(ann, "ask 1"))
    await take(ours, 3, mail.GiveUp(ann, "ask 2"))
    await take(theirs, 2, mail.LineUp(ann, "ask 1"))
    found = await theirs.current(tables, table)
    assert found is not None
    assert found.line == ()


async def test_searches_that_come_again_after_a_crash_are_not_matched_again(
    here: Replica, there: Replica, queue: str
) -> None:
    """A process may die between its commit and its word that the letters are handled."""
    ours, theirs = Desk(here, queue), Desk(there, queue)
    people = [Who(UserId(new_id()), name, None, new_id()) for name in ("Ann", "Bob", "Cid")]
    first, second, third = (ticket(who) for who in people)
    for desk in (ours, theirs):
        await desk.take(1, mail.Find(first))
        await desk.take(2, mail.Find(second))
    await theirs.take(3, mail.Find(third))
    matches = await told(there, queue)
    assert len(matches) == 1
    assert third.id.encode() not in matches[0]


async def test_a_process_that_has_long_not_looked_at_a_queue_goes_on_from_its_snapshot(
    here: Replica, there: Replica, queue: str
) -> None:
    """What it has missed is not all kept: folding the rest onto what it knew would fail for ever."""
    ours, theirs = Desk(here, queue), Desk(there, queue)
    ann, bob, cid = (Who(UserId(new_id()), name, None, new_id()) for name in ("Ann", "Bob", "Cid"))
    first, last, early = ticket(ann), ticket(bob), ticket(bob)
    await ours.take(1, mail.Find(early), mail.CancelFind(early.id, bob, "ask 0"))  # from now on it has a connection
    await ours.take(3, mail.Find(first))
    await theirs.take(4, mail.CancelFind(first.id, ann, "ask 1"))
    for i in range(3):  # enough for a snapshot, after which what lies before it is let go
        searches = [ticket(bob) for _ in range(150)]
        letters = [each for t in searches for each in (mail.Find(t), mail.CancelFind(t.id, bob, f"ask {i}"))]
        await theirs.take(10 + 300 * i, *letters)
    await ours.take(2000, mail.Find(last))
    await ours.take(2001, mail.Find(ticket(cid)))
    (match,) = [letter for letter in await told(here, queue) if b"match_made" in letter]
    assert last.id.encode() in match
    assert first.id.encode() not in match


async def test_what_is_left_of_a_queue_is_not_taken_for_the_whole(here: Replica, there: Replica, queue: str) -> None:
    """Between the reading of its snapshot and of its log it may be trimmed once more."""
    ann, bob = (Who(UserId(new_id()), name, None, new_id()) for name in ("Ann", "Bob"))
    first, keys = ticket(ann), log_keys("lobby", "log", f"queue:{queue}")
    searches = [ticket(bob) for _ in range(2)]
    letters = [each for t in searches for each in (mail.Find(t), mail.CancelFind(t.id, bob, "ask"))]
    await Desk(here, queue).take(1, *letters, mail.Find(first))
    await here.redis.xtrim(keys.log, minid="4-0", approximate=False)
    ours = Desk(there, queue)
    with pytest.raises(Unavailable):
        await ours.take(10, mail.Find(ticket(bob)))
    kept = {"tickets": [first], "recent": [], "handled": {"l0": "5-0"}}
    await here.redis.set(keys.snapshot, b"5 1 " + msgspec.json.encode(kept))
    await ours.take(10, mail.Find(ticket(bob)))
    (match,) = [letter for letter in await told(here, queue) if b"match_made" in letter]
    assert first.id.encode() in match


async def test_whoever_hears_a_log_is_told_when_some_of_it_is_not_kept_any_more(here: Replica, there: Replica) -> None:
    """A stream must not go on as if nothing had happened in between."""
    keys, heard, losses = log_keys("test", "notes", new_id()), [], []
    await there.write(keys, 0, "a")
    live = await here.log(keys)
    end = await here.hub.tap(live, lambda step: heard.append(step.entry), lambda: losses.append(live.version))
    here.doorbell.drop(keys.log)  # as when the connection is lost for a while
    await there.write(keys, 1, "b", "c", "d", "e")
    await there.redis.set(keys.snapshot, b"4 a\nb\nc\nd")
    await there.redis.xtrim(keys.log, minid="4-0", approximate=False)
    asked = live.ask()
    assert await live.accept(await here.store.read(keys, asked.after), asked)
    assert (live.state, losses) == (("a", "b", "c", "d", "e"), [5])
    assert heard == []
    here.doorbell.add(keys.log, lambda _: None)
    end()


async def test_what_the_doorbell_tells_while_we_read_counts_as_news(here: Replica, there: Replica) -> None:
    """Else a decision that is made just before, and changes nothing, is taken for one on the latest news."""
    keys = log_keys("test", "notes", new_id())
    await there.write(keys, 0, "a")
    live = await here.log(keys)
    await there.write(keys, 1, "b")
    reading = asyncio.ensure_future(live.catch_up())
    await asyncio.sleep(0)
    live.ring(2, b"b")
    assert await reading
