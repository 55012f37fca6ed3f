"""Eyes on it: one trace leads from a POST through its commit to another process, and what matters is measured."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from redis import Redis

from shared.log.keys import partitions
from tests.support.client import Player, open_client
from tests.support.databases import Sqlite
from tests.support.deployment import fleet
from tests.support.lobby import Seat, search
from tests.support.product import Server, short_directory
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually
from tests.support.xsos import Match

TRACE = "0af7651916cd43dd8448eb211c80319c"
CALLER = "b7ad6b7169203331"


class Collector:
    """Takes traces by HTTP as a real collector does, and keeps them."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, Span]] = []  # with the name of their service
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                    name = next(a.value.string_value for a in resource.resource.attributes if a.key == "service.name")
                    for scope in resource.scope_spans:
                        collector.spans += [(name, span) for span in scope.spans]
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def run(self) -> None:
        self._server.serve_forever()

    def close(self) -> None:
        self._server.shutdown()

    async def of(self, trace: str) -> list[tuple[str, Span]]:
        return [(name, span) for name, span in self.spans if span.trace_id.hex() == trace]


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    made = Collector()
    thread = threading.Thread(target=made.run)
    thread.start()
    yield made
    made.close()
    thread.join()


@pytest.fixture(scope="module")
def parlor(collector: Collector, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, list[Server]]]:
    further = {
        "PARLOR_TRACING": "otlp",
        "PARLOR_LOG_LEVEL": "debug",
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        "OTEL_BSP_SCHEDULE_DELAY": "100",
        "NO_PROXY": "127.0.0.1",
    }
    database = Sqlite(tmp_path_factory.mktemp("traces")).url("traces")
    with (
        short_directory() as home,
        RedisServer(home) as redis,
        fleet(home, redis.url, database, {"lobby": 1, "session": 2}, further) as servers,
    ):
        yield servers


async def test_a_trace_leads_from_the_post_to_the_stream_at_another_process(
    parlor: dict[str, list[Server]], collector: Collector
) -> None:
    here, there = parlor["session"]
    async with (
        open_client(parlor["lobby"][0].url) as lobby,
        open_client(here.url) as one,
        open_client(there.url) as two,
    ):
        match = await Match.start(
            (await Player.guest(lobby, "Ann")).at(one), (await Player.guest(lobby, "Bob")).at(one)
        )
        async with match.o.at(two).events(match.id) as events:
            await events.next("snapshot")
            answer = await one.post(
                f"/session/games/{match.id}/moves",
                json={"type": "play", "cell": 4},
                headers={**match.x.credentials, "traceparent": f"00-{TRACE}-{CALLER}-01", "X-Request-Id": "traced"},
            )
            version = answer.json()["version"]
            await events.until(version)
    spans = await eventually(lambda: collector.of(TRACE), lambda found: len(found) >= 3)
    by_name = {span.name: span for _, span in spans}
    assert set(by_name) == {"POST session", "commit", "tell"}
    post, commit, tell = by_name["POST session"], by_name["commit"], by_name["tell"]
    assert post.parent_span_id.hex() == CALLER
    assert commit.parent_span_id == post.span_id
    assert tell.parent_span_id == post.span_id
    assert {attribute.key: attribute.value.int_value for attribute in tell.attributes}["parlor.version"] == version

    async def traced() -> list[str]:
        return [json.loads(line)["trace_id"] for line in here.log().splitlines() if '"request_id": "traced"' in line]

    assert await eventually(traced, bool) == [TRACE]
    assert "Traceback" not in here.log() + there.log()


async def test_live_games_and_the_lag_of_events_are_measured(parlor: dict[str, list[Server]]) -> None:
    async def measured(name: str) -> float:
        """Over both replicas."""
        total = 0.0
        for server in parlor["session"]:
            async with open_client(server.url) as http:
                lines = (await http.get("/session/metrics")).text.splitlines()
            total += sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name))
        return total

    async def is_counted() -> bool:
        """The gauge is a second old at most, and other tests may have left games behind: it follows the truth."""
        return await measured("parlor_live_logs") == waiting(redis)

    (lobby_server,) = parlor["lobby"]
    redis = lobby_server.settings["PARLOR_REDIS_URL"]
    async with open_client(lobby_server.url) as lobby, open_client(parlor["session"][0].url) as one:
        ann, bob = [(await Player.guest(lobby, nick)).at(one) for nick in ("Ann", "Bob")]
        match = await Match.start(ann, bob)
        live = waiting(redis)
        await eventually(is_counted, bool)
        told = await measured("parlor_event_lag_seconds_count")
        async with match.o.events(match.id) as events:
            await events.until(await match.play(4))
        await eventually(lambda: measured("parlor_event_lag_seconds_count"), lambda count: count > told)
        assert (await ann.resign(match.id)).is_success
        assert waiting(redis) == live - 1
        await eventually(is_counted, bool)
        await eventually(lambda: measured("parlor_outbox_lag_seconds_count"), bool)


def waiting(redis_url: str) -> int:
    """How many games wait for a deadline."""
    with Redis.from_url(redis_url) as redis:
        pipe: Any = redis.pipeline(transaction=False)
        for each in partitions("session"):
            pipe.zcard(each.timers)
        return sum(pipe.execute())


async def test_searches_that_wait_and_how_long_they_took_are_measured(parlor: dict[str, list[Server]]) -> None:
    (lobby_server,) = parlor["lobby"]
    async with open_client(lobby_server.url) as lobby:

        async def measured(name: str) -> float:
            shown = (await lobby.get("/lobby/metrics")).text.splitlines()
            return sum(float(line.rsplit(" ", 1)[1]) for line in shown if line.startswith(f"{name}{{"))

        ann, bob = [await Seat.open(await Player.guest(lobby, nick)) for nick in ("Ann", "Bob")]
        await ann.do("find", search("eyes", seats=2))
        await eventually(lambda: measured("parlor_queue_waiting"), lambda count: count == 1)
        matched = await measured("parlor_queue_wait_seconds_count")
        await bob.do("find", search("eyes", seats=2))
        await ann.until("begin")
        await eventually(lambda: measured("parlor_queue_wait_seconds_count"), lambda count: count == matched + 2)
        await eventually(lambda: measured("parlor_queue_waiting"), lambda count: count == 0)
