"""The thirteen flows of Cabo with three clients and a watcher: who is sent what, in which order, and not before the
others have acknowledged.

Nobody knows the deal; each test plays on until the cards that it needs have come, by what the clients are told.
"""

from collections.abc import AsyncIterator

import pytest

from tests.conftest import Guest
from tests.support.cabo_clients import WATCHER, Told, Trio
from tests.support.client import Json, Player


@pytest.fixture
async def table(ann: Player, bob: Player, guest: Guest, eve: Player) -> AsyncIterator[Trio]:
    """Nobody has started the first round yet."""
    async with Trio.seated([ann, bob, await guest("Cid")], eve) as trio:
        yield trio


@pytest.fixture
async def trio(table: Trio) -> Trio:
    """The first round has begun."""
    await table.start()
    return table


def places_of_a_pair(seen: Json) -> list[int]:
    """Where two cards lie that are known to be equal."""
    known = seen["known"]
    for place, value in enumerate(known):
        if value is not None and value in known[:place]:
            return [known.index(value), place]
    return []


async def test_start_a_new_round(table: Trio) -> None:
    flow = await table.play(1, "StartRound")
    dealt = await flow.wave({0: "FirstTwoCards", 1: "FirstTwoCards", 2: "FirstTwoCards", WATCHER: ("RoundStarted", {})})
    for box in range(3):
        event = dealt[box]
        assert event.data["gamestate"]["known"] == [event.data["value1"], event.data["value2"], None, None]
        assert event.data["gamestate"]["turn"] is None
    flow.before = [await table.state(box) for box in range(4)]
    await flow.acks(0, 1, 2, untold=())
    (first,) = [box for box in range(3) if (await table.state(box))["turn"] is None]
    await flow.others_first(first, ("TurnStart", {"playerIndex": first}))
    assert await table.order() == (first, (first + 1) % 3, (first + 2) % 3)
    assert (await table.view(first))["sync"]["turn"] == "my_turn"


async def test_pick_a_card_from_the_heap(trio: Trio) -> None:
    c1, _, _ = await trio.order()
    flow = await trio.play(c1, "TakeCardFromHeap")
    events = await flow.others_first(c1, ("HeapCardTaken", {"playerIndex": c1}), own={c1: "Card"})
    assert events[c1].data["gamestate"]["drawn"] == events[c1].data["value"]
    assert {event.data["gamestate"]["phase"] for event in events.values()} == {"C"}
    assert [event.data["gamestate"]["drawn"] for box, event in events.items() if box != c1] == [None] * 3


async def test_replace_a_card_in_hand_by_the_topmost_discarded_card(trio: Trio) -> None:
    c1, seen = await trio.turns_until(lambda seen: seen["discard"] is not None and seen["phase"] == "B")
    c2 = (c1 + 1) % 3
    flow = await trio.play(c1, "ReplaceCardByDiscarded", handCardIndex=0)
    told: Told = ("CardReplaced", {"playerIndex": c1, "handCardIndex": 0, "discardedValue": seen["known"][0]})
    events = await flow.others_first(c2, told)
    assert events[c1].data["gamestate"]["known"][0] == seen["discard"]
    assert events[c2].data["gamestate"]["turn"] == c2
    assert events[c2].data["sync"]["turn"] == "my_turn"


async def test_claim_to_have_identical_cards_and_succeed(trio: Trio) -> None:
    c1, seen = await trio.turns_until(lambda seen: seen["phase"] == "B" and places_of_a_pair(seen) != [])
    places = places_of_a_pair(seen)
    value = seen["known"][places[0]]
    flow = await trio.play(c1, "ShowCards", handCardIndexes=places)
    shown: Told = ("CardsShown", {"playerIndex": c1, "handCardIndexes": places, "values": [value, value]})
    events = await flow.others_first(c1, shown, own={c1: ("CardsIdentical", {"discardedValue": value})})
    assert (events[c1].data["gamestate"]["phase"], events[c1].data["sync"]["turn"]) == ("D", "my_turn")


