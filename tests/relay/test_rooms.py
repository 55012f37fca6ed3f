"""The rules of a room, without a network: numbers, joins, leaves, held messages."""

from typing import Any

import msgspec
import pytest

from services.relay import decide
from services.relay.decide import MOST_HELD, Refusal, Ruling, Status
from services.relay.machine import RoomLog
from services.relay.messages import parse
from services.relay.rooms import Entry, Phase, Room, evolve, told
from shared.ids import UserId
from shared.problems import Problem

TERMS = decide.Terms(idle_ms=3_600_000, forget_ms=2_592_000_000)
A, B, C = UserId("A"), UserId("B"), UserId("C")


def payload(sender: UserId, seq: int, action: str, **fields: Any) -> bytes:
    if action in ("join", "start_game"):
        fields.setdefault("name", f"player {sender}")
    return msgspec.json.encode({"version": 3, "seq": seq, "from": sender, "utouId": "r", "action": action, **fields})


class Table:
    """A room that is played in, with everything that each player was told."""

    def __init__(self) -> None:
        self.room = Room()
        self.heard: dict[UserId, list[Any]] = {A: [], B: [], C: []}

    def say(self, sender: UserId, seq: int, action: str, **fields: Any) -> Ruling | Refusal:
        body = payload(sender, seq, action, **fields)
        verdict = decide.decide(self.room, parse(body), body)
        if isinstance(verdict, Ruling):
            self.enter(verdict)
        return verdict

    def enter(self, ruling: Ruling) -> None:
        if ruling.facts:
            entry = Entry("e", 1000, ruling.facts)
            self.room = evolve(self.room, entry)
            for player in self.room.players:
                self.heard[player.user] += [msgspec.json.decode(each) for each in told(entry, player.user)]

    def actions(self, user: UserId) -> list[str]:
        return [message["action"] for message in self.heard[user]]


def status(verdict: Ruling | Refusal) -> Status:
    assert isinstance(verdict, Ruling), verdict
    return verdict.status


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def playing(table: Table) -> Table:
    """A has joined first and started; the handshake is done."""
    table.say(A, 0, "join")
    table.say(B, 0, "join")
    table.say(A, 1, "start_game")
    table.say(B, 1, "start_game_ack")
    return table


def test_only_the_later_join_is_told_to_the_earlier_joiner(table: Table) -> None:
    phases = []
    for player in (A, B):
        table.say(player, 0, "join")
        phases.append(table.room.phase)
    assert phases == [Phase.WAITING, Phase.HANDSHAKE]
    assert (table.actions(A), table.actions(B)) == (["join"], [])


def test_the_acknowledgement_of_the_start_begins_the_play(playing: Table) -> None:
    assert playing.room.phase is Phase.PLAYING
    assert (playing.actions(A), playing.actions(B)) == (["join", "start_game_ack"], ["start_game"])


def test_a_message_taken_before_is_a_duplicate_and_goes_nowhere(playing: Table) -> None:
    before = playing.room
    for seq, action in ((0, "join"), (1, "start_game"), (1, "update_game")):
        again = playing.say(A, seq, action, **({"game": [0]} if action == "update_game" else {}))
        assert status(again) is Status.DUPLICATE
        assert isinstance(again, Ruling)
        assert again.expected == 2
    assert playing.room == before


def test_messages_that_overtook_others_are_released_in_order(playing: Table) -> None:
    for seq in (5, 3, 4):
        assert status(playing.say(A, seq, "update_game", game=[seq])) is Status.HELD
    assert playing.actions(B) == ["start_game"]
    filled = playing.say(A, 2, "update_game", game=[2])
    assert isinstance(filled, Ruling)
    assert filled.expected == 6
    assert [message["seq"] for message in playing.heard[B]] == [1, 2, 3, 4, 5]
    assert playing.room.game == (5,)


