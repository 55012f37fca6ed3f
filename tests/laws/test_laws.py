"""The law suite: what holds for every registered game, played at random."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.session import decide as rules
from services.session import views
from services.session.decide import Play, Resign
from services.session.facts import Released
from services.session.games import AnyGame
from services.session.match import Status
from services.session.verdict import EngineRefusal
from shared import sse
from shared.kernel import GameType, Seat
from tests.laws.table import GAMES, MACHINE, PACE, Table, some_tables

GOLDEN = Path(__file__).parent / "golden"
GOLDEN_VERSIONS = 24  # enough for every kind of message, few enough to be read
TYPES = [(game, t) for game in GAMES.all for t in game.types]
_PLAYED: dict[GameType, tuple[Table, ...]] = {}

pytestmark = pytest.mark.parametrize(("game", "game_type"), TYPES, ids=[t.game_type for _, t in TYPES])


@pytest.fixture
def tables(game: AnyGame, game_type: GameType) -> Iterator[Table]:
    return some_tables(game, game_type)


@pytest.fixture
def played(game: AnyGame, game_type: GameType) -> tuple[Table, ...]:
    """The same, played to their ends once for all who only look at them."""
    if game_type not in _PLAYED:
        _PLAYED[game_type] = tuple(table.play_out() for table in some_tables(game, game_type))
    return _PLAYED[game_type]


def test_random_play_ends_with_an_outcome_among_the_seats(played: tuple[Table, ...]) -> None:
    for table in played:
        match = table.match
        assert match.outcome is not None
        assert set(match.outcome.winners) <= set(range(len(match.players)))


def test_replaying_the_log_rebuilds_every_state(played: tuple[Table, ...]) -> None:
    for table in played:
        state = None
        for raw, expected in zip(table.log, table.states, strict=True):
            state = MACHINE.evolve(state, MACHINE.decode(state, raw))
            assert state == expected


@pytest.mark.soak
def test_ten_thousand_random_games_end_and_are_rebuilt_from_their_logs(game: AnyGame, game_type: GameType) -> None:
    """Each is played once and read back once: every state, and the codec of the last."""
    for seed in range(10_000):
        table = Table(game, game_type, seed).play_out()
        assert table.match.outcome is not None
        state = None
        for raw, expected in zip(table.log, table.states, strict=True):
            state = MACHINE.evolve(state, MACHINE.decode(state, raw))
            assert state == expected, f"seed {seed}"
        assert MACHINE.decode_state(MACHINE.encode_state(table.match)) == table.match


def test_states_and_entries_survive_their_codecs(played: tuple[Table, ...]) -> None:
    for table in played:
        for state in table.states:
            assert MACHINE.decode_state(MACHINE.encode_state(state)) == state
        before = None
        for raw, after in zip(table.log, table.states, strict=True):
            assert MACHINE.encode(MACHINE.decode(before, raw)) == raw
            before = after


def test_a_refused_move_changes_nothing_and_whoever_is_not_to_act_is_refused(tables: Iterator[Table]) -> None:
    for table in tables:
        moves = table.game.legal_moves(table.match.position, table.match.acting[0])
        while table.match.status is Status.ACTIVE:
            if table.match.open is not None:
                assert table.decide(Play(Seat(0), moves[0])) is EngineRefusal.WAITING_FOR_ACKS
                table.append((Released(),))
                continue
            before = MACHINE.encode_state(table.match)
            moves = table.game.legal_moves(table.match.position, table.match.acting[0])
            for box in range(len(table.match.players)):
                if box not in table.match.acting:
                    assert table.game.legal_moves(table.match.position, Seat(box)) == []
                    assert not isinstance(table.decide(Play(Seat(box), moves[0])), tuple)
            assert MACHINE.encode_state(table.match) == before
            table.random_move()
        assert table.decide(Play(Seat(0), moves[0])) is EngineRefusal.WRONG_STATE
        assert table.decide(Resign(Seat(0))) is EngineRefusal.WRONG_STATE


def test_the_same_decision_is_made_twice(tables: Iterator[Table]) -> None:
    """Nothing but the arguments decides: no clock, no dice of its own."""
    for table in tables:
        box = table.match.acting[0]
        move = table.game.legal_moves(table.match.position, box)[0]
        assert table.decide(Play(box, move)) == table.decide(Play(box, move))


def test_anyone_may_resign_at_any_time_and_does_not_win(tables: Iterator[Table]) -> None:
    for table in tables:
        box = Seat(table.dice.randrange(len(table.match.players)))
        table.random_move()
        if table.match.status is Status.ACTIVE:
            verdict = table.decide(Resign(box))
            assert isinstance(verdict, tuple)
            table.append(verdict)
            outcome = table.play_out().match.outcome
            assert outcome is not None
            assert box not in outcome.winners


def test_a_clock_that_runs_out_moves_the_game_on(tables: Iterator[Table]) -> None:
    for table in tables:
        due = rules.deadline(table.match, PACE)
        table.now = due - 1
        assert table.decide(rules.Expire()) == ()
        table.now = due
        verdict = table.decide(rules.Expire())
        assert isinstance(verdict, tuple)
        assert verdict, "nothing happened when the time was up"
        table.append(verdict)
        assert rules.deadline(table.match, PACE) != due


def test_signals_of_a_view_agree_with_who_may_act(played: tuple[Table, ...]) -> None:
    for table in played:
        for version, state in enumerate(table.states, start=1):
            for viewer in table.viewers():
                view = views.view(table.game, state, "g", version, viewer, {}, table.now)
                acts = viewer is not None and viewer in state.acting
                assert view["sync"]["turn"] == ("my_turn" if acts else "not_my_turn")
                moves = table.game.legal_moves(state.position, viewer) if viewer is not None and acts else ()
                assert view.get("legal_moves", ()) == moves, "whoever is to act need not know the rules"
                awaited = table.game.awaited(state.position, state.acting) if state.acting else ()
                assert {wait.box for wait in view["waits"]} == {*(state.open.waiting if state.open else awaited)}
                assert {*awaited} <= {*state.acting}
                assert bool(awaited) == bool(state.acting), "somebody must be waited for, or the game may hang"


def test_no_commit_tells_anyone_more_than_a_stream_may_hold(played: tuple[Table, ...]) -> None:
    for table in played:
        before = None
        for version, (raw, after) in enumerate(zip(table.log, table.states, strict=True), start=1):
            entry = MACHINE.decode(before, raw)
            for viewer in table.viewers():
                told = views.messages(table.game, "g", before, entry, after, version, viewer, {})
                assert len(sse.frames(version, told)) < sse.UNREAD_LIMIT * 3 / 4
            before = after


def test_a_finished_game_is_shown_with_all_that_its_last_message_told(played: tuple[Table, ...]) -> None:
    """Who comes late sees the winning line too."""
    for table in played:
        closing = table.game.closing(table.match.position)
        for viewer in table.viewers():
            *_, active = (state for state in table.states if state.status is Status.ACTIVE)
            assert not closing.keys() & views.view(table.game, active, "g", 1, viewer, {}, table.now).keys()
            finished = views.view(table.game, table.match, "g", len(table.log), viewer, {}, table.now)
            assert {name: finished[name] for name in closing} == closing


def test_the_seed_is_in_no_view_and_no_message(played: tuple[Table, ...]) -> None:
    for table in played:
        before = None
        for version, (raw, after) in enumerate(zip(table.log, table.states, strict=True), start=1):
            entry = MACHINE.decode(before, raw)
            for viewer in table.viewers():
                told = views.messages(table.game, "g", before, entry, after, version, viewer, {})
                shown = views.view(table.game, after, "g", version, viewer, {}, table.now)
                assert after.seed.encode() not in msgspec.json.encode([told, shown])
            before = after


def test_the_golden_playthrough_is_told_as_ever(game: AnyGame, game_type: GameType) -> None:
    """The beginning and the end of a game, every message to every viewer.

    PARLOR_GOLDEN=write writes it anew: read the difference well.
    """
    table = Table(game, game_type, seed=7, seats=min(game_type.seats)).play_out()
    told: list[dict[str, Any]] = []
    before = None
    for version, (raw, after) in enumerate(zip(table.log, table.states, strict=True), start=1):
        entry = MACHINE.decode(before, raw)
        for viewer in table.viewers() if version <= GOLDEN_VERSIONS or version == len(table.log) else ():
            messages = views.messages(game, "golden", before, entry, after, version, viewer, {})
            told += [{"version": version, "to": viewer, "event": m.event, "data": _brief(m.data)} for m in messages]
        before = after
    seen = json.loads(msgspec.json.encode(told))
    path = GOLDEN / f"{game_type.game_type}.json"
    if os.environ.get("PARLOR_GOLDEN") == "write":
        path.write_text("[\n" + ",\n".join(json.dumps(each) for each in seen) + "\n]\n")
    assert json.loads(path.read_text()) == seen


def _brief(data: dict[str, Any]) -> dict[str, Any]:
    """Of a long list of moves its length and its ends, so that a golden file can be read."""
    moves = data.get("legal_moves", ())
    return data if len(moves) <= 100 else {**data, "legal_moves": [len(moves), moves[0], moves[-1]]}
