"""Signing in with an ID token of LINE, signed by keys that the test makes."""

import json
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from tests.support.client import Player, open_client
from tests.support.problems import assert_problem
from tests.support.product import Product, run_parlor, short_directory
from tests.support.relay import Peer

CHANNEL = "1234567890"
SECRET = "the channel's secret, 32 characters"
LINE = "https://access.line.me"
USER = "U4af4980629f6aab7b1c5d1e2a3b4c5d6"
EC_KEY = ec.generate_private_key(ec.SECP256R1())
RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def claims(**changes: Any) -> dict[str, Any]:
    now = int(time.time())
    told = {"iss": LINE, "sub": USER, "aud": CHANNEL, "exp": now + 3600, "iat": now, "name": "Brown", "picture": "p"}
    return {name: value for name, value in {**told, **changes}.items() if value is not None}


def by_ec(told: dict[str, Any], kid: str = "ec") -> str:
    return jwt.encode(told, EC_KEY, algorithm="ES256", headers={"kid": kid})


def by_rsa(told: dict[str, Any]) -> str:
    return jwt.encode(told, RSA_KEY, algorithm="RS256", headers={"kid": "rsa"})


def by_secret(told: dict[str, Any]) -> str:
    return jwt.encode(told, SECRET, algorithm="HS256")


@pytest.fixture(scope="module")
def line() -> Iterator[Product]:
    """A product that trusts the test's channel, its secret and its keys."""
    with short_directory() as home:
        keys = home / "keys.json"
        public = [
            {**json.loads(ECAlgorithm.to_jwk(EC_KEY.public_key())), "kid": "ec", "alg": "ES256"},
            {**json.loads(RSAAlgorithm.to_jwk(RSA_KEY.public_key())), "kid": "rsa", "alg": "RS256"},
        ]
        keys.write_text(json.dumps({"keys": public}))
        settings = {
            "PARLOR_LIFF_CHANNEL_ID": CHANNEL,
            "PARLOR_LIFF_CHANNEL_SECRET": SECRET,
            "PARLOR_LIFF_KEYS": str(keys),
        }
        with Product(home, settings=settings) as running:
            yield running


@pytest.fixture
async def at_line(line: Product) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(line.url) as client:
        yield client


async def sign_in(http: httpx.AsyncClient, token: Any) -> httpx.Response:
    response = await http.post("/relay/auth/liff", json={"id_token": token})
    http.cookies.clear()
    return response


@pytest.mark.parametrize("sign", [by_ec, by_rsa, by_secret])
async def test_an_id_token_becomes_a_token_for_the_same_user(at_line: httpx.AsyncClient, sign: Any) -> None:
    response = await sign_in(at_line, sign(claims()))
    assert response.status_code == 201, response.text
    assert "parlor_token=" in response.headers["set-cookie"]
    body = response.json()
    assert set(body) == {"token", "expires_at", "user"}
    assert body["user"] == {"id": USER, "nick": "Brown", "avatar": "p", "guest": False}
    brown = Player(at_line, body["user"], body["token"])
    assert (await brown.get("/lobby/me")).json()["user"]["id"] == USER
    assert (await Peer(brown, f"room {sign.__name__}").send("join"))["status"] == "stored"


async def test_a_user_without_a_name_gets_one(at_line: httpx.AsyncClient) -> None:
    for name in (None, "  ", 5):
        assert (await sign_in(at_line, by_ec(claims(name=name)))).json()["user"]["nick"] == "LINE user"
    assert len((await sign_in(at_line, by_ec(claims(name="n" * 100)))).json()["user"]["nick"]) == 32


@pytest.mark.parametrize("name", ["A\0nn", "\ud800Ann", "A\nnn"])
async def test_a_name_keeps_only_what_every_part_can_carry(at_line: httpx.AsyncClient, name: str) -> None:
    signed_in = await sign_in(at_line, by_ec(claims(name=name, picture=name)))
    assert signed_in.status_code == 201, signed_in.text
    assert signed_in.json()["user"] == {"id": USER, "nick": "Ann", "avatar": None, "guest": False}


OTHER = ec.generate_private_key(ec.SECP256R1())


@pytest.mark.parametrize(
    "token",
    [
        by_ec(claims(exp=int(time.time()) - 60)),
        by_ec(claims(exp=None)),
        by_ec(claims(iss="https://evil.test")),
        by_ec(claims(iss=None)),
        by_ec(claims(aud="another channel")),
        by_ec(claims(aud=[CHANNEL, "another channel"])),
        by_ec(claims(aud=None)),
        by_ec(claims(sub=None)),
        by_ec(claims(sub="")),
        by_ec(claims(sub="x" * 65)),
        by_ec(claims(sub="abcdefghijklmnopqrst")),  # looks like a user of ours
        by_ec(claims(), kid="unknown"),
        jwt.encode(claims(), OTHER, algorithm="ES256", headers={"kid": "ec"}),
        jwt.encode(claims(), "another secret, also 32 characters", algorithm="HS256"),
        jwt.encode(claims(), 2 * SECRET, algorithm="HS512"),
        jwt.encode(claims(), "", algorithm="none"),
        by_ec(claims())[:-4] + "AAAA",
        "not a token", "", "a.b.c", "é.é.é",
    ],
)  # fmt: skip
async def test_an_id_token_that_does_not_count_is_refused(at_line: httpx.AsyncClient, token: str) -> None:
    assert_problem(await sign_in(at_line, token), 401, "unauthenticated")


@pytest.mark.parametrize("body", [b"", b"{}", b'{"id_token": 5}', b'{"id_token": null}', b"[]"])
async def test_a_body_without_an_id_token_is_refused(at_line: httpx.AsyncClient, body: bytes) -> None:
    assert_problem(await at_line.post("/relay/auth/liff", content=body), 422, "invalid_request")


async def test_where_no_channel_is_set_up_there_is_no_such_sign_in(http: httpx.AsyncClient) -> None:
    assert_problem(await sign_in(http, by_ec(claims())), 404, "not_found")


def test_keys_that_cannot_be_read_stop_the_start(tmp_path: Path) -> None:
    bad = tmp_path / "keys.json"
    bad.write_text("no keys")
    ended = run_parlor("up", "--port", "0", "--data-dir", str(tmp_path / "d"), settings={"PARLOR_LIFF_KEYS": str(bad)})
    assert ended.returncode == 1
    assert "PARLOR_LIFF_KEYS" in ended.stderr
    assert "Traceback" not in ended.stderr
