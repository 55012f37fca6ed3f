"""Durak: what players and watchers are told, and in which words players speak."""

import json
from typing import Any

import msgspec
import pytest

from services.session.games.durak import GAME
from services.session.games.durak.moves import DurakMove
from services.session.games.durak.state import State
from shared.catalogue import canonical
from shared.kernel import Chance, Message, Options, Seat, Viewer
from tests.support.durak import ANN, BOB, CAT, DAN, after, decided, position

WATCHER = None


def plain(value: Any) -> Any:
    """As a client gets it."""
    return json.loads(msgspec.json.encode(value))


def told(state: State, seat: Seat, words: str, viewer: Viewer) -> list[Message]:
    messages = []
    for event in decided(state, seat, words).events:
        state = GAME.evolve(state, event)
        if (message := GAME.project(state, event, viewer)) is not None:
            messages.append(message)
    return messages


def names(messages: list[Message]) -> list[str]:
    return [message.event for message in messages]


def test_a_seat_sees_its_own_hand_and_how_many_cards_others_hold() -> None:
    state = position("9s", "10c Js", "Kd Kc Ks", "", table="6c/7c 6d", deck="8s Ah", shown="6h", out=(DAN,))
    assert plain(GAME.view(state, BOB)) == {
        "trump": "h",
        "trump_card": "Ah",
        "deck": 2,
        "gone": 25,
        "attacker": 0,
        "defender": 1,
        "taking": False,
        "table": [{"attack": "6c", "defend": "7c"}, {"attack": "6d", "defend": None}],
        "hands": [{"box": 0, "cards": 1}, {"box": 1, "cards": 2}, {"box": 2, "cards": 3}, {"box": 3, "cards": 0}],
        "hand": ["10c", "Js"],
        "shown": "6h",
        "out": [3],
    }
    assert "hand" not in GAME.view(state, WATCHER)


def test_at_the_start_each_is_told_its_cards_all_whose_turn_it_is_and_the_attacker_what_it_may_do() -> None:
    state = GAME.setup("durak_podkidnoi", 3, Options(), Chance(b"1", "setup"))
    for viewer in (WATCHER, *map(Seat, range(3))):
        messages = [m for event in GAME.opening(state) if (m := GAME.project(state, event, viewer))]
        expected = ["turn"] if viewer is None else ["cards", "turn"]
        assert names(messages) == expected + (["availables"] if viewer == state.attacker else [])
        assert [m.data["attacker"] for m in messages if m.event == "turn"] == [state.attacker]
        assert all(m.data["cards"] == state.hands[viewer or 0] for m in messages if m.event == "cards")


def test_an_attack_is_told_to_all_and_whoever_may_act_is_told_what_it_may_do() -> None:
    state = position("6c 9s", "7c 8h Kd", "6d Ks", "Js Qs")
    for viewer, expected in ((WATCHER, []), (ANN, []), (BOB, ["availables"]), (CAT, ["availables"]), (DAN, [])):
        messages = told(state, ANN, "attack 6c", viewer)
        assert names(messages) == ["table", *expected]
        assert plain(messages[0].data["table"]) == [{"attack": "6c", "defend": None}]
        assert (messages[0].data["action"], messages[0].data["box"]) == ("attack", ANN)
    (_, availables) = told(state, ANN, "attack 6c", BOB)
    assert plain(availables.data["availables"]) == [
        {"type": "defend", "attack_card": "6c", "defend_card": "7c"},
        {"type": "defend", "attack_card": "6c", "defend_card": "8h"},
        {"type": "take"},
    ]


