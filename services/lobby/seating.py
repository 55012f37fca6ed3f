"""What becomes of a table: by the letters of its players, the news of the session service, and time. Pure."""

from typing import TypeAlias, assert_never

import msgspec

from services.lobby import letters as mail
from services.lobby.channels import FREE, Situation, Wait, Who
from services.lobby.draft import Draft, Waits, deadline, keep_place, serve_line
from services.lobby.letters import Over, Step, ToTable
from services.lobby.rounds import ask_for_game, bets_decided, decline, expire, game_id, make_game, seated, told_of_game
from services.lobby.table import (
    CameBack,
    Freed,
    GameAsked,
    GameFound,
    LinedUp,
    MatchSet,
    OutOfLine,
    Phase,
    SeatsConfirmed,
    Table,
    Taken,
    Unwatched,
    Watched,
    WentAway,
    Willing,
)
from shared import bridge


class Expire(msgspec.Struct, frozen=True):
    """A deadline of the table has come."""


Command: TypeAlias = ToTable | bridge.News | Expire


def decide(table_id: str, table: Table | None, command: Command, now: int, waits: Waits) -> Draft:
    draft = Draft(table_id, table, now, waits)
    _decide(draft, table, command)
    draft.finish()
    return draft


def _decide(draft: Draft, table: Table | None, command: Command) -> None:
    match command:
        case mail.MatchMade():
            if table is None:
                _match_made(draft, command)
        case mail.Attach():
            _attach(draft, table, command)
        case mail.Watch():
            _watch(draft, table, command)
        case mail.Reserve() | mail.LineUp() | mail.Join() | mail.SitDown() | mail.GiveUp() | mail.Decline():
            if table is None or table.phase is Phase.CLOSED:
                draft.deny(command.who, command.ask, "not_found" if table is None else "wrong_state")
            else:
                _asked(draft, table, command)
        case mail.BetsDecided(game=game, taken=taken):
            if table is not None and table.phase is Phase.STARTING and table.game == game != table.bets_of:
                bets_decided(draft, game, taken)
        case mail.Back() | mail.Ready() | mail.Agree() | mail.Unwatch():
            if table is not None:
                _told(draft, table, command)
        case bridge.SeatsKnown() | bridge.GameStarted() | bridge.GameOver():
            if table is not None and table.game == command.game and table.phase is not Phase.CLOSED:
                told_of_game(draft, table, command)
        case Expire():
            if table is not None and 0 < deadline(table, draft.waits) <= draft.now:
                expire(draft, table)
        case _:
            assert_never(command)


def _asked(
    draft: Draft,
    table: Table,
    command: mail.Reserve | mail.LineUp | mail.Join | mail.SitDown | mail.GiveUp | mail.Decline,
) -> None:
    match command:
        case mail.Reserve(who=who, ask=ask, box=box):
            if table.has(who.user):
                draft.deny(who, ask, "already_seated")
            elif table.phase is not Phase.OPEN or table.boxes[box].who is not None:
                draft.deny(who, ask, "box_taken")
            else:
                draft.grant(who, ask, Step("E19", keep_place(draft, box, who)))
        case mail.LineUp(who=who, ask=ask):
            if table.has(who.user):
                draft.deny(who, ask, "already_seated")
            else:
                _line_up(draft, who, ask)
        case mail.Join(who=who, ask=ask, box=box):
            _join(draft, table, who, ask, box)
        case mail.SitDown(who=who, ask=ask):
            found = table.box_of(who.channel)
            if found is None or table.boxes[found].taken:
                draft.deny(who, ask, "wrong_state")
            else:
                _take(draft, found, who, ask, "E22")
        case mail.GiveUp(who=who, ask=ask):
            _give_up(draft, table, who, ask)
        case mail.Decline(who=who, ask=ask, game=game):
            decline(draft, table, who, ask, game)
        case _:
            assert_never(command)


def _told(draft: Draft, table: Table, command: mail.Back | mail.Ready | mail.Agree | mail.Unwatch) -> None:
    box = table.box_of(command.who.channel)
    match command:
        case mail.Unwatch(who=who):
            if who.channel in table.watchers:
                draft.do(Unwatched(who.channel))
        case mail.Back(who=who, game=game):
            if box is not None and table.game == game and table.boxes[box].away:
                draft.do(CameBack(box))
                draft.order(bridge.MarkAway(game, seated(who), away=False))
        case mail.Ready():
            if box is not None and table.phase is Phase.BEGIN:
                draft.do(Willing((box,)))
                if all(each.willing for each in draft.table.boxes):
                    ask_for_game(draft)
        case mail.Agree(game=game):
            if box is not None and table.phase is Phase.REMATCH and table.game == game:
                draft.do(Willing((box,)))
                if all(each.willing for each in draft.table.boxes):
                    ask_for_game(draft, rotated=True)
        case _:
            assert_never(command)


