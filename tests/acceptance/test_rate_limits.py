"""Rate limits, on a product that has the default ones."""

import asyncio
import re
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.support.client import Player, open_client
from tests.support.product import Product
from tests.support.waiting import eventually
from tests.support.wire import pipeline


@pytest.fixture
async def http(default_product: Product) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(default_product.url) as client:
        yield client


async def sign_in(http: httpx.AsyncClient, nick: str = "Ann") -> httpx.Response:
    response = await http.post("/lobby/auth/guest", json={"nick": nick})
    http.cookies.clear()
    return response


async def first_welcome(http: httpx.AsyncClient) -> Player:
    """A guest, as soon as the limits allow one."""
    response = await eventually(lambda: sign_in(http), lambda answer: answer.status_code == 201)
    return Player(http, response.json()["user"], response.json()["token"])


def assert_tells_when_to_retry(answer: bytes) -> None:
    """An answer with its head."""
    assert answer.split()[1] == b"429", answer
    assert b'"code":"rate_limited"' in answer
    found = re.search(rb"\r\nretry-after: (\d+)\r\n", answer.lower())
    assert found, answer
    assert int(found[1]) >= 1


async def test_an_address_may_sign_in_50_times_a_second_but_not_without_end(
    http: httpx.AsyncClient, default_product: Product
) -> None:
    ann = await first_welcome(http)
    room = await asyncio.gather(*(sign_in(http) for _ in range(40)))
    assert {response.status_code for response in room} == {201}
    for _ in range(10):
        # A bad nick counts too, and so many on one connection are answered much faster than the limit forgets.
        bad = pipeline(default_product.port, "/lobby/auth/guest", ann.token, 1_000, b'{"nick":""}')
        refused = [answer for answer in await bad if answer.split()[1] != b"422"]
        if refused:
            assert_tells_when_to_retry(refused[0])
            return
    pytest.fail("10,000 sign-ins in a row were all let in")


async def test_a_user_may_ask_200_times_a_second_but_not_without_end(
    http: httpx.AsyncClient, default_product: Product
) -> None:
    ann = await first_welcome(http)
    room = await pipeline(default_product.port, "/lobby/me", ann.token, 190)
    assert {answer.split()[1] for answer in room} == {b"200"}
    for _ in range(10):
        floods = (pipeline(default_product.port, "/lobby/me", ann.token, 500) for _ in range(2))
        answers = [answer for flood in await asyncio.gather(*floods) for answer in flood]
        refused = [answer for answer in answers if answer.split()[1] != b"200"]
        if refused:
            assert_tells_when_to_retry(refused[0])
            return
    pytest.fail("10,000 requests in a row were all let in")


async def test_one_users_flood_does_not_lock_another_out(http: httpx.AsyncClient, default_product: Product) -> None:
    flooder, other = await first_welcome(http), await first_welcome(http)
    await pipeline(default_product.port, "/lobby/me", flooder.token, 1000)
    assert (await other.get("/lobby/me")).status_code == 200


async def test_who_waits_as_told_is_served_again(http: httpx.AsyncClient, default_product: Product) -> None:
    ann = await first_welcome(http)
    await pipeline(default_product.port, "/lobby/me", ann.token, 1000)
    answer = await eventually(lambda: ann.get("/lobby/me"), lambda each: each.status_code == 200)
    assert answer.json()["user"]["id"] == ann.id
