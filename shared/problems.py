"""Every error that a client can meet, in one table, and the one way they are dressed (RFC 9457)."""

from http import HTTPStatus

import msgspec
from starlette.types import Send

RETRY_AFTER = 1  # seconds; an embedded Redis is back by then

_STATUS = {
    "unauthenticated": 401,
    "bad_credentials": 401,
    "forbidden": 403,
    "not_found": 404,
    "wrong_state": 409,
    "not_your_turn": 409,
    "wrong_phase": 409,
    "illegal_move": 409,
    "waiting_for_acks": 409,
    "ack_ahead": 409,
    "undo_banned": 409,
    "no_undo_pending": 409,
    "no_draw_pending": 409,
    "room_full": 409,
    "already_seated": 409,
    "nick_taken": 409,
    "too_many_channels": 409,
    "table_full": 409,
    "box_taken": 409,
    "insufficient_funds": 409,
    "seq_gap": 409,
    "illegal_update": 409,
    "too_large": 413,
    "invalid_request": 422,
    "unsupported_version": 422,
    "idempotency_mismatch": 422,
    "rate_limited": 429,
    "internal": 500,
    "unavailable": 503,
}

_SAYS = {
    "unauthenticated": "Sign in first: the token is missing, expired or revoked.",
    "bad_credentials": "The nick or the password is wrong.",
    "forbidden": "This is not yours to do.",
    "not_found": "There is nothing here.",
    "wrong_state": "That cannot be done in the present state.",
    "not_your_turn": "It is not your turn.",
    "wrong_phase": "That is not what this phase of the game asks for.",
    "illegal_move": "The rules do not allow that move.",
    "waiting_for_acks": "Not everyone has acknowledged the last move yet.",
    "ack_ahead": "The game has not come to that version yet.",
    "undo_banned": "You cannot ask for a move back now.",
    "no_undo_pending": "There is no request to take a move back that waits for you.",
    "no_draw_pending": "There is no offer of a draw that waits for you.",
    "room_full": "No seat is open.",
    "already_seated": "You already have a seat.",
    "nick_taken": "Somebody has registered that nick.",
    "too_many_channels": "You have as many channels as a user may have.",
    "table_full": "Every box of this table is taken.",
    "box_taken": "Somebody has this box.",
    "insufficient_funds": "You cannot pay this bet.",
    "seq_gap": "Too many messages before this one are missing.",
    "illegal_update": "The referee does not allow that.",
    "too_large": "The body is larger than 64 KiB.",
    "invalid_request": "The request does not have the form it should.",
    "unsupported_version": "Version 3 of the protocol is spoken here.",
    "idempotency_mismatch": "This Idempotency-Key was used with another body.",
    "rate_limited": "Too many requests; slow down.",
    "internal": "Something went wrong here; it has been logged.",
    "unavailable": "A part of the service is away; try again shortly.",
}


class Problem(Exception):
    """A refusal on its way to the client."""

    def __init__(self, code: str, detail: str | None = None, retry_after: int | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail or _SAYS[code]
        self.retry_after = retry_after

    @property
    def status(self) -> int:
        return _STATUS[self.code]

    def body(self) -> bytes:
        return msgspec.json.encode(
            {
                "type": f"urn:parlor:problem:{self.code}",
                "title": HTTPStatus(self.status).phrase,
                "status": self.status,
                "detail": self.detail,
                "code": self.code,
            }
        )

    def headers(self) -> list[tuple[bytes, bytes]]:
        headers = [(b"content-type", b"application/problem+json"), (b"cache-control", b"no-store")]
        if self.retry_after is not None:
            headers.append((b"retry-after", str(self.retry_after).encode()))
        if self.status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        return headers

    async def send(self, send: Send, extra: list[tuple[bytes, bytes]]) -> None:
        body = self.body()
        length = (b"content-length", str(len(body)).encode())
        headers = [*self.headers(), length, *extra]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class Unavailable(Problem):
    """Redis or the database is away."""

    def __init__(self, detail: str | None = None) -> None:
        super().__init__("unavailable", detail, retry_after=RETRY_AFTER)


def invalid(detail: str) -> Problem:
    return Problem("invalid_request", detail)
