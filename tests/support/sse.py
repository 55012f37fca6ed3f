"""Server-sent events as a client reads them: a parser by the HTML standard and one open stream."""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import httpx

PATIENCE = 30.0  # seconds until what should have come counts as lost, however busy the machine


@dataclass(frozen=True)
class Event:
    """One dispatched event; `id` is None when it had no `id:` line of its own."""

    id: str | None
    name: str
    data: Any


class Parser:
    """Turns the bytes of one stream into events; comments and retry times are kept beside them."""

    def __init__(self) -> None:
        self.comments: list[str] = []
        self.retries: list[int] = []
        self._unfinished = b""
        self._begin_event()

    def _begin_event(self) -> None:
        self._id: str | None = None
        self._name = "message"
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[Event]:
        text = self._unfinished + chunk
        held_back = b"\r" if text.endswith(b"\r") else b""  # its line feed may be in the next chunk
        *lines, unfinished = re.split(rb"\r\n|\n|\r", text.removesuffix(b"\r"))
        self._unfinished = unfinished + held_back
        for line in lines:
            if line:
                self._take(line.decode())
            else:
                if self._data:
                    yield Event(self._id, self._name, json.loads("\n".join(self._data)))
                self._begin_event()

    def _take(self, line: str) -> None:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match field:
            case "":
                self.comments.append(value)
            case "id":
                self._id = value
            case "event":
                self._name = value
            case "data":
                self._data.append(value)
            case "retry":
                self.retries.append(int(value))
            case _:
                raise AssertionError(f"a field that no EventSource knows: {line!r}")


def _from_now(seconds: float) -> float:
    """A moment by the loop's clock."""
    return asyncio.get_running_loop().time() + seconds


class Events:
    """One open stream, read by a task of its own from entering to leaving the context."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        path: str,
        *,
        headers: Mapping[str, str] | Sequence[tuple[bytes, bytes]],
        params: Mapping[str, str] | None = None,
    ) -> None:
        self.received: list[Event] = []
        self.raw = bytearray()
        self.failure: Exception | None = None
        self._http = http
        self._path = path
        self._headers = headers
        self._params = params
        self._parser = Parser()
        self._answered: asyncio.Future[httpx.Response] = asyncio.get_running_loop().create_future()
        self._news = asyncio.Event()
        self._unread = 0

    async def __aenter__(self) -> Self:
        self._reading = asyncio.create_task(self._read())
        response = await self._answered
        assert response.status_code == 200, f"{response.status_code} instead of a stream"
        assert response.headers["content-type"].split(";")[0] == "text/event-stream"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reading.cancel()
        await asyncio.wait([self._reading])

    @property
    def comments(self) -> list[str]:
        return self._parser.comments

    @property
    def retries(self) -> list[int]:
        return self._parser.retries

    @property
    def logged(self) -> list[Event]:
        """What has come from the log so far: everything but presence."""
        return [event for event in self.received if event.name != "presence"]

    async def _read(self) -> None:
        try:
            await self._read_to_the_end()
        except httpx.HTTPError as failure:
            self.failure = failure
            if not self._answered.done():
                self._answered.set_exception(failure)
        finally:
            self._news.set()

    async def _read_to_the_end(self) -> None:
        timeout = httpx.Timeout(PATIENCE, read=None)
        async with self._http.stream(
            "GET", self._path, headers=self._headers, params=self._params, timeout=timeout
        ) as response:
            self._answered.set_result(response)
            async for chunk in response.aiter_raw():
                self.raw += chunk
                self.received.extend(self._parser.feed(chunk))
                self._news.set()

    async def next(self, *names: str, timeout: float = PATIENCE) -> Event:
        """The next unread event of one of the names; without names, of any but `presence`."""
        deadline = _from_now(timeout)
        while True:
            while self._unread < len(self.received):
                event = self.received[self._unread]
                self._unread += 1
                if event.name in names or (not names and event.name != "presence"):
                    return event
            await self._wait_for_news(deadline, f"no {' or '.join(names) or 'event'} within {timeout} s")

    async def until(self, last_id: str | int, timeout: float = PATIENCE) -> list[Event]:
        """Every event from the log since the stream began, up to the one with that id."""
        deadline = _from_now(timeout)
        while not any(event.id == str(last_id) for event in self.received):
            await self._wait_for_news(deadline, f"no event {last_id} within {timeout} s")
        ids = [event.id for event in self.logged]
        return self.logged[: ids.index(str(last_id)) + 1]

    async def comment(self, *, after: int, timeout: float) -> str:
        """The first comment line that follows the given number of them."""
        deadline = _from_now(timeout)
        while len(self.comments) <= after:
            await self._wait_for_news(deadline, f"no comment within {timeout} s")
        return self.comments[after]

    async def end(self, timeout: float = PATIENCE) -> None:
        """Return when the server has ended the stream as HTTP ends a message, not by breaking off."""
        await asyncio.wait([self._reading], timeout=timeout)
        assert self._reading.done(), f"the stream is still open after {timeout} s"
        assert self.failure is None, f"the stream broke off: {self.failure!r}"

    async def _wait_for_news(self, deadline: float, complaint: str) -> None:
        """Any bytes are news, a heartbeat too: hence a deadline for all of the waiting, not a timeout for each."""
        assert not self._reading.done(), f"{complaint}, before the stream ended: {self._summary()}"
        self._news.clear()
        try:
            async with asyncio.timeout_at(deadline):
                await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"{complaint}: {self._summary()}") from None

    def _summary(self) -> list[tuple[str | None, str]]:
        return [(event.id, event.name) for event in self.received]
