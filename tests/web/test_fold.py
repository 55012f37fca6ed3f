"""What the page believes after a game's events is what a fresh look at the game shows."""

import pytest

from tests.support.product import Product
from tests.web.conftest import Invite

pytestmark = pytest.mark.asyncio(loop_scope="session")

GAMES = {
    "xsos": {},
    "gomoku": {"size": 9},
    "go": {"size": 9},
    "tsuro": {},
    "cabo": {"limit": 20},
    "durak_perevodnoi": {},
}

FOLLOW = """async ([type, options]) => {
    const { Parlor } = await import("/parlor.js");
    const { fold } = await import("/fold.js");
    const parlor = new Parlor();
    if (!(await parlor.me())) await parlor.guest("Onlooker");
    const game = parlor.game((await parlor.createGame(type, ["bot:random", "bot:random"], options)).id);
    let heard = 0;
    const view = await new Promise((resolve) => {
        let view = null;
        const stop = game.follow({
            onEvent(name, data) {
                heard += 1;
                view = fold(view, name, data);
                if (view?.status !== "finished") return;
                stop();
                resolve(view);
            },
        }, "0");
    });
    const law = ({ status, players, sync, waits, gamestate, legal_moves, result, draw, version }) => ({
        status, sync, waits, gamestate, legal_moves, result, draw, version,
        players: players.map(({ box, user, timeBank }) => ({ box, user, timeBank })),
    });
    return [heard, JSON.parse(JSON.stringify(law(view))), law(await game.view())];
}"""


async def test_the_page_converges_in_every_game(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.page.goto(product.url)
    for game_type, options in GAMES.items():
        heard, believed, fresh = await visitor.page.evaluate(FOLLOW, [game_type, options])
        assert heard > 5
        assert believed == {name: value for name, value in fresh.items() if name != "legal_moves" or value}, game_type
