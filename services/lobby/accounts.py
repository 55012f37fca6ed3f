"""A user's channels: opening, showing and closing them, and following what other logs decide."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from services.lobby import views
from services.lobby.bodies import NewChannel
from services.lobby.channels import (
    MOST_CHANNELS,
    Account,
    Asked,
    Channel,
    Closed,
    Key,
    Moved,
    Opened,
    Refused,
    UserFact,
)
from services.lobby.follow import follow
from services.lobby.kinds import Kinds
from services.lobby.letters import ToUser
from services.lobby.logs import Decided, Entry, Logs
from services.lobby.machine import Value
from shared import bridge
from shared.auth import Caller
from shared.idempotency import Answer, Idempotency
from shared.ids import UserId, derived_id, new_id
from shared.log.commit import KeptAnswer
from shared.log.hub import Hub
from shared.log.keys import Partition, log_keys
from shared.log.live import LiveLog, Transition
from shared.log.outbox import Letter
from shared.log.store import LogStore
from shared.problems import Problem, Unavailable

DECIDED_WITHIN = 5.0  # seconds that a command waits for the log that decides it

UserDecided = Decided[Account, UserFact]
Step = Transition[Account, Entry[UserFact]]
_letter = msgspec.json.Decoder(ToUser)


class Accounts:
    def __init__(self, logs: Logs, kinds: Kinds, hub: Hub, store: LogStore) -> None:
        self._logs = logs
        self._kind = kinds.user
        self._hub = hub
        self._store = store

    def partition(self, user: UserId) -> Partition:
        return log_keys(self._kind.service, self._kind.kind, self._kind.id(user)).partition

    async def recall(self, user: UserId, idem: Idempotency | None) -> Answer | None:
        """The answer that a command with this key was given before, if any."""
        if idem is None:
            return None
        record = await self._store.recall(idem.kept_at(self.partition(user)))
        return idem.replay(record) if record is not None else None

    async def live(self, user: UserId) -> LiveLog[Account, Entry[UserFact]] | None:
        return await self._logs.live(self._kind, user)

    async def account(self, user: UserId) -> Account:
        return await self._logs.current(self._kind, user) or Account()

    async def channel(self, user: UserId, channel_id: str) -> Channel:
        """A user's channel as it is now; raises the 404 problem."""
        return channel_in(await self.account(user), channel_id)

    async def searches(self, user: UserId, queue: str) -> set[str]:
        """The tickets with which a user's channels search in a queue."""
        states = [channel.state for channel in (await self.account(user)).channels.values()]
        return {state.ticket for state in states if state.queue == queue and state.ticket is not None}

    async def submit(self, user: UserId, decide: Callable[[Account, int], UserDecided]) -> tuple[Account, bytes | None]:
        """Append to the user's log what a decision on the account at a time makes; answers a kept answer, if any."""
        done = await self._logs.submit(self._kind, user, lambda account, _, now: decide(account or Account(), now))
        return done.state or Account(), done.kept

    async def create(self, caller: Caller, body: NewChannel, idem: Idempotency | None) -> Answer:
        name = derived_id("channel", caller.user, idem.name) if idem else new_id()

        def decide(account: Account, now: int) -> UserDecided:
            if name in account.channels:
                raise Problem("wrong_state", "A channel was opened with this key before.")
            if len(account.channels) >= MOST_CHANNELS:
                raise Problem("too_many_channels")
            return Decided([Opened(name, body.tag)], answer=self.keeper(caller.user, idem, created))

        def created(account: Account, version: int) -> Answer:
            made = account.channels[name]
            return Answer(201, bridge.write(views.channel(made, views.brief(made.state, 0))))

        try:
            account, kept = await self.submit(caller.user, decide)
        except Problem:  # perhaps only because the same command was carried out a moment ago
            if repeated := await self.recall(caller.user, idem):
                return repeated
            raise
        return idem.replay(kept) if idem and kept else created(account, 0)

    async def delete(self, caller: Caller, channel_id: str) -> None:
        def decide(account: Account, now: int) -> UserDecided:
            channel = channel_in(account, channel_id)
            if channel.state.value is not Value.FREE or channel.asked:
                raise Problem("wrong_state")
            return Decided([Closed(channel_id, channel.version + 1)])

        await self.submit(caller.user, decide)

    def keeper(
        self, user: UserId, idem: Idempotency | None, answer: Callable[[Account, int], Answer]
    ) -> Callable[[Account, int], KeptAnswer | None]:
        """What a commit keeps for a repeat of the command."""
        partition = self.partition(user)
        return lambda account, version: idem.keep(partition, answer(account, version)) if idem else None

    async def deliver(self, user: str, letters: list[tuple[Letter, bytes]]) -> None:
        """Outbox handler: the channels follow what other logs have decided."""
        for letter, body in letters:
            message = _letter.decode(body)
            decide = self._following(UserId(user), message)
            await self._logs.submit(self._kind, user, decide, letter)

    def _following(self, user: UserId, message: ToUser) -> Callable[[Account | None, int, int], UserDecided]:
        def decide(account: Account | None, version: int, now: int) -> UserDecided:
            if account is None:
                return Decided()
            asked = account.channels[message.channel].asked if message.channel in account.channels else None
            facts = follow(account, message)
            granted = asked and any(isinstance(fact, Moved) and fact.ask == asked.id for fact in facts)
            if not granted or asked is None or asked.key is None:
                return Decided(facts)
            idem = Idempotency(asked.key.name, asked.key.fingerprint.encode())
            return Decided(facts, answer=self.keeper(user, idem, lambda after, _: moved_answer(after, message, now)))

        return decide

    async def settled(
        self, user: UserId, channel_id: str, ask: str | None, ask_now: Callable[[], Awaitable[str]] | None = None
    ) -> Channel | str:
        """The channel once an ask has been granted, or the code of its refusal.

        Without an ask, the channel once nothing is asked of it. `ask_now` is called once we listen.
        """
        live = await self.live(user)
        if live is None:
            raise Problem("not_found", "There is no such channel.")
        outcome: asyncio.Future[Channel | str] = asyncio.get_running_loop().create_future()
        heard: list[Step] = []

        def look() -> None:
            for step in heard:
                found = _verdict(step, channel_id, ask)
                if found is not None and not outcome.done():
                    outcome.set_result(found)
            heard.clear()

        def hear(step: Step) -> None:
            heard.append(step)
            if ask is not None or ask_now is None:
                look()

        end = await self._hub.tap(live, hear)
        try:
            if ask_now is not None:
                ask = await ask_now()
                look()
            elif (now := live.state.channels.get(channel_id)) is None or now.asked is None:
                return channel_in(live.state, channel_id)
            async with asyncio.timeout(DECIDED_WITHIN):
                return await outcome
        except TimeoutError:
            raise Unavailable("This is still being decided.") from None
        finally:
            end()


