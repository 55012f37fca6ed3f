"""Guests, accounts, tokens and the cookie."""

import asyncio
import base64
import json
import time
from uuid import uuid4

import httpx
import pytest

from tests.conftest import Guest
from tests.support.client import Json, Player
from tests.support.lobby import Seat, feed
from tests.support.problems import assert_problem
from tests.support.relay import Peer

pytestmark = pytest.mark.both_databases

MONTH = 30 * 24 * 3600
PASSWORD = "correct horse"


def new_nick() -> str:
    return f"nick-{uuid4().hex[:12]}"


async def register(
    http: httpx.AsyncClient, nick: str, password: str = PASSWORD, *, by: Player | None = None
) -> httpx.Response:
    response = await http.post(
        "/lobby/auth/register",
        json={"nick": nick, "password": password},
        headers=by.credentials if by else {},
    )
    http.cookies.clear()
    return response


async def login(http: httpx.AsyncClient, nick: str, password: str = PASSWORD) -> httpx.Response:
    response = await http.post("/lobby/auth/login", json={"nick": nick, "password": password})
    http.cookies.clear()
    return response


def signed_in(http: httpx.AsyncClient, response: httpx.Response) -> Player:
    assert response.is_success, response.text
    body: Json = response.json()
    assert body.keys() >= {"token", "expires_at", "user"}
    return Player(http, body["user"], body["token"])


async def test_a_guest_signs_in_with_nothing_but_a_nick(http: httpx.AsyncClient) -> None:
    response = await http.post("/lobby/auth/guest", json={"nick": "Ann"})
    assert response.status_code == 201
    body = response.json()
    assert body["user"].keys() >= {"id", "nick", "avatar", "guest"}
    assert body["user"]["nick"] == "Ann"
    assert body["user"]["guest"] is True
    assert body["token"]


async def test_a_guest_may_bring_an_avatar(http: httpx.AsyncClient) -> None:
    guest = await Player.guest(http, "Ann", avatar="fox")
    assert guest.user["avatar"] == "fox"
    assert (await guest.get("/lobby/me")).json()["user"]["avatar"] == "fox"


async def test_me_is_the_user_of_the_token(ann: Player) -> None:
    response = await ann.get("/lobby/me")
    assert response.status_code == 200
    assert response.json()["user"] == ann.user


async def test_signing_in_sets_a_cookie_that_scripts_cannot_read(http: httpx.AsyncClient) -> None:
    response = await http.post("/lobby/auth/guest", json={"nick": "Ann"})
    attributes = [part.strip().lower() for part in response.headers["set-cookie"].split(";")]
    assert attributes[0] == f"parlor_token={response.json()['token']}".lower()
    assert {"httponly", "samesite=strict"} <= set(attributes)


async def test_the_cookie_is_as_good_as_the_header(http: httpx.AsyncClient) -> None:
    user = (await http.post("/lobby/auth/guest", json={"nick": "Ann"})).json()["user"]
    assert "parlor_token" in http.cookies
    assert (await http.get("/lobby/me")).json()["user"] == user


async def test_a_token_lasts_30_days(http: httpx.AsyncClient) -> None:
    before = time.time()
    response = await http.post("/lobby/auth/guest", json={"nick": "Ann"})
    assert before + MONTH - 1 <= response.json()["expires_at"] <= time.time() + MONTH + 1
    assert f"max-age={MONTH}" in response.headers["set-cookie"].lower()


async def test_guests_need_not_have_different_nicks(guest: Guest) -> None:
    assert (await guest("Ann")).id != (await guest("Ann")).id


async def test_a_nick_is_trimmed(guest: Guest) -> None:
    assert (await guest("  Ann \t")).user["nick"] == "Ann"


@pytest.mark.parametrize("nick", ["x" * 32, "  " + "x" * 32 + "  ", "Дурак", "棋" * 32, "🂡" * 32, "عمر"])
async def test_a_nick_of_up_to_32_characters_of_any_script_is_fine(guest: Guest, nick: str) -> None:
    assert (await guest(nick)).user["nick"] == nick.strip()


@pytest.mark.parametrize("nick", ["", "   ", "x" * 33, "🂡" * 33])
@pytest.mark.parametrize("way", ["guest", "register"])
async def test_a_nick_must_have_1_to_32_characters(http: httpx.AsyncClient, way: str, nick: str) -> None:
    response = await http.post(f"/lobby/auth/{way}", json={"nick": nick, "password": PASSWORD})
    assert_problem(response, 422, "invalid_request")


async def test_an_account_is_no_guest(http: httpx.AsyncClient) -> None:
    nick = new_nick()
    account = signed_in(http, await register(http, nick))
    assert account.user["guest"] is False
    assert account.user["nick"] == nick
    assert (await account.get("/lobby/me")).json()["user"] == account.user


async def test_a_guest_who_registers_stays_the_same_user(http: httpx.AsyncClient, ann: Player) -> None:
    account = signed_in(http, await register(http, new_nick(), by=ann))
    assert account.id == ann.id
    assert account.user["guest"] is False


async def test_the_token_of_a_guest_who_has_registered_makes_no_other_account_of_the_same_user(
    http: httpx.AsyncClient, ann: Player
) -> None:
    """Whoever has found an old token would else give the account a password of its own."""
    nick = new_nick()
    account = signed_in(http, await register(http, nick, by=ann))
    other = signed_in(http, await register(http, new_nick(), "another password", by=ann))
    assert other.id != account.id
    assert signed_in(http, await login(http, nick)).id == account.id


