"""The first page: a name, every game, a language and a look."""

import pytest
from playwright.async_api import expect

from tests.support.product import Product
from tests.web.conftest import Invite

pytestmark = pytest.mark.asyncio(loop_scope="session")

GAMES = ["Xs and Os", "Gomoku", "Go", "Tsuro", "Cabo", "Durak"]


async def test_every_game_is_one_click_from_a_bot(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.page.goto(product.url)
    await visitor.page.get_by_label("Your name").fill("Ann")
    for game in GAMES:
        await visitor.button(f"Play a bot: {game}").click()
        await expect(visitor.player("(you)")).to_contain_text("Ann")
        await expect(visitor.page.locator(".players .tag").first).to_have_text("bot")
        await expect(visitor.page.locator(".board > svg")).to_be_visible()
        await visitor.page.goto(f"{product.url}/#/")
    await expect(visitor.page.get_by_role("region", name="Come back to").get_by_role("link")).to_have_count(len(GAMES))


async def test_bots_of_one_kind_are_told_apart(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.page.goto(product.url)
    await visitor.button("Play a bot: Durak").click()
    for _ in range(2):
        for name in ("cautious 1", "cautious 2"):
            await expect(visitor.player(name)).to_have_count(1)
        await visitor.page.reload()


async def test_a_game_to_ones_own_taste(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.page.goto(f"{product.url}/#/new/gomoku")
    await visitor.page.get_by_label("Lines").fill("9")
    await visitor.page.get_by_label("Rule").select_option("renju")
    await visitor.page.get_by_label("Seat 2").select_option("open")
    await visitor.button("Start").click()
    await expect(visitor.headline).to_have_text("Waiting for players")
    await expect(visitor.page.locator(".point")).to_have_count(81)


async def test_signing_out_ends_at_the_door(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.page.goto(product.url)
    await visitor.button("Play a bot: Xs and Os").click()
    await expect(visitor.headline).not_to_have_text("Opening the table…")
    await visitor.button("Settings").click()
    await visitor.button("Sign out").click()
    await expect(visitor.page.get_by_label("Your name")).to_be_visible()
    await visitor.page.reload()
    await expect(visitor.page.get_by_label("Your name")).to_be_visible()


async def test_a_guest_keeps_the_name_with_a_password(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.come_in(f"{product.url}/#/me", "Keeper of names")
    await visitor.page.get_by_label("Password").first.fill("long enough")
    await visitor.button("Make an account").click()
    await expect(visitor.page.get_by_text("You have an account.")).to_be_visible()
    other = await invite()
    await other.come_in(f"{product.url}/#/me", "Somebody")
    await other.page.locator("#account-login-nick").fill("keeper of names")
    await other.page.locator("#account-login-password").fill("long enough")
    await other.button("Sign in").click()
    await expect(other.headline).to_have_text("Keeper of names")


async def test_the_page_speaks_the_browsers_language_or_the_chosen_one(product: Product, invite: Invite) -> None:
    visitor = await invite(locale="ru-RU")
    await visitor.page.goto(product.url)
    await expect(visitor.headline).to_have_text("Садитесь и играйте")
    await visitor.button("С ботом: Гомоку").click()
    await expect(visitor.page.get_by_role("list", name="Игроки")).to_contain_text("(вы)")
    await visitor.button("Настройки").click()
    await visitor.page.get_by_label("Язык").select_option("en")
    await expect(visitor.page.get_by_role("list", name="Players")).to_contain_text("(you)")
    await visitor.page.reload()
    await expect(visitor.page.get_by_role("list", name="Players")).to_contain_text("(you)")
    assert await visitor.page.evaluate("document.documentElement.lang") == "en"


CATALOGUES = """async () => {
    const languages = await (await fetch("/i18n/index.json")).json();
    const load = async (name) => (await import(`/i18n/${name}.js`)).default;
    const blanks = (message) => {
        const forms = typeof message === "string" ? [message] : Object.values(message);
        return [...new Set(forms.flatMap((form) => form.match(/\\{\\w+\\}/g) ?? []))].sort().join();
    };
    const english = await load("en");
    const faults = [];
    for (const language of languages) {
        const messages = await load(language);
        const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
        for (const key of new Set([...Object.keys(english), ...Object.keys(messages)])) {
            if (!(key in messages) || !(key in english)) faults.push(`${language} ${key} is in one catalogue only`);
            else if (blanks(messages[key]) !== blanks(english[key])) faults.push(`${language} ${key} has other blanks`);
            else if (typeof messages[key] === "object")
                for (const each of categories.filter((each) => !(each in messages[key])))
                    faults.push(`${language} ${key} has no form for ${each}`);
        }
    }
    return [languages, faults];
}"""


async def test_every_language_says_everything(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.page.goto(product.url)
    languages, faults = await visitor.page.evaluate(CATALOGUES)
    assert faults == []
    assert {"en", "ru"} <= set(languages)


async def test_the_chosen_look_stays(product: Product, invite: Invite) -> None:
    visitor = await invite(color_scheme="light")
    await visitor.page.goto(product.url)
    background = "getComputedStyle(document.querySelector('.game')).backgroundColor"
    await expect(visitor.page.locator(".game").first).to_be_visible()
    light = await visitor.page.evaluate(background)
    await visitor.button("Settings").click()
    await visitor.page.get_by_label("Look").select_option("dark")
    assert await visitor.page.evaluate(background) != light
    await visitor.page.reload()
    await expect(visitor.page.locator(".game").first).to_be_visible()
    assert await visitor.page.evaluate(background) != light


async def test_sound_is_off_at_first(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.page.goto(product.url)
    await visitor.button("Settings").click()
    await expect(visitor.page.get_by_label("Sound")).not_to_be_checked()


async def test_the_settings_stay_open_when_a_language_is_chosen(product: Product, invite: Invite) -> None:
    visitor = await invite()
    await visitor.page.goto(product.url)
    await visitor.button("Settings").click()
    await visitor.page.get_by_label("Language").select_option("ru")
    await expect(visitor.page.get_by_label("Оформление")).to_be_visible()
