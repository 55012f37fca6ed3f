"""A table's game: asking for it, starting it, its end, the rematch, and what time does. Pure."""

from typing import assert_never

from services.lobby import letters as mail
from services.lobby.channels import FREE, Wait, Who
from services.lobby.draft import Draft, serve_line
from services.lobby.letters import Over, Step
from services.lobby.table import (
    AbortAsked,
    BetsKnown,
    Cleared,
    Freed,
    GameAsked,
    Phase,
    Playing,
    RematchAwaited,
    SeatsConfirmed,
    Starting,
    Table,
    TableClosed,
)
from shared import bridge
from shared.ids import GameId, derived_id

UNPAID = "insufficient_funds"


def ask_for_game(draft: Draft, rotated: bool = False) -> None:
    """Everyone is willing. The session service makes the game, and starts it once it is told to."""
    game = game_id(draft.table, draft.table.round + rotated)
    draft.do(GameAsked(game, starting=True, rotated=rotated))
    draft.order(make_game(draft.table, game))


def game_id(table: Table, number: int) -> GameId:
    return GameId(derived_id("game of table", table.id, str(number)))


def make_game(table: Table, game: GameId) -> bridge.MakeGame:
    players = tuple(seated(box.who) if box.who and box.taken else None for box in table.boxes)
    return bridge.MakeGame(table.id, game, table.game_type, table.options, players)


def seated(who: Who) -> bridge.Seated:
    return bridge.Seated(who.user, who.nick, who.avatar)


def told_of_game(draft: Draft, table: Table, news: bridge.News) -> None:
    match news:
        case bridge.SeatsKnown(order=order):
            seats_known(draft, table, order)
        case bridge.GameStarted():
            if table.phase is Phase.STARTING:
                draft.do(Playing())
                for box, who in table.seated:
                    draft.tell(who, mail.GameOn(who.channel, table.situation(box)))
        case bridge.GameOver():
            if table.phase is not Phase.REMATCH:
                game_over(draft, table, news)
        case _:
            assert_never(news)


def seats_known(draft: Draft, table: Table, order: int) -> None:
    waiting = [(i, box) for i, box in enumerate(table.boxes) if box.taken and not box.known and box.order <= order]
    if not waiting:
        return
    draft.do(SeatsConfirmed(order))
    if table.game is not None and table.game != table.confirmed:
        for who in table.watchers.values():
            draft.tell(who, mail.NowPlayed(who.channel, table.id, table.game))
    for i, box in waiting:
        if box.ask is not None and box.who is not None and box.event is not None:
            draft.grant(box.who, box.ask, Step(box.event, table.situation(i)))
    if draft.table.full and all(box.known for box in draft.table.boxes):
        if table.phase is Phase.OPEN:
            draft.do(Starting())
        assert table.game is not None, "its seats are known"
        # The place where bets are taken: the game exists, everyone is seated, and nothing has been dealt.
        if table.currency is None:
            draft.order(bridge.StartGame(table.game))
        else:
            players = tuple(who.user for _, who in table.seated)
            draft.ask_bank(
                mail.TakeBets(draft.id, table.game, table.game_type, table.currency, table.cash_bet, players)
            )


def bets_decided(draft: Draft, game: GameId, taken: bool) -> None:
    draft.do(BetsKnown(game, taken))
    draft.order(bridge.StartGame(game) if taken else bridge.AbortGame(game, UNPAID))


def game_over(draft: Draft, table: Table, over: bridge.GameOver) -> None:
    finished = over.status == "finished"
    if table.currency is not None:
        draft.ask_bank(mail.Settle(over.game, table.currency, over.winners if finished else ()))
    if finished and not table.direct and not any(box.away for box in table.boxes):
        wait = Wait(draft.now, draft.now + draft.waits.revanche)
        draft.do(RematchAwaited(wait))
        for _, who in table.seated:
            draft.tell(who, mail.RematchOpen(who.channel, over.game, wait))
        return
    broken_off = table.direct or not finished
    for box, who in table.seated:
        reason = "game_over" if finished else UNPAID if over.reason == UNPAID else "aborted"
        if reason == UNPAID:  # the game was there, and is shown to have been
            draft.tell(who, mail.GameOn(who.channel, table.situation(box)))
        if (ask := table.boxes[box].ask) is not None:  # it never came to that game
            draft.deny(who, ask, "wrong_state")
        draft.tell(who, Over(who.channel, table.id, reason, broken_off))
    after_game(draft)


def decline(draft: Draft, table: Table, who: Who, ask: str, game: GameId) -> None:
    box = table.box_of(who.channel)
    if box is None or table.phase is not Phase.REMATCH or table.game != game:
        draft.deny(who, ask, "wrong_state")
        return
    draft.grant(who, ask, Step("E10" if table.boxes[box].willing else "E11", FREE))
    for i, other in table.seated:
        if i != box:
            draft.tell(other, Over(other.channel, table.id, "rematch_cancelled", game=game))
    after_game(draft)


def after_game(draft: Draft) -> None:
    """The boxes go to those who wait for them; without any, the table disappears at once."""
    line = bool(draft.table.line)
    if line:
        draft.do(Cleared())
        serve_line(draft)
    else:
        close(draft)


def close(draft: Draft) -> None:
    table = draft.table
    if table.room is not None:
        for who in table.watchers.values():
            draft.tell(who, Over(who.channel, table.id, "table_closed"))
    draft.do(TableClosed())


def expire(draft: Draft, table: Table) -> None:
    for i, box in enumerate(table.boxes):
        if box.wait is not None and box.who is not None and box.wait.until <= draft.now:
            draft.do(Freed(i))
            draft.tell(box.who, Over(box.who.channel, table.id, "reservation_expired"))
    serve_line(draft)
    if table.wait is not None and table.wait.until <= draft.now:
        if table.phase is Phase.BEGIN:
            for box in table.boxes:
                if box.who is not None and not box.willing:
                    draft.tell(box.who, mail.BeginNow(box.who.channel, table.id))
            ask_for_game(draft)
        elif table.phase is Phase.REMATCH:
            for _, who in table.seated:
                draft.tell(who, Over(who.channel, table.id, "rematch_timeout", game=table.game))
            after_game(draft)
    if table.empty_since is not None and table.empty_since + draft.waits.empty <= draft.now:
        if table.game is not None:
            draft.order(bridge.AbortGame(table.game, "table_closed"))
        close(draft)
    if table.deserted_since is not None and table.deserted_since + draft.waits.abandon <= draft.now:
        assert table.game is not None, "a deserted game has an id"
        draft.do(AbortAsked())
        # Of a game from outside only those are known here who have come by a channel.
        draft.order(
            bridge.AbortDeserted(table.game) if table.direct else bridge.AbortGame(table.game, bridge.ABANDONED)
        )
