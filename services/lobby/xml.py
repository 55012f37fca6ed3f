"""A channel's state as XML, made from its JSON form. Pure."""

from collections.abc import Iterable
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

import msgspec

from services.lobby.chat import XML_CANNOT_CARRY
from services.lobby.machine import Value

_PLAYER = ("box", "nick", "avatar", "timeBank", "timeBankTick", "lvl")
_WATCHER = ("nick", "avatar")
_WAIT = ("box", "name", "tick", "value", "timeBank")
_TABLE = ("id", "created", "players", "watchers", "bet")
_LINE = ("event", "uid", "ts", "nick", "avatar")


def state(shown: dict[str, Any]) -> bytes:
    return _bytes(_state(shown))


def channels(listed: Iterable[dict[str, Any]]) -> bytes:
    root = Element("channels")
    for each in listed:
        _add(root, "channel", each, ("id", "tag")).append(_state(each["state"]))
    return _bytes(root)


def _state(shown: dict[str, Any]) -> Element:
    root = Element("state")
    value = Value(shown["value"])
    _set(root, "value", value)
    match value:
        case Value.FREE:
            pass
        case Value.SUBSCRIBED:
            room = _add(root, "room", shown["room"], ("id",))
            for table in shown["room"].get("tables", ()):
                _add(room, "table", table, _TABLE)
        case Value.FIND:
            queue = _add(root, "queue", shown["queue"], ("name",))
            for each in shown["queue"]["criteria"]:
                _add(queue, "criteria", each, ("game_type", "num_seats", "cash_bet"))
        case Value.BEGIN | Value.OKBEGIN:
            _add(root, "wait", shown["wait"], ("name", "value", "tick"))
            _add(root, "criteria", shown["criteria"], ("game_type", "num_seats", "cash_bet"))
        case Value.GAME | Value.WATCH if "gamestate" in shown:
            _game(root, shown)
        case Value.GAME | Value.WATCH | Value.LEAVE | Value.REVANCHE | Value.OKREVANCHE:
            _add(root, "game", shown["game"], ("id", "type", "currency"))
            if value is Value.REVANCHE and "wait" in shown:
                _add(root, "wait", shown["wait"], ("name", "tick", "value"))
        case Value.CHAT:
            _set(root, "id", shown["id"])
            if "chat" in shown:
                _chat(root, shown["chat"])
        case Value.TAKETURN:
            _set(root, "tableId", shown["tableId"])
        case Value.TAKEPLACE:
            _set(root, "tableId", shown["tableId"])
            _set(root, "box", shown["box"])
    return root


def _game(root: Element, shown: dict[str, Any]) -> None:
    SubElement(root, "gamestate").text = _text(msgspec.json.encode(shown["gamestate"]).decode())
    _add(root, "gameinfo", shown["gameinfo"], ("id", "name"))
    if shown["value"] == Value.GAME and shown.get("self"):
        _add(root, "self", shown["self"], ("box",))
    for name, item, fields in (
        ("players", "player", _PLAYER),
        ("watchers", "watcher", _WATCHER),
        ("waits", "wait", _WAIT),
    ):
        group = SubElement(root, name)
        for each in shown[name]:
            _add(group, item, each, fields)


def _chat(root: Element, chat: dict[str, Any]) -> None:
    setup = SubElement(root, "chat", {"event": "setup"})
    _set(setup, "users", chat["users"])
    _set(setup, "topic", chat["topic"])
    for message in chat["messages"]:
        line = _add(setup, "chat", message, _LINE)
        if "text" in message:
            line.text = _text(message["text"])


def _add(parent: Element, name: str, data: dict[str, Any], attributes: Iterable[str]) -> Element:
    """An element with those of the attributes that there are."""
    element = SubElement(parent, name)
    for attribute in attributes:
        if attribute in data:
            _set(element, attribute, data[attribute])
    return element


def _set(element: Element, attribute: str, value: Any) -> None:
    if isinstance(value, list | tuple):
        value = ",".join(str(each) for each in value)
    element.set(attribute, _text("" if value is None else str(value)))


def _text(text: str) -> str:
    return XML_CANNOT_CARRY.sub("", text)


def _bytes(root: Element) -> bytes:
    written: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return written
