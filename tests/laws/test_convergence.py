"""Everyone converges: a view and the messages after it are the next view, for every viewer at every version."""

import json
from typing import Any

import msgspec
import pytest

from services.session import views
from services.session.decide import Abort, AnswerUndo, AskUndo, Command, Draw, Expire
from services.session.games import AnyGame
from services.session.match import Status
from services.session.undo import Answer
from shared.kernel import GameType, Message, Seat
from tests.laws.table import GAMES, MACHINE, Table, some_tables

Json = dict[str, Any]

TYPES = [(game, t) for game in GAMES.all for t in game.types]
UNSTABLE = {"tick", "timeBankTick", "online", "away"}


def said_beside_the_board(table: Table) -> None:
    """Somebody asks for a move back, answers, offers a draw, or lets a deadline pass."""
    boxes = range(len(table.match.players))
    box = Seat(table.dice.choice(boxes))
    command: Command
    match table.dice.randrange(6):
        case 0 | 1:
            command = AskUndo(box, seen=table.dice.choice([None, len(table.log) - 1]))
        case 2:
            command = AnswerUndo(box, table.dice.choice(list(Answer)))
        case 3:
            command = Draw(box, table.dice.choice(["offer", "offer", "reject"]))
        case 4:
            command = Draw(box, "accept") if table.dice.random() < 0.1 else Draw(box, "reject")
        case _:
            table.now += 21_000
            command = Expire(clocks_too=False)
    verdict = table.decide(command)
    if isinstance(verdict, tuple) and verdict:
        table.append(verdict)


def stable(value: Json) -> Json:
    """One object without what depends on the moment at which it is told."""
    return {name: each for name, each in value.items() if name not in UNSTABLE}


def law(view: Json) -> Json:
    names = ("status", "sync", "waits", "gamestate", "legal_moves", "result", "draw")
    players = [{name: player[name] for name in ("box", "user", "timeBank")} for player in view["players"]]
    shown = {name: view.get(name) for name in names} | {"players": players}
    lawful: Json = json.loads(msgspec.json.encode(shown), object_hook=stable)
    return lawful


def after(view: Json, message: Message) -> Json:
    """What a client that knows no rules believes after a message."""
    data = message.data
    if message.event == "started":
        return data
    if message.event == "joined":
        return view
    view = {**view, "sync": data["sync"], "waits": data["waits"], "legal_moves": data.get("legal_moves")}
    view["players"] = [{**player, "timeBank": data["timeBank"][player["box"]]} for player in view["players"]]
    changed = {name: data[name] for name in view["gamestate"] if name in data}
    view["gamestate"] = data.get("gamestate") or {**view["gamestate"], **changed}
    match message.event:
        case "game_over":
            view |= {"status": "finished", "result": data["result"], "draw": None}
        case "aborted":
            view |= {"status": "aborted", "draw": None}
        case "draw_offered":
            view["draw"] = {"by": data["by"]}
        case "draw_rejected":
            view["draw"] = None
    return view


@pytest.mark.parametrize(("game", "game_type"), TYPES, ids=[t.game_type for _, t in TYPES])
def test_a_view_and_the_messages_after_it_are_the_next_view(game: AnyGame, game_type: GameType) -> None:
    for table in some_tables(game, game_type, most=40, entries=600):
        assert_everyone_converges(talked_through(table))


@pytest.mark.parametrize(("game", "game_type"), TYPES, ids=[t.game_type for _, t in TYPES])
def test_in_an_aborted_game_it_is_nobodys_turn_and_everyone_converges(game: AnyGame, game_type: GameType) -> None:
    for table in some_tables(game, game_type, most=10):
        for _ in range(table.dice.randrange(6)):
            table.random_move()
        if table.match.status is not Status.ACTIVE:
            continue
        verdict = table.decide(Abort("idle"))
        assert isinstance(verdict, tuple)
        table.append(verdict)
        for viewer in table.viewers():
            view = views.view(game, table.match, "g", len(table.log), viewer, {}, table.now)
            assert view["gamestate"].get("turn") is None
            assert (view["sync"], view["waits"]) == ({"turn": "not_my_turn", "undo": "ban"}, [])
        assert_everyone_converges(table)


@pytest.mark.soak
@pytest.mark.parametrize(("game", "game_type"), TYPES, ids=[t.game_type for _, t in TYPES])
def test_everyone_converges_in_many_more_games(game: AnyGame, game_type: GameType) -> None:
    for seed in range(1_000, 2_000):
        assert_everyone_converges(talked_through(Table(game, game_type, seed)))


def talked_through(table: Table) -> Table:
    """Play a game to its end in which the players also ask for moves back and offer draws."""
    while table.match.status is Status.ACTIVE:
        if table.dice.random() < 0.3:
            said_beside_the_board(table)
        else:
            table.random_move()
    return table


def assert_everyone_converges(table: Table) -> None:
    for viewer in table.viewers():
        believed: Json = {}
        before = None
        for version, (raw, state) in enumerate(zip(table.log, table.states, strict=True), start=1):
            entry = MACHINE.decode(before, raw)
            fresh = views.view(table.game, state, "g", version, viewer, {}, entry.at)
            for message in views.messages(table.game, "g", before, entry, state, version, viewer, {}):
                believed = after(believed, message)
            if state.status is not Status.WAITING:
                assert law(believed) == law(fresh), f"version {version}, to {viewer}: {entry.facts}"
            before = state
