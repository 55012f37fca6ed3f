"""Plays a strategy in a game, from wherever the game stands, to its end."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any

from parlor_sdk.client import AsyncClient
from parlor_sdk.errors import ParlorError, Refused
from parlor_sdk.sandbox import Forfeit, Sandbox
from parlor_sdk.sse import Event
from parlor_sdk.tsuro import Strategy

DEFAULT_LIMIT = 10.0  # seconds for one answer, if the game's clock leaves that much
_MARGIN = 0.3  # seconds kept back so that a forfeited move arrives before the clock runs out
_PROMPTS = {"generate_first_move": "first_move", "generate_move": "move"}
_ANSWERED = frozenset({"not_your_turn", "wrong_phase", "wrong_state", "idempotency_mismatch"})
"""Codes that say that the question is settled: the clock was faster, or an earlier life of this client was."""

Notice = Callable[[str], None]


@dataclass(frozen=True)
class Played:
    """How a game went for one strategy."""

    box: int
    winners: tuple[int, ...]
    reason: str
    forfeited: int
    """Moves that the strategy failed to make."""

    @property
    def won(self) -> bool:
        return self.box in self.winners


async def play(
    client: AsyncClient,
    game: str,
    strategy: type[Strategy] | str,
    *,
    limit: float = DEFAULT_LIMIT,
    notice: Notice = lambda _: None,
) -> Played:
    """Take an open seat in a game of Tsuro, or the one that the client's user already has, and play to the end.

    A strategy that raises, hangs or answers rubbish forfeits its move: a move that the rules discard is sent at once,
    so that nobody has to wait for the clock. Raises ParlorError if the game cannot be played or is aborted.
    """
    async with Sandbox(strategy) as sandbox:
        view = await client.view(game)
        if view["game_type"] != "tsuro":
            raise ParlorError(f"{game} is a game of {view['game_type']}, and strategies play tsuro.")
        if view["self"] is None:
            await client.join(game, key="join")
        return await _Seat(client, game, sandbox, limit, notice).play()


class _Seat:
    def __init__(self, client: AsyncClient, game: str, sandbox: Sandbox, limit: float, notice: Notice) -> None:
        self._client = client
        self._game = game
        self._sandbox = sandbox
        self._limit = limit
        self._notice = notice
        self._box = -1
        self._color: str | None = None
        self._forfeited = 0

    async def play(self) -> Played:
        async with aclosing(self._client.events(self._game)) as events:
            async for event in events:
                over = await self._take(event)
                if over is not None:
                    return over
        raise ParlorError(f"The stream of {self._game} ended without a result.")

    async def _take(self, event: Event) -> Played | None:
        data = event.data
        match event.name:
            case "snapshot":
                self._box = data["self"]["box"]
                if data["status"] == "active":
                    await self._resume(data["gamestate"], data["waits"])
            case "set_color":
                await self._set_color(data["color"])
            case "generate_first_move" | "generate_move":
                await self._answer(event.name, data, data["board"], data["waits"])
            case "move_discarded" if data["box"] == self._box:
                self._notice(f"move discarded: {data['reason']}")
        if event.name == "aborted" or data.get("status") == "aborted":
            raise ParlorError(f"The game was aborted: {data.get('reason')}")
        result = data.get("result")
        if result is None:
            return None
        return Played(self._box, tuple(result["winners"]), result["reason"], self._forfeited)

    async def _resume(self, gamestate: Mapping[str, Any], waits: Sequence[Mapping[str, Any]]) -> None:
        """Play on from a view: after a restart, or when the stream could not say what came meanwhile."""
        await self._set_color(gamestate["colors"][self._box])
        request = gamestate.get("request")
        if request is not None:
            await self._answer(request["event"], request, gamestate["board"], waits)

    async def _set_color(self, color: str) -> None:
        if color == self._color:
            return
        self._color = color
        self._notice(f"plays {color}")
        try:
            await self._sandbox.set_color(color, self._limit)
        except Forfeit as failure:
            self._notice(f"set_color failed: {failure}")

    async def _answer(
        self, event: str, prompt: Mapping[str, Any], board: Any, waits: Sequence[Mapping[str, Any]]
    ) -> None:
        number = prompt["number"]
        question = {"event": event, "tiles": prompt["tiles"], "board": board}
        try:
            move = await self._sandbox.ask(question, self._time_left(waits))
        except Forfeit as failure:
            self._forfeited += 1
            self._notice(f"forfeits its move: {failure}")
            move = _discarded(_PROMPTS[event])
        try:
            await self._client.move(self._game, {**move, "number": number}, key=f"answer-{number}")
        except Refused as refused:
            if refused.code not in _ANSWERED:
                raise
            self._notice(f"too late: {refused.code}")
        with suppress(Forfeit):  # which would come again with its next turn
            await self._sandbox.start()  # if it had to be ended, it is ready again before that

    def _time_left(self, waits: Sequence[Mapping[str, Any]]) -> float:
        """How long the strategy may think: its limit, or less if the game's clock runs out before that."""
        clock: list[float] = [
            wait["value"] + wait["timeBank"] - wait["tick"] for wait in waits if wait["box"] == self._box
        ]
        return max(0.05, min([self._limit, *(ms / 1000 - _MARGIN for ms in clock)]))


def _discarded(kind: str) -> dict[str, Any]:
    """A well-formed move that is never valid: no hand holds that tile."""
    move = {"type": kind, "tile": -1, "rotation": 0}
    return move if kind == "move" else {**move, "x": 0, "y": 0, "port": "C"}
