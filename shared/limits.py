"""Rate limits, kept in each process: they protect it from one noisy user, and cost no round trip."""

from collections.abc import Callable

from shared.problems import Problem

_FORGET_ABOVE = 100_000  # buckets; full ones say nothing and are dropped


class RateLimit:
    """A bucket for each name, refilled at `rate` a second up to `burst`."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], int], enabled: bool = True) -> None:
        self._rate = rate / 1000
        self._burst = burst
        self._clock = clock
        self._enabled = enabled
        self._buckets: dict[str, tuple[float, int]] = {}

    def take(self, name: str) -> None:
        """Spend one; raises the 429 problem when the bucket is empty."""
        if not self._enabled:
            return
        now = self._clock()
        level, since = self._buckets.get(name, (self._burst, now))
        level = min(self._burst, level + (now - since) * self._rate)
        if level < 1:
            raise Problem("rate_limited", retry_after=max(1, round((1 - level) / self._rate / 1000)))
        self._buckets[name] = (level - 1, now)
        if len(self._buckets) > _FORGET_ABOVE:
            self._forget(now)

    def _forget(self, now: int) -> None:
        self._buckets = {
            name: (level, since)
            for name, (level, since) in self._buckets.items()
            if level + (now - since) * self._rate < self._burst
        }
