"""A strategy in a process of its own, so that it can hang or crash without disturbing anybody."""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from parlor_sdk.errors import ParlorError
from parlor_sdk.tsuro import Strategy

_START_SECONDS = 20.0  # importing a strategy may mean importing numpy on a busy machine


class Forfeit(ParlorError):
    """The strategy gave no usable answer; its words are the reason."""


class BadStrategy(ParlorError):
    """There is no such strategy, or it cannot even be made."""


def named(strategy: type[Strategy] | str) -> str:
    """A strategy as `module:Class` or `file.py:Class`, so that another process finds it."""
    if isinstance(strategy, str):
        return strategy
    module = sys.modules[strategy.__module__]
    where = str(Path(str(module.__file__)).resolve()) if module.__name__ == "__main__" else module.__name__
    return f"{where}:{strategy.__qualname__}"


class Sandbox:
    """Starts the process when it is first needed, and anew after it had to be ended."""

    def __init__(self, strategy: type[Strategy] | str) -> None:
        self.name = named(strategy)
        self._process: asyncio.subprocess.Process | None = None
        self._color: str | None = None
        self._proven = False

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.end()

    async def start(self, limit: float = _START_SECONDS) -> None:
        """Make sure that the strategy is there and knows its colour.

        Raises BadStrategy if it cannot be used at all, Forfeit if it could be used before.
        """
        if self._process is not None:
            return
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "parlor_sdk.worker", self.name,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            await self._answer(_START_SECONDS)
        except Forfeit as failure:
            await self.end()
            if self._proven:
                raise
            raise BadStrategy(f"{self.name}: {failure}") from None
        self._proven = True
        if self._color is not None:
            await self._tell_color(self._color, limit)

    async def _tell_color(self, color: str, limit: float) -> None:
        try:
            await self._exchange({"event": "set_color", "color": color}, limit)
        except Forfeit:
            if self._process is None:
                raise  # it hangs or has died; merely to complain is harmless

    async def set_color(self, color: str, limit: float) -> None:
        """Tell the strategy its colour, now and whenever it is started anew; raises Forfeit."""
        self._color = color
        await self.ask({"event": "set_color", "color": color}, limit)

    async def ask(self, question: Mapping[str, Any], limit: float) -> dict[str, Any]:
        """The strategy's answer within so many seconds; raises Forfeit."""
        await self.start(limit)
        return await self._exchange(question, limit)

    async def _exchange(self, question: Mapping[str, Any], limit: float) -> dict[str, Any]:
        assert self._process is not None and self._process.stdin is not None, "asked only when started"
        try:
            self._process.stdin.write(json.dumps(question).encode() + b"\n")
            await self._process.stdin.drain()
        except OSError:
            await self.end()
            raise Forfeit("its process has died") from None
        return await self._answer(limit)

    async def _answer(self, limit: float) -> dict[str, Any]:
        assert self._process is not None and self._process.stdout is not None, "asked only when started"
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), limit)
        except TimeoutError:
            await self.end()
            raise Forfeit(f"no answer within {limit:.1f} s") from None
        if not line:
            await self.end()
            raise Forfeit("its process has died")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise Forfeit(answer["error"])
        return answer

    async def end(self) -> None:
        """End the process; it is started anew when it is needed."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None, "both were asked for"
        process.stdin.close()
        if process.returncode is None:
            process.kill()
        await process.wait()
        await process.stdout.read()  # to its end, so that nothing of it is left to the event loop
