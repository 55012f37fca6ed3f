"""Server-sent events: from the bytes of a stream to its events."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_LINE_END = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True)
class Event:
    """One event; `id` is the cursor after which a stream can be resumed, None if the event is not in a log."""

    id: str | None
    name: str
    data: dict[str, Any]


class Parser:
    """Takes a stream in pieces and gives each event once it is complete."""

    def __init__(self) -> None:
        self._rest = b""
        self._clear()

    def _clear(self) -> None:
        self._id: str | None = None
        self._name = "message"
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[Event]:
        text = self._rest + chunk
        held_back = b"\r" if text.endswith(b"\r") else b""  # its line feed may be in the next piece
        *lines, rest = _LINE_END.split(text.removesuffix(b"\r"))
        self._rest = rest + held_back
        for line in lines:
            if line:
                self._field(line.decode())
                continue
            if self._data:
                yield Event(self._id, self._name, json.loads("\n".join(self._data)))
            self._clear()

    def _field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._name = value
        elif name == "id":
            self._id = value
