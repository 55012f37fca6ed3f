"""Money never goes missing: not when the bank crashes between any two steps, nor when it hears the same thing twice."""

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import TimeoutError

from services.lobby import letters as mail
from services.lobby.channels import Who
from services.lobby.ledger import bet_key, divided, escrow, house, settle_key, wallet
from shared import bridge
from shared.ids import GameId, UserId, derived_id, new_id
from tests.lobby.bank_rig import GRANTED, Crash, Rig, migrated, rig
from tests.support.databases import Database
from tests.support.product import short_directory
from tests.support.redis_server import RedisServer

pytestmark = pytest.mark.both_databases

CURRENCY = "FUN"
AT_ONCE = 8
BETS = (100, 500, 1000, 5000)


@pytest.fixture(scope="module")
def redis_server() -> Iterator[RedisServer]:
    with short_directory() as home, RedisServer(home) as server:
        yield server


@pytest.fixture
async def bank(redis_server: RedisServer, database: Database) -> AsyncIterator[Rig]:
    async with rig(redis_server.url, await migrated(database.url(f"bank-{new_id()}"))) as made:
        yield made


def balance(balances: dict[str, int], user: UserId) -> int:
    return balances[wallet(user, CURRENCY).id]


class TableForTwo:
    """A match that has come as far as its bets."""

    def __init__(self, bank: Rig, players: list[UserId], bet: int) -> None:
        self.bank = bank
        self.id = new_id()
        self.game = GameId(derived_id("game of table", self.id, "0"))
        self._who = tuple(Who(user, "Somebody", None, f"channel of {user}") for user in players)
        self._bet = bet

    async def ready(self) -> None:
        bank, tickets = self.bank, tuple(new_id() for _ in self._who)
        await bank.table(self.id, mail.MatchMade("xsos", self._bet, CURRENCY, self._who, tickets))
        for who in self._who:
            await bank.table(self.id, mail.Ready(who))
        await bank.news(bridge.SeatsKnown(self.game, self.id, 1_000))

    async def over(self, status: str, *winners: int) -> None:
        players = tuple(who.user for who in self._who)
        over = bridge.GameOver(self.game, "xsos", 1, status, self.id, players, winners)
        await self.bank.news(over)
        await self.bank.news(over)

    async def letter(self, kind: type) -> mail.ToBank:
        [found] = [each for each in await self.bank.sent(self.id, self.game) if isinstance(each, kind)]
        assert isinstance(found, mail.TakeBets | mail.Settle)
        return found

    async def orders(self) -> list[str]:
        sent = await self.bank.sent(self.id, self.game)
        return [type(each).__name__ for each in sent if not isinstance(each, mail.TakeBets | mail.Settle)]


async def crashed_once(bank: Rig, letter: mail.ToBank, after: int) -> bool:
    """Deliver a letter with a crash after so many steps, then again and once more; was there so much to do?"""
    bank.fuse.left = after
    try:
        await bank.bank(letter)
    except Crash:
        crashed = True
    else:
        crashed, bank.fuse.left = False, float("inf")
    await bank.audit()
    await bank.bank(letter)
    await bank.bank(letter)
    return crashed


async def test_a_bank_that_crashes_between_any_two_steps_takes_each_bet_once_and_pays_once(bank: Rig) -> None:
    ann, bob = [await bank.newcomer() for _ in range(2)]
    crashed, games = True, 0
    while crashed:
        table = TableForTwo(bank, [ann, bob], 100)
        await table.ready()
        assert await table.orders() == ["MakeGame"], "the game waits for its bets"
        crashed = await crashed_once(bank, await table.letter(mail.TakeBets), after=games)
        assert await table.orders() == ["MakeGame", "StartGame"]
        assert (await bank.audit())[escrow(table.game, CURRENCY).id] == 200

        await bank.news(bridge.GameStarted(table.game, table.id))
        await table.over("finished", 1)
        crashed |= await crashed_once(bank, await table.letter(mail.Settle), after=games)
        games += 1
        balances = await bank.audit()
        assert balances[escrow(table.game, CURRENCY).id] == 0
        assert balances[house(CURRENCY).id] == 10 * games
        assert balance(balances, ann) == GRANTED - 100 * games
        assert balance(balances, bob) == GRANTED + 90 * games
    assert games > 15, "there are at least so many steps"
    lost, won = await bank.told(ann), await bank.told(bob)
    assert [(reason, change) for _, reason, change in lost] == [("GRANT", GRANTED), *[("BET", -100)] * games]
    assert [(reason, change) for _, reason, change in won] == [
        ("GRANT", GRANTED),
        *[("BET", -100), ("WIN", 190)] * games,
    ]


