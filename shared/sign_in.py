"""What every way of signing in answers with: a token, whom it stands for, and the cookie."""

import msgspec
from fastapi import Request, Response

from shared.auth import COOKIE, TOKEN_SECONDS, Caller


class SignedIn(msgspec.Struct, frozen=True):
    """A token and whom it stands for."""

    token: str
    caller: Caller

    def body(self) -> dict[str, object]:
        return {"token": self.token, "expires_at": self.caller.expires_at, "user": shown(self.caller)}


def shown(caller: Caller) -> dict[str, object]:
    return {"id": caller.user, "nick": caller.nick, "avatar": caller.avatar, "guest": caller.guest}


def welcome(signed_in: SignedIn, request: Request, status: int = 201) -> Response:
    body = msgspec.json.encode(signed_in.body())
    response = Response(body, status, media_type="application/json", headers={"Cache-Control": "no-store"})
    response.set_cookie(
        COOKIE,
        signed_in.token,
        max_age=TOKEN_SECONDS,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return response
