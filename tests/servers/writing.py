"""A writer that goes on while something is done to its servers."""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress

from shared.log.commit import Committed
from shared.log.keys import LogKeys
from shared.problems import Unavailable
from tests.log.conftest import Replica
from tests.log.test_hub import Reader


async def write_until(here: Replica, keys: LogKeys, doing: Awaitable[None]) -> int:
    """Append the log's next number again and again, and once more at the end; answers the last one.

    What was not confirmed may have been written all the same.
    """
    done = asyncio.ensure_future(doing)
    while True:
        over = done.done()
        version = (await here.store.read(keys, 0))[-1][0]
        with suppress(Unavailable):
            outcome = await here.write(keys, version, str(version + 1))
            if over and outcome == Committed(version + 1):
                await done
                return version + 1


def assert_saw_all(reader: Reader, version: int) -> None:
    """Every entry once and in order since the stream began, or began anew: what nobody confirmed may be lost."""
    frames = reader.text.split("\n\n")
    begun = max(i for i, frame in enumerate(frames) if "event: snapshot" in frame)
    told = [int(line[4:]) for frame in frames[begun:] for line in frame.splitlines() if line.startswith("id: ")]
    assert told == list(range(told[0], version + 1))
    assert told[0] == 1 or '"reason":"gap"' in frames[begun]
