"""The games that can be played, as the session service publishes them and the lobby reads them."""

from collections.abc import Sequence
from typing import Any

import msgspec
from redis.asyncio import Redis

from shared.kernel import Game

_KEY = "session:catalogue"


def canonical(game_type: str) -> str:
    """The one spelling that is kept and emitted: a Cyrillic х, as in some clients' `2х2`, is read as the Latin x."""
    return game_type.replace("\N{CYRILLIC SMALL LETTER HA}", "x")


def described(game: Game[Any, Any, Any]) -> dict[str, Any]:
    """A game with its types, each with the JSON schemas of its options and moves."""
    types = [
        {
            **msgspec.structs.asdict(t),
            "options": msgspec.json.schema(game.forms.options),
            "moves": msgspec.json.schema(game.forms.move),
            "bots": sorted({"random", *game.bots}),
        }
        for t in game.types
    ]
    return {"name": game.name, "types": types}


async def publish(redis: "Redis", games: Sequence[Game[Any, Any, Any]]) -> None:
    """Replicas publish the same; a newer release adds its games to those of an older one."""
    for game in games:
        await redis.hset(_KEY, game.name, msgspec.json.encode(described(game)))


async def published(redis: "Redis") -> list[Any]:
    found = await redis.hgetall(_KEY)
    return [msgspec.json.decode(raw) for _, raw in sorted(found.items())]
