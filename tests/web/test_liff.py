"""The page at /liff, in real browsers: two windows, one link, a game that the clients run themselves."""

import asyncio

import pytest
from playwright.async_api import Response, expect

from tests.support.product import Product
from tests.support.relay import Peer
from tests.support.waiting import eventually
from tests.web.conftest import Guest, Invite
from tests.web.pairs import cell
from tests.web.visitor import Visitor
from tests.web.wire import Wire

pytestmark = pytest.mark.asyncio(loop_scope="session")

X_WINS = (4, 0, 2, 1, 6)


async def begin(host: Visitor, guest: Visitor, address: str) -> tuple[Visitor, Visitor]:
    """Both come in by the same link; returns X, who joined first, and O."""
    await host.come_in(f"{address}/liff", "Ann")
    await expect(host.headline).to_have_text("Waiting for an opponent")
    await expect(host.badge).to_have_text("live")
    link = await host.page.get_by_label("Send this link to your opponent").input_value()
    await guest.come_in(link, "Bob")
    await expect(host.headline).to_have_text("Your turn")
    await expect(guest.headline).to_have_text("The other's turn")
    return host, guest


def joined(answer: Response) -> bool:
    """Whether the server has heard a join; until then somebody else can come first."""
    return answer.ok and '"action":"join"' in (answer.request.post_data or "")


async def play(x: Visitor, o: Visitor, *cells: int, after: int = 0) -> None:
    for number, place in enumerate(map(cell, cells), start=after):
        mark = "O" if number % 2 else "X"
        await (o if number % 2 else x).point(place).click()
        await x.sees(place, mark)
        await o.sees(place, mark)


async def test_a_game_is_won_with_a_reload_in_the_middle(product: Product, invite: Invite) -> None:
    x, o = await begin(await invite(), await invite(), product.url)
    await play(x, o, *X_WINS[:2])
    await x.page.reload()
    await x.sees(cell(4), "X")
    await x.sees(cell(0), "O")
    await play(x, o, *X_WINS[2:4], after=2)
    await o.page.reload()
    await expect(o.badge).to_have_text("live")
    await play(x, o, *X_WINS[4:], after=4)
    await expect(x.headline).to_have_text("You won")
    await expect(o.headline).to_have_text("You lost")


async def test_two_windows_of_one_browser_are_two_players(product: Product, invite: Invite) -> None:
    first = await invite()
    async with first.page.context.expect_page() as opened:  # of two tabs the one in the back would get a frame a second
        await first.page.evaluate("void open('about:blank', '', 'popup,noopener')")
    second = Visitor(await opened.value)
    x, o = await begin(first, second, product.url)
    await play(x, o, *X_WINS)
    await expect(x.headline).to_have_text("You won")
    assert second.complaints == []


async def test_after_the_end_the_two_play_again(product: Product, invite: Invite) -> None:
    x, o = await begin(await invite(), await invite(), product.url)
    await play(x, o, *X_WINS)
    async with o.page.expect_response(joined):
        await o.button("Play again").click()
    await expect(o.headline).to_have_text("Waiting for an opponent")
    await x.button("Play again").click()
    await expect(o.headline).to_have_text("Your turn")  # whoever joined first is X now
    await play(o, x, *X_WINS)
    await expect(o.headline).to_have_text("You won")


async def test_the_last_word_on_the_game_before_does_not_touch_the_next_one(product: Product, invite: Invite) -> None:
    """Version 3 does not say which game a message belongs to, and we may begin anew before the other's last word."""
    visitor = await invite()
    await visitor.page.goto(f"{product.url}/liff")
    games = await visitor.page.evaluate(
        """async () => {
            const { fresh, heard } = await import("/liff/game.js");
            const late = [
                { action: "game_over", win: 1 },
                { action: "leave_game" },
                { action: "start_game_ack" },
                { action: "update_game", game: [1, 1, 1, -1, -1, 0, 0, 0, 0] },
            ];
            return late.map((message) => heard(fresh(), message)).concat([[fresh(), []]]);
        }"""
    )
    assert all(game == games[-1] for game in games)