# -- coming together ----------------------------------------------------------------------------------------


def _match_made(draft: Draft, made: mail.MatchMade) -> None:
    wait = Wait(draft.now, draft.now + draft.waits.begin)
    draft.do(MatchSet(draft.id, made.game_type, made.cash_bet, made.currency, made.players, wait))
    state = Situation(
        table=draft.id, game_type=made.game_type, num_seats=len(made.players),
        cash_bet=made.cash_bet, currency=made.currency, wait=wait,
    )  # fmt: skip
    for who, ticket in zip(made.players, made.tickets, strict=True):
        draft.tell(who, mail.Matched(who.channel, ticket, state))


def _line_up(draft: Draft, who: Who, ask: str) -> None:
    waiting = Step("E20", Situation(table=draft.id))
    box = draft.table.free_box() if draft.table.phase is Phase.OPEN else None
    if box is None:
        draft.do(LinedUp(who))
        draft.grant(who, ask, waiting)
    else:  # nobody waits, else that box would be kept for the first of them
        draft.grant(who, ask, waiting, Step("E21", keep_place(draft, box, who)))


def _join(draft: Draft, table: Table, who: Who, ask: str, wanted: int | None) -> None:
    box = table.free_box() if wanted is None else wanted
    if table.has(who.user):
        draft.deny(who, ask, "already_seated")
    elif table.phase is not Phase.OPEN or box is None:
        draft.deny(who, ask, "table_full")
    elif table.boxes[box].who is not None:
        draft.deny(who, ask, "box_taken")
    else:
        _take(draft, box, who, ask, "E27")


def _take(draft: Draft, box: int, who: Who, ask: str, event: str) -> None:
    """The seat is granted once the session service knows of it; the first one makes the game."""
    draft.do(Taken(box, who, ask, event))
    if draft.table.game is None:
        game = game_id(draft.table, draft.table.round)
        draft.do(GameAsked(game, starting=False))
        draft.order(make_game(draft.table, game))
    else:
        draft.order(bridge.SeatPlayer(draft.table.game, box, seated(who)))


def _give_up(draft: Draft, table: Table, who: Who, ask: str) -> None:
    box = table.box_of(who.channel)
    if any(each.channel == who.channel for each in table.line):
        draft.do(OutOfLine(who.channel))
        draft.grant(who, ask, Step("E23", FREE), reason="left")
    elif box is None or table.phase in (Phase.BEGIN, Phase.REMATCH):
        draft.deny(who, ask, "wrong_state")
    elif not table.boxes[box].taken:
        draft.do(Freed(box))
        draft.grant(who, ask, Step("E23", FREE), reason="left")
        serve_line(draft)
    elif table.phase is Phase.OPEN:
        _stand_up(draft, table, box, who, ask)
    else:
        draft.do(WentAway(box))
        draft.grant(who, ask, Step("E24", table.situation(box)))
        assert table.game is not None, "a game that runs has an id"
        draft.order(bridge.MarkAway(table.game, seated(who), away=True))


def _stand_up(draft: Draft, table: Table, box: int, who: Who, ask: str) -> None:
    assert table.game is not None, "a taken box is in a game"
    draft.do(Freed(box))
    draft.order(bridge.UnseatPlayer(table.game, box))
    draft.grant(who, ask, Step("E24", table.situation(box)), Step("E26", FREE), reason="left")
    serve_line(draft)


def _attach(draft: Draft, table: Table | None, asked: mail.Attach) -> None:
    who = asked.who
    if table is None:
        draft.do(GameFound(draft.id, asked.game, asked.game_type, asked.seats))
    if draft.table.phase is Phase.CLOSED:
        draft.deny(who, asked.ask, "wrong_state")
    elif draft.table.has(who.user):
        draft.deny(who, asked.ask, "already_seated")
    else:
        draft.do(Taken(asked.box, who, asked.ask, "E27"))
        draft.do(SeatsConfirmed(draft.table.number))
        draft.grant(who, asked.ask, Step("E27", draft.table.situation(asked.box)))
        draft.order(bridge.Report(asked.game))


def _watch(draft: Draft, table: Table | None, asked: mail.Watch) -> None:
    who = asked.who
    if table is None and asked.game is not None and asked.game_type is not None:
        draft.do(GameFound(draft.id, asked.game, asked.game_type, asked.seats))
        draft.order(bridge.Report(asked.game))
    elif table is None or (table.phase is Phase.CLOSED and table.room is not None):
        draft.tell(who, Over(who.channel, draft.id, "table_closed"))
        return
    draft.do(Watched(who))
    if draft.table.confirmed is not None:  # perhaps another one than when the watcher looked
        draft.tell(who, mail.NowPlayed(who.channel, draft.id, draft.table.confirmed))
