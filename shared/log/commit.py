"""What one command writes to a log, and what can come of it; `commit.lua` is its other half."""

import hashlib
from collections.abc import Sequence
from importlib import resources
from typing import Any

import msgspec
from redis.exceptions import ResponseError

from shared.log.keys import LogKeys
from shared.log.wire import pack_command

_SCRIPT = resources.files(__package__).joinpath("commit.lua").read_text()
_SHA = hashlib.sha1(_SCRIPT.encode(), usedforsecurity=False).hexdigest()
LOAD = pack_command(("SCRIPT", "LOAD", _SCRIPT))

_NO_VOTE = ("", "", "", b"")


class KeptAnswer(msgspec.Struct, frozen=True, gc=False):
    """An answer to store with the commit, so that a repeat of the command gets it again."""

    key: str
    record: bytes
    ttl: int


class Vote(msgspec.Struct, frozen=True, gc=False):
    """Kept beside the log; the entries are appended by the vote that completes the ballot."""

    voter: str
    on: str
    others: Sequence[str]
    until_then: bytes = b""  # the answer's record while others have not voted


class Past(msgspec.Struct, frozen=True, gc=False):
    """What the writer takes for the log's last entry, in which era that was seen, and in which it decides."""

    last: bytes
    seen: int
    decided: int


class Commit(msgspec.Struct, frozen=True, gc=False):
    """What one command writes; `timer` is the log's next deadline in ms, 0 for none, None for unchanged."""

    keys: LogKeys
    expected: int
    entries: Sequence[bytes]
    timer: int | None = None
    outbox: Sequence[bytes] = ()
    answer: KeptAnswer | None = None
    snapshot: bytes = b""
    vote: Vote | None = None
    past: Past | None = None


class Committed(msgspec.Struct, frozen=True, gc=False):
    """The log stands at this version now; the expected one, if a vote did not complete its ballot."""

    version: int


class Conflict(msgspec.Struct, frozen=True, gc=False):
    """The log stands at another version than the writer thought; 0 also if it got there by other entries."""

    version: int


class Kept(msgspec.Struct, frozen=True, gc=False):
    """The same command was answered before, with this."""

    record: bytes


CommitOutcome = Committed | Conflict | Kept


def packed(c: Commit, era: int) -> bytes:
    """As Redis is told, packed in C: redis-py's pipeline costs as much as the rest of a move."""
    k, answer, vote, past = c.keys, c.answer, c.vote, c.past
    return pack_command(
        (
            "EVALSHA", _SHA, 6,
            k.log, k.timers, k.outbox, answer.key if answer else k.log, k.snapshot, k.ballots,
            c.expected, k.id, "" if c.timer is None else c.timer,
            answer.record if answer else b"", answer.ttl if answer else 0, c.snapshot,
            *((vote.voter, vote.on, " ".join(vote.others), vote.until_then) if vote else _NO_VOTE),
            b"" if past is None or past.seen == era else past.last,
            len(c.outbox), *c.outbox, *c.entries,
        )
    )  # fmt: skip


def outcome_of(reply: Any) -> CommitOutcome | Exception:
    """As Redis has answered."""
    if isinstance(reply, int):
        return Committed(reply) if reply >= 0 else Conflict(-1 - reply)
    if isinstance(reply, bytes):
        return Kept(reply)
    if isinstance(reply, ResponseError) and "equal or smaller" in str(reply):
        return Conflict(-1)  # a trimmed log that is ahead of the writer
    return reply if isinstance(reply, Exception) else TypeError(f"an unknown reply to a commit: {reply!r}")
