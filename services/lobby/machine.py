"""The channel machine: thirteen states and the events that lead from one to another. What is not listed is illegal."""

from enum import StrEnum
from typing import Any

import msgspec

SERVER = "server"


class Value(StrEnum):
    """What a channel is used for."""

    FREE = "free"
    SUBSCRIBED = "subscribed"
    FIND = "find"
    BEGIN = "begin"
    OKBEGIN = "okbegin"
    GAME = "game"
    LEAVE = "leave"
    REVANCHE = "revanche"
    OKREVANCHE = "okrevanche"
    WATCH = "watch"
    CHAT = "chat"
    TAKETURN = "taketurn"
    TAKEPLACE = "takeplace"


class Row(msgspec.Struct, frozen=True):
    """An event leads from a state to another; its triggers are commands, or the server."""

    event: str
    source: Value
    target: Value
    triggers: tuple[str, ...]


def _row(event: str, source: str, target: str, *triggers: str) -> Row:
    return Row(event, Value(source), Value(target), triggers)


TABLE = (
    _row("E1", "free", "chat", "chatjoin"),
    _row("E2", "free", "find", "find"),
    _row("E3", "find", "begin", SERVER),
    _row("E4", "begin", "okbegin", "begin", SERVER),
    _row("E6", "okbegin", "game", SERVER),
    _row("E7", "game", "revanche", SERVER),
    _row("E8", "revanche", "okrevanche", "revanche"),
    _row("E9", "okrevanche", "game", SERVER),
    _row("E10", "okrevanche", "free", "cancelrevanche", SERVER),
    _row("E11", "revanche", "free", "cancelrevanche", SERVER),
    _row("E12", "find", "free", "findcancel"),
    _row("E13", "chat", "free", "chatleave"),
    _row("E15", "free", "subscribed", "subscribe"),
    _row("E16", "subscribed", "free", "unsubscribe"),
    _row("E17", "free", "watch", "watch"),
    _row("E18", "watch", "free", "unwatch", SERVER),
    _row("E19", "free", "takeplace", "takeplace"),
    _row("E20", "free", "taketurn", "taketurn"),
    _row("E21", "taketurn", "takeplace", SERVER),
    _row("E22", "takeplace", "game", "sitdown"),
    _row("E23", "taketurn", "free", "leave", SERVER),
    _row("E23", "takeplace", "free", "leave", SERVER),
    _row("E23", "game", "free", SERVER),
    _row("E24", "game", "leave", "leave"),
    _row("E25", "leave", "game", "return"),
    _row("E26", "leave", "free", "leave", SERVER),
    _row("E27", "free", "game", "join"),
)

EVENTS = tuple(f"E{n}" for n in range(1, 28) if n not in (5, 14))

_BY_EVENT = {(row.source, row.event): row.target for row in TABLE}
_STARTS = {
    (row.source, trigger): row.event
    for row in TABLE
    for trigger in row.triggers
    # `leave` starts E24 in a game; E26 follows it where the seat is given up.
    if trigger != SERVER and (row.event, trigger) != ("E26", "leave")
}
STATELESS = {"chatmsg": Value.CHAT}
"""Commands that lead nowhere, and where they may be given."""
COMMANDS = frozenset(trigger for _, trigger in _STARTS) | frozenset(STATELESS)


def target(source: Value, event: str) -> Value | None:
    """Where an event leads; None if it is illegal there."""
    return _BY_EVENT.get((source, event))


def allows(source: Value, command: str) -> bool:
    """May this command be given in this state?"""
    return (source, command) in _STARTS or STATELESS.get(command) == source


def served() -> dict[str, Any]:
    """The machine as data: one row for each trigger."""
    rows = [
        {"event": row.event, "from": row.source, "to": row.target, "trigger": trigger}
        for row in TABLE
        for trigger in row.triggers
    ]
    return {"states": [value.value for value in Value], "transitions": rows}


def diagram() -> str:
    """The machine as a Mermaid diagram."""
    lines = [f"    {row.source.upper()} --> {row.target.upper()} : {row.event}" for row in TABLE]
    return "\n".join(["stateDiagram-v2", "    [*] --> FREE", *lines])


def document() -> str:
    """The rows as a Markdown table."""
    lines = [
        f"| {row.event} | `{row.source}` | `{row.target}` | {', '.join(f'`{each}`' for each in row.triggers)} |"
        for row in TABLE
    ]
    return "\n".join(["| event | from | to | by |", "|---|---|---|---|", *lines])
