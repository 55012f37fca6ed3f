"""What a run measured, as a table with ratios and as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.arena import Window
from benchmarks.memory import Memory
from benchmarks.moves import Latency
from benchmarks.server import PINNED

MOVE_TARGET = 1.0
ACK_TARGET = 1.2
PUSH_TARGET = 0.8
RELAY_TARGET = 1.0
MATCH_TARGET = 1 / 1.5
MEMORY_TARGET_KIB = 16.0

# Below this share of its core the server was waiting for something else, and its rate is a lower bound.
_SATURATED = 0.9
# Above this share for other processes on the server's core, rates say more about them than about the servers.
_DISTURBED = 0.1


@dataclass(frozen=True, slots=True)
class Comparison:
    """Windows of Parlor and of its baseline, taken in turns."""

    unit: str
    target: float
    ours: Sequence[Window]
    theirs: Sequence[Window]

    def ratios(self) -> list[float]:
        """By how much Parlor was faster, window by window: neighbours share the machine's mood."""
        return [ours.rate / theirs.rate for ours, theirs in zip(self.ours, self.theirs, strict=True)]

    def cpu_ratios(self) -> list[float]:
        """By how much Parlor's server used less CPU, which a busy machine disturbs less than the rate."""
        return [theirs.cpu_us / ours.cpu_us for ours, theirs in zip(self.ours, self.theirs, strict=True)]

    def trusted(self) -> bool:
        """Whether the server had its core to itself on both sides, so that the rates can be compared."""
        shares = [_shares(windows)["others_on_server_core"] for windows in (self.ours, self.theirs)]
        return max(shares) < _DISTURBED

    def as_json(self) -> dict[str, Any]:
        return {
            "unit": self.unit,
            "trusted": self.trusted(),
            "target": self.target,
            "ratio": median(self.ratios()),
            "ratios": self.ratios(),
            "cpu_ratio": median(self.cpu_ratios()),
            "cpu_ratios": self.cpu_ratios(),
            "parlor": _side_as_json(self.ours),
            "baseline": _side_as_json(self.theirs),
        }


@dataclass(slots=True)
class Report:
    move: Comparison | None = None
    ack: Comparison | None = None
    push: Comparison | None = None
    latency: Latency | None = None
    memory: Memory | None = None
    relay: Comparison | None = None
    relay_latency: Latency | None = None
    match: Comparison | None = None
    match_latency: Latency | None = None

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"pinned": PINNED}
        if self.move:
            found["move"] = self.move.as_json()
        if self.ack:
            found["ack"] = self.ack.as_json()
        if self.push:
            found["push"] = self.push.as_json()
        if self.relay:
            found["relay"] = self.relay.as_json()
        if self.latency:
            found["latency"] = {"moves_per_second": self.latency.window.rate, **_latency_as_json(self.latency)}
        if self.relay_latency:
            seen = self.relay_latency
            found["relay_latency"] = {"messages_per_second": seen.window.rate, **_latency_as_json(seen)}
        if self.match:
            found["match"] = self.match.as_json()
        if self.match_latency:
            seen = self.match_latency
            found["match_latency"] = {"matches_per_second": seen.window.rate, **_latency_as_json(seen)}
        if self.memory:
            kept = self.memory
            found["memory"] = {
                "kib_per_stream": kept.per_stream / 1024,
                "target_kib": MEMORY_TARGET_KIB,
                "streams": kept.streams,
                "alive": kept.alive,
            }
        return found

    def print(self, console: Console) -> None:
        table = Table(title="Parlor, one core for the server", title_style="bold")
        table.add_column("measure")
        for heading in ("Parlor", "baseline", "ratio", "target"):
            table.add_column(heading, justify="right")
        if self.move:
            _compare(table, "durable move, both players' pushes included", "bare FastAPI POST", self.move)
        if self.ack:
            _compare(table, "acknowledgement, pushes included", "a durable move", self.ack)
        if self.push:
            _compare(table, "SSE push to 200 streams", "raw ASGI", self.push)
        if self.latency:
            seen = self.latency
            table.add_row(
                f"move → opponent's stream at {seen.window.rate:,.0f} moves/s, p50 / p99",
                f"{seen.p50 * 1e3:.2f} / {seen.p99 * 1e3:.2f} ms",
            )
        if self.relay:
            _compare(table, "relayed message, the peer's push included", "bare FastAPI POST", self.relay)
        if self.relay_latency:
            seen = self.relay_latency
            table.add_row(
                f"message → peer's stream at {seen.window.rate:,.0f} messages/s, p50 / p99",
                f"{seen.p50 * 1e3:.2f} / {seen.p99 * 1e3:.2f} ms",
            )
        if self.match:
            _compare(table, "tickets matched while 10,000 others wait", "100 others", self.match)
        if self.match_latency:
            seen = self.match_latency
            table.add_row(
                f"search → partner's match at {seen.window.rate:,.0f} matches/s, p50 / p99",
                f"{seen.p50 * 1e3:.2f} / {seen.p99 * 1e3:.2f} ms",
            )
        if self.memory:
            kib, kept = self.memory.per_stream / 1024, self.memory
            good = kib <= MEMORY_TARGET_KIB and kept.alive == kept.streams
            table.add_row(
                f"memory per idle stream, {kept.alive:,} of {kept.streams:,} alive afterwards",
                f"{kib:.1f} KiB",
                "",
                _verdict(f"{kib / MEMORY_TARGET_KIB:.2f}×", good),
                f"≤ {MEMORY_TARGET_KIB:.0f} KiB",
            )
        console.print(table)
        for comparison in filter(None, (self.move, self.ack, self.push, self.relay, self.match)):
            _explain(console, comparison)
        if not PINNED:
            console.print("One core only: server, Redis and driver shared it, so trust no ratio.")


