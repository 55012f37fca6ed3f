"""What can go wrong between a client and Parlor."""

from typing import Any


class ParlorError(Exception):
    """Anything that this package raises on purpose."""


class Refused(ParlorError):
    """The server said no; `code` is the word to switch on."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail

    @classmethod
    def from_problem(cls, status: int, problem: Any) -> "Refused":
        body = problem if isinstance(problem, dict) else {}
        return cls(
            status, str(body.get("code", "unknown")), str(body.get("detail", body.get("title", "no reason given")))
        )


class Unreachable(ParlorError):
    """The server did not answer for as long as the client was willing to try."""