async def test_claim_to_have_identical_cards_and_fail(trio: Trio) -> None:
    c1, seen = await trio.turns_until(lambda seen: seen["phase"] == "B" and len(set(seen["known"]) - {None}) > 1)
    first, second = [
        (place, value)
        for place, value in enumerate(seen["known"])
        if value is not None and value not in seen["known"][:place]
    ][:2]
    c2 = (c1 + 1) % 3
    flow = await trio.play(c1, "ShowCards", handCardIndexes=[second[0], first[0]])
    shown: Told = (
        "CardsShown",
        {"playerIndex": c1, "handCardIndexes": [second[0], first[0]], "values": [second[1], first[1]]},
    )
    events = await flow.others_first(c2, shown, own={c1: ("CardsDifferent", {})})
    assert events[c1].data["gamestate"]["known"] == seen["known"]
    assert events[c2].data["gamestate"]["turn"] == c2


async def test_stop_the_round(trio: Trio) -> None:
    c1, c2, _ = await trio.order()
    flow = await trio.play(c1, "StopRound")
    events = await flow.others_first(c2, ("Stopping", {"playerIndex": c1}))
    assert [events[box].data["gamestate"]["stopper"] for box in range(4)] == [c1] * 4
    assert events[c2].data["gamestate"]["turn"] == c2


async def test_replace_a_card_in_hand_by_the_picked_card(trio: Trio) -> None:
    c1, c2, _ = await trio.order()
    seen = await trio.hurry(c1, "TakeCardFromHeap")
    flow = await trio.play(c1, "ReplaceCard", handCardIndex=1)
    told: Told = ("CardReplaced", {"playerIndex": c1, "handCardIndex": 1, "discardedValue": seen["known"][1]})
    events = await flow.others_first(c2, told)
    assert events[c1].data["gamestate"]["known"][1] == seen["drawn"]
    assert events[c2].data["gamestate"]["turn"] == c2


async def test_discard_the_picked_card(trio: Trio) -> None:
    c1 = await trio.drawn(0, 1, 2, 3, 4, 5, 6, 13)
    c2 = (c1 + 1) % 3
    value = (await trio.state(c1))["drawn"]
    flow = await trio.play(c1, "Discard")
    events = await flow.others_first(c2, ("Discarded", {"playerIndex": c1, "discardedValue": value}))
    assert (events[c2].data["gamestate"]["discard"], events[c2].data["gamestate"]["turn"]) == (value, c2)


async def discarded_for_its_power(trio: Trio, *values: int, power: str) -> tuple[int, int, int]:
    """Somebody draws one of these and discards it; the others are told first, and it goes on."""
    c1 = await trio.drawn(*values)
    value = (await trio.state(c1))["drawn"]
    flow = await trio.play(c1, "Discard")
    events = await flow.others_first(c1, ("Discarded", {"playerIndex": c1, "discardedValue": value}))
    state = events[c1].data["gamestate"]
    assert (state["turn"], state["phase"], state["power"], state["drawn"]) == (c1, "C", power, None)
    return await trio.order()


async def test_discard_a_7_or_8_and_peek_at_an_own_card(trio: Trio) -> None:
    c1, c2, _ = await discarded_for_its_power(trio, 7, 8, power="PeekOwnCard")
    flow = await trio.play(c1, "PeekOwnCard", handCardIndex=3)
    peeked: Told = ("OwnCardPeeked", {"playerIndex": c1, "handCardIndex": 3})
    events = await flow.others_first(c2, peeked, own={c1: "Card"})
    assert events[c1].data["gamestate"]["known"][3] == events[c1].data["value"]
    assert events[c2].data["gamestate"]["turn"] == c2


@pytest.mark.parametrize("whose", ["the next player's", "the third player's"])
async def test_discard_a_9_or_10_and_peek_at_a_card_of_another(trio: Trio, whose: str) -> None:
    c1, c2, c3 = await discarded_for_its_power(trio, 9, 10, power="PeekCard")
    other = c2 if whose == "the next player's" else c3
    theirs = (await trio.state(other))["known"][0]
    flow = await trio.play(c1, "PeekCard", anotherPlayerIndex=other, handCardIndex=0)
    peeked: Told = ("CardPeeked", {"playerIndex": c1, "anotherPlayerIndex": other, "handCardIndex": 0})
    events = await flow.others_first(c2, peeked, own={c1: ("Card", {"value": theirs})})
    assert events[c2].data["gamestate"]["turn"] == c2


