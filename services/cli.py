"""The `parlor` command, and the composition root: here the parts are put together."""

import os
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, NoReturn

import httpx
import msgspec
import typer
from prometheus_client import start_http_server
from pydantic import ValidationError
from redis.exceptions import MovedError, RedisError
from rich.console import Console
from sqlalchemy.exc import SQLAlchemyError
from starlette.types import ASGIApp, Receive, Scope, Send

from services.lobby.app import lobby as lobby_service
from services.play.remote import play
from services.play.tournament import tournament
from services.play.tsuro import tsuro
from services.relay.app import relay as relay_service
from services.relay.liff import BadKeys
from services.session.app import session as session_service
from services.session.games import registered
from services.session.verify import Replay
from services.session.verify import verify as checked
from services.web import web as pages
from shared import db, embedded, serve, telemetry, tracing
from shared.edge import Edge
from shared.runtime import Runtime, runtime
from shared.settings import Settings, embedded_secret

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
console = Console(stderr=True, highlight=False)

Build = Callable[[Runtime], AbstractAsyncContextManager[ASGIApp]]
_UNREADABLE = 2  # as with grep: 1 says that the answer is no, 2 that there is none
SERVICES: dict[str, Build] = {"session": session_service, "relay": relay_service}

Port = Annotated[int | None, typer.Option(help="Port to listen on [PARLOR_PORT, 8000].", min=0, max=65535)]
Host = Annotated[str | None, typer.Option(help="Address to listen on [PARLOR_HOST, 127.0.0.1].")]
DataDir = Annotated[
    Path | None,
    typer.Option(help="Where the embedded Redis, SQLite and the secret live [PARLOR_DATA_DIR, .parlor]."),
]
Workers = Annotated[int, typer.Option(help="Processes to serve with.", min=1, max=64)]


@app.callback(invoke_without_command=True)
def main(
    show_version: Annotated[bool, typer.Option("--version", help="Show the version and exit.", is_eager=True)] = False,
) -> None:
    """Parlor: a backend for turn-based games that never loses a move.

    Every setting is also an environment variable, PARLOR_<NAME>.
    """
    if show_version:
        print(f"parlor {version('parlor')}")
        raise typer.Exit


@app.command()
def up(port: Port = None, host: Host = None, data_dir: DataDir = None) -> None:
    """Start everything in one process: lobby, session, relay, the web client, a Redis and SQLite.

    With PARLOR_REDIS_URL or PARLOR_DATABASE_URL set, those are used instead of the embedded ones. The former is a
    redis://, rediss://, unix://, redis+cluster:// or redis+sentinel:// address.
    """
    settings = _settings(port=port, host=host, data_dir=data_dir)
    try:
        claim = embedded.lock(settings.data_dir)
    except (embedded.DataDirInUse, OSError) as error:
        _fail(str(error), "Stop the other run, or choose another directory with --data-dir.")
    with claim:
        sock = _listening(settings)
        settings.port = sock.getsockname()[1]
        database_url = settings.database_url or f"sqlite:///{(settings.data_dir / 'parlor.db').resolve()}"
        _migrate(database_url)
        hosted = serve.Hosted(lambda: _everything(settings, database_url), settings.grace_ms / 1000)
        _report(serve.run(hosted, sock))
    console.print("[dim]Parlor has stopped.[/dim]")


@app.command()
def lobby(port: Port = None, host: Host = None, workers: Workers = 1) -> None:
    """Start the lobby service alone: identity, channels, tables, chat."""
    _alone("lobby", port, host, workers)


@app.command()
def session(port: Port = None, host: Host = None, workers: Workers = 1) -> None:
    """Start the session service alone: authoritative games."""
    _alone("session", port, host, workers)


@app.command()
def relay(port: Port = None, host: Host = None, workers: Workers = 1) -> None:
    """Start the relay service alone: sequenced messages between clients."""
    _alone("relay", port, host, workers)


@app.command()
def web(port: Port = None, host: Host = None) -> None:
    """Serve the browser client's files alone, for an ingress that has no files of its own."""
    settings = _settings(port=port, host=host)
    sock = _listening(settings)
    settings.port = sock.getsockname()[1]
    _report(serve.run(serve.Hosted(lambda: _pages(settings), settings.grace_ms / 1000), sock))


