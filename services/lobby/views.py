"""How a channel's state is shown, brief and full. Pure: what is read elsewhere arrives as an argument."""

from collections.abc import Callable, Iterable
from typing import Any

from services.lobby.channels import Channel, Situation, Wait
from services.lobby.chat import REMEMBERED, Chat, Line
from services.lobby.machine import Value
from services.lobby.table import table_of
from shared.ids import UserId

GAMES = (Value.GAME, Value.WATCH)


def brief(state: Situation, now: int) -> dict[str, Any]:
    """The state as a list of channels shows it."""
    return {"value": state.value, **_SHOWN[state.value](state, now)}


def full(state: Situation, now: int, found: dict[str, Any]) -> dict[str, Any]:
    """The state with all that a client needs to restore itself; `found` is what was read elsewhere."""
    shown = brief(state, now)
    match state.value:
        case Value.SUBSCRIBED:
            shown["room"] = {**shown["room"], **found}
        case Value.REVANCHE if state.wait:
            shown["wait"] = wait("revanche", state.wait, now)
        case Value.CHAT | Value.GAME | Value.WATCH:
            shown |= found
    return shown


def told(state: Situation, now: int, found: dict[str, Any]) -> dict[str, Any]:
    """The state in answers and events: full, except where a game has a stream of its own."""
    return brief(state, now) if state.value in GAMES else full(state, now, found)


def channel(each: Channel, state: dict[str, Any]) -> dict[str, Any]:
    return {"id": each.id, "tag": each.tag, "version": each.version, "state": state}


def wait(name: str, span: Wait, now: int) -> dict[str, Any]:
    whole = span.until - span.since
    return {"name": name, "value": whole, "tick": min(whole, max(0, now - span.since))}


def chat(topic: str, state: Chat | None, before: int | None, joining: UserId | None) -> dict[str, Any]:
    """A chat with its latest entries, or those before a number; who is joining is counted already."""
    lines = state.lines if state else ()
    shown = [line_of(line) for line in lines if before is None or line.n < before]
    people = {who.user for who in state.members.values()} if state else set()
    users = len(people | {joining} if joining else people)
    return {"users": users, "topic": topic, "messages": shown}


def with_line(shown: dict[str, Any], line: Line) -> dict[str, Any]:
    """A chat as it looks once a line that is on its way has come."""
    chat = shown["chat"]
    return {"chat": {**chat, "messages": [*chat["messages"], line_of(line)][-REMEMBERED:]}}


def line_of(line: Line) -> dict[str, Any]:
    who = line.who
    shown = {"event": line.event, "uid": who.user, "ts": line.ts, "nick": who.nick, "avatar": who.avatar}
    return shown if line.text is None else {**shown, "text": line.text}


def table_rows(tables: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Tables as a subscriber of their room sees them."""
    return [{name: table[name] for name in ("id", "created", "players", "watchers", "bet")} for table in tables]


def _nothing(state: Situation, now: int) -> dict[str, Any]:
    return {}


def _subscribed(state: Situation, now: int) -> dict[str, Any]:
    return {"room": {"id": state.room}}


def _find(state: Situation, now: int) -> dict[str, Any]:
    criteria = [
        {"game_type": each.game_type, "num_seats": list(each.num_seats), "cash_bet": list(each.cash_bet)}
        for each in state.criteria
    ]
    return {"queue": {"name": state.queue, "criteria": criteria}}


def _begin(state: Situation, now: int) -> dict[str, Any]:
    criteria = {"game_type": state.game_type, "num_seats": state.num_seats, "cash_bet": state.cash_bet}
    shown: dict[str, Any] = {"criteria": criteria, "match": state.table}
    return {"wait": wait("begin", state.wait, now), **shown} if state.wait else shown


def _game(state: Situation, now: int) -> dict[str, Any]:
    game = {"id": state.game, "type": state.game_type}
    shown: dict[str, Any] = {"game": {**game, "currency": state.currency} if state.currency else game}
    with_table = state.game is None or state.table != table_of(state.game)
    return {**shown, "table": state.table} if with_table else shown


def _chat(state: Situation, now: int) -> dict[str, Any]:
    return {"id": state.room}


def _taketurn(state: Situation, now: int) -> dict[str, Any]:
    return {"tableId": state.table}


def _takeplace(state: Situation, now: int) -> dict[str, Any]:
    shown: dict[str, Any] = {"tableId": state.table, "box": state.box}
    return {**shown, "wait": wait("sitdown", state.wait, now)} if state.wait else shown


_SHOWN: dict[Value, Callable[[Situation, int], dict[str, Any]]] = {
    Value.FREE: _nothing,
    Value.SUBSCRIBED: _subscribed,
    Value.FIND: _find,
    Value.BEGIN: _begin,
    Value.OKBEGIN: _begin,
    Value.GAME: _game,
    Value.LEAVE: _game,
    Value.REVANCHE: _game,
    Value.OKREVANCHE: _game,
    Value.WATCH: _game,
    Value.CHAT: _chat,
    Value.TAKETURN: _taketurn,
    Value.TAKEPLACE: _takeplace,
}
