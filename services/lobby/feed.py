"""A user's event stream: all channels in one, with the chats and rooms that they follow."""

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from services.lobby import chat, cursors, views
from services.lobby.channels import Account, Closed, Moved, Opened, Shown, Situation, UserFact, WalletMoved
from services.lobby.chat import Chat, ChatFact, Line
from services.lobby.cursors import ChatPlace, FeedCursor
from services.lobby.kinds import Kinds
from services.lobby.logs import Entry, Logs
from services.lobby.lookups import Lookups
from services.lobby.machine import Value
from services.lobby.rooms import Rooms
from services.lobby.teller import Teller
from shared import sse
from shared.ids import UserId, new_id
from shared.log.hub import Hub
from shared.log.live import Transition
from shared.problems import Problem

_BEAT = 10.0  # seconds between comment lines, and between words that somebody is here

log = structlog.get_logger()


class Gap(Exception):
    """What came after the cursor is not kept any more."""


class Stay:
    """A channel in a chat, and how far its user has been told what is said there."""

    def __init__(self, chat_id: str, place: ChatPlace, until: int | None = None) -> None:
        """`until` is when the channel left, if it has."""
        self.chat = chat_id
        self.place = place
        self.until = until
        self.over = False
        self.end: Callable[[], None] = lambda: None

    def take(self, n: int, fact: ChatFact) -> Line | None:
        """What an entry of the chat tells: nothing before the channel's own joining or after its leaving."""
        place = self.place
        if n <= place.place or self.over:
            return None
        mine = isinstance(fact, chat.Joined | chat.Left) and fact.who.channel == place.channel
        joins = mine and isinstance(fact, chat.Joined) and fact.stay == place.stay
        self.over = mine and isinstance(fact, chat.Left) and place.inside
        self.place = ChatPlace(place.channel, place.stay, n, place.inside or joins)
        line = None if self.over or not self.place.inside else chat.shown(fact, n)
        return None if line is None or (self.until is not None and line.ts > self.until) else line


class Feeds:
    """Opens streams."""

    def __init__(
        self,
        logs: Logs,
        kinds: Kinds,
        rooms: Rooms,
        lookups: Lookups,
        teller: Teller,
        hub: Hub,
        redis: "Redis",
        linger_ms: int,
    ) -> None:
        """Somebody without a stream still counts as present for `linger_ms`."""
        self.logs = logs
        self.kinds = kinds
        self.rooms = rooms
        self.lookups = lookups
        self.redis = redis
        self.linger_ms = linger_ms
        self.beat = min(_BEAT, linger_ms / 3000)
        self._teller = teller
        self._hub = hub

    async def open(self, user: UserId, cursor: str | None, credentials: dict[str, str]) -> sse.EventStream:
        await self._teller.catch_up(user)
        feed = Feed(self, user, credentials)
        try:
            stream = sse.Stream(user, sse.chunk(sse.OPENING + await feed.opening(cursor)))
        except BaseException:
            feed.close()
            raise
        self._hub.others.add(stream)
        if self._hub.draining:
            stream.close()
        running = asyncio.ensure_future(feed.run(stream))

        def end() -> None:
            self._hub.others.discard(stream)
            running.cancel()
            feed.close()

        return sse.EventStream(stream, end)

    async def is_present(self, user: str) -> bool:
        return bool(await self.redis.exists(_present(user)))


