"""A player as the product sees one: a token, plain HTTP requests and event streams over real sockets."""

from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from tests.support.sse import PATIENCE, Events

LOOPBACK: dict[str, Any] = {"trust_env": False, "verify": False}  # reading certificates takes 20 ms for each client

Json = dict[str, Any]


def open_client(url: str) -> httpx.AsyncClient:
    """A client without a limit on connections, since every stream holds one."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=200)
    return httpx.AsyncClient(base_url=url, timeout=PATIENCE, limits=limits, **LOOPBACK)


class Player:
    """Someone signed in; everything that the server ever answered is kept in `heard`."""

    def __init__(self, http: httpx.AsyncClient, user: Json, token: str) -> None:
        self.http = http
        self.user = user
        self.token = token
        self.heard: list[bytes] = []

    @classmethod
    async def guest(cls, http: httpx.AsyncClient, nick: str = "Ann", avatar: str | None = None) -> "Player":
        body = {"nick": nick} if avatar is None else {"nick": nick, "avatar": avatar}
        response = await http.post("/lobby/auth/guest", json=body)
        assert response.status_code == 201, response.text
        http.cookies.clear()  # players share a client; each brings its own token
        signed_in = response.json()
        return cls(http, signed_in["user"], signed_in["token"])

    def at(self, http: httpx.AsyncClient) -> "Player":
        """The same user, talking to another process."""
        return Player(http, self.user, self.token)

    @property
    def id(self) -> str:
        user_id = self.user["id"]
        assert isinstance(user_id, str)
        return user_id

    @property
    def credentials(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    async def get(self, path: str, params: Mapping[str, str] | None = None) -> httpx.Response:
        return self._keep(await self.http.get(path, params=params, headers=self.credentials))

    async def post(
        self,
        path: str,
        body: Any = None,
        *,
        content: bytes | None = None,
        key: str | bytes | None = None,
    ) -> httpx.Response:
        """POST a JSON body, or raw `content`, perhaps with an idempotency key."""
        headers: list[tuple[str, str | bytes]] = list(self.credentials.items())
        if key is not None:
            headers.append(("Idempotency-Key", key))
        encoded = [(name.encode(), value if isinstance(value, bytes) else value.encode()) for name, value in headers]
        if content is None:
            return self._keep(await self.http.post(path, json=body, headers=encoded))
        encoded.append((b"Content-Type", b"application/json"))
        return self._keep(await self.http.post(path, content=content, headers=encoded))

    def _keep(self, response: httpx.Response) -> httpx.Response:
        self.heard.append(response.content)
        return response

    async def create(
        self,
        seats: Sequence[str] = ("me", "open"),
        options: Mapping[str, int] | None = None,
        game_type: str = "xsos",
    ) -> Json:
        """Make a game and return the creating answer."""
        body: Json = {"game_type": game_type, "seats": list(seats)}
        if options:
            body["options"] = dict(options)
        return self._body(await self.post("/session/games", body), 201)

    async def join(self, game: str, *, key: str | None = None) -> httpx.Response:
        return await self.post(f"/session/games/{game}/join", key=key)

    async def play(self, game: str, cell: object, *, key: str | None = None) -> httpx.Response:
        return await self.move(game, {"type": "play", "cell": cell}, key=key)

    async def move(self, game: str, move: Any, *, key: str | None = None) -> httpx.Response:
        return await self.post(f"/session/games/{game}/moves", move, key=key)

    async def resign(self, game: str, *, key: str | None = None) -> httpx.Response:
        return await self.post(f"/session/games/{game}/resign", key=key)

    async def undo(self, game: str, action: str, *, seen: int | None = None, key: str | None = None) -> httpx.Response:
        """Ask for a move back, or answer such a request."""
        body = {"action": action} if seen is None else {"action": action, "seen": seen}
        return await self.post(f"/session/games/{game}/undo", body, key=key)

    async def draw(self, game: str, action: str, *, key: str | None = None) -> httpx.Response:
        """Offer a draw, or answer such an offer."""
        return await self.post(f"/session/games/{game}/draw", {"action": action}, key=key)

    async def leave(self, game: str, *, key: str | None = None) -> httpx.Response:
        """Say to be away for a while."""
        return await self.post(f"/session/games/{game}/leave", key=key)

    async def come_back(self, game: str, *, key: str | None = None) -> httpx.Response:
        return await self.post(f"/session/games/{game}/return", key=key)

    async def view(self, game: str) -> Json:
        return self._body(await self.get(f"/session/games/{game}"), 200)

    async def replay(self, game: str, box: int | None = None) -> Json:
        params = None if box is None else {"as": str(box)}
        return self._body(await self.get(f"/session/games/{game}/replay", params), 200)

    def events(self, game: str, cursor: str | int | None = None) -> Events:
        """The game's stream; with a cursor, from after that id."""
        headers = self.credentials if cursor is None else {**self.credentials, "Last-Event-ID": str(cursor)}
        return Events(self.http, f"/session/games/{game}/events", headers=headers)

    @staticmethod
    def _body(response: httpx.Response, status: int) -> Json:
        assert response.status_code == status, f"{response.status_code}: {response.text}"
        body = response.json()
        assert isinstance(body, dict)
        return body
