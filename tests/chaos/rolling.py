"""Two replicas of each service behind the ingress, replaced one by one under a mixed load; then the reckoning."""

import asyncio
import itertools
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.audit import Findings, Seat, check_gaps, check_stream, check_view
from tests.chaos.campaign import UNFORESEEN, reasons
from tests.chaos.clients import open_client
from tests.chaos.crashes import RECOVERY
from tests.chaos.parties import SEATS, Guests, Matched, Party, Relayed
from tests.chaos.tally import Tally
from tests.support.databases import postgresql
from tests.support.deployment import fleet
from tests.support.ingress import Ingress
from tests.support.ports import own_port
from tests.support.product import Server
from tests.support.redis_server import RedisServer

REPLICAS = {"lobby": 2, "session": 2, "relay": 2}


@dataclass(frozen=True)
class Plan:
    """At least so many games and so many replacements, whichever takes longer."""

    games: int
    replacements: int
    longest: int  # in moves, of a game
    grace_ms: int
    at_once: int  # games


@dataclass
class Rollout:
    """What was done and what came of it."""

    tally: Tally = field(default_factory=Tally)
    findings: Findings = field(default_factory=Findings)
    complaints: list[str] = field(default_factory=list)
    unforeseen: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.kinds.items()))
        return f"{self.tally}, in {self.seconds:.0f} s; finished: {kinds}"


@contextmanager
def deployed(home: Path, grace_ms: int) -> Iterator[tuple[str, dict[str, list[Server]]]]:
    """The address of the ingress, and the replicas behind it."""
    port = own_port()
    further = {
        "PARLOR_SESSION_URL": f"http://127.0.0.1:{port}",
        "PARLOR_GRACE_MS": str(grace_ms),
        "PARLOR_BEGIN_WAIT_MS": "60000",
    }
    with (
        postgresql() as database,
        RedisServer(home) as redis,
        fleet(home, redis.url, database.url("rolling"), REPLICAS, further) as replicas,
    ):
        ports = {name: [server.port for server in servers] for name, servers in replicas.items()}
        with Ingress(home, ports, port=port) as ingress:
            yield ingress.url, replicas


async def run(url: str, replicas: dict[str, list[Server]], plan: Plan, chance: random.Random) -> Rollout:
    """Play while replicas are replaced, and look at every game that was ever played."""
    rollout, began = Rollout(), time.monotonic()
    replacing = asyncio.create_task(_replace(replicas, plan, rollout.tally))
    supply = _parties(plan.games, replacing, chance)
    await asyncio.gather(*(_play(url, supply, plan, rollout, chance) for _ in range(plan.at_once)))
    _note(rollout, await asyncio.gather(replacing, return_exceptions=True))
    rollout.seconds = time.monotonic() - began
    logs = "".join(server.log() for servers in replicas.values() for server in servers)
    rollout.unforeseen = [line for line in logs.splitlines() if UNFORESEEN.search(line)]
    return rollout


def _parties(games: int, replacing: "asyncio.Task[None]", chance: random.Random) -> Iterator[tuple[int, str]]:
    """What to play: so many games, every way in turn, and on while replicas are being replaced."""
    ways = [*SEATS, *(f"{game_type} by the lobby" for game_type in SEATS), "relay", "relay"]
    for number in itertools.count():
        if number % len(ways) == 0:
            chance.shuffle(ways)
        if number >= games and replacing.done():
            return
        yield number, ways[number % len(ways)]


async def _play(
    url: str, supply: Iterator[tuple[int, str]], plan: Plan, rollout: Rollout, chance: random.Random
) -> None:
    """One party after another; each is examined at its end, whatever replica answers then."""
    for number, way in supply:
        async with open_client(url) as http:
            dice = random.Random(chance.random())
            game_type = way.split()[0]
            party: Guests
            if way == "relay":
                party = Relayed(number, http, dice, rollout.tally)
            elif way == game_type:
                party = Party(number, http, dice, rollout.tally, game_type, plan.longest)
            else:
                party = Matched(number, http, dice, rollout.tally, game_type, plan.longest)
            try:
                await party.play()
                await _examine(party, rollout.findings)
            except Exception as error:
                rollout.complaints += [f"{way}, party {number}: {reason}" for reason in reasons(error)]
            else:
                rollout.tally.games += 1
                rollout.kinds[way] += 1