class Feed:
    """One stream: what comes from several logs is told one after the other."""

    def __init__(self, feeds: Feeds, user: UserId, credentials: dict[str, str]) -> None:
        self._feeds = feeds
        self._user = user
        self._credentials = credentials
        self._number = 0
        self._stays: dict[tuple[str, int], Stay] = {}  # by channel and the number at which it came
        self._rooms: dict[str, tuple[str, Callable[[], None]]] = {}  # by channel: the room, and how to end that
        self._news: asyncio.Queue[Callable[[], Any]] = asyncio.Queue()
        self._ends: list[Callable[[], None]] = []
        self._mark, self._count = new_id()[:8], itertools.count()

    # -- opening --------------------------------------------------------------------------------------------

    async def opening(self, cursor: str | None) -> bytes:
        """What comes after the cursor, or a snapshot; everything from then on is in the queue."""
        await self._say_present()
        live, end = await self._feeds.logs.followed(self._feeds.kinds.user, self._user, self._hear_user, self._lost)
        self._ends.append(end)
        asked = cursors.read(cursor) if cursor is not None else None
        if asked is not None and asked.number <= live.version:
            try:
                return await self._resumed(asked)
            except Gap:
                self._let_go()
        account = live.state if live.version else Account()
        return await self._snapshot(account, "connect" if cursor is None else "gap")

    async def _snapshot(self, account: Account, reason: str) -> bytes:
        self._number = account.number
        now = self._feeds.logs.clock()
        shown = []
        for channel in account.channels.values():
            state = channel.state
            if state.value is Value.CHAT and state.room is not None:
                stay = Stay(state.room, ChatPlace(channel.id, channel.stay, 0, False))
                heard = await self._follow_chat(stay)
                inside = channel.id in heard.members
                stay.place = ChatPlace(channel.id, channel.stay, heard.number, inside)
            elif state.value is Value.SUBSCRIBED and state.room is not None:
                await self._follow_room(channel.id, state.room)
            shown.append(
                views.channel(channel, await self._feeds.lookups.full_or_brief(channel, now, self._credentials))
            )
        wallets = [{"currency": each, "balance": purse.balance} for each, purse in sorted(account.purses.items())]
        return self._frame("snapshot", {"channels": shown, "wallets": wallets, "reason": reason})

    async def _resumed(self, cursor: FeedCursor) -> bytes:
        """The events after a cursor, in the order of each log."""
        feeds = self._feeds
        self._number = cursor.number
        entries = await feeds.logs.since(feeds.kinds.user, self._user, cursor.number)
        if entries is None:
            raise Gap
        account = await feeds.logs.current(feeds.kinds.user, self._user) or Account()
        past = await feeds.logs.kept(feeds.kinds.user, self._user) if cursor.chats else []
        parts = []
        for place in cursor.chats:
            if (stay := _stay(place, past, account)) is not None:
                await self._follow_chat(stay)
                parts.append(await self._catch_up(stay))
        for number, entry in entries:
            parts.append(await self._user_entry(number, entry))
        subscribed = [each for each in account.channels.values() if each.state.value is Value.SUBSCRIBED]
        parts += [await self._follow_room(each.id, each.state.room or "", tell=True) for each in subscribed]
        return b"".join(parts)

    def _let_go(self) -> None:
        for stay in self._stays.values():
            stay.end()
        self._stays.clear()
        for *_, end in self._rooms.values():
            end()
        self._rooms.clear()

    # -- what happens ---------------------------------------------------------------------------------------

    async def run(self, stream: sse.Stream) -> None:
        """Tell what happens until cancelled; a stream that cannot go on is closed, and its client resumes."""
        loop = asyncio.get_running_loop()
        beat = loop.time() + self._feeds.beat
        try:
            while True:
                if loop.time() >= beat:
                    beat = loop.time() + self._feeds.beat
                    stream.push(sse.HEARTBEAT)
                    await self._say_present()
                if (news := await self._next(beat)) is not None and (told := await news()):
                    stream.push(sse.chunk(told))
        except (RedisError, OSError, Problem, Gap) as error:
            log.info("feed_interrupted", error=repr(error))
        finally:
            stream.close()

    def _lost(self) -> None:
        """What was told is no longer true: let the client come again."""

        async def begin_anew() -> bytes:
            raise Gap

        self._news.put_nowait(begin_anew)

    async def _next(self, deadline: float) -> Callable[[], Any] | None:
        """What is to be told next; None if nothing comes until a time."""
        try:
            async with asyncio.timeout_at(deadline):
                return await self._news.get()
        except TimeoutError:
            return None

    def close(self) -> None:
        for end in self._ends:
            end()
        self._ends.clear()
        self._let_go()

    def _hear_user(self, step: Transition[Account, Entry[UserFact]]) -> None:
        self._news.put_nowait(lambda: self._user_entry(step.version, step.entry))

    async def _user_entry(self, number: int, entry: Entry[UserFact]) -> bytes:
        if number <= self._number:
            return b""
        self._number = number
        feeds, fact = self._feeds, entry.fact
        match fact:
            case Opened(channel=channel):
                return self._channel(channel, 1, "created", {"value": Value.FREE})
            case Closed(channel=channel, version=version):
                return self._channel(channel, version, "deleted", {"value": Value.FREE})
            case Moved():
                return await self._moved(number, fact, entry.at)
            case Shown(channel=channel, version=version, state=state):
                shown = views.brief(state, feeds.logs.clock())
                return self._frame("watch", {"channel": channel, "version": version, "state": shown})
            case WalletMoved(currency=currency, change=change, balance=balance, reason=reason):
                moved = {"currency": currency, "change": change, "balance": balance, "reason": reason}
                return self._frame("wallet", moved)
            case _:
                return b""

    async def _moved(self, number: int, fact: Moved, at: int) -> bytes:
        state, feeds = fact.state, self._feeds
        for stay in self._stays.values():
            if stay.place.channel == fact.channel:
                stay.until = at
        if fact.channel in self._rooms:
            self._rooms.pop(fact.channel)[-1]()
        if state.value is Value.CHAT and state.room is not None:
            return await self._joined(number, fact, state.room)
        if state.value is Value.SUBSCRIBED and state.room is not None:
            await self._follow_room(fact.channel, state.room)
        shown = await feeds.lookups.told(state, feeds.logs.clock())
        return self._channel(fact.channel, fact.version, fact.event, shown, fact.reason)

    async def _joined(self, number: int, fact: Moved, room: str) -> bytes:
        """A chat is told from one's own joining on; what was said before is in the state."""
        feeds = self._feeds
        stay = Stay(room, ChatPlace(fact.channel, number, 0, False))
        heard = await self._follow_chat(stay)
        join = heard.number + 1  # or later, if it is still on its way
        for n, entry in await feeds.logs.kept(feeds.kinds.chat, room):
            if isinstance(entry.fact, chat.Joined) and entry.fact.stay == number:
                join = n if entry.fact.who.channel == fact.channel else join
        stay.place = ChatPlace(fact.channel, number, join - 1, False)
        shown = await feeds.lookups.told(fact.state, feeds.logs.clock(), join)
        return self._channel(fact.channel, fact.version, fact.event, shown) + await self._catch_up(stay)

    async def _follow_chat(self, stay: Stay) -> Chat:
        key = (stay.place.channel, stay.place.stay)

        def hear(step: Transition[Chat, Entry[ChatFact]]) -> None:
            self._news.put_nowait(lambda: self._chat_entry(stay, step.version, step.entry))

        live, stay.end = await self._feeds.logs.followed(self._feeds.kinds.chat, stay.chat, hear, self._lost)
        self._stays[key] = stay
        return live.state if live.version else Chat()

    async def _catch_up(self, stay: Stay) -> bytes:
        feeds = self._feeds
        entries = await feeds.logs.since(feeds.kinds.chat, stay.chat, stay.place.place)
        if entries is None:
            raise Gap
        return b"".join([await self._chat_entry(stay, n, entry) for n, entry in entries])

    async def _chat_entry(self, stay: Stay, n: int, entry: Entry[ChatFact]) -> bytes:
        before, was_inside = self._cursor(mark=True), stay.place.inside
        line = stay.take(n, entry.fact)
        if stay.over:
            stay.end()
            self._stays.pop((stay.place.channel, stay.place.stay), None)
            stay.end = lambda: None
        if line is None:
            return b""
        shown = {"channel": stay.place.channel, **views.line_of(line)}
        told = sse.frame("chat", shown, self._cursor())
        if was_inside:
            return told
        found = (await self._feeds.lookups.found(Situation(Value.CHAT, room=stay.chat)))["chat"]
        setup = {**shown, "event": "setup", "users": found["users"], "topic": found["topic"]}
        return sse.frame("chat", setup, before) + told

    async def _follow_room(self, channel: str, room: str, tell: bool = False) -> bytes:
        """Hear of a room's tables; told once of each if the client may have missed something."""
        if channel in self._rooms:
            return b""
        known: set[str] = set()

        def hear(table_id: str, table: dict[str, Any] | None) -> None:
            self._news.put_nowait(lambda: self._table(channel, room, known, table_id, table))

        end = await self._feeds.rooms.follow(room, hear)
        self._rooms[channel] = (room, end)
        tables = await self._feeds.rooms.tables(room)
        known.update(table["id"] for table in tables)
        if not tell:
            return b""
        gone = [table_id for table_id in await self._feeds.rooms.gone(room) if table_id not in known]
        parts = [self._room(channel, room, "changed", table) for table in tables]
        return b"".join(parts + [self._room(channel, room, "removed", {"id": table_id}) for table_id in gone])

    async def _table(
        self, channel: str, room: str, known: set[str], table_id: str, table: dict[str, Any] | None
    ) -> bytes:
        if channel not in self._rooms or (table is None and table_id not in known):
            return b""
        change = "removed" if table is None else "changed" if table_id in known else "created"
        if table is None:
            known.discard(table_id)
        else:
            known.add(table_id)
        return self._room(channel, room, change, table or {"id": table_id})

    def _room(self, channel: str, room: str, change: str, table: dict[str, Any]) -> bytes:
        data = {"channel": channel, "room": room, "change": change, "table": table}
        return sse.frame("room", data, self._cursor(mark=True))

    def _channel(
        self, channel: str, version: int, event: str, state: dict[str, Any], reason: str | None = None
    ) -> bytes:
        data = {"channel": channel, "version": version, "event": event, "state": state}
        return self._frame("channel", data if reason is None else {**data, "reason": reason})

    def _frame(self, event: str, data: dict[str, Any]) -> bytes:
        return sse.frame(event, data, self._cursor())

    def _cursor(self, mark: bool = False) -> str:
        """Where the client is; with a mark, for what is in no log."""
        places = [stay.place for stay in self._stays.values()]
        return cursors.written(self._number, places, f"{self._mark}{next(self._count)}" if mark else "")

    async def _say_present(self) -> None:
        await self._feeds.redis.set(_present(self._user), b"1", px=self._feeds.linger_ms)


def _stay(place: ChatPlace, past: list[tuple[int, Entry[UserFact]]], account: Account) -> Stay | None:
    """A stay that a cursor names: which chat it was in, and until when."""
    moves = [(n, e) for n, e in past if isinstance(e.fact, Moved) and e.fact.channel == place.channel]
    began = next((e.fact for n, e in moves if n == place.stay and isinstance(e.fact, Moved)), None)
    left = next((e.at for n, e in moves if n > place.stay), None)
    known = account.channels.get(place.channel)
    if began is not None and began.state.value is Value.CHAT and began.state.room is not None:
        return Stay(began.state.room, place, left)
    if known is not None and known.stay == place.stay and known.state.room is not None:
        return Stay(known.state.room, place)
    return None


def _present(user: str) -> str:
    return f"lobby:present:{user}"
