"""Whoever comes is met once: also those who signed in elsewhere, or before there was a ledger."""

from collections.abc import Callable

import structlog
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.lobby.identity import Welcome
from services.lobby.tables import users
from shared.auth import Caller
from shared.ids import UserId

_VOUCHED_FOR = ""  # in the place of a password: another service knows who it is, and nobody can log in by it
_REMEMBERED = 100_000  # users who are not looked up again by this process

log = structlog.get_logger()


class Reception:
    def __init__(self, db: AsyncEngine, clock: Callable[[], int], welcome: Welcome) -> None:
        self._db = db
        self._clock = clock
        self._welcome = welcome
        self._met: set[UserId] = set()

    async def meet(self, caller: Caller) -> None:
        """Note who it is, and give what every user is given once; without the database that can wait."""
        if caller.user in self._met:
            return
        try:
            async with self._db.begin() as connection:
                await self._note(connection, caller)
                await self._welcome(connection, caller.user)
        except IntegrityError:
            return  # another request of the same user has done so at this moment
        except (SQLAlchemyError, OSError) as error:
            log.warning("user_not_met", error=str(error))
            return
        if len(self._met) >= _REMEMBERED:
            self._met.clear()
        self._met.add(caller.user)

    async def _note(self, connection: AsyncConnection, caller: Caller) -> None:
        known = await connection.execute(select(users.c.id).where(users.c.id == caller.user))
        if known.first() is None:
            password = None if caller.guest else _VOUCHED_FOR
            row = {"nick": caller.nick, "avatar": caller.avatar, "password": password}
            await connection.execute(users.insert().values(id=caller.user, created_at=self._clock(), **row))
