"""A writer that goes on while something is done to its servers."""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress

from shared.log.commit import Committed
from shared.log.keys import LogKeys
from shared.problems import Unavailable
from tests.log.conftest import Replica


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