async def test_one_logs_in_again_as_the_same_user(http: httpx.AsyncClient) -> None:
    nick = new_nick()
    account = signed_in(http, await register(http, nick))
    again = signed_in(http, await login(http, nick))
    assert again.user == account.user
    assert (await again.get("/lobby/me")).json()["user"] == account.user


@pytest.mark.parametrize(("first", "second"), [("ann", "ANN"), ("Élan", "éLAN"), ("ЖУК", "жук")])
async def test_nicks_of_accounts_are_unique_ignoring_case(http: httpx.AsyncClient, first: str, second: str) -> None:
    suffix = uuid4().hex[:8]
    signed_in(http, await register(http, first + suffix))
    assert_problem(await register(http, second + suffix), 409, "nick_taken")


async def test_of_many_who_register_one_nick_at_once_one_gets_it(http: httpx.AsyncClient) -> None:
    nick = new_nick()
    responses = await asyncio.gather(*(register(http, nick) for _ in range(8)))
    refused = [response for response in responses if not response.is_success]
    assert len(refused) == len(responses) - 1
    for response in refused:
        assert_problem(response, 409, "nick_taken")


@pytest.mark.parametrize("length", [0, 7, 129])
async def test_a_password_must_have_8_to_128_characters(http: httpx.AsyncClient, length: int) -> None:
    assert_problem(await register(http, new_nick(), "p" * length), 422, "invalid_request")


@pytest.mark.parametrize("password", ["p" * 8, "p" * 128, "пароль🂡🂡", " spaces "])
async def test_a_password_is_taken_as_it_is(http: httpx.AsyncClient, password: str) -> None:
    nick = new_nick()
    signed_in(http, await register(http, nick, password))
    signed_in(http, await login(http, nick, password))
    assert_problem(await login(http, nick, password.swapcase() + "!"), 401, "bad_credentials")


async def test_a_wrong_password_and_an_unknown_nick_are_refused_alike(http: httpx.AsyncClient) -> None:
    nick = new_nick()
    signed_in(http, await register(http, nick))
    wrong = assert_problem(await login(http, nick, "wrong password"), 401, "bad_credentials")
    unknown = assert_problem(await login(http, new_nick()), 401, "bad_credentials")
    assert wrong["detail"] == unknown["detail"]


async def test_a_guest_cannot_be_logged_in_to(http: httpx.AsyncClient, guest: Guest) -> None:
    nick = new_nick()
    await guest(nick)
    assert_problem(await login(http, nick), 401, "bad_credentials")


async def test_logging_out_revokes_the_token_everywhere(ann: Player) -> None:
    response = await ann.post("/lobby/auth/logout")
    assert response.is_success
    assert_problem(await ann.get("/lobby/me"), 401, "unauthenticated")
    assert_problem(await ann.post("/session/games", {}), 401, "unauthenticated")


async def test_logging_out_ends_the_tokens_streams_and_no_others(http: httpx.AsyncClient) -> None:
    nick = new_nick()
    phone = signed_in(http, await register(http, nick))
    laptop = signed_in(http, await login(http, nick))
    game = (await phone.create())["id"]
    peer = Peer(phone, new_nick())
    await peer.send("join")
    async with feed(phone) as told, phone.events(game) as played, peer.events() as relayed, feed(laptop) as other:
        for events in (told, played, relayed, other):
            await events.next("snapshot")
        await phone.post("/lobby/auth/logout")
        for events in (told, played, relayed):
            await events.end()
        await Seat.open(laptop)
        assert (await other.next("channel")).data["event"] == "created"


async def test_logging_out_clears_the_cookie(http: httpx.AsyncClient) -> None:
    await http.post("/lobby/auth/guest", json={"nick": "Ann"})
    await http.post("/lobby/auth/logout")
    assert "parlor_token" not in http.cookies


async def test_logging_out_leaves_the_users_other_tokens_alone(http: httpx.AsyncClient) -> None:
    nick = new_nick()
    phone = signed_in(http, await register(http, nick))
    laptop = signed_in(http, await login(http, nick))
    await phone.post("/lobby/auth/logout")
    assert_problem(await phone.get("/lobby/me"), 401, "unauthenticated")
    assert (await laptop.get("/lobby/me")).status_code == 200


@pytest.mark.parametrize(
    "value",
    ["", "Bearer", "Bearer x", "Bearer a.b.c", "Basic QW5uOng=", "Bearer \xff", "Bearer a b"],
)
async def test_no_other_authorization_is_understood(http: httpx.AsyncClient, value: str) -> None:
    response = await http.get("/lobby/me", headers=[(b"Authorization", value.encode("latin-1"))])
    assert_problem(response, 401, "unauthenticated")


async def test_a_token_that_was_tampered_with_is_worthless(http: httpx.AsyncClient, ann: Player) -> None:
    head, claims, signature = ann.token.split(".")
    unsigned = base64.urlsafe_b64encode(json.dumps({"alg": "none", "typ": "JWT"}).encode()).rstrip(b"=").decode()
    flipped = ("A" if signature[0] != "A" else "B") + signature[1:]
    for token in (f"{head}.{claims}.{flipped}", f"{head}.{claims}.", f"{unsigned}.{claims}."):
        response = await http.get("/lobby/me", headers={"Authorization": f"Bearer {token}"})
        assert_problem(response, 401, "unauthenticated")