@app.command()
def migrate() -> None:
    """Bring the database at PARLOR_DATABASE_URL to its newest form."""
    settings = _settings()
    if not settings.database_url:
        _fail(
            "PARLOR_DATABASE_URL is not set.",
            "Name the database to migrate, for example postgresql://user@host/parlor.",
        )
    _migrate(settings.database_url)
    console.print("The database is up to date.")


@app.command()
def verify(
    replay: Annotated[Path, typer.Argument(help="What GET /session/games/<id>/replay answered.", allow_dash=True)],
) -> None:
    """Check that a game went as its seed and its moves say, without asking any server."""
    try:
        raw = sys.stdin.buffer.read() if str(replay) == "-" else replay.read_bytes()
        checks = list(checked(registered(), msgspec.json.decode(raw, type=Replay)))
    except (OSError, msgspec.MsgspecError, ValueError) as error:
        hint = "Save one first: curl …/session/games/<id>/replay > replay.json"
        _fail(f"This is no replay: {_first_line(error)}", hint, _UNREADABLE)
    for check in checks:
        mark = "[green]✓[/green]" if check.holds else "[red]✗[/red]"
        detail = f" [dim]({check.detail})[/dim]" if check.detail else ""
        console.print(f" {mark} {check.what}{detail}", soft_wrap=True)
    if not all(check.holds for check in checks):
        raise typer.Exit(1)


for command in (tsuro, play, tournament):
    app.command()(command)


# -- composition --------------------------------------------------------------------------------------------


@asynccontextmanager
async def _everything(settings: Settings, database_url: str) -> AsyncIterator[serve.Service]:
    """One process: the three services behind their prefixes, the web client for the rest."""
    async with AsyncExitStack() as stack:
        stack.enter_context(tracing.tracing(settings.tracing, "up"))
        redis_url = settings.redis_url
        if redis_url is None:
            redis = await stack.enter_async_context(embedded.embedded_redis(settings.data_dir))
            redis_url = redis.url
        secret = settings.secret.get_secret_value() if settings.secret else embedded_secret(settings.data_dir)
        made = await stack.enter_async_context(runtime(settings, redis_url, database_url, secret))
        apps = {name: await stack.enter_async_context(build(made)) for name, build in SERVICES.items()}
        session = httpx.AsyncClient(transport=httpx.ASGITransport(apps["session"]), base_url="http://parlor")
        apps["lobby"] = await stack.enter_async_context(lobby_service(made, session))
        _announce(settings, redis_url, database_url)
        yield serve.Service(_by_prefix(apps, Edge(pages(), "web")), made.hub.drain)


@asynccontextmanager
async def _one(name: str, settings: Settings) -> AsyncIterator[serve.Service]:
    assert settings.redis_url and settings.database_url and settings.secret, "checked before serving"
    secret = settings.secret.get_secret_value()
    async with AsyncExitStack() as stack:
        stack.enter_context(tracing.tracing(settings.tracing, name))
        made = await stack.enter_async_context(runtime(settings, settings.redis_url, settings.database_url, secret))
        built = await stack.enter_async_context(_lobby_alone(made) if name == "lobby" else SERVICES[name](made))
        console.print(f"Parlor {name} on http://{settings.host}:{settings.port}/{name}/")
        yield serve.Service(built, made.hub.drain)


@asynccontextmanager
async def _pages(settings: Settings) -> AsyncIterator[serve.Service]:
    async def nothing_to_drain(_: float) -> None: ...

    console.print(f"Parlor web on http://{settings.host}:{settings.port}/")
    yield serve.Service(Edge(pages(), "web"), nothing_to_drain)


@asynccontextmanager
async def _lobby_alone(made: Runtime) -> AsyncIterator[ASGIApp]:
    url = made.settings.session_url
    if url is None:
        console.print("PARLOR_SESSION_URL is not set: this lobby shows no positions of games.")
        async with lobby_service(made) as built:
            yield built
    else:
        async with httpx.AsyncClient(base_url=url, trust_env=False) as session, lobby_service(made, session) as built:
            yield built


def _by_prefix(apps: dict[str, ASGIApp], rest: ASGIApp) -> ASGIApp:
    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        prefix = scope["path"].split("/", 2)[1]
        await apps.get(prefix, rest)(scope, receive, send)

    return dispatch