def _compare(table: Table, name: str, baseline: str, found: Comparison) -> None:
    ratio = median(found.ratios())
    table.add_row(
        f"{name} [dim](against {baseline})[/dim]",
        f"{_rate(found.ours)} {found.unit}s/s",
        f"{_rate(found.theirs)}/s",
        _verdict(f"{ratio:.2f}×", ratio >= found.target) if found.trusted() else f"[yellow]{ratio:.2f}×?[/yellow]",
        f"≥ {found.target:.2g}×",
    )
    table.add_row(
        f"  server CPU per {found.unit}",
        f"{median(w.cpu_us for w in found.ours):.1f} µs",
        f"{median(w.cpu_us for w in found.theirs):.1f} µs",
        f"{median(found.cpu_ratios()):.2f}×",
    )


def _explain(console: Console, found: Comparison) -> None:
    low, high = min(found.ratios()), max(found.ratios())
    ours, theirs = (max(w.rate for w in windows) for windows in (found.ours, found.theirs))
    console.print(
        f"[bold]{found.unit}[/bold]: median of {len(found.ours)} windows, ratios {low:.2f}–{high:.2f},"
        f" best {ours:,.0f} against {theirs:,.0f}/s."
    )
    if not found.trusted():
        console.print("  [yellow]Other processes were busy on the server's core: go by the CPU, not the rate.[/yellow]")
    for name, windows in (("Parlor", found.ours), ("baseline", found.theirs)):
        share = _shares(windows)
        console.print(
            f"  {name}: server core {share['server']:.0%} (others {share['others_on_server_core']:.0%});"
            f" other core: driver {share['driver']:.0%}, Redis {share['redis']:.0%}"
            f" (others {share['others_on_driver_core']:.0%})."
        )
        if share["server"] < _SATURATED:
            console.print(f"  [yellow]{name} did not fill its core: its rate is a lower bound.[/yellow]")


def _latency_as_json(seen: Latency) -> dict[str, Any]:
    return {"p50_ms": seen.p50 * 1e3, "p99_ms": seen.p99 * 1e3, "samples": seen.window.count}


def _side_as_json(windows: Sequence[Window]) -> dict[str, Any]:
    return {
        "rate_median": median(w.rate for w in windows),
        "rate_best": max(w.rate for w in windows),
        "rates": [w.rate for w in windows],
        "server_cpu_us": median(w.cpu_us for w in windows),
        "cores": _shares(windows),
    }


def _shares(windows: Sequence[Window]) -> dict[str, float]:
    used = [w.usage for w in windows]
    wall = sum(u.wall for u in used)
    return {
        "server": sum(u.server for u in used) / wall,
        "driver": sum(u.driver for u in used) / wall,
        "redis": sum(u.redis for u in used) / wall,
        "others_on_server_core": sum(u.others()[0] for u in used) / wall,
        "others_on_driver_core": sum(u.others()[1] for u in used) / wall,
    }


def _rate(windows: Sequence[Window]) -> str:
    return f"{median(w.rate for w in windows):,.0f}"


def _verdict(text: str, good: bool) -> str:
    return f"[green]{text}[/green]" if good else f"[red]{text}[/red]"
