"""What the lobby asks of the session service, taken from its outbox. A repeat has no effect."""

from typing import Any, assert_never

import msgspec
import structlog

from services.session import decide
from services.session.decide import Command
from services.session.engine import Engine
from services.session.facts import Player
from services.session.games import Games
from services.session.match import AnyMatch
from shared import bridge
from shared.bridge import (
    AbortDeserted,
    AbortGame,
    MakeGame,
    MarkAway,
    Order,
    Report,
    SeatPlayer,
    StartGame,
    UnseatPlayer,
)
from shared.ids import GameId
from shared.kernel import Seat
from shared.log.commit import Commit
from shared.log.keys import log_keys
from shared.log.store import LogStore
from shared.problems import Problem, Unavailable

log = structlog.get_logger()


class LobbyOrders:
    def __init__(self, engine: Engine, games: Games, store: LogStore) -> None:
        self._engine = engine
        self._games = games
        self._store = store

    async def handle(self, messages: list[bytes]) -> None:
        """Outbox handler: in the order in which they were written."""
        for message in messages:
            letter = bridge.read_envelope(message)
            if letter.to == bridge.SESSION:
                await self._obey(bridge.read_order(letter.body), letter.n)

    async def _obey(self, order: Order, n: int) -> None:
        try:
            match order:
                case MakeGame():
                    await self._make(order, n)
                case SeatPlayer(game, box, player):
                    await self._submit(game, decide.TakeSeat(Seat(box), _player(player), n))
                case UnseatPlayer(game, box):
                    await self._submit(game, decide.TakeSeat(Seat(box), None, n))
                case StartGame(game):
                    await self._submit(game, decide.Start())
                case AbortGame(game, reason):
                    await self._submit(game, decide.Abort(reason))
                case AbortDeserted(game):
                    if await self._engine.is_deserted(game):
                        await self._submit(game, decide.Abort(bridge.ABANDONED))
                case MarkAway(game, player, away):
                    await self._engine.mark_away(game, player.user, away, None)
                case Report(game):
                    await self._engine.report(game)
                case _:
                    assert_never(order)
        except Unavailable:
            raise
        except Problem as problem:
            log.info("order_came_late", order=type(order).__name__, code=problem.code)

    async def _make(self, order: MakeGame, n: int) -> None:
        """A game that cannot be made is told to be over, so that nobody waits for it."""
        if await self._exists(order.game):
            return
        if (options := self._options(order)) is None:
            over = bridge.GameOver(order.game, order.game_type, 0, "aborted", order.table, reason="cannot_be_made")
            keys = log_keys("session", "game", order.game)
            await self._store.commit(Commit(keys, 0, [], outbox=[bridge.write(over)]))
            return
        players = tuple(_player(each) if each else None for each in order.players)
        await self._engine.create(order.game, order.game_type, options, players, None, order.table, n)

    async def _exists(self, game: GameId) -> bool:
        try:
            await self._engine.game(game)
        except Unavailable:
            raise
        except Problem:
            return False
        return True

    def _options(self, order: MakeGame) -> Any:
        if order.game_type not in self._games:
            return None
        if len(order.players) not in self._games.type(order.game_type).seats:
            return None
        try:
            return msgspec.convert(order.options, self._games.game(order.game_type).forms.options)
        except msgspec.ValidationError:
            return None

    async def _submit(self, game: GameId, command: Command) -> None:
        def asked(_: AnyMatch) -> Command:
            return command

        await self._engine.submit(game, "lobby", asked, None)


def _player(seated: bridge.Seated) -> Player:
    return Player(seated.user, seated.nick, seated.avatar)
