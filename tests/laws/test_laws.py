"""The law suite: what holds for every registered game, played at random."""

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.session import decide as rules
from services.session import views
from services.session.decide import Play, Resign
from services.session.games import AnyGame, registered
from services.session.machine import GameLog
from services.session.match import AnyEntry, AnyMatch, Created, Entry, Fact, Player, Status
from shared.ids import UserId
from shared.kernel import GameType, Seat, Viewer

GOLDEN = Path(__file__).parent / "golden"
GAMES = registered()
TYPES = [(game, t) for game in GAMES.all for t in game.types]
MACHINE = GameLog(GAMES)
MOST_MOVES = 5_000
A_WEEK = 7 * 24 * 3600 * 1000

pytestmark = pytest.mark.parametrize(("game", "game_type"), TYPES, ids=[t.game_type for _, t in TYPES])


class Table:
    """A game played at random by the engine's pure parts, with its log as Redis would hold it."""

    def __init__(self, game: AnyGame, game_type: GameType, seed: int) -> None:
        self.game = game
        self.dice = random.Random(seed)
        self.log: list[bytes] = []
        self.states: list[AnyMatch] = []
        self.now = 1_000_000
        seats = self.dice.choice(game_type.seats)
        players = tuple(Player(UserId(f"u{i}"), f"nick {i}", None) for i in range(seats))
        secret = self.dice.randbytes(32).hex()
        options = game.forms.options()
        self.append((Created(game_type.game_type, options, players, secret, "commitment"),))
        self.append((rules.start(game, game_type.game_type, seats, options, secret),))

    @property
    def match(self) -> AnyMatch:
        return self.states[-1]

    def append(self, facts: tuple[Fact, ...]) -> AnyEntry:
        entry: AnyEntry = Entry(str(len(self.log)), self.now, facts)
        before = self.states[-1] if self.states else None
        self.states.append(MACHINE.evolve(before, entry))
        self.log.append(MACHINE.encode(entry))
        return entry

    def decide(self, command: rules.Command) -> rules.Verdict:
        return rules.decide(self.game, self.match, len(self.log), command, self.now, A_WEEK)

    def random_move(self) -> None:
        self.now += self.dice.randrange(20_000)
        box = self.dice.choice(self.match.acting)
        move = self.dice.choice(list(self.game.legal_moves(self.match.position, box)))
        verdict = self.decide(Play(box, move))
        assert isinstance(verdict, tuple), f"a legal move was refused: {move} {verdict}"
        self.append(verdict)

    def play_out(self) -> "Table":
        while self.match.status is Status.ACTIVE:
            assert len(self.log) < MOST_MOVES, "random play never ends"
            self.random_move()
        return self

    def viewers(self) -> Iterator[Viewer]:
        yield None
        yield from (Seat(box) for box in range(len(self.match.players)))


@pytest.fixture
def tables(game: AnyGame, game_type: GameType) -> Iterator[Table]:
    return (Table(game, game_type, seed) for seed in range(100))


def test_random_play_ends_with_an_outcome_among_the_seats(tables: Iterator[Table]) -> None:
    for table in tables:
        match = table.play_out().match
        assert match.outcome is not None
        assert set(match.outcome.winners) <= set(range(len(match.players)))


def test_replaying_the_log_rebuilds_every_state(tables: Iterator[Table]) -> None:
    for table in tables:
        state = None
        for raw, expected in zip(table.play_out().log, table.states, strict=True):
            state = MACHINE.evolve(state, MACHINE.decode(state, raw))
            assert state == expected


def test_states_and_entries_survive_their_codecs(tables: Iterator[Table]) -> None:
    for table in tables:
        for state in table.play_out().states:
            assert MACHINE.decode_state(MACHINE.encode_state(state)) == state
        before = None
        for raw, after in zip(table.log, table.states, strict=True):
            assert MACHINE.encode(MACHINE.decode(before, raw)) == raw
            before = after


def test_a_refused_move_changes_nothing_and_whoever_is_not_to_act_is_refused(tables: Iterator[Table]) -> None:
    for table in tables:
        while table.match.status is Status.ACTIVE:
            before = MACHINE.encode_state(table.match)
            moves = table.game.legal_moves(table.match.position, table.match.acting[0])
            for box in range(len(table.match.players)):
                if box not in table.match.acting:
                    assert table.game.legal_moves(table.match.position, Seat(box)) == []
                    assert not isinstance(table.decide(Play(Seat(box), moves[0])), tuple)
            assert MACHINE.encode_state(table.match) == before
            table.random_move()
        assert table.decide(Play(Seat(0), moves[0])) is rules.EngineRefusal.WRONG_STATE
        assert table.decide(Resign(Seat(0))) is rules.EngineRefusal.WRONG_STATE


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
        assert table.match.status is Status.FINISHED
        assert table.match.outcome is not None
        assert box not in table.match.outcome.winners or table.match.outcome.reason != "resigned"


def test_a_clock_that_runs_out_moves_the_game_on(tables: Iterator[Table]) -> None:
    for table in tables:
        due = rules.deadline(table.match, A_WEEK)
        table.now = due - 1
        assert table.decide(rules.Expire()) == ()
        table.now = due
        verdict = table.decide(rules.Expire())
        assert isinstance(verdict, tuple)
        assert verdict, "nothing happened when the time was up"
        table.append(verdict)
        assert rules.deadline(table.match, A_WEEK) != due


def test_signals_of_a_view_agree_with_who_may_act(tables: Iterator[Table]) -> None:
    for table in tables:
        for version, state in enumerate(table.play_out().states, start=1):
            for viewer in table.viewers():
                view = views.view(table.game, state, "g", version, viewer, {}, table.now)
                acts = viewer is not None and viewer in state.acting
                assert view["sync"]["turn"] == ("my_turn" if acts else "not_my_turn")
                assert ("legal_moves" in view) == acts
                assert (view["waits"] == []) == (not state.acting)


def test_the_seed_is_in_no_view_and_no_message(tables: Iterator[Table]) -> None:
    for table in tables:
        table.play_out()
        before = None
        for version, (raw, after) in enumerate(zip(table.log, table.states, strict=True), start=1):
            entry = MACHINE.decode(before, raw)
            for viewer in table.viewers():
                told = views.messages(table.game, "g", before, entry, after, version, viewer, {})
                shown = views.view(table.game, after, "g", version, viewer, {}, table.now)
                assert after.seed.encode() not in msgspec.json.encode([told, shown])
            before = after


def test_the_golden_playthrough_is_told_as_ever(game: AnyGame, game_type: GameType) -> None:
    """One game, every message to every viewer. PARLOR_GOLDEN=write writes it anew: read the difference well."""
    table = Table(game, game_type, seed=7).play_out()
    told: list[dict[str, Any]] = []
    before = None
    for version, (raw, after) in enumerate(zip(table.log, table.states, strict=True), start=1):
        entry = MACHINE.decode(before, raw)
        for viewer in table.viewers():
            messages = views.messages(game, "golden", before, entry, after, version, viewer, {})
            told += [{"version": version, "to": viewer, "event": m.event, "data": m.data} for m in messages]
        before = after
    seen = json.loads(msgspec.json.encode(told))
    path = GOLDEN / f"{game_type.game_type}.json"
    if os.environ.get("PARLOR_GOLDEN") == "write":
        path.write_text("[\n" + ",\n".join(json.dumps(each) for each in seen) + "\n]\n")
    assert json.loads(path.read_text()) == seen