def test_at_most_so_many_messages_are_held(playing: Table) -> None:
    for seq in range(3, 3 + MOST_HELD):
        assert status(playing.say(A, seq, "update_game", game=[seq])) is Status.HELD
    before = playing.room
    assert playing.say(A, 3 + MOST_HELD, "update_game", game=[0]) is Refusal.SEQ_GAP
    assert status(playing.say(A, 2 + MOST_HELD, "update_game", game=[0])) is Status.HELD
    assert playing.room == before
    playing.say(A, 2, "update_game", game=[2])
    assert len(playing.heard[B]) == 1 + 1 + MOST_HELD


def test_a_third_player_finds_the_room_full(playing: Table) -> None:
    for action in ("join", "leave_game", "start_game"):
        assert playing.say(C, 0, action) is Refusal.ROOM_FULL


def test_a_stranger_must_join_before_it_says_anything_else(table: Table) -> None:
    assert table.say(A, 0, "start_game") is Refusal.WRONG_STATE
    table.say(A, 0, "join")
    assert table.say(B, 0, "start_game_ack") is Refusal.WRONG_STATE
    assert table.say(B, 7, "leave_game") is Refusal.WRONG_STATE


def test_a_join_begins_with_number_zero(table: Table) -> None:
    assert table.say(A, 1, "join") is Refusal.SEQ_GAP
    table.say(A, 0, "join")
    assert table.say(B, 3, "join") is Refusal.SEQ_GAP


@pytest.mark.parametrize("ending", ["game_over", "leave_game"])
def test_after_the_end_only_a_join_is_new(playing: Table, ending: str) -> None:
    playing.say(B, 2, ending)
    assert playing.room.phase is Phase.OVER
    assert playing.say(A, 2, "update_game", game=[0]) is Refusal.WRONG_STATE
    assert playing.say(B, 3, "leave_game") is Refusal.WRONG_STATE
    assert status(playing.say(B, 2, ending)) is Status.DUPLICATE
    assert playing.say(A, 2, "join") is Refusal.SEQ_GAP


@pytest.mark.parametrize("ending", ["game_over", "leave_game"])
def test_a_new_game_counts_from_zero_for_both_and_has_no_board(playing: Table, ending: str) -> None:
    playing.say(A, 2, "update_game", game=[1])
    playing.say(B, 2, ending)
    assert status(playing.say(B, 0, "join")) is Status.STORED
    assert playing.actions(A)[-1] == ending  # the first join of a game is told to nobody
    assert [(player.user, player.expected) for player in playing.room.players] == [(A, 0), (B, 1)]
    assert playing.room.game is None
    assert playing.room.phase is Phase.WAITING
    assert playing.say(A, 3, "update_game", game=[0]) is Refusal.WRONG_STATE  # a number of the older game
    playing.heard[B].clear()
    playing.say(A, 0, "join")
    assert playing.actions(B) == ["join"]  # now B, who joined first, is to start


def test_the_players_stay_between_games(playing: Table) -> None:
    playing.say(A, 2, "leave_game")
    assert playing.say(C, 0, "join") is Refusal.ROOM_FULL


def test_what_waits_for_an_earlier_message_ends_with_the_game(playing: Table) -> None:
    playing.say(A, 4, "update_game", game=[4])
    playing.say(B, 2, "leave_game")
    playing.say(A, 0, "join")
    playing.say(B, 0, "join")
    playing.say(A, 1, "start_game")
    assert all(not player.held for player in playing.room.players)


def test_a_released_end_lets_what_follows_it_go(playing: Table) -> None:
    playing.say(A, 3, "game_over")
    playing.say(A, 4, "update_game", game=[4])
    filled = playing.say(A, 2, "update_game", game=[2])
    assert isinstance(filled, Ruling)
    assert filled.expected == 4
    assert playing.actions(B)[-2:] == ["update_game", "game_over"]