async def _replace(replicas: dict[str, list[Server]], plan: Plan, tally: Tally) -> None:
    """One replica after another, told to stop and killed by turns; the next one once it is back."""
    each_in_turn = [server for pair in zip(*replicas.values(), strict=True) for server in pair]
    names = {server.port: name for name, servers in replicas.items() for server in servers}
    for n, server in enumerate(itertools.islice(itertools.cycle(each_in_turn), plan.replacements)):
        gently = (n + n // len(each_in_turn)) % 2 == 0
        await tally.more_moves(20, within=RECOVERY)
        if gently:
            status = await asyncio.to_thread(server.stop)
            assert status == 0, f"{names[server.port]} ended with {status}"
        else:
            await asyncio.to_thread(server.kill)
        with tally.calm():
            await asyncio.to_thread(server.start)
        tally.crashes[f"{names[server.port]} by {'SIGTERM' if gently else 'SIGKILL'}"] += 1


async def _examine(party: Guests, findings: Findings) -> None:
    if isinstance(party, Relayed):
        _examine_room(party, findings)
    if isinstance(party, Party):
        await _examine_game(party, findings)
    if isinstance(party, Matched):
        await _examine_channels(party, findings)


async def _examine_game(party: Party, findings: Findings) -> None:
    """Every answered move is in the log, once, and nothing else is; everyone saw what was told, and believes it."""
    log = (await party.clients[0].ask(f"/session/games/{party.game}/replay"))["log"]
    written = [
        (line["version"], fact["box"], fact["move"])
        for line in log
        for fact in line["facts"]
        if fact["type"] == "played" and fact.get("move")
    ]
    answered = sorted([(each.version, each.box, each.move) for each in party.answered], key=lambda each: each[0])
    findings.lost += [f"{party.game}: {each}" for each in answered if each not in written]
    findings.unsent += [f"{party.game}: {each}" for each in written if each not in answered]
    findings.doubled += [f"{party.game}: {each}" for each in written if written.count(each) > 1]
    for box, client in enumerate(party.clients):
        seat = Seat(party.game, box, party.followers[box])
        replay = await client.ask(f"/session/games/{party.game}/replay", {"as": str(box)})
        check_gaps(seat, findings)
        check_stream(seat, replay, findings)
        check_view(seat, await client.ask(f"/session/games/{party.game}"), findings)


async def _examine_channels(party: Matched, findings: Findings) -> None:
    """Every transition of a channel was told once and in order."""
    for channel in party.channels:
        told = [each.data["version"] for each in channel.seen if each.name == "channel"]
        version = (await channel.client.ask(f"/lobby/channels/{channel.id}"))["version"]
        if told != list(range(1, version + 1)):
            findings.streams.append(f"channel {channel.id}: told {told}, but it is at {version}")
        if [each.name for each in channel.seen].count("snapshot") != 1:
            findings.gaps.append(f"channel {channel.id}")


def _examine_room(party: Relayed, findings: Findings) -> None:
    """Each got what the other sent, once and in order; the first join is nobody's."""
    first, second = party.sent
    for trail, expected in zip(party.trails, (second, first[1:]), strict=True):
        if trail.received != expected:
            findings.streams.append(f"{party.room}: got {trail.received}, but {expected} was sent")
        findings.gaps += [f"{party.room}, at {each.id}" for each in trail.seen if each.name == "snapshot"]


def _note(rollout: Rollout, outcomes: Sequence[BaseException | None]) -> None:
    rollout.complaints += [reason for outcome in outcomes if outcome for reason in reasons(outcome)]
