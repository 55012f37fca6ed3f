"""A finished game is looked at again, through anyone's eyes, and its deal is checked in the browser."""

import json

import pytest
from playwright.async_api import Route, expect

from tests.support.product import Product
from tests.support.xsos import Match
from tests.web.conftest import Guest, Invite
from tests.web.pairs import cell
from tests.web.visitor import Visitor

pytestmark = pytest.mark.asyncio(loop_scope="session")


STEP_MS = 900  # of a replay that plays by itself


async def finished(product: Product, invite: Invite, guest: Guest) -> Visitor:
    """Somebody, whose clock can be held, at the table of a game that two others have just finished."""
    match = await Match.start(await guest("Bob"), await guest("Carl"))
    await match.play(4, 0, 2, 1, 6)
    visitor = await invite(fresh=True)
    await visitor.page.clock.install()
    await visitor.come_in(f"{product.url}/#/game/{match.id}", "Ann")
    await expect(visitor.replay_link).to_be_visible()
    return visitor


async def test_a_game_is_stepped_through(product: Product, invite: Invite, guest: Guest) -> None:
    visitor = await finished(product, invite, guest)
    await visitor.replay_link.click()
    await visitor.sees(cell(4), "empty")
    await visitor.button("One step on").click()
    await visitor.sees(cell(4), "X")
    await visitor.button("One step on").click()
    await visitor.sees(cell(0), "O")
    await visitor.button("One step back").click()
    await visitor.sees(cell(0), "empty")
    slider = visitor.page.get_by_role("slider", name="Position in the game")
    await slider.focus()
    await visitor.page.keyboard.press("End")
    await visitor.sees(cell(6), "X")
    await expect(visitor.page.locator("[data-last]")).to_have_accessible_name(f"{cell(6)}: X")
    await expect(visitor.headline).to_contain_text("won")
    await visitor.button("To the beginning").click()
    await visitor.page.clock.pause_at(await visitor.page.evaluate("Date.now() / 1000 + 1"))
    await visitor.button("Play").click()
    await visitor.page.clock.run_for(STEP_MS)
    await visitor.sees(cell(4), "X")
    await visitor.sees(cell(0), "empty")
    await visitor.button("Pause").click()
    await visitor.page.clock.run_for(STEP_MS)
    await visitor.sees(cell(0), "empty")


async def test_a_deal_is_verified_in_the_browser(product: Product, invite: Invite, guest: Guest) -> None:
    visitor = await finished(product, invite, guest)
    await visitor.replay_link.click()
    await visitor.button("Verify this deal").click()
    checks = visitor.page.locator(".checks [data-holds]")
    await expect(checks).to_have_count(3)
    await expect(visitor.page.locator(".checks [data-holds=true]")).to_have_count(3)


async def forged(route: Route) -> None:
    """A dishonest server shows another seed than it committed to."""
    response = await route.fetch()
    replay = await response.json()
    replay["seed"] = "00" * 32
    await route.fulfill(response=response, body=json.dumps(replay))


async def test_a_forged_seed_is_noticed(product: Product, invite: Invite, guest: Guest) -> None:
    visitor = await finished(product, invite, guest)
    await visitor.page.route("**/replay", forged)
    await visitor.replay_link.click()
    await visitor.button("Verify this deal").click()
    await expect(visitor.page.get_by_text("✗ The seed is not the one that was committed to.")).to_be_visible()


SHUFFLED = {
    "durak_podkidnoi": (3, {}),
    "durak_podkidnoi_2x2": (4, {}),
    "durak_perevodnoi": (6, {}),
    "cabo": (3, {"limit": 12}),
    "tsuro": (4, {}),
}
"""How many bots play what, for several rounds or refills."""

