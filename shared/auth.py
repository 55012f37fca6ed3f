"""Who is calling: tokens, and the word that one of them no longer counts."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import jwt
import msgspec
import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from shared.ids import UserId, new_id
from shared.problems import Problem

TOKEN_SECONDS = 30 * 24 * 3600
COOKIE = "parlor_token"
_REVOKED = "lobby:revoked"
_BLOCK_MS = 2_000
_VERIFIED = 100_000  # tokens whose signature is not checked again in this process (a check costs as much as a move)

log = structlog.get_logger()


class Caller(msgspec.Struct, frozen=True):
    """Who a token stands for."""

    user: UserId
    nick: str
    avatar: str | None
    guest: bool
    token_id: str
    expires_at: int


class Revocations:
    """The ids of tokens that were logged out, told to every process by a stream that none can miss."""

    def __init__(self, redis: "Redis") -> None:
        """`redis` must not time out before a blocking read comes back."""
        self._redis = redis
        self._last = "0"
        self._ids: set[str] = set()
        self._watched: dict[str, set[Callable[[], None]]] = {}  # by token: who wants to know

    def __contains__(self, token_id: str) -> bool:
        return token_id in self._ids

    async def add(self, token_id: str) -> None:
        oldest = int((time.time() - TOKEN_SECONDS) * 1000)
        await self._redis.xadd(_REVOKED, {"id": token_id}, minid=oldest)
        self._revoked(token_id)

    @contextmanager
    def watch(self, token_id: str, tell: Callable[[], None]) -> Iterator[None]:
        """Call a function once the token is revoked, at once if it is already."""
        self._watched.setdefault(token_id, set()).add(tell)
        if token_id in self._ids:
            tell()
        try:
            yield
        finally:
            self._watched[token_id].discard(tell)
            if not self._watched[token_id]:
                del self._watched[token_id]

    async def run(self) -> None:
        while True:
            try:
                read: Any = await self._redis.xread({_REVOKED: self._last}, block=_BLOCK_MS, count=1_000)
                for _, entries in read:
                    self._take(entries)
            except (RedisError, OSError) as error:
                log.warning("revocations_wait", error=str(error))
                await asyncio.sleep(0.5)

    async def load(self) -> None:
        """Everything so far; a process serves nobody before it knows this."""
        entries: Any = await self._redis.xrange(_REVOKED)
        self._take(entries)

    def _take(self, entries: list[tuple[str, dict[bytes, bytes]]]) -> None:
        for entry_id, fields in entries:
            self._revoked(fields[b"id"].decode())
            self._last = entry_id

    def _revoked(self, token_id: str) -> None:
        self._ids.add(token_id)
        for tell in self._watched.get(token_id, ()):
            tell()


class Tokens:
    """Issues and checks tokens (HS256)."""

    def __init__(self, secret: str, revocations: Revocations, clock: Callable[[], int]) -> None:
        self._secret = secret
        self._revocations = revocations
        self._clock = clock
        self._verified: dict[bytes, Caller] = {}  # by the header that brought them

    def issue(self, user: UserId, nick: str, avatar: str | None, guest: bool) -> tuple[str, Caller]:
        issued = self._clock() // 1000
        caller = Caller(user, nick, avatar, guest, new_id(), issued + TOKEN_SECONDS)
        claims = {
            "sub": user, "nick": nick, "avatar": avatar, "guest": guest,
            "jti": caller.token_id, "iat": issued, "exp": caller.expires_at,
        }  # fmt: skip
        return jwt.encode(claims, self._secret, algorithm="HS256"), caller

    def caller(self, headers: dict[bytes, bytes]) -> Caller:
        """Who sent this request; raises the 401 problem."""
        found = self.find(headers)
        if found is None:
            raise Problem("unauthenticated")
        return found

    def find(self, headers: dict[bytes, bytes]) -> Caller | None:
        presented = headers.get(b"authorization") or headers.get(b"cookie")
        if presented is None:
            return None
        caller = self._verified.get(presented)
        if caller is None and (token := _token(headers)) is not None:
            caller = self._verify(token)
            self._remember(presented, caller)
        if caller is None or caller.expires_at * 1000 <= self._clock() or caller.token_id in self._revocations:
            return None
        return caller

    def until_revoked(self, caller: Caller, tell: Callable[[], None]) -> AbstractContextManager[None]:
        """While this lasts, call a function should the caller's token be revoked."""
        return self._revocations.watch(caller.token_id, tell)

    async def revoke(self, caller: Caller) -> None:
        await self._revocations.add(caller.token_id)

    def _verify(self, token: str) -> Caller | None:
        try:
            claims = jwt.decode(
                token,
                self._secret,
                algorithms=["HS256"],
                options={"require": ["exp", "sub", "jti"], "verify_iat": False},
            )
            caller = Caller(
                UserId(claims["sub"]),
                claims["nick"],
                claims["avatar"],
                claims["guest"],
                claims["jti"],
                claims["exp"],
            )
        except (jwt.InvalidTokenError, KeyError, ValueError):
            return None
        return caller

    def _remember(self, presented: bytes, caller: Caller | None) -> None:
        if len(self._verified) >= _VERIFIED:
            self._verified.clear()
        if caller is not None:
            self._verified[presented] = caller


def _token(headers: dict[bytes, bytes]) -> str | None:
    """The bearer token, or the cookie that a browser's EventSource can send."""
    authorization = headers.get(b"authorization")
    if authorization is not None:
        scheme, _, token = authorization.partition(b" ")
        return token.strip().decode("latin-1") if scheme.lower() == b"bearer" else None
    for part in headers.get(b"cookie", b"").split(b";"):
        name, _, value = part.strip().partition(b"=")
        if name == COOKIE.encode():
            return value.decode("latin-1")
    return None
