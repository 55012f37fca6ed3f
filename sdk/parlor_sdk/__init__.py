"""A client for Parlor, and a kit for bots that play on it.

    from parlor_sdk import Board, FirstMove, Move, Strategy     # write a bot for Tsuro
    from parlor_sdk import AsyncClient, Client                  # talk to a server
    from parlor_sdk import play                                 # let a bot play

The clients load httpx when they are first used, so that a strategy's own process starts fast.
"""

from typing import TYPE_CHECKING, Any

from parlor_sdk.errors import ParlorError, Refused, Unreachable
from parlor_sdk.sse import Event
from parlor_sdk.tsuro import Avatar, Board, FirstMove, Move, Spot, Strategy, Tile

if TYPE_CHECKING:
    from parlor_sdk.client import AsyncClient, Client
    from parlor_sdk.runner import Played, play

_LATER = {"AsyncClient": "client", "Client": "client", "Played": "runner", "play": "runner"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)


__all__ = [
    "AsyncClient",
    "Avatar",
    "Board",
    "Client",
    "Event",
    "FirstMove",
    "Move",
    "ParlorError",
    "Played",
    "Refused",
    "Spot",
    "Strategy",
    "Tile",
    "Unreachable",
    "play",
]
