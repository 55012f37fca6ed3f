"""The baseline of the push: a raw ASGI server that writes what it is sent to every stream of a crowd.

Nothing is decided, stored, encoded or queued: a POST awaits each stream's `send` in turn, which is as
little as an ASGI application can do.
"""

from collections import defaultdict

import typer
import uvicorn
from uvicorn._types import ASGIReceiveCallable, ASGISendCallable, Scope

SNAPSHOT = b'id: 1\nevent: snapshot\ndata: {"gamestate":{"colors":["X","O"]}}\n\n'
ACCEPTED = b'{"version":1,"accepted":true}'

crowds: dict[str, list[ASGISendCallable]] = defaultdict(list)


async def app(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """`GET /crowds/{id}` opens a stream of that crowd, `POST /crowds/{id}` writes the body to all of them."""
    if scope["type"] != "http":
        return
    if scope["method"] == "GET" and scope["path"] != "/ready":
        await _stream(crowds[scope["path"]], receive, send)
        return
    message = await receive()
    if message["type"] == "http.request":
        for stream in crowds[scope["path"]]:
            await stream({"type": "http.response.body", "body": message["body"], "more_body": True})
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(ACCEPTED)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers, "trailers": False})
    await send({"type": "http.response.body", "body": ACCEPTED, "more_body": False})


async def _stream(crowd: list[ASGISendCallable], receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 200, "headers": headers, "trailers": False})
    await send({"type": "http.response.body", "body": SNAPSHOT, "more_body": True})
    crowd.append(send)
    while (await receive())["type"] != "http.disconnect":
        pass
    crowd.remove(send)


def serve(port: int = typer.Option(...)) -> None:
    # Connections rest while it is Parlor's turn to be measured.
    uvicorn.run(
        app,
        port=port,
        loop="uvloop",
        http="httptools",
        lifespan="off",
        access_log=False,
        log_level="warning",
        timeout_keep_alive=300,
    )


if __name__ == "__main__":
    typer.run(serve)