PLAY_AND_VERIFY = """async ([type, seats, options]) => {
    const { Parlor } = await import("/parlor.js");
    const { verify } = await import("/verify.js");
    const parlor = new Parlor();
    if (!(await parlor.me())) await parlor.guest("Auditor");
    const { id } = await parlor.createGame(type, Array(seats).fill("bot:random"), options);
    const game = parlor.game(id);
    await new Promise((resolve) => {
        const stop = game.follow({
            onEvent(name, data) {
                if (name !== "game_over" && data.status !== "finished") return;
                stop();
                resolve();
            },
        });
    });
    const whole = await game.replay();
    const each = await Promise.all(Array.from({ length: seats }, (_, box) => game.replay(box)));
    const judge = async (forge = () => {}) => {
        const [replay, boxes] = structuredClone([whole, each]);
        forge(replay, boxes);
        return Object.fromEntries((await verify(replay, boxes)).map(({ check, holds }) => [check, holds]));
    };
    const swap = (list) => ([list[0], list[1]] = [list.find((each) => each !== list[0]), list[0]]);
    const LOGGED = {
        durak: ({ log }) => swap(log.find(({ facts }) => facts[0].type === "started").facts[0].position.hands[0]),
        cabo: ({ log }) => swap(log.find(({ facts }) => facts[0].events?.[0].event === "round_started").facts[0].events[0].deck),
        tsuro: ({ log }) => swap(log.find(({ facts }) => facts[0].type === "started").facts[0].position.supply),
    };
    const TOLD = {
        durak: ([seat]) => seat.events.find(({ event }) => event === "started").data.gamestate.hand.pop(),
        cabo: ([seat]) => (seat.events.find(({ event }) => event === "FirstTwoCards").data.value1 += 1),
        tsuro: ([seat]) => swap(seat.events.find(({ event }) => event === "generate_first_move").data.tiles),
    };
    const kind = type.split("_")[0];
    return [
        await judge(),
        await judge((replay) => LOGGED[kind](replay)),
        await judge((_, boxes) => TOLD[kind](boxes)),
    ];
}"""  # noqa: E501


@pytest.mark.parametrize("game_type", SHUFFLED)
async def test_shuffles_are_made_again_from_the_seed(product: Product, invite: Invite, game_type: str) -> None:
    """A deal in the log, or in what a seat was told, that the seed does not give is noticed."""
    visitor = await invite()
    await visitor.page.goto(product.url)
    honest, other_deal, other_words = await visitor.page.evaluate(PLAY_AND_VERIFY, [game_type, *SHUFFLED[game_type]])
    assert honest == {"commitment": True, "deal": True, "told": True}
    assert other_deal == {"commitment": True, "deal": False, "told": True}
    assert other_words == {"commitment": True, "deal": True, "told": False}


async def test_without_a_secure_context_the_hash_is_made_by_hand(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.page.goto(product.url)
    assert await visitor.page.evaluate(
        """async () => {
            const { plainSha256, sha256 } = await import("/sha256.js");
            const differ = [];
            for (let size = 0; size < 130; size++) {
                const bytes = crypto.getRandomValues(new Uint8Array(size));
                if (String(plainSha256(bytes)) !== String(await sha256(bytes))) differ.push(size);
            }
            return differ;
        }"""
    ) == []  # fmt: skip


STEPS_TO_THE_DEAL = 10  # that are more than enough


async def own_card(visitor: Visitor, number: int) -> str:
    return await visitor.page.locator(f".board [aria-label^='Your card {number}:']").get_attribute("aria-label") or ""


async def test_a_replay_shows_what_each_seat_saw(product: Product, invite: Invite, guest: Guest) -> None:
    maker = await guest("Maker")
    game = (await maker.create(["bot:careful", "bot:careful"], {"limit": 1}, "cabo"))["id"]
    visitor = await invite()
    await visitor.come_in(f"{product.url}/#/game/{game}", "Ann")
    await visitor.replay_link.click()
    eyes = visitor.page.get_by_label("Through the eyes of")
    await expect(eyes).to_have_value("watcher")
    await eyes.select_option("0")
    await expect(visitor.page.locator(".replay-controls")).not_to_have_attribute("aria-busy", "true")
    for _ in range(STEPS_TO_THE_DEAL):
        await visitor.button("One step on").click()
        if "Your first two cards" in await visitor.said.inner_text():
            break
    assert "unknown" not in await own_card(visitor, 1)
    assert "unknown" in await own_card(visitor, 3)
    await visitor.button("Verify this deal").click()
    await expect(visitor.page.locator(".checks [data-holds=true]")).to_have_count(4)
    await expect(visitor.page.locator(".checks [data-holds=false]")).to_have_count(0)
    await eyes.select_option("a watcher")
    await expect(visitor.page.locator(".board [aria-label^='Your card']")).to_have_count(0)


async def test_a_game_that_is_not_over_has_no_replay(product: Product, invite: Invite, guest: Guest) -> None:
    game = (await (await guest("Bob")).create())["id"]
    visitor = await invite()
    await visitor.come_in(f"{product.url}/#/replay/{game}", "Ann")
    await expect(visitor.headline).to_have_text("There is no replay of this game.")
    visitor.complaints.clear()  # the browser notes every 409; here it is the point