def _verdict(step: Step, channel_id: str, ask: str | None) -> Channel | str | None:
    """What an entry says about an ask; without one, whether nothing is asked of the channel any more."""
    fact = step.entry.fact
    if isinstance(fact, Opened | Closed | Asked) or getattr(fact, "channel", None) != channel_id:
        return None
    channel = step.after.channels.get(channel_id)
    if channel is None:
        return "not_found"
    if ask is None:
        return channel if channel.asked is None else None
    if isinstance(fact, Moved) and fact.ask == ask:
        return channel
    if isinstance(fact, Refused) and fact.ask == ask:
        return fact.code
    return None


def channel_in(account: Account, channel_id: str) -> Channel:
    found = account.channels.get(channel_id)
    if found is None:
        raise Problem("not_found", "There is no such channel.")
    return found


def key_of(idem: Idempotency | None) -> Key | None:
    return Key(idem.name, idem.fingerprint.decode()) if idem else None


def command_answer(channel: Channel, state: dict[str, Any]) -> Answer:
    return Answer(200, bridge.write({"id": channel.id, "version": channel.version, "state": state}))


def moved_answer(account: Account, message: ToUser, now: int) -> Answer:
    """The answer to a command that another log has granted; none of the states it can lead to is read elsewhere."""
    channel = account.channels[message.channel]
    return command_answer(channel, views.told(channel.state, now, {}))