async def test_a_refusal_stands_even_if_there_is_money_when_it_is_heard_again(bank: Rig) -> None:
    ann, bob = [await bank.newcomer() for _ in range(2)]
    elsewhere = GameId(new_id())
    await bank.bank(mail.TakeBets("nowhere", elsewhere, "xsos", CURRENCY, GRANTED, (ann,)))
    table = TableForTwo(bank, [ann, bob], 100)
    await table.ready()
    bank.fuse.left = 3
    while True:
        try:
            await bank.bank(await table.letter(mail.TakeBets))
            break
        except Crash:
            continue
    await bank.bank(mail.Settle(elsewhere, CURRENCY, ()))
    await bank.bank(await table.letter(mail.TakeBets))
    assert await table.orders() == ["MakeGame", "AbortGame"]
    balances = await bank.audit()
    assert [balance(balances, user) for user in (ann, bob)] == [GRANTED] * 2
    assert await bank.told(bob) == [(1, "GRANT", GRANTED)]


async def test_a_refusal_stands_wherever_the_bank_crashes_after_it(bank: Rig) -> None:
    """There is money when it is heard again, which counts only if nothing had been decided."""
    crashed, decided, steps = True, [], 0
    while crashed:
        ann, bob = [await bank.newcomer() for _ in range(2)]
        elsewhere = GameId(new_id())
        await bank.bank(mail.TakeBets("nowhere", elsewhere, "xsos", CURRENCY, GRANTED, (ann,)))
        table = TableForTwo(bank, [ann, bob], 100)
        await table.ready()
        take = await table.letter(mail.TakeBets)
        bank.fuse.left = steps
        try:
            await bank.bank(take)
        except Crash:
            steps += 1
        else:
            crashed, bank.fuse.left = False, float("inf")
        decided.append(bool(await bank.count(bet_key(table.game))))
        await bank.bank(mail.Settle(elsewhere, CURRENCY, ()))
        await bank.bank(take)
        assert await table.orders() == ["MakeGame", "AbortGame" if decided[-1] else "StartGame"]
        assert (await bank.audit()).get(escrow(table.game, CURRENCY).id, 0) == (0 if decided[-1] else 200)
    assert set(decided[:-1]) == {False, True}, "it has crashed before the decision and after it"


async def test_bets_that_come_after_their_game_was_given_up_are_not_taken(bank: Rig) -> None:
    ann, bob = [await bank.newcomer() for _ in range(2)]
    table = TableForTwo(bank, [ann, bob], 100)
    await table.ready()
    take = await table.letter(mail.TakeBets)
    await table.over("aborted")
    await bank.bank(await table.letter(mail.Settle))
    await bank.bank(take)
    assert "StartGame" not in await table.orders()
    balances = await bank.audit()
    assert [balance(balances, user) for user in (ann, bob)] == [GRANTED] * 2


async def test_two_games_cannot_be_paid_with_the_same_money(bank: Rig) -> None:
    """Eight games at the same moment, money for three."""
    ann = await bank.newcomer()
    others = [await bank.newcomer() for _ in range(8)]
    games = [GameId(new_id()) for _ in others]
    takes = [
        mail.TakeBets("nowhere", game, "xsos", CURRENCY, 3_000, (ann, bob))
        for game, bob in zip(games, others, strict=True)
    ]
    await asyncio.gather(*(bank.surely(take) for take in takes for _ in range(2)))
    balances = await bank.audit()
    assert balance(balances, ann) == 1_000
    assert sorted(balance(balances, other) for other in others) == [7_000] * 3 + [10_000] * 5
    assert [number for number, *_ in await bank.told(ann)] == [1, 2, 3, 4]


