"""Identity by LINE: an ID token of a LIFF app becomes a token of ours for the same user."""

import json
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jwt
import msgspec
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from shared.auth import Tokens
from shared.ids import UserId, is_id
from shared.problems import Problem
from shared.settings import Settings
from shared.sign_in import SignedIn

_PUBLIC_KEY = ("ES256", "RS256")
_LEEWAY = 30  # seconds by which LINE's clock and ours may differ
_USER = re.compile(r"[A-Za-z0-9._-]{1,64}")
_LONGEST_NICK = 32
_LONGEST_AVATAR = 512


class IdToken(msgspec.Struct, frozen=True):
    """The body of a sign-in."""

    id_token: str


class BadKeys(ValueError):
    """The file of public keys cannot be used."""


class Liff:
    """Checks ID tokens: who signed them, for whom, and until when they count."""

    def __init__(self, settings: Settings, tokens: Tokens) -> None:
        """Raises BadKeys."""
        self._tokens = tokens
        self._channel = settings.liff_channel_id
        self._issuer = settings.liff_issuer
        secret = settings.liff_channel_secret
        self._secret = secret.get_secret_value() if secret else None
        self._keys = public_keys(settings.liff_keys) if settings.liff_keys else {}

    def signed_in(self, asked: IdToken) -> SignedIn:
        """A token of ours; raises 404 where no channel is set up, and 401 for an ID token that does not count."""
        if self._channel is None or not (self._secret or self._keys):
            raise Problem("not_found", "Signing in with LINE is not set up here.")
        claims = self._claims(asked.id_token)
        name, picture = claims.get("name"), claims.get("picture")
        nick = _printable(name).strip()[:_LONGEST_NICK] if isinstance(name, str) else ""
        fits = isinstance(picture, str) and len(picture) <= _LONGEST_AVATAR and picture == _printable(picture)
        avatar = picture if fits else None
        return SignedIn(*self._tokens.issue(_user(claims["sub"]), nick or "LINE user", avatar, guest=False))

    def _claims(self, token: str) -> dict[str, Any]:
        try:
            header = jwt.get_unverified_header(token)
            claims: dict[str, Any] = jwt.decode(
                token,
                self._key(header),
                algorithms=[header["alg"]],
                issuer=self._issuer,
                audience=self._channel,
                leeway=_LEEWAY,
                options={"require": ["exp", "iss", "aud", "sub"], "strict_aud": True},
            )
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as error:
            raise Problem("unauthenticated", f"The ID token does not count: {_reason(error)}.") from None
        return claims

    def _key(self, header: Mapping[str, Any]) -> Any:
        """The key for a token's algorithm; a secret never serves as a public key nor the other way round."""
        algorithm = header["alg"]
        if algorithm == "HS256" and self._secret:
            return self._secret
        if algorithm in _PUBLIC_KEY:
            key = self._keys.get(header.get("kid")) or self._keys.get(None)
            if key is not None:
                return key
        raise jwt.InvalidKeyError("signed with a key that is not known here")


def public_keys(path: Path) -> dict[str | None, Any]:
    """The keys in a file by their ids: a JWKS, or a PEM, which has no id and serves for all."""
    try:
        text = path.read_text()
        if text.lstrip().startswith("{"):
            found = jwt.PyJWKSet.from_dict(json.loads(text)).keys
            return {key.key_id: key.key for key in found if key.algorithm_name in _PUBLIC_KEY}
        return {None: load_pem_public_key(text.encode())}
    except (OSError, ValueError, jwt.PyJWTError) as error:
        raise BadKeys(f"PARLOR_LIFF_KEYS: {path}: {error}") from None


def _user(subject: Any) -> UserId:
    """Whom LINE vouches for; never one of our own users, whatever the token says."""
    if not isinstance(subject, str) or not _USER.fullmatch(subject) or is_id(subject):
        raise Problem("unauthenticated", "The ID token does not name a user of LINE.")
    return UserId(subject)


def _printable(text: str) -> str:
    """Without what a database or JSON cannot carry."""
    return "".join(char for char in text if unicodedata.category(char) not in ("Cc", "Cs"))


def _reason(error: Exception) -> str:
    """PyJWT's words, which name claims and keys but nothing that the client sent."""
    return str(error).rstrip(".") if isinstance(error, jwt.PyJWTError) else "it is malformed"
