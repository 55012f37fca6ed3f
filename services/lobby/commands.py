"""Channel commands: parse, check in the contract's order, then commit a transition, or ask the log that decides."""

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from services.lobby import machine, views
from services.lobby.accounts import (
    DECIDED_WITHIN,
    Accounts,
    UserDecided,
    channel_in,
    command_answer,
    key_of,
)
from services.lobby.bodies import FindBody, parsed
from services.lobby.channels import CHAT_BURST, CHAT_BURST_MS, Account, Ask, Asked, Channel, Said, Who, moved
from services.lobby.chat import Line
from services.lobby.logs import Decided
from services.lobby.lookups import Lookups
from services.lobby.plans import Plan, Planner
from shared.auth import Caller
from shared.idempotency import Answer, Idempotency
from shared.ids import new_id
from shared.problems import Problem, Unavailable

_change = msgspec.structs.replace


class Again(Exception):
    """The channel has changed since the command was planned."""


class Commands:
    def __init__(self, accounts: Accounts, lookups: Lookups, planner: Planner, clock: Callable[[], int]) -> None:
        self._accounts = accounts
        self._lookups = lookups
        self._planner = planner
        self._clock = clock

    async def run(
        self,
        caller: Caller,
        channel_id: str,
        name: str,
        raw: bytes,
        idem: Idempotency | None,
        credentials: dict[str, str],
    ) -> Answer:
        """One command; a repeat gets the first answer, even if that comes while the repeat is decided."""
        if kept := await self._accounts.recall(caller.user, idem):
            return kept
        try:
            return await self._run(caller, channel_id, name, raw, idem, credentials)
        except Problem:
            if kept := await self._accounts.recall(caller.user, idem):
                return kept
            raise

    async def _run(
        self,
        caller: Caller,
        channel_id: str,
        name: str,
        raw: bytes,
        idem: Idempotency | None,
        credentials: dict[str, str],
    ) -> Answer:
        """Decided on the channel as it is once nothing else is asked of it."""
        channel = await self._accounts.channel(caller.user, channel_id)
        if name not in machine.COMMANDS:
            raise Problem("not_found", "There is no such command.")
        body = parsed(name, raw)
        if isinstance(body, FindBody):
            body = await self._planner.wishes(body)
        loop = asyncio.get_running_loop()
        give_up = loop.time() + DECIDED_WITHIN
        while loop.time() < give_up:
            if channel.asked is not None:
                await self._accounts.settled(caller.user, channel_id, None)
                if kept := await self._accounts.recall(caller.user, idem):
                    return kept
                channel = await self._accounts.channel(caller.user, channel_id)
                continue
            if not machine.allows(channel.state.value, name):
                raise Problem("wrong_state")
            plan = await self._planner.plan(caller, channel, name, body, credentials)
            try:
                return await self._carry_out(caller, channel, name, plan, idem)
            except Again:
                if kept := await self._accounts.recall(caller.user, idem):
                    return kept
                channel = await self._accounts.channel(caller.user, channel_id)
        raise Unavailable("This channel is busy.")

    async def _carry_out(
        self, caller: Caller, channel: Channel, name: str, plan: Plan, idem: Idempotency | None
    ) -> Answer:
        if plan.event is None and plan.says is None:
            return await self._ask(caller, channel, name, plan, idem)
        seen = channel.state if plan.says is not None else _change(plan.state, value=_target(channel, plan))
        shown = await self._lookups.found(seen, joining=caller.user)
        at = self._clock()

        def answer(account: Account, version: int) -> Answer:
            after = account.channels[channel.id]
            found = views.with_line(shown, _own_line(caller, plan, at)) if "chat" in shown else shown
            return command_answer(after, views.told(after.state, self._clock(), found))

        def decide(account: Account, now: int) -> UserDecided:
            nonlocal at
            at = now
            known = self._unchanged(account, channel)
            keeper = self._accounts.keeper(caller.user, idem, answer)
            letters = plan.letters(account.number + 1, now)
            if plan.says is not None:
                _spare(account, now)
                return Decided([Said(known.id)], letters, keeper)
            fact = moved(known, plan.event or "", plan.state)
            if fact is None:
                raise Problem("wrong_state")
            return Decided([fact], letters, keeper)

        account, kept = await self._accounts.submit(caller.user, decide)
        return idem.replay(kept) if idem and kept else answer(account, 0)

    async def _ask(self, caller: Caller, channel: Channel, name: str, plan: Plan, idem: Idempotency | None) -> Answer:
        ask = Ask(new_id(), name, key_of(idem))

        def decide(account: Account, now: int) -> UserDecided:
            known = self._unchanged(account, channel)
            return Decided([Asked(known.id, ask)], plan.asking(ask.id))

        async def ask_now() -> str:
            await self._accounts.submit(caller.user, decide)
            return ask.id

        return await self._answer(caller, channel.id, idem, await self._settled(caller, channel.id, ask_now))

    async def _settled(self, caller: Caller, channel_id: str, ask_now: Any) -> Channel | str:
        return await self._accounts.settled(caller.user, channel_id, None, ask_now)

    async def _answer(
        self, caller: Caller, channel_id: str, idem: Idempotency | None, outcome: Channel | str
    ) -> Answer:
        if isinstance(outcome, str):
            raise Problem(outcome)
        if idem is not None and (kept := await self._accounts.recall(caller.user, idem)):
            return _change(kept, replayed=False)
        return command_answer(outcome, views.told(outcome.state, self._clock(), {}))

    def _unchanged(self, account: Account, channel: Channel) -> Channel:
        known = channel_in(account, channel.id)
        if known.asked is not None or known.stay != channel.stay:
            raise Again
        return known


def _target(channel: Channel, plan: Plan) -> machine.Value:
    return machine.target(channel.state.value, plan.event or "") or channel.state.value


def _spare(account: Account, now: int) -> None:
    """Raises the 429 problem for somebody who speaks too fast."""
    lately = [at for at in account.said if at > now - CHAT_BURST_MS]
    if len(lately) >= CHAT_BURST:
        wait = lately[-CHAT_BURST] + CHAT_BURST_MS - now
        raise Problem("rate_limited", retry_after=max(1, -(-wait // 1000)))


def _own_line(caller: Caller, plan: Plan, at: int) -> Line:
    """What the caller's command adds to a chat, which hears of it by a letter."""
    who = Who(caller.user, caller.nick, caller.avatar, "")
    return Line(0, "join", who, at) if plan.says is None else Line(0, "msg", who, at, plan.says)