# -- everything at once ------------------------------------------------------------------------------------------


@dataclass
class Course:
    """A game: what is asked for and how it ends; `winners` None for one that is given up before its bets are taken."""

    game: GameId
    players: tuple[UserId, ...]
    bet: int
    winners: tuple[int, ...] | None
    repeats: int
    letters: list[mail.ToBank] = field(default_factory=list)


def course(dice: random.Random, users: list[UserId]) -> Course:
    players = tuple(dice.sample(users, dice.randint(2, 4)))
    game, bet = GameId(new_id()), dice.choice(BETS)
    winners = dice.choice([(), None, *(tuple(sorted(dice.sample(range(len(players)), n))) for n in (1, 1, 1, 1))])
    made = Course(game, players, bet, winners, dice.randint(1, 3))
    take = mail.TakeBets("nowhere", game, "xsos", CURRENCY, bet, players)
    settle = mail.Settle(game, CURRENCY, winners or ())
    made.letters = [take, settle] if winners is not None else [settle, take]
    return made


async def run_course(bank: Rig, made: Course, turn: asyncio.Semaphore) -> None:
    """Each letter is heard several times at the same moment and once more when all is over."""
    async with turn:
        for letter in made.letters:
            await asyncio.gather(*(bank.surely(letter) for _ in range(made.repeats)))
        for letter in made.letters:
            await bank.surely(letter)


def crashing(bank: Rig, dice: random.Random) -> None:
    """From now on a crash comes after every few steps, in whatever is being done then."""

    def burn() -> None:
        bank.fuse.steps += 1
        if dice.random() < 0.03:
            raise Crash

    bank.fuse.burn = burn  # type: ignore[method-assign]  # another fuse, in the same holder


def documented_laws() -> list[str]:
    """The queries that operators are told to find nothing with."""
    page = (Path(__file__).parents[2] / "docs" / "stakes.md").read_text()
    laws = page.split("```sql")[1].split("```")[0].split(";")[:-1]
    assert len(laws) == 4
    return laws


async def storm(bank: Rig, seed: int, users: int, games: int) -> None:
    dice = random.Random(seed)
    people = [await bank.newcomer() for _ in range(users)]
    courses = [course(dice, people) for _ in range(games)]
    turn = asyncio.Semaphore(AT_ONCE)
    calm = bank.fuse.burn
    crashing(bank, dice)
    running = asyncio.gather(*(run_course(bank, each, turn) for each in courses))
    while not running.done():
        with suppress(Crash, TimeoutError):
            await bank.audit()
    await running
    bank.fuse.burn = calm  # type: ignore[method-assign]

    expected = dict.fromkeys(people, GRANTED)
    kept = 0
    balances = await bank.audit()
    for each in courses:
        taken = balances.get(escrow(each.game, CURRENCY).id) is not None
        assert balances.get(escrow(each.game, CURRENCY).id, 0) == 0, "a bet is lost"
        assert await bank.count(bet_key(each.game)) == 1
        assert await bank.count(settle_key(each.game)) == taken
        assert not (taken and each.winners is None), "a game that was given up was paid for"
        if not taken or not each.winners:
            continue
        for user in each.players:
            expected[user] -= each.bet
        shares, rake = divided(each.bet * len(each.players), 5, len(each.winners))
        kept += rake
        for box, share in zip(each.winners, shares, strict=True):
            expected[each.players[box]] += share
    assert {user: balance(balances, user) for user in people} == expected
    assert balances.get(house(CURRENCY).id, 0) == kept
    for law in documented_laws():
        async with bank.runtime.db.connect() as connection:
            assert (await connection.execute(text(law))).all() == [], law
    for user in people:
        told = await bank.told(user)
        assert [number for number, *_ in told] == list(range(1, len(told) + 1))
        assert sum(change for *_, change in told) == expected[user]


async def test_games_at_random_crashes_and_repeats_leave_every_account_right(bank: Rig) -> None:
    await storm(bank, seed=8, users=6, games=40)
    assert bank.fuse.steps > 1_000


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
async def test_many_games_at_random_leave_every_account_right(bank: Rig, seed: int) -> None:
    await storm(bank, seed, users=20, games=200)
