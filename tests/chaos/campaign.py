"""Fifty tables at play while the product is killed again and again; then the reckoning."""

import asyncio
import random
import re
import time
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.chaos.audit import Findings, audit
from tests.chaos.clients import open_client
from tests.chaos.crashes import RECOVERY, Crash, Crashable, inflict
from tests.chaos.tables import Table
from tests.chaos.tally import Tally
from tests.support.product import LOG_TAIL, processes_at_work_in
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


async def run(home: Path, crashes: Iterable[Crash], chance: random.Random) -> Campaign:
    """Play through the crashes, then through a last one, and examine every game that was ever played."""
    campaign = Campaign()
    with Crashable(home, settings={"PARLOR_RATE_LIMIT": "off"}) as product:
        async with AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(open_client(product.url)) for _ in range(TABLES)]
            await ready(clients[0])
            seating = [
                Table.seat(number, http, random.Random(chance.random()), campaign.tally)
                for number, http in enumerate(clients)
            ]
            tables = await asyncio.gather(*seating)
            await _play(campaign, product, tables, inflict(product, crashes, chance, campaign.tally))
            # The truth is what is on disk: nothing that a process remembers may speak for it.
            await asyncio.to_thread(product.crash, Crash.BOTH)
            await ready(clients[0])
            audits = [audit(table, campaign.findings) for table in tables]
            _note(campaign, await asyncio.gather(*audits, return_exceptions=True))
        campaign.unforeseen = [line for line in product.log().splitlines() if UNFORESEEN.search(line)]
    campaign.left_behind = [str(process) for process in processes_at_work_in(home)]
    return campaign


async def _play(
    campaign: Campaign, product: Crashable, tables: list[Table], crashes: Coroutine[Any, Any, None]
) -> None:
    """All tables at once, from before the first crash until after the last."""
    closing = asyncio.Event()
    playing = [asyncio.create_task(table.play_until(closing)) for table in tables]
    try:
        await crashes
    except AssertionError as error:
        campaign.complaints.append(f"after {campaign.tally}: {error}\n{product.log()[-LOG_TAIL:]}")
        for table in playing:
            table.cancel()
    closing.set()
    _note(campaign, await asyncio.gather(*playing, return_exceptions=True))


def _note(campaign: Campaign, outcomes: Iterable[BaseException | None]) -> None:
    campaign.complaints += [complaint for outcome in outcomes if outcome for complaint in _reasons(outcome)]


def _reasons(error: BaseException) -> list[str]:
    if isinstance(error, BaseExceptionGroup):
        return [reason for each in error.exceptions for reason in _reasons(each)]
    return [] if isinstance(error, asyncio.CancelledError) else [f"{type(error).__name__}: {error}"]


async def ready(http: httpx.AsyncClient) -> None:
    async def status() -> int:
        try:
            return (await http.get("/session/health/ready")).status_code
        except httpx.TransportError:
            return 0

    await eventually(status, lambda code: code == 200, timeout=RECOVERY)