def test_the_end_of_a_bout_is_told_with_new_cards_and_the_next_turn() -> None:
    state = after(position("6c 9s", "7c 8h Kd", "6d Ks", deck="10d Jd Qd Ad Ah"), (ANN, "attack 6c"))
    state = after(state, (BOB, "defend 6c 7c"))
    to_watcher, to_ann, to_bob, to_cat = (told(state, CAT, "finish", viewer) for viewer in (None, ANN, BOB, CAT))
    assert names(to_watcher) == ["table", "finishround", "turn"]
    assert names(to_ann) == ["table", "finishround", "cards", "turn"]
    assert names(to_bob) == ["table", "finishround", "turn", "availables"], (
        "the deck was empty before it was Bob's turn"
    )
    assert names(to_cat) == ["table", "finishround", "turn"]
    assert to_ann[2].data["cards"] == ("9s", "10d", "Jd", "Qd", "Ad", "Ah")
    finished = plain(to_watcher[1].data)
    assert (finished["box"], finished["taken"], finished["cards"]) == (BOB, False, ["6c", "7c"])


def test_a_pass_and_a_taking_are_told_to_all() -> None:
    state = after(position("6c 6s", "7c 8h", "6d Ks", deck="Ah"), (ANN, "attack 6c"))
    (passed,) = told(state, CAT, "finish", WATCHER)
    assert (passed.event, passed.data["action"], passed.data["box"]) == ("table", "finish", CAT)
    (taking, *_) = told(state, BOB, "take", WATCHER)
    assert (taking.data["action"], taking.data["automatic"], taking.data["gamestate"]["taking"]) == (
        "take",
        False,
        True,
    )
    unbeatable = position("6c 6s", "7d 8s", "6d Ks", deck="Ah")
    (_, taking) = told(unbeatable, ANN, "attack 6c", WATCHER)
    assert (taking.data["action"], taking.data["automatic"]) == ("take", True)


def test_every_message_carries_the_viewers_gamestate_after_it() -> None:
    state = position("6c 9s", "7d 8s Kd", "8d Ks", deck="10d Jd Qd Ad Ah")
    final = after(state, (ANN, "attack 6c"))
    for viewer in (WATCHER, ANN, BOB, CAT):
        messages = told(state, ANN, "attack 6c", viewer)
        assert all("gamestate" in message.data for message in messages)
        assert messages[-1].data["gamestate"] == GAME.view(final, viewer)


def test_what_may_be_done_can_be_posted_as_it_is() -> None:
    state = after(position("6c 6s 6d 9s", "7c 8h Kd Kc", "6h Ks", transfers=True), (ANN, "attack 6c"))
    for seat in (ANN, BOB, CAT):
        moves = GAME.legal_moves(state, seat)
        assert moves
        assert [msgspec.json.decode(msgspec.json.encode(move), type=DurakMove) for move in moves] == moves


@pytest.mark.parametrize(
    "body",
    [
        '{"type": "attack", "cards": ["1c"]}', '{"type": "attack", "cards": ["6x"]}',
        '{"type": "attack", "cards": ["C6"]}', '{"type": "attack", "cards": ["106c"]}',
        '{"type": "attack", "cards": ["6c\\n"]}', '{"type": "attack", "cards": []}',
        '{"type": "attack", "cards": "6c"}', '{"type": "attack"}', '{"type": "defend", "attack_card": "6c"}',
        '{"type": "transfer", "card": "kс"}', '{"type": "pass"}', '{"cards": ["6c"]}',
    ],
)  # fmt: skip
def test_what_is_not_a_move_is_unreadable(body: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(body, type=DurakMove)


def test_the_schema_of_moves_has_the_writing_of_cards() -> None:
    schema = msgspec.json.schema(DurakMove)
    assert schema["$defs"]["Transfer"]["properties"]["card"]["pattern"].startswith("^([6-9]|10|[JQKA])[cdhs]$")


def test_both_spellings_of_the_pairs_type_are_one() -> None:
    assert canonical("durak_podkidnoi_2\N{CYRILLIC SMALL LETTER HA}2") == "durak_podkidnoi_2x2"
    assert canonical("durak_podkidnoi_2x2") == "durak_podkidnoi_2x2"
