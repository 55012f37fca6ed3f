"""What the outside can count: stones, the pending request and its deadline; and what may be said by that count."""

from typing import NamedTuple

from services.session.match import AnyMatch, Status
from tests.undo.client import Post


class Violation(AssertionError):
    """A property does not hold."""

    def __init__(self, broken: str, detail: str) -> None:
        super().__init__(f"{broken}: {detail}")
        self.broken = broken


def holds(what: bool, name: str, detail: object = "") -> None:
    if not what:
        raise Violation(name, str(detail))


class Stone(NamedTuple):
    box: int
    cell: int
    version: int
    asked: bool = False  # it has been asked for, or a request for it has crossed the answer to it


class Pending(NamedTuple):
    """A request that waits for its answer."""

    by: int
    version: int
    until: int


class Server(NamedTuple):
    match: AnyMatch
    now: int
    first: int  # who moves first
    stones: tuple[Stone, ...]
    pending: Pending | None = None

    @property
    def over(self) -> bool:
        return self.match.status is not Status.ACTIVE

    @property
    def mover(self) -> int:
        return self.first ^ len(self.stones) & 1

    def may_ask(self, box: int) -> bool:
        return bool(self.stones) and self.stones[-1].box == box and not self.stones[-1].asked

    def crosses(self, box: int, seen: int | None) -> bool:
        """Was a request sent before its sender could know of the other's stone?"""
        if len(self.stones) < 2 or seen is None:
            return False
        mine, theirs = self.stones[-2:]
        return mine.box == box != theirs.box and not mine.asked and seen < theirs.version

    def may_answer(self, post: Post) -> bool:
        asked = self.pending
        if asked is None or asked.by == post.box or asked.until <= self.now:
            return False
        return post.seen is None or post.seen >= asked.version