async def test_discard_an_11_or_12_and_exchange_cards(trio: Trio) -> None:
    c1, c2, c3 = await discarded_for_its_power(trio, 11, 12, power="ExchangeCards")
    flow = await trio.play(c1, "ExchangeCards", handCardIndex=0, anotherPlayerIndex=c3, anotherPlayerHandCardIndex=1)
    exchanged: Told = (
        "CardsExchanged",
        {"playerIndex": c1, "handCardIndex": 0, "anotherPlayerIndex": c3, "anotherPlayerHandCardIndex": 1},
    )
    events = await flow.others_first(c2, exchanged)
    assert (events[c1].data["gamestate"]["known"][0], events[c3].data["gamestate"]["known"][1]) == (None, None)
    assert events[c2].data["gamestate"]["turn"] == c2


async def a_pair_is_shown(trio: Trio) -> tuple[int, Json, list[int]]:
    """Somebody has shown two equal cards; return who, what it saw before, and where they lay."""
    c1, seen = await trio.turns_until(
        lambda seen: seen["phase"] == "B" and seen["discard"] is not None and places_of_a_pair(seen) != []
    )
    places = places_of_a_pair(seen)
    await trio.hurry(c1, "ShowCards", handCardIndexes=places)
    return c1, seen, places


async def test_replace_multiple_cards_with_a_card_from_the_heap(trio: Trio) -> None:
    c1, seen, places = await a_pair_is_shown(trio)
    c2 = (c1 + 1) % 3
    flow = await trio.play(c1, "TakeCardFromHeap")
    events = await flow.others_first(c2, ("HeapCardTaken", {"playerIndex": c1}), own={c1: "Card"})
    after = events[c1].data["gamestate"]
    assert after["known"] == one_card_for(seen["known"], places, events[c1].data["value"])
    assert (after["turn"], after["discard"]) == (c2, seen["known"][places[0]])
    assert after["hands"][c1] == {"box": c1, "cards": len(seen["known"]) - 1}


async def test_replace_multiple_cards_with_a_discarded_card(trio: Trio) -> None:
    c1, seen, places = await a_pair_is_shown(trio)
    c2 = (c1 + 1) % 3
    flow = await trio.play(c1, "TakeDiscardedCard")
    taken: Told = ("DiscardedCardTaken", {"playerIndex": c1, "value": seen["discard"]})
    events = await flow.others_first(c2, taken, own={c1: ("Card", {"value": seen["discard"]})})
    after = events[c1].data["gamestate"]
    assert after["known"] == one_card_for(seen["known"], places, seen["discard"])
    assert (after["turn"], after["discard"]) == (c2, seen["known"][places[0]])


def one_card_for(known: list[int | None], places: list[int], taken: int) -> list[int | None]:
    """The taken card lies at the lowest of the places, the others close up."""
    left = [value for place, value in enumerate(known) if place not in places[1:]]
    left[places[0]] = taken
    return left


async def test_the_last_turn_of_a_round_has_its_two_waves_and_then_everyone_is_told_of_the_end(trio: Trio) -> None:
    c1, c2, c3 = await trio.order()
    await trio.hurry(c1, "StopRound")
    for box in (c2, c3):
        await trio.hurry(box, "TakeCardFromHeap")
        if box == c2:
            await trio.hurry(box, "ReplaceCard", handCardIndex=0)
    seen = await trio.state(c3)
    flow = await trio.play(c3, "ReplaceCard", handCardIndex=0)
    told: Told = ("CardReplaced", {"playerIndex": c3, "handCardIndex": 0, "discardedValue": seen["known"][0]})
    events = await flow.others_first(c1, told)
    assert events[c1].data["sync"]["turn"] == "not_my_turn"
    flow.before = [await trio.state(box) for box in range(4)]
    await flow.acks(c1, untold=(0, 1, 2, WATCHER))
    ends = await flow.wave(dict.fromkeys(range(4), "RoundFinished"))
    data = ends[WATCHER].data
    sums = [sum(hand) for hand in data["hands"]]
    lowest = min(sums)
    assert data["hands"][c3][0] == seen["drawn"]
    assert data["totalScores"] == data["scores"]
    assert data["isGameFinished"] is False
    for box in (c2, c3):
        assert data["scores"][box] == (0 if sums[box] == lowest else sums[box])
    in_vain = sums[c1] > lowest or sums.count(lowest) > 1
    assert data["scores"][c1] == (sums[c1] + 5 if in_vain else 0)
    assert data["scores"][data["starter"]] == 0
    for box in range(4):
        assert ends[box].data["gamestate"]["starter"] == data["starter"]
    assert [(wait["box"], wait["name"]) for wait in data["waits"]] == [(data["starter"], "start")]
