"""Ratings by game type, made from finished games, each of which counts once."""

import time
from collections.abc import Iterable
from typing import Any

import msgspec
from openskill.models import PlackettLuce
from sqlalchemy import Table, bindparam, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.lobby.tables import rated_games, ratings, users
from shared import bridge
from shared.ids import GameId, UserId

_MODEL = PlackettLuce()
_BEST = 100  # rows of a leaderboard
_FRESH_FOR = 5.0  # seconds
_REMEMBERED = 20_000  # users
_CHANGED = ratings.update().where(ratings.c.game_type == bindparam("_type"), ratings.c.user_id == bindparam("_user"))


class Skill(msgspec.Struct, frozen=True):
    """How well somebody plays: a guess, how sure it is, and what it was made of."""

    mu: float = _MODEL.mu
    sigma: float = _MODEL.sigma
    games: int = 0
    wins: int = 0

    @property
    def rating(self) -> float:
        """What is surely there; 0 for a newcomer."""
        return self.mu - 3 * self.sigma

    @property
    def lvl(self) -> int:
        return level(self.rating)


NEWCOMER = Skill()


def level(rating: float) -> int:
    return 1 + max(0, int(rating + 1e-9))


def after_game(skills: list[Skill], winners: tuple[int, ...]) -> list[Skill]:
    """The skills of a game's players, by box, after it; without winners all were equal."""
    ranks = [0.0 if not winners or box in winners else 1.0 for box in range(len(skills))]
    teams = [[_MODEL.create_rating([skill.mu, skill.sigma])] for skill in skills]
    rated = _MODEL.rate(teams, ranks=ranks)
    return [
        Skill(new.mu, new.sigma, old.games + 1, old.wins + (box in winners))
        for box, (old, [new]) in enumerate(zip(skills, rated, strict=True))
    ]


def is_rated(over: bridge.GameOver) -> bool:
    """Only what people have played to its end among themselves."""
    players = [player for player in over.players if player and not player.startswith("bot:")]
    return over.status == "finished" and len(set(players)) == len(over.players) > 1


class Ratings:
    def __init__(self, db: AsyncEngine) -> None:
        self._db = db
        self._lately: dict[UserId, tuple[float, dict[str, Skill]]] = {}

    async def count(self, messages: list[bytes]) -> None:
        """Outbox handler: what finished games say of their players, all in one transaction."""
        over = {
            news.game: news
            for news in map(bridge.read_news, messages)
            if isinstance(news, bridge.GameOver) and is_rated(news)
        }
        if over:
            async with self._db.begin() as connection:
                await self._count(connection, over)

    async def of(self, people: Iterable[UserId], game_type: str) -> dict[UserId, Skill]:
        """The skills of those who have any."""
        asked = list(people)
        if not asked:
            return {}
        async with self._db.connect() as connection:
            return await self._read(connection, asked, game_type)

    async def in_all(self, user: UserId) -> dict[str, Skill]:
        """A user's skills by game type."""
        async with self._db.connect() as connection:
            rows = await connection.execute(select(ratings).where(ratings.c.user_id == user))
            return {row.game_type: _skill(row) for row in rows}

    async def lately(self, user: UserId) -> dict[str, Skill]:
        """The same as they were a moment ago, which is good enough to look for partners."""
        known = self._lately.get(user)
        if known is None or time.monotonic() - known[0] > _FRESH_FOR:
            if len(self._lately) >= _REMEMBERED:
                self._lately.clear()
            known = self._lately[user] = (time.monotonic(), await self.in_all(user))
        return known[1]

    async def profile(self, user: str) -> dict[str, Any] | None:
        if "\0" in user:  # PostgreSQL cannot even ask for that
            return None
        async with self._db.connect() as connection:
            found = (await connection.execute(select(users).where(users.c.id == user))).first()
        if found is None:
            return None
        skills = await self.in_all(UserId(found.id))
        return {
            "user": {
                "id": found.id,
                "nick": found.nick,
                "avatar": found.avatar,
                "guest": found.password is None,
            },
            "ratings": [{"game_type": game_type, **_shown(skill)} for game_type, skill in sorted(skills.items())],
        }

    async def leaderboard(self, game_type: str) -> list[dict[str, Any]]:
        query = (
            select(ratings, users.c.nick, users.c.avatar)
            .join(users, users.c.id == ratings.c.user_id)
            .where(ratings.c.game_type == game_type)
            .order_by(ratings.c.rating.desc(), ratings.c.user_id)
            .limit(_BEST)
        )
        async with self._db.connect() as connection:
            rows = (await connection.execute(query)).all()
        return [
            {"rank": n, "user": row.user_id, "nick": row.nick, "avatar": row.avatar, **_shown(_skill(row))}
            for n, row in enumerate(rows, start=1)
        ]

    async def _count(self, connection: AsyncConnection, over: dict[GameId, bridge.GameOver]) -> None:
        """Those that have not been counted yet, one after the other."""
        rows = [{"id": game, "ended_at": each.at} for game, each in sorted(over.items())]
        fresh = self._insert(rated_games).on_conflict_do_nothing().returning(rated_games.c.id)
        new = {row.id for row in await connection.execute(fresh, rows)}
        games = [each for game, each in over.items() if game in new]
        if not games:
            return
        known = await self._claim(
            connection, {(each.game_type, UserId(p)) for each in games for p in each.players if p}
        )
        for each in games:
            seats = [(each.game_type, UserId(player)) for player in each.players if player]
            after = after_game([known[seat] for seat in seats], each.winners)
            known.update(zip(seats, after, strict=True))
        await connection.execute(
            _CHANGED,
            [
                {"_type": game_type, "_user": user, "rating": skill.rating, **msgspec.structs.asdict(skill)}
                for (game_type, user), skill in known.items()
            ],
        )

    async def _claim(
        self, connection: AsyncConnection, seats: set[tuple[str, UserId]]
    ) -> dict[tuple[str, UserId], Skill]:
        """Their skills, which nobody else changes meanwhile: another game of theirs may end at this moment."""
        blank = {"rating": NEWCOMER.rating, **msgspec.structs.asdict(NEWCOMER)}
        rows = [{"game_type": game_type, "user_id": user, **blank} for game_type, user in sorted(seats)]
        await connection.execute(self._insert(ratings).on_conflict_do_nothing(), rows)
        people = sorted({user for _, user in seats})
        query = select(ratings).where(ratings.c.user_id.in_(people)).order_by(ratings.c.game_type, ratings.c.user_id)
        locked = await connection.execute(query.with_for_update())
        found = {(row.game_type, UserId(row.user_id)): _skill(row) for row in locked}
        return {seat: found[seat] for seat in seats}

    def _insert(self, table: Table) -> Any:
        return (sqlite.insert if self._db.dialect.name == "sqlite" else postgresql.insert)(table)

    async def _read(self, connection: AsyncConnection, people: list[UserId], game_type: str) -> dict[UserId, Skill]:
        query = select(ratings).where(ratings.c.game_type == game_type, ratings.c.user_id.in_(people))
        return {UserId(row.user_id): _skill(row) for row in await connection.execute(query)}


def _skill(row: Any) -> Skill:
    return Skill(row.mu, row.sigma, row.games, row.wins)


def _shown(skill: Skill) -> dict[str, Any]:
    return {"rating": round(skill.rating, 2), "lvl": skill.lvl, "games": skill.games, "wins": skill.wins}
