"""Streams as the client kit reads them."""

import json

import pytest

from parlor_sdk.sse import Event, Parser

STREAM = (
    b"retry: 1000\n\n: hello\n\nid: 3\nevent: sync\ndata: {\"a\":1}\n\nevent: presence\ndata: {\ndata: \"b\": 2}\n\n"
    + "id: 4\nevent: joined\ndata: {\"nick\":\"a\u2028b\"}\n\nid: 5\ndata: {".encode()
)  # fmt: skip
EVENTS = [Event("3", "sync", {"a": 1}), Event(None, "presence", {"b": 2}), Event("4", "joined", {"nick": "a\u2028b"})]


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
def test_a_stream_in_pieces_gives_the_same_events(size: int, line_end: bytes) -> None:
    stream = STREAM.replace(b"\n", line_end)
    parser = Parser()
    pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
    assert [event for piece in pieces for event in parser.feed(piece)] == EVENTS


def test_an_event_that_was_cut_off_is_none() -> None:
    assert list(Parser().feed(b"id: 1\nevent: sync\ndata: " + json.dumps({}).encode() + b"\n")) == []
