"""A player who goes to another process when the one at hand is gone, and repeats what was not answered."""

import asyncio
import random
from collections.abc import Sequence
from typing import Any

import httpx

from shared.ids import new_id
from tests.support.client import Json

PATIENCE = 60.0  # seconds until a client gives up: a lease lives for three, and a busy machine is slow


class Nomad:
    """Keeps to one replica of each service until that fails it."""

    def __init__(self, nick: str, lobbies: Sequence[httpx.AsyncClient], sessions: Sequence[httpx.AsyncClient]) -> None:
        self.nick = nick
        self.id = ""
        self._token = ""
        self._at = {"lobby": list(lobbies), "session": list(sessions)}

    async def sign_in(self) -> "Nomad":
        signed_in = await self.call("POST", "/lobby/auth/guest", {"nick": self.nick})
        self._token, self.id = signed_in["token"], signed_in["user"]["id"]
        return self

    async def call(self, method: str, path: str, body: Any = None, refusals: Sequence[int] = ()) -> Json:
        """The answer to a request, which is repeated with the same key until there is one."""
        headers = {"Idempotency-Key": new_id()} if self._token and method == "POST" else {}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        places = self._at[path.split("/")[1]]
        loop = asyncio.get_running_loop()
        deadline = loop.time() + PATIENCE
        trouble = ""
        while loop.time() < deadline:
            try:
                response = await places[0].request(method, path, json=body, headers=headers)
            except httpx.TransportError as error:
                trouble = repr(error)
            else:
                places[0].cookies.clear()
                if response.is_success or response.status_code in refusals:
                    answer: Json = response.json() if response.content else {}
                    return answer
                trouble = f"{response.status_code} {response.text}"
                assert response.status_code == 503, f"{self.nick}: {method} {path}: {trouble}"
            places.append(places.pop(0))
            await asyncio.sleep(random.uniform(0.02, 0.1))
        raise AssertionError(f"{self.nick}: {method} {path}: {trouble} after {PATIENCE:.0f} s")

    async def open(self) -> str:
        return str((await self.call("POST", "/lobby/channels"))["id"])

    async def command(self, channel: str, name: str, body: Any = None, refusals: Sequence[int] = ()) -> Json:
        return await self.call("POST", f"/lobby/channels/{channel}/{name}", body, refusals)

    async def state(self, channel: str) -> Json:
        """The state in brief, for which no other service need be asked."""
        listed = (await self.call("GET", "/lobby/channels"))["channels"]
        [found] = [each["state"] for each in listed if each["id"] == channel]
        assert isinstance(found, dict)
        return found

    async def until(self, channel: str, *values: str) -> Json:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + PATIENCE
        while (state := await self.state(channel))["value"] not in values:
            assert loop.time() < deadline, f"{self.nick} is still in {state}, not in {values}"
            await asyncio.sleep(0.05)
        return state
