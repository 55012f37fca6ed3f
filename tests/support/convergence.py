"""The law that a snapshot plus the events after it equals a fresh snapshot, and a client that lives by it."""

from collections.abc import Iterable
from typing import Any

from tests.support.client import Json
from tests.support.sse import Event

VOLATILE = {"tick", "timeBankTick", "deadline_ms", "online", "away", "watchers"}  # running clocks and presence


def stable(data: Any) -> Any:
    """A message without what depends on the moment at which it is sent."""
    if isinstance(data, dict):
        return {name: stable(value) for name, value in data.items() if name not in VOLATILE}
    if isinstance(data, list):
        return [stable(item) for item in data]
    return data


def messages(events: Iterable[Event]) -> list[tuple[str | None, str, Any]]:
    """Events as values that are equal when a client could not tell them apart."""
    return [(event.id, event.name, stable(event.data)) for event in events]


def law(view: Json) -> Json:
    """The part of a view that every client must arrive at."""
    return {
        "status": view["status"],
        "players": [
            {"box": player["box"], "user": player["user"], "timeBank": player["timeBank"]} for player in view["players"]
        ],
        "sync": view["sync"],
        "waits": stable(view["waits"]),
        "gamestate": view["gamestate"],
        "legal_moves": view.get("legal_moves"),
        "draw": view["draw"],
        "result": view["result"],
    }


def fold(snapshot: Event, events: Iterable[Event]) -> Json:
    """What a client that knows no rules believes after a snapshot and the events that followed it."""
    assert snapshot.name == "snapshot"
    view: Json = dict(snapshot.data)
    for event in events:
        view = after(view, event)
    return view


def after(view: Json, event: Event) -> Json:
    """What the client believes after one more event."""
    data = event.data
    match event.name:
        case "joined":
            return {**view, "version": data["version"], "players": _with_player(view["players"], data)}
        case "started":
            return {**_without_moves(view), **data}
        case "response":
            changed = {name: data[name] for name in view["gamestate"] if name in data}
            return {**_synced(view, data), "gamestate": {**view["gamestate"], **changed}}
        case "game_over":
            gamestate = data["gamestate"]
            over = {"status": "finished", "result": data["result"], "gamestate": gamestate, "draw": None}
            return {**_synced(view, data), **over}
        case "aborted":
            return {**_synced(view, data), "status": "aborted", "gamestate": data["gamestate"], "draw": None}
        case "sync" | "request_undo" | "approve_undo" | "reject_undo" | "auto_reject_undo" | "timeup_reject_undo":
            return _synced(view, data)
        case "draw_offered":
            return {**_synced(view, data), "draw": {"by": data["by"]}}
        case "draw_rejected":
            return {**_synced(view, data), "draw": None}
        case "presence":
            return view
        case "tile_placed" | "set_color":
            return _synced(view, data)
        case _ if "gamestate" in data:
            return {**_synced(view, data), "gamestate": data["gamestate"]}
        case _:
            raise AssertionError(f"a message that no client of this game knows: {event}")


def _synced(view: Json, data: Json) -> Json:
    synced = {
        **_without_moves(view),
        "version": data["version"],
        "sync": data["sync"],
        "waits": data["waits"],
    }
    if "legal_moves" in data:
        synced["legal_moves"] = data["legal_moves"]
    if "timeBank" in data:
        synced["players"] = [{**player, "timeBank": data["timeBank"][player["box"]]} for player in view["players"]]
    return synced


def _without_moves(view: Json) -> Json:
    return {name: value for name, value in view.items() if name != "legal_moves"}


def _with_player(players: list[Json], joined: Json) -> list[Json]:
    """Every seat starts with the same time bank, so a newcomer's is that of those already there."""
    player = {"timeBank": players[0]["timeBank"]} if players else {}
    player |= {name: joined[name] for name in ("box", "user", "nick", "avatar")}
    others = [other for other in players if other["box"] != joined["box"]]
    return sorted([*others, player], key=lambda each: each["box"])
