"""Fifty tables at play while the product is killed again and again; then the reckoning."""

import asyncio
import random
import re
import time
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.chaos.audit import Findings, audit
from tests.chaos.clients import open_client
from tests.chaos.crashes import RECOVERY, Crash, Fragile, inflict
from tests.chaos.tables import Table
from tests.chaos.tally import Tally
from tests.support.product import LOG_TAIL
from tests.support.waiting import eventually

TABLES = 50
UNFORESEEN = re.compile(r'"level": "(error|critical)"|Traceback|never retrieved|never awaited')  # in the server's log


@dataclass
class Campaign:
    """What was done to the product and what came of it."""

    tally: Tally = field(default_factory=Tally)
    findings: Findings = field(default_factory=Findings)
    complaints: list[str] = field(default_factory=list)
    unforeseen: list[str] = field(default_factory=list)
    left_behind: list[str] = field(default_factory=list)


def some_of_each(number: int, chance: random.Random) -> list[Crash]:
    """So many crashes of each kind, in an order that chance chooses."""
    crashes = number * list(Crash)
    chance.shuffle(crashes)
    return crashes


def for_seconds(seconds: float, chance: random.Random) -> Iterator[Crash]:
    """Crashes of all kinds until the time is up."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        yield chance.choice(list(Crash))


async def run(fragile: Fragile, crashes: Iterable[Crash], chance: random.Random, forgiving: bool = False) -> Campaign:
    """Play through the crashes, then through a last one, and examine every game that was ever played."""
    campaign = Campaign()
    async with AsyncExitStack() as stack:
        seating = []
        for number in range(TABLES):
            lobby, *sessions = [
                await stack.enter_async_context(open_client(url)) for url in (fragile.lobby, *fragile.sessions)
            ]
            own = random.Random(chance.random())
            seating.append(Table.seat(number, lobby, sessions, own, campaign.tally, forgiving))
        tables = await asyncio.gather(*seating)
        await _play(campaign, fragile, tables, inflict(fragile, crashes, chance, campaign.tally))
        # The truth is what is on disk: nothing that a process remembers may speak for it.
        await asyncio.to_thread(fragile.crash_all)
        audits = [audit(table, campaign.findings) for table in tables]
        _note(campaign, await asyncio.gather(*audits, return_exceptions=True))
    campaign.unforeseen = [line for line in fragile.log().splitlines() if UNFORESEEN.search(line)]
    return campaign


async def _play(campaign: Campaign, fragile: Fragile, tables: list[Table], crashes: Coroutine[Any, Any, None]) -> None:
    """All tables at once, from before the first crash until after the last."""
    closing = asyncio.Event()
    playing = [asyncio.create_task(table.play_until(closing)) for table in tables]
    try:
        await crashes
    except AssertionError as error:
        campaign.complaints.append(f"after {campaign.tally}: {error}\n{fragile.log()[-LOG_TAIL:]}")
        for table in playing:
            table.cancel()
    closing.set()
    _note(campaign, await asyncio.gather(*playing, return_exceptions=True))


def _note(campaign: Campaign, outcomes: Iterable[BaseException | None]) -> None:
    campaign.complaints += [complaint for outcome in outcomes if outcome for complaint in reasons(outcome)]


def reasons(error: BaseException) -> list[str]:
    if isinstance(error, BaseExceptionGroup):
        return [reason for each in error.exceptions for reason in reasons(each)]
    return [] if isinstance(error, asyncio.CancelledError) else [f"{type(error).__name__}: {error}"]


async def ready(http: httpx.AsyncClient) -> None:
    """Return once the service answers that it is ready."""

    async def status() -> int:
        try:
            return (await http.get("/session/health/ready")).status_code
        except httpx.TransportError:
            return 0

    await eventually(status, lambda code: code == 200, timeout=RECOVERY)
