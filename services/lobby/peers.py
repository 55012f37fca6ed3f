"""Questions to the session service on behalf of a caller: its public paths, with the caller's own token."""

import asyncio
from typing import Any

import httpx

from shared.problems import Problem, Unavailable

_PATIENCE = 1.0  # seconds
_PASSED_ON = (b"authorization", b"cookie")


def credentials(headers: dict[bytes, bytes]) -> dict[str, str]:
    """What says who is calling, to be passed on."""
    return {name.decode(): headers[name].decode("latin-1") for name in _PASSED_ON if name in headers}


class SessionPeer:
    def __init__(self, http: httpx.AsyncClient | None) -> None:
        """Without a client the session service cannot be asked: every question is answered `unavailable`."""
        self._http = http

    async def view(self, game: str, credentials: dict[str, str]) -> dict[str, Any] | None:
        """The game as the caller may see it; None if there is none."""
        response = await self._ask("GET", f"/session/games/{game}", credentials)
        if response.status_code == 404:
            return None
        if response.status_code != 200:
            raise Unavailable("The game cannot be seen just now.")
        body: dict[str, Any] = response.json()
        return body

    async def join(self, game: str, credentials: dict[str, str], key: str) -> int:
        """Take an open seat; answers the box, or raises the 409 problem."""
        response = await self._ask("POST", f"/session/games/{game}/join", {**credentials, "Idempotency-Key": key})
        if response.status_code == 200:
            return int(response.json()["box"])
        if response.status_code == 409:
            raise Problem("table_full")
        raise Unavailable("The game cannot be joined just now.")

    async def _ask(self, method: str, path: str, headers: dict[str, str]) -> httpx.Response:
        if self._http is None:
            raise Unavailable("This lobby does not know where the games are.")
        try:
            async with asyncio.timeout(_PATIENCE):
                return await self._http.request(method, path, headers=headers)
        except (TimeoutError, httpx.HTTPError):
            raise Unavailable("The games cannot be asked just now.") from None