async def test_who_leaves_is_seen_to_leave(product: Product, invite: Invite) -> None:
    x, o = await begin(await invite(), await invite(), product.url)
    await o.button("Leave").click()
    await expect(x.headline).to_have_text("The other player left")
    await expect(o.headline).to_have_text("You left")


async def test_a_third_window_is_told_that_the_room_is_full(product: Product, invite: Invite) -> None:
    x, _ = await begin(await invite(), await invite(), product.url)
    third = await invite()
    await third.come_in(x.page.url, "Eve")
    await expect(third.page.get_by_role("alert")).to_have_text("This room is full.")
    third.complaints.clear()  # the browser notes every refusal; here it is the point


async def test_a_cut_network_delays_the_game_and_loses_nothing(product: Product, invite: Invite) -> None:
    async with Wire(product.url) as wire:
        x, o = await begin(await invite(), await invite(), wire.url)
        await play(x, o, 4)
        wire.cut()
        await expect(o.badge).to_have_text("reconnecting")
        await o.point(cell(0)).click()
        wire.mend()
        await x.sees(cell(0), "O")
        await play(x, o, *X_WINS[2:], after=2)
        await expect(x.headline).to_have_text("You won")


async def test_a_page_that_has_lost_its_memory_hears_what_was_kept_for_it(
    product: Product, invite: Invite, guest: Guest
) -> None:
    ann, bob = [Peer(player, "lost") for player in (await guest("Ann"), await guest("Bob"))]
    await ann.send("join")
    await bob.send("join")  # which nobody has told Ann yet
    visitor = await invite()
    await visitor.page.goto(f"{product.url}/liff")
    heard = await visitor.page.evaluate(
        """async ([token, join]) => {
            const { relay } = await import("/relay.js");
            return new Promise((resolve) => {
                relay({ token }).on("server_msg", resolve).emit("client_msg", join);
                setTimeout(() => resolve({ action: "nothing", from: null }), 30_000);
            });
        }""",
        [ann.player.token, ann.payload("join", seq=0)],
    )
    assert (heard["action"], heard["from"]) == ("join", bob.id)


HEAR_ONE = """async ([token, room, join]) => {
    const { relay } = await import("/relay.js");
    return new Promise((resolve) => {
        const socket = relay({ token, room });
        socket.on("server_msg", ({ action }) => setTimeout(() => { socket.disconnect(); resolve(action); }));
        if (join) socket.emit("client_msg", join);
    });
}"""


async def test_what_was_heard_before_a_reload_is_not_heard_again(
    product: Product, invite: Invite, guest: Guest
) -> None:
    ann, bob = [Peer(player, "reloaded") for player in (await guest("Ann"), await guest("Bob"))]
    visitor = await invite()
    await visitor.page.goto(f"{product.url}/liff")
    hearing = asyncio.ensure_future(visitor.page.evaluate(HEAR_ONE, [ann.player.token, ann.room, ann.payload("join")]))
    await eventually(ann.look, lambda answer: answer.is_success)
    await bob.send("join")
    assert await hearing == "join"
    await visitor.page.reload()
    await bob.send("update_game", game=[1])
    assert await visitor.page.evaluate(HEAR_ONE, [ann.player.token, ann.room, None]) == "update_game"


@pytest.mark.parametrize("width", [360, 1440])
async def test_nothing_is_wider_than_the_screen(product: Product, invite: Invite, width: int) -> None:
    visitor = await invite(viewport={"width": width, "height": 740})
    await visitor.come_in(f"{product.url}/liff", "W" * 32)
    await expect(visitor.headline).to_have_text("Waiting for an opponent")
    assert await visitor.page.evaluate("document.documentElement.scrollWidth") <= width
