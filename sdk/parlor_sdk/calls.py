"""What both clients say, and how long they go on trying. No input or output here."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import quote
from uuid import uuid4

import httpx

from parlor_sdk.errors import Refused, Unreachable
from parlor_sdk.sse import Event

Json: TypeAlias = dict[str, Any]

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0  # seconds; doubled from the one to the other
_TRY_AGAIN = frozenset({429, 503})
STREAM_TIMEOUT = httpx.Timeout(10.0, read=45.0)  # a stream that is silent for three heartbeats is dead


@dataclass(frozen=True)
class Call:
    """One request. A repeat is harmless: reading changes nothing, and a command is known by its key."""

    method: str
    path: str
    body: Any = None
    key: str | None = None

    def headers(self, token: str | None) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return {**headers, "Idempotency-Key": self.key} if self.key else headers


def guest(nick: str) -> Call:
    return Call("POST", "/lobby/auth/guest", {"nick": nick})


def login(nick: str, password: str) -> Call:
    return Call("POST", "/lobby/auth/login", {"nick": nick, "password": password})


def create(game_type: str, seats: Sequence[str], options: Mapping[str, Any] | None, key: str | None) -> Call:
    body = {"game_type": game_type, "seats": list(seats), "options": dict(options or {})}
    return _command("/session/games", body, key)


def in_game(game: str, verb: str, body: Any = None, key: str | None = None) -> Call:
    return _command(f"{_game(game)}/{verb}", body, key)


def view(game: str) -> Call:
    return Call("GET", _game(game))


def replay(game: str) -> Call:
    return Call("GET", f"{_game(game)}/replay")


def _command(path: str, body: Any, key: str | None) -> Call:
    return Call("POST", path, body, key or uuid4().hex)


def _game(game: str) -> str:
    return f"/session/games/{quote(game, safe='')}"


class Attempts:
    """Judges what came of each attempt at a call."""

    def __init__(self, patience: float) -> None:
        self._until = time.monotonic() + patience
        self._pauses = _pauses()

    def judge(self, outcome: httpx.Response | httpx.TransportError) -> Json | float:
        """The answer, or how many seconds to wait before trying again; raises what does not pass by itself."""
        pause = next(self._pauses)
        problem: Exception
        if isinstance(outcome, httpx.TransportError):
            problem = Unreachable(f"No answer from the server: {outcome!r}")
        else:
            try:
                return answer(outcome)
            except Refused as refused:
                if refused.status not in _TRY_AGAIN:
                    raise
                problem, pause = refused, _asked_for(outcome, pause)
        if time.monotonic() + pause > self._until:
            raise problem
        return pause


class Following:
    """Where a stream stands: after which event, for how long it has been lost, and whether there is more to come."""

    def __init__(self, game: str, cursor: str | int | None, patience: float) -> None:
        self.path = f"{_game(game)}/events"
        self.over = False
        self._cursor = None if cursor is None else str(cursor)
        self._patience = patience
        self._found()

    def _found(self) -> None:
        self._lost_at: float | None = None
        self._pauses = _pauses()

    def headers(self, token: str | None) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return headers if self._cursor is None else {**headers, "Last-Event-ID": self._cursor}

    def take(self, event: Event) -> None:
        self._found()
        if event.id is not None:
            self._cursor = event.id
        ended = event.name == "snapshot" and event.data.get("status") in ("finished", "aborted")
        self.over = ended or event.name in ("game_over", "aborted")

    def lost(self) -> float:
        """How many seconds to wait before resuming; raises Unreachable when it has been lost for too long."""
        now = time.monotonic()
        if self._lost_at is None:
            self._lost_at = now
        if now - self._lost_at > self._patience:
            raise Unreachable(f"The stream has been away for {self._patience:g} s.")
        return next(self._pauses)

    @staticmethod
    def is_open(response: httpx.Response) -> bool:
        return response.status_code == 200

    @staticmethod
    def check(response: httpx.Response) -> None:
        """Raises Refused unless it is worth trying again; the body has been read."""
        if response.status_code not in _TRY_AGAIN:
            answer(response)


def answer(response: httpx.Response) -> Json:
    """The body of a success; raises Refused for anything else."""
    try:
        body = response.json()
    except ValueError:
        body = None
    if not response.is_success:
        raise Refused.from_problem(response.status_code, body)
    if not isinstance(body, dict):
        raise Refused(response.status_code, "not_parlor", "This answer is none of Parlor's.")
    return body


def _pauses() -> Iterator[float]:
    pause = _FIRST_PAUSE
    while True:
        yield pause
        pause = min(2 * pause, _LONGEST_PAUSE)


def _asked_for(response: httpx.Response, otherwise: float) -> float:
    """What `Retry-After` says, in seconds."""
    asked = response.headers.get("Retry-After", "")
    return min(float(asked), _LONGEST_PAUSE) if asked.isdigit() else otherwise
