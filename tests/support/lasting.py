"""What is started once for a whole run; pytest itself would start it anew with each change of database."""

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, ExitStack
from typing import Any, TypeVar

T = TypeVar("T")


class Lasting:
    """Things by name, each started by whoever asks first; all end with `close`."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._started: dict[Hashable, Any] = {}

    def get(self, name: Hashable, start: Callable[[], AbstractContextManager[T]]) -> T:
        if name not in self._started:
            self._started[name] = self._stack.enter_context(start())
        started: T = self._started[name]
        return started

    def close(self) -> None:
        self._stack.close()
