"""What is measured, each for a question that an operator asks."""

import time
from typing import Any

from prometheus_client import Counter, Gauge, Histogram

REQUESTS = Counter("parlor_requests_total", "Answered requests: is anything failing?", ["service", "status"])
COMMANDS = Counter("parlor_commands_total", "Game commands by what became of them.", ["command", "outcome"])
CONFLICTS = Counter("parlor_commit_conflicts_total", "Commits that met a newer version: is a log contended?")
COMMIT_BATCH = Histogram(
    "parlor_commit_batch",
    "Commits sharing one round trip to Redis.",
    buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256),
)
STREAMS = Gauge("parlor_streams_open", "Event streams open in this process.")
STREAMS_CUT = Counter("parlor_streams_cut_total", "Streams cut off because their reader had stopped reading.")
GAPS = Counter("parlor_doorbell_gaps_total", "Entries that the doorbell missed and a read repaired.")
EVENT_LAG = Histogram(
    "parlor_event_lag_seconds",
    "From the moment a command was decided until its events were written to this process's streams.",
    ["service"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5),
)
LIVE = Gauge("parlor_live_logs", "Games or rooms that wait for something, in the partitions leased here.", ["service"])
TIMERS_LATE = Histogram(
    "parlor_timer_lateness_seconds",
    "How long after its deadline a timer was acted on.",
    buckets=(0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 30),
)
QUEUED = Gauge(
    "parlor_queue_waiting",
    "Searches that wait in the queues counted here; one that takes several types counts in each.",
    ["game_type"],
)
QUEUE_WAIT = Histogram(
    "parlor_queue_wait_seconds",
    "How long those who were matched had waited.",
    ["game_type"],
    buckets=(0.1, 0.5, 1, 2, 5, 10, 20, 60, 300),
)
OUTBOX = Counter("parlor_outbox_total", "Outbox messages handled.", ["worker", "outcome"])
OUTBOX_LAG = Histogram(
    "parlor_outbox_lag_seconds",
    "From the commit that wrote an outbox message until it was handled.",
    ["worker"],
    buckets=(0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300),
)


def since(ms: int) -> float:
    """Seconds since a time of some machine's clock; never less than none, should it be ahead of ours."""
    return max(0.0, time.time() - ms / 1000)


def decided_at(entry: Any) -> int:
    """When an entry was decided, 0 if its kind does not say."""
    return getattr(entry, "at", 0)
