"""What can be played and asked for, by the catalogue that the session service publishes."""

import time
from typing import Any

from redis.asyncio import Redis

from services.lobby.ledger import FUN
from shared import catalogue
from shared.problems import Problem, invalid

_FRESH_FOR = 2.0  # seconds; a new release publishes its games rarely


class Catalogue:
    """The published catalogue, read again when it may have changed."""

    def __init__(self, redis: "Redis") -> None:
        self._redis = redis
        self._games: list[Any] = []
        self._types: dict[str, Any] = {}
        self._read_at = float("-inf")

    async def games(self) -> list[Any]:
        if time.monotonic() - self._read_at > _FRESH_FOR:
            self._games = await catalogue.published(self._redis)
            self._types = {t["game_type"]: t for game in self._games for t in game["types"]}
            self._read_at = time.monotonic()
        return self._games

    async def type(self, game_type: str) -> dict[str, Any]:
        """A game type; raises the 422 problem."""
        await self.games()
        found: dict[str, Any] | None = self._types.get(catalogue.canonical(game_type))
        if found is None:
            raise invalid("There is no such game type.")
        return found

    async def knows(self, game_type: str) -> bool:
        await self.games()
        return game_type in self._types

    async def rake(self, game_type: str) -> int:
        """Percent of the pot that the house keeps; nothing of a game type that is not there any more."""
        return int((await self.type(game_type))["rake"]) if await self.knows(game_type) else 0

    async def currencies(self) -> set[str]:
        """All that can be played for."""
        await self.games()
        return {FUN, *(currency(kind) for kind in self._types.values())}

    async def rooms(self) -> dict[str, str]:
        """The rooms' titles by their ids: one for each game."""
        return {game["name"]: game["types"][0]["title"] for game in await self.games() if game["types"]}


def checked_seats(kind: dict[str, Any], seats: int) -> int:
    if seats not in kind["seats"]:
        raise invalid("This game type has another number of seats.")
    return seats


def checked_bet(kind: dict[str, Any], bet: int) -> int:
    if bet not in kind["bets"]:
        raise invalid("This game type has other bets.")
    return bet


def currency(kind: dict[str, Any]) -> str:
    return str(kind["currency"])


def checked_options(kind: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Options by the type's schema; raises the 422 problem."""
    schema = kind["options"]
    known = schema.get("$defs", {})
    _check(options, _resolved(schema, known), known, "options")
    return options


def _resolved(schema: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    return known[name] if name else schema


def _check(value: Any, schema: dict[str, Any], known: dict[str, Any], where: str) -> None:
    """As much of JSON Schema as the options of games are described with."""
    schema = _resolved(schema, known)
    if "anyOf" in schema:
        if not any(_fits(value, each, known, where) for each in schema["anyOf"]):
            raise invalid(f"{where}: none of what may stand here.")
        return
    if "enum" in schema and value not in schema["enum"]:
        raise invalid(f"{where}: one of {schema['enum']}.")
    if not _is(value, schema.get("type")):
        raise invalid(f"{where}: expected {schema.get('type')}.")
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = schema.get("minimum", value), schema.get("maximum", value)
        if not low <= value <= high:
            raise invalid(f"{where}: from {low} to {high}.")
    if isinstance(value, dict):
        fields = schema.get("properties", {})
        for name, each in value.items():
            if name not in fields and schema.get("additionalProperties") is False:
                raise invalid(f"{where}: there is no such option.")
            if name in fields:
                _check(each, fields[name], known, f"{where}.{name}")


def _fits(value: Any, schema: dict[str, Any], known: dict[str, Any], where: str) -> bool:
    try:
        _check(value, schema, known, where)
    except Problem:
        return False
    return True


_TYPES: dict[str, Any] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
    "null": type(None),
}  # fmt: skip


def _is(value: Any, word: str | None) -> bool:
    if word is None or word not in _TYPES:
        return True
    if isinstance(value, bool) and word != "boolean":
        return False
    return isinstance(value, _TYPES[word])
