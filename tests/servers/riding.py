"""A game that goes on while something is done to its Redis."""

import asyncio
from collections.abc import Awaitable
from functools import partial
from uuid import uuid4

from tests.support.convergence import fold, law
from tests.support.waiting import eventually
from tests.support.xsos import DRAW, Match

WITHIN = 60.0  # seconds, for a busy machine


async def ridden_out(match: Match, doing: Awaitable[None]) -> None:
    """Play a whole game meanwhile, half of it before it is over and half after; both players see all of it once.

    What was shown before a replica had it may be lost with its server: the stream then begins anew.
    """
    done = asyncio.ensure_future(doing)
    async with match.x.events(match.id) as at_x, match.o.events(match.id) as at_o:
        last = 0
        for number, cell in enumerate(DRAW):
            if number == len(DRAW) // 2:
                await done
            mover, key = (match.x if number % 2 == 0 else match.o), str(uuid4())
            # A repeat with the same key has one effect, whatever became of the first try.
            play = partial(mover.play, match.id, cell, key=key)
            answer = await eventually(play, lambda each: each.status_code != 503, timeout=WITHIN)
            assert answer.status_code == 200, answer.text
            last = answer.json()["version"]
        for player, events in ((match.x, at_x), (match.o, at_o)):
            seen = await events.until(last, timeout=WITHIN)
            begun = max(i for i, event in enumerate(seen) if event.name == "snapshot")
            assert law(fold(seen[begun], seen[begun + 1 :])) == law(await player.view(match.id))
            if begun == 0:
                assert [event.data["cell"] for event in seen if event.name == "response"] == list(DRAW)
    replay = await match.x.replay(match.id)
    assert [event["data"]["cell"] for event in replay["events"] if event["event"] == "response"] == list(DRAW)
