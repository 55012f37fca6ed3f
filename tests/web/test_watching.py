"""Who watches sees the game, and nothing that only the players may know."""

import json
import re
from typing import Any

import pytest
from playwright.async_api import expect

from tests.support.client import Json
from tests.support.convergence import stable
from tests.support.product import Product
from tests.web.conftest import Guest, Invite
from tests.web.pairs import cell, cells, seated
from tests.web.test_games import cabo_for_two, take_and_stop
from tests.web.visitor import play_to_the_end
from tests.web.wire import Wire

pytestmark = pytest.mark.asyncio(loop_scope="session")

OWN_MESSAGES = {"Card", "FirstTwoCards", "CardsIdentical", "CardsDifferent"}
"""What is told to one player only."""


async def test_whoever_comes_third_watches(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "xsos")
    watcher = await invite()
    await watcher.come_in(pair.link, "Wanda")
    await expect(pair.first.page.get_by_text("Watching:")).to_contain_text("Wanda")
    await pair.play(*cells(4, 0, 2, 1))
    await watcher.sees(cell(1), "O")
    await expect(watcher.headline).to_have_text(f"\u2068{pair.nicks[0]}\u2069 to play")
    await expect(watcher.playable).to_have_count(0)
    for name in ("Take the seat", "Resign", "Offer a draw", "Take back", "Leave for a while"):
        await expect(watcher.button(name)).to_be_hidden()
    await pair.first.point(cell(6)).click()
    await expect(watcher.headline).to_have_text(f"\u2068{pair.nicks[0]}\u2069 won")


def events_in(answers: list[bytearray]) -> list[tuple[str, Json]]:
    """The server-sent events among a server's answers, whatever chunks they came in."""
    found = []
    for connection in answers:
        text = re.sub(rb"\r\n[0-9a-f]+\r\n", b"", bytes(connection)).decode(errors="replace")
        for name, data in re.findall(r"event: (\w+)\ndata: (.*)\n", text):
            found.append((name, json.loads(data)))
    return found


def keys_of(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for each in value.values() for key in keys_of(each)}
    return {key for each in value for key in keys_of(each)} if isinstance(value, list) else set()


async def test_a_spectator_of_cabo_never_receives_a_hidden_card(product: Product, invite: Invite, guest: Guest) -> None:
    """Everything that the server sent to the spectator's browser, against what the seats were told and the log."""
    async with Wire(product.url) as wire:
        link, host, other = await cabo_for_two(product, invite, guest)
        spectator = await invite()
        await spectator.come_in(link.replace(product.url, wire.url), "Wanda")
        await expect(host.page.get_by_text("Watching:")).to_contain_text("Wanda")
        await play_to_the_end([host, other], take_and_stop)
        await expect(spectator.replay_link).to_be_visible()
        carried = b"".join(bytes(connection) for connection in wire.answers)
        sent = events_in(wire.answers)

    someone = await guest("Auditor")
    game = link.rsplit("/", 1)[1]
    replay = await someone.replay(game)
    public = [(each["event"], stable(each["data"])) for each in replay["events"]]
    told = [(name, data) for name, data in sent if name not in ("snapshot", "presence")]
    assert len(told) > 5, "the spectator followed the game"
    for name, data in told:
        assert (name, stable(data)) in public, f"{name} is no message for watchers"
    assert not {name for name, _ in sent} & OWN_MESSAGES
    for _, data in sent:
        assert data.get("gamestate", {}).get("known", []) == []
        assert data.get("gamestate", {}).get("drawn") is None
        assert "legal_moves" not in data
    for box in (0, 1):
        own = {e["event"] for e in (await someone.replay(game, box))["events"]}
        assert own & OWN_MESSAGES, "the players, for their part, were told cards"
    assert replay["seed"].encode() not in carried
    assert "seed" not in keys_of([data for _, data in sent])
