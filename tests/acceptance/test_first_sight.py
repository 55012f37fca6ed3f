"""Users whom the lobby has not made itself, or made before there was a ledger, are met like everybody else."""

import asyncio
import sqlite3

import jwt

from tests.support.client import Player, open_client
from tests.support.lobby import Seat, feed, search
from tests.support.product import Product, short_directory
from tests.support.stakes import GRANTED, balance, entries

CHANNEL, SECRET = "1234567890", "the channel's secret, 32 characters"
LINE = {"PARLOR_LIFF_CHANNEL_ID": CHANNEL, "PARLOR_LIFF_CHANNEL_SECRET": SECRET, "PARLOR_GRACE_MS": "100"}
BEFORE_THE_LEDGER = "DELETE FROM ledger_entries; DELETE FROM ledger_transactions; DELETE FROM ledger_accounts;"


async def test_everybody_is_granted_something_once_at_first_sight() -> None:
    with short_directory() as home, Product(home, settings=LINE) as product:
        async with open_client(product.url) as http:
            old = await Player.guest(http, "Old")
            claims = {"iss": "https://access.line.me", "sub": "U4af4980629f6", "aud": CHANNEL, "exp": 2**33}
            token = jwt.encode({**claims, "name": "Brown"}, SECRET, algorithm="HS256")
            signed_in = (await http.post("/relay/auth/liff", json={"id_token": token})).json()
            http.cookies.clear()
            brown = Player(http, signed_in["user"], signed_in["token"])
            looks = await asyncio.gather(*(balance(brown) for _ in range(10)))
            assert looks == [GRANTED] * 10
            assert [entry["reason"] for entry in await entries(brown)] == ["GRANT"]
            seat = await Seat.open(brown)
            assert (await seat.do("find", search("line", cash_bet=200)))["value"] == "find"
            profile = (await old.get(f"/lobby/users/{brown.id}")).json()
            assert profile["user"] == {"id": brown.id, "nick": "Brown", "avatar": None, "guest": False}

        product.stop()
        with sqlite3.connect(product.data_dir / "parlor.db") as database:
            database.executescript(BEFORE_THE_LEDGER)
        product.start()
        async with open_client(product.url) as http:
            async with feed(old.at(http)) as told:
                assert (await told.next("snapshot")).data["wallets"] == [{"currency": "FUN", "balance": GRANTED}]
            assert [entry["reason"] for entry in await entries(old.at(http))] == ["GRANT"]