def _alone(name: str, port: int | None, host: str | None, workers: int) -> None:
    settings = _settings(port=port, host=host)
    missing = [each for each in ("redis_url", "database_url", "secret") if getattr(settings, each) is None]
    if missing:
        names = ", ".join(f"PARLOR_{each.upper()}" for each in missing)
        _fail(
            f"{names} must be set for a service that runs alone.",
            "All services of one deployment share the same values.",
        )
    sock = _listening(settings)
    settings.port = sock.getsockname()[1]

    def work(number: int = 0) -> int:
        if settings.metrics_port is not None:
            _show_metrics(settings.host, settings.metrics_port + number)
        hosted = serve.Hosted(lambda: _one(name, settings), settings.grace_ms / 1000)
        _report(serve.run(hosted, sock))
        return 0

    if workers == 1:
        work()
    else:
        sys.exit(serve.run_many(workers, lambda number: _exit_code(work, number)))


def _exit_code(work: Callable[[int], int], number: int) -> int:
    """A worker's exit code; a failure has told its reason already."""
    try:
        return work(number)
    except SystemExit:
        return serve.COULD_NOT_START


def _show_metrics(host: str, port: int) -> None:
    """This process's metrics at a port of its own; workers share the other one, where a scrape meets any of them."""
    try:
        start_http_server(port, host)
    except OSError as error:
        _fail(f"Cannot listen on {host}:{port}: {error.strerror}.", "Choose other ports with PARLOR_METRICS_PORT.")


# -- words with the user ------------------------------------------------------------------------------------


def _settings(**given: object) -> Settings:
    try:
        settings = Settings(
            _secrets_dir=os.environ.get("PARLOR_SECRETS_DIR"),  # type: ignore[call-arg]  # hidden by the model's fields
            **{name: value for name, value in given.items() if value is not None},  # type: ignore[arg-type]
        )
    except ValidationError as error:
        problems = [f"PARLOR_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors()]
        _fail("; ".join(problems), "See the settings in README.md.")
    telemetry.configure(settings.log_level, settings.log_format)
    return settings


def _listening(settings: Settings) -> socket.socket:
    try:
        return serve.listen(settings.host, settings.port)
    except serve.PortTaken as error:
        _fail(str(error), "Stop what listens there, or choose another port with --port or PARLOR_PORT.")


def _migrate(database_url: str) -> None:
    try:
        db.migrate(database_url)
    except (SQLAlchemyError, OSError) as error:
        _fail(f"The database cannot be used: {_first_line(error)}", "Check PARLOR_DATABASE_URL.")


def _report(failure: Exception | None) -> None:
    if failure is None:
        return
    if isinstance(failure, MovedError):
        _fail("PARLOR_REDIS_URL names one node of a cluster.", "Say redis+cluster://… instead of redis://….")
    if isinstance(failure, RedisError):
        _fail(f"Redis cannot be reached: {_first_line(failure)}", "Check PARLOR_REDIS_URL.")
    if isinstance(failure, SQLAlchemyError):
        _fail(f"The database cannot be used: {_first_line(failure)}", "Check PARLOR_DATABASE_URL.")
    if isinstance(failure, BadKeys):
        _fail(str(failure), "A file with a JWKS or a PEM of public keys is wanted.")
    raise failure


def _announce(settings: Settings, redis_url: str, database_url: str) -> None:
    kind = "SQLite" if database_url.startswith("sqlite") else "PostgreSQL"
    redis = "external" if settings.redis_url else f"embedded, {redis_url}"
    console.print(
        f"\n  [bold]Parlor {version('parlor')}[/bold]  [green]http://{settings.host}:{settings.port}[/green]\n"
        f"  services  /lobby  /session  /relay   (each with /docs and /health/ready)\n"
        f"  redis     {redis}\n"
        f"  database  {kind}\n"
        f"  data      {settings.data_dir.resolve()}\n"
        f"  [dim]Ctrl-C stops everything.[/dim]\n"
    )


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def _fail(message: str, hint: str, code: int = serve.COULD_NOT_START) -> NoReturn:
    console.print(f"[red]parlor:[/red] {message}\n        [dim]{hint}[/dim]", soft_wrap=True)
    sys.exit(code)
