"""A page keeps its game through reloads, breaks and cuts of the network."""

import pytest
from playwright.async_api import Route, expect

from tests.support.product import Product
from tests.web.conftest import Guest, Invite
from tests.web.pairs import cell, cells, seated
from tests.web.wire import Wire

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_reload_in_the_middle_keeps_seat_and_board(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "xsos")
    await pair.play(*cells(4, 0))
    await pair.first.page.reload()
    await pair.first.sees(cell(4), "X")
    await pair.first.sees(cell(0), "O")
    await pair.first.point(cell(2)).click()
    await pair.second.sees(cell(2), "X")


async def test_a_device_that_was_offline_catches_up_and_plays_on(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "xsos")
    await pair.second.page.context.set_offline(True)
    await expect(pair.second.badge).to_have_text("reconnecting")
    await pair.first.point(cell(4)).click()
    await pair.first.sees(cell(4), "X")
    await pair.second.sees(cell(4), "empty")
    await pair.second.page.context.set_offline(False)
    await expect(pair.second.badge).to_have_text("live")
    await pair.second.sees(cell(4), "X")
    await pair.second.point(cell(0)).click()
    await pair.first.sees(cell(0), "O")


async def test_a_move_made_offline_arrives_once_the_network_is_back(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "xsos")
    await pair.first.page.context.set_offline(True)
    await pair.first.point(cell(4)).click()
    await expect(pair.first.playable).to_have_count(0)
    await pair.second.sees(cell(4), "empty")
    await pair.first.page.context.set_offline(False)
    await pair.second.sees(cell(4), "X")
    await pair.first.sees(cell(4), "X")


async def test_a_move_whose_answer_was_lost_is_played_once(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "xsos")
    sent = []

    async def lose_the_first_answer(route: Route) -> None:
        sent.append(route.request.headers["idempotency-key"])
        if len(sent) == 1:
            await route.fetch()
            await route.abort()
        else:
            await route.continue_()

    await pair.first.page.route("**/moves", lose_the_first_answer)
    async with pair.first.page.expect_response("**/moves") as answered:
        await pair.first.point(cell(4)).click()
    assert (await answered.value).ok
    assert len(sent) == 2
    assert sent[0] == sent[1]
    await pair.second.sees(cell(4), "X")
    assert await pair.first.toasts() == []


async def test_a_broken_stream_is_resumed_where_it_stopped(product: Product, invite: Invite) -> None:
    async with Wire(product.url) as wire:
        pair = await seated(invite, wire.url, "xsos")
        watcher = await invite()
        await watcher.come_in(pair.link.replace(wire.url, product.url), "Wanda")
        await pair.play(*cells(4))
        wire.cut()
        await expect(pair.second.badge).to_have_text("reconnecting")
        async with pair.second.page.expect_request("**/session/games/*/events") as resumed:
            wire.mend()
        assert "last-event-id" in await (await resumed.value).all_headers()
        await expect(pair.second.badge).to_have_text("live")
        await pair.second.point(cell(0)).click()
        await pair.first.sees(cell(0), "O")
        await watcher.sees(cell(0), "O")


async def test_a_broken_stream_is_asked_for_what_came_after_the_last_event_that_was_heard(
    product: Product, invite: Invite, guest: Guest
) -> None:
    async with Wire(product.url) as wire:
        pair = await seated(invite, wire.url, "xsos")
        await pair.play(*cells(4, 0))
        version = (await (await guest("Eve")).view(pair.game))["version"]
        wire.cut()
        await expect(pair.second.badge).to_have_text("reconnecting")
        async with pair.second.page.expect_request("**/games/*/events") as resumed:
            wire.mend()
        assert (await (await resumed.value).all_headers())["last-event-id"] == str(version)


async def test_a_player_who_goes_away_is_shown_offline(product: Product, invite: Invite) -> None:
    pair = await seated(invite, product.url, "xsos")
    await expect(pair.first.player(pair.nicks[1])).to_contain_text("online")
    await pair.second.page.goto("about:blank")
    await expect(pair.first.player(pair.nicks[1])).to_contain_text("offline")


async def test_a_game_that_does_not_exist_is_said_so(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.come_in(f"{product.url}/#/game/nowhere", "Ann")
    await expect(visitor.headline).to_have_text("There is no such game.")
    await visitor.link("All games").click()
    await expect(visitor.button("Play a bot: Gomoku")).to_be_enabled()
    visitor.complaints.clear()  # the browser notes every 404; here it is the point


SPLIT = """async () => {
    const { parser } = await import("/stream.js");
    const text = ': hello\\nretry: 1000\\n\\nid: 7.0\\nevent: a\\ndata: {"x":1}\\n\\nevent: b\\r\\ndata: [1,\\r\\ndata: 2]\\r\\n\\r\\nid: 8\\ndata: "é"\\n\\n';
    const all = [];
    for (let size = 1; size <= text.length; size++) {
        const heard = [];
        const parse = parser((name, data, id) => heard.push([name, data, id]));
        for (let at = 0; at < text.length; at += size) parse(text.slice(at, at + size));
        all.push(JSON.stringify(heard));
    }
    return [...new Set(all)];
}"""  # noqa: E501


async def test_however_a_stream_is_cut_into_pieces_its_events_are_the_same(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.page.goto(product.url)
    assert await visitor.page.evaluate(SPLIT) == [
        '[["a",{"x":1},"7.0"],["b",[1,2],null],["message","é","8"]]',
    ]
