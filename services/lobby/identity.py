"""Guests and registered users."""

import asyncio
import unicodedata
from collections.abc import Awaitable, Callable

import msgspec
from argon2 import PasswordHasher
from argon2.exceptions import VerificationError
from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.lobby.tables import users
from shared.auth import Caller, Tokens
from shared.ids import UserId, new_id
from shared.problems import Problem, invalid
from shared.sign_in import SignedIn

_LONGEST_NICK = 32
_LONGEST_AVATAR = 512
_PASSWORD = (8, 128)


class Guest(msgspec.Struct, frozen=True):
    nick: str
    avatar: str | None = None


class Credentials(msgspec.Struct, frozen=True):
    nick: str
    password: str


Welcome = Callable[[AsyncConnection, UserId], Awaitable[None]]
"""What a user is given, once, in the SQL transaction that notes the user."""


class Identity:
    def __init__(self, db: AsyncEngine, tokens: Tokens, clock: Callable[[], int], welcome: Welcome) -> None:
        self._db = db
        self._welcome = welcome
        self._tokens = tokens
        self._clock = clock
        # OWASP's profile for argon2id with little memory: about 20 ms, so that a burst of logins does not starve games.
        self._hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        self._nobody = self._hasher.hash(new_id())

    async def guest(self, asked: Guest) -> SignedIn:
        user, nick, avatar = UserId(new_id()), _nick(asked.nick), _avatar(asked.avatar)
        row = {"id": user, "nick": nick, "avatar": avatar, "created_at": self._clock()}
        async with self._db.begin() as connection:
            await connection.execute(users.insert().values(row))
            await self._welcome(connection, user)
        return self._signed_in(user, nick, avatar, guest=True)

    async def register(self, asked: Credentials, caller: Caller | None) -> SignedIn:
        """A registered user; a guest keeps its id."""
        nick, password = _nick(asked.nick), _password(asked.password)
        secret = await asyncio.to_thread(self._hasher.hash, password)
        kept = caller if caller and caller.guest else None
        avatar = kept.avatar if kept else None
        row = {"nick": nick, "nick_key": _nick_key(nick), "avatar": avatar, "password": secret}
        try:
            user = await self._promote(kept.user, row) if kept else None
            if user is None:
                user = UserId(new_id())
                async with self._db.begin() as connection:
                    await connection.execute(users.insert().values(id=user, created_at=self._clock(), **row))
                    await self._welcome(connection, user)
        except IntegrityError:
            raise Problem("nick_taken") from None
        return self._signed_in(user, nick, avatar, guest=False)

    async def login(self, asked: Credentials) -> SignedIn:
        async with self._db.connect() as connection:
            query = select(users).where(users.c.nick_key == _nick_key(_nick(asked.nick)))
            found = (await connection.execute(query)).first()
        # Somebody who does not exist costs as much time as a wrong password, so that nicks cannot be probed.
        secret = found.password if found else self._nobody
        try:
            await asyncio.to_thread(self._hasher.verify, secret, asked.password)
        except VerificationError:
            raise Problem("bad_credentials") from None
        if found is None:
            raise Problem("bad_credentials")
        return self._signed_in(UserId(found.id), found.nick, found.avatar, guest=False)

    async def logout(self, caller: Caller) -> None:
        await self._tokens.revoke(caller)

    async def _promote(self, user: UserId, row: dict[str, str | None]) -> UserId | None:
        """Turn a guest into a registered user; None if somebody with the same token was faster."""
        async with self._db.begin() as connection:
            query = update(users).where(users.c.id == user, users.c.password.is_(None)).values(row)
            done = await connection.execute(query)
        return user if done.rowcount else None

    def _signed_in(self, user: UserId, nick: str, avatar: str | None, guest: bool) -> SignedIn:
        return SignedIn(*self._tokens.issue(user, nick, avatar, guest))


def _nick(text: str) -> str:
    nick = text.strip()
    if not 1 <= len(nick) <= _LONGEST_NICK:
        raise invalid(f"nick: 1 to {_LONGEST_NICK} characters.")
    if not _printable(nick):
        raise invalid("nick: no control characters.")
    return nick


def _nick_key(nick: str) -> str:
    """Two nicks that differ only in case, or in how the same letters are encoded, are one."""
    return unicodedata.normalize("NFKC", nick).casefold()[:128]


def _avatar(text: str | None) -> str | None:
    if text is not None and (len(text) > _LONGEST_AVATAR or not _printable(text)):
        raise invalid(f"avatar: at most {_LONGEST_AVATAR} characters, no control characters.")
    return text


def _password(text: str) -> str:
    shortest, longest = _PASSWORD
    if not shortest <= len(text) <= longest:
        raise invalid(f"password: {shortest} to {longest} characters.")
    return text


def _printable(text: str) -> bool:
    return not any(unicodedata.category(char) in ("Cc", "Cs") for char in text)
