"""The browser client's files."""

from pathlib import Path

from starlette.responses import JSONResponse
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_PAGES = {"/liff"}  # served without a detour to the address with a slash at its end
FILES = Path(__file__).parent.parent / "web"
_HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (b"referrer-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-cache"),
]
_LANGUAGES = "/i18n/index.json"  # so that adding a language is adding its file, and no list beside it


def web() -> ASGIApp:
    files = StaticFiles(directory=FILES, html=True)
    languages = JSONResponse(sorted(path.stem for path in (FILES / "i18n").glob("*.js")))

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        if scope["path"] in _PAGES:
            scope = {**scope, "path": f"{scope['path']}/"}
        answer = languages if scope["path"] == _LANGUAGES else files
        await answer(scope, receive, guarded)

    return app
