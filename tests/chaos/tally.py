"""What a campaign has seen so far."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

_THOUGHT = 5.0  # seconds


def _set() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


@dataclass
class Tally:
    """Counts of the workload; the crashes are timed by its progress."""

    crashes: Counter[str] = field(default_factory=Counter)
    games: int = 0
    moves: int = 0
    repeats: int = 0
    resumes: int = 0
    refusals: int = 0
    _wanted: int = 0
    _reached: asyncio.Event = field(default_factory=asyncio.Event)
    _no_calm: asyncio.Event = field(default_factory=_set)

    @contextmanager
    def calm(self) -> Iterator[None]:
        """Inside, players take their time: a process that starts needs the processors more than they do."""
        self._no_calm.clear()
        try:
            yield
        finally:
            self._no_calm.set()

    async def think(self) -> None:
        """Take no time between two moves; in calm, some, which ends with the calm."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_THOUGHT):
                await self._no_calm.wait()

    def accepted(self) -> None:
        """One more move was answered 2xx."""
        self.moves += 1
        if self.moves >= self._wanted:
            self._reached.set()

    async def more_moves(self, number: int, within: float) -> None:
        """Return once so many more moves were accepted."""
        self._wanted = self.moves + number
        self._reached.clear()
        before = self.moves
        try:
            await asyncio.wait_for(self._reached.wait(), within)
        except TimeoutError:
            accepted = self.moves - before
            raise AssertionError(f"{accepted} of {number} moves were accepted within {within:.0f} s") from None

    def __str__(self) -> str:
        crashes = ", ".join(f"{count} of {kind}" for kind, count in sorted(self.crashes.items()))
        return (
            f"{self.crashes.total()} kills ({crashes}); {self.games} games, {self.moves} moves accepted, "
            f"{self.repeats} commands repeated, {self.resumes} streams resumed"
        )
