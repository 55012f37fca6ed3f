"""The form of what is stored: while a release is rolled out, its predecessor meets what it writes.

Fields that are not known pass by. Where that would mislead a predecessor, or it could not read on at all, a service
raises its `FORM`; whoever knows only smaller ones leaves that log to the other replicas.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from shared.problems import Unavailable


class NotUnderstood(Unavailable):
    """Written in a newer form than this release knows: another replica has to be asked."""

    def __init__(self) -> None:
        super().__init__("This replica is older than what it was asked for; try again.")


def entry(decode: Callable[[bytes], Any], raw: bytes, known: int) -> Any:
    """An entry of a log, unless its form is beyond us."""
    try:
        decoded = decode(raw)
    except msgspec.ValidationError as error:
        raise NotUnderstood from error
    if decoded.form > known:
        raise NotUnderstood
    return decoded


def state(decode: Callable[[bytes], Any], snapshot: bytes, known: int) -> Any:
    """The state in a snapshot, unless its form is beyond us; an older one is read with defaults for what it lacks."""
    form, body = opened(snapshot)
    if form > known:
        raise NotUnderstood
    return decode(body)


def stamped(state: bytes, form: int) -> bytes:
    """A snapshot with its form."""
    return b"%d %s" % (form, state)


def opened(snapshot: bytes) -> tuple[int, bytes]:
    """A snapshot's form and the rest; before there were stamps, the form was 1."""
    if not snapshot[:1].isdigit():
        return 1, snapshot
    form, _, state = snapshot.partition(b" ")
    return int(form), state
