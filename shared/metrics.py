"""What is measured, each for a question that an operator asks."""

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
TIMERS_LATE = Histogram(
    "parlor_timer_lateness_seconds",
    "How long after its deadline a timer was acted on.",
    buckets=(0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 30),
)
OUTBOX = Counter("parlor_outbox_total", "Outbox messages handled.", ["worker", "outcome"])