def test_a_leave_is_acknowledged_once_when_the_peer_has_taken_it(playing: Table) -> None:
    playing.say(A, 2, "leave_game")
    version = playing.room.version
    assert decide.acknowledge(playing.room, B, version - 1).facts == ()
    assert decide.acknowledge(playing.room, A, version).facts == ()
    playing.enter(decide.acknowledge(playing.room, B, version))
    assert playing.heard[A][-1] == {
        "version": 3, "seq": 2, "from": "A", "utouId": "r", "action": "leave_game_ack",
    }  # fmt: skip
    assert decide.acknowledge(playing.room, B, version).facts == ()


def test_each_of_several_leaves_is_acknowledged(playing: Table) -> None:
    playing.say(A, 2, "leave_game")
    playing.say(A, 0, "join")
    playing.say(A, 1, "leave_game")
    playing.enter(decide.acknowledge(playing.room, B, playing.room.version))
    assert [(m["action"], m["seq"]) for m in playing.heard[A][-2:]] == [("leave_game_ack", 2), ("leave_game_ack", 1)]


def test_who_leaves_an_empty_room_waits_for_nobody(table: Table) -> None:
    table.say(A, 0, "join")
    table.say(A, 1, "leave_game")
    assert table.actions(A) == ["leave_game_ack"]
    assert table.room.leaves == ()


def test_who_comes_later_hears_nothing_of_games_before(table: Table) -> None:
    table.say(A, 0, "join")
    table.say(A, 1, "leave_game")
    table.say(B, 0, "join")
    player = table.room.player(B)
    assert player is not None
    assert player.since == table.room.version


def test_a_closed_room_takes_anybody_and_goes_on_counting(playing: Table) -> None:
    version = playing.room.version
    assert decide.close(playing.room, version - 1).facts == ()
    playing.enter(decide.close(playing.room, version))
    assert not playing.room.players
    assert decide.deadline(playing.room, TERMS) >= 1000 + TERMS.forget_ms
    playing.say(C, 0, "join")
    assert playing.room.version == version + 2
    assert [player.user for player in playing.room.players] == [C]


def test_a_stream_that_outlived_the_room_is_told_nothing_of_its_next_life(playing: Table) -> None:
    playing.enter(decide.close(playing.room, playing.room.version))
    playing.say(C, 0, "join")
    body = payload(A, 0, "join")
    ruling = decide.decide(playing.room, parse(body), body)
    assert isinstance(ruling, Ruling)
    entry = Entry("e", 1000, ruling.facts)
    after = evolve(playing.room, entry)
    messages = {user: RoomLog().messages("id", 9, playing.room, entry, after, user, {}, None) for user in (B, C)}
    assert (len(messages[B]), len(messages[C])) == (0, 1)


def test_a_room_is_looked_at_after_it_was_idle_and_rarely_before(playing: Table) -> None:
    assert 1000 + TERMS.idle_ms <= decide.deadline(playing.room, TERMS) <= 1000 + TERMS.idle_ms * 101 // 100


def test_the_log_gives_back_the_room_and_every_byte(playing: Table) -> None:
    machine = RoomLog()
    odd = b'{"action":"update_game","game":[1.0,1e2,-0],"utouId":"r","x":{"b":1,"a":18446744073709551617},'
    odd += b'"seq":2,"from":"A","version":3}'
    ruling = decide.decide(playing.room, parse(odd), odd)
    assert isinstance(ruling, Ruling)
    entry = Entry("e", 1000, ruling.facts)
    assert machine.decode(None, machine.encode(entry)) == entry
    assert told(machine.decode(None, machine.encode(entry)), B) == [odd]
    playing.say(A, 5, "update_game", game=[1])
    playing.enter(ruling)
    assert machine.decode_state(machine.encode_state(playing.room)) == playing.room


@pytest.mark.parametrize("version", [0, 2, 4, 30, -3])
def test_only_version_three_is_spoken(version: int) -> None:
    for fields in ({"action": "join", "name": "A", "seq": 0, "from": "A", "utouId": "r"}, {"new": True}):
        with pytest.raises(Problem) as refused:
            parse(msgspec.json.encode({"version": version, **fields}))
        assert refused.value.code == "unsupported_version"
