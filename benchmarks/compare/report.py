"""What has come of the rounds so far, and what follows from it."""

from collections.abc import Mapping, Sequence
from math import isinf
from statistics import median

from rich.console import Console
from rich.table import Table

from benchmarks.compare.rounds import MEASURES, Cost
from benchmarks.compare.statistics import NARROW, Interval, interval

DEARER = 1  # as with diff, where 1 says that there is a difference and 2 that there is no answer


class Comparison:
    """The costs of each measure in every whole round."""

    def __init__(self, wanted: Sequence[str]) -> None:
        self.wanted = wanted
        self._costs: dict[str, list[Cost]] = {name: [] for name in wanted}

    def add(self, costs: Mapping[str, Cost]) -> None:
        """The costs of a whole round."""
        for name, found in self._costs.items():
            found.append(costs[name])

    @property
    def rounds(self) -> int:
        return min(map(len, self._costs.values()))

    def intervals(self) -> dict[str, Interval]:
        return {name: interval([cost.ratio for cost in found]) for name, found in self._costs.items()}

    @property
    def is_settled(self) -> bool:
        return all(each.is_narrow for each in self.intervals().values())

    @property
    def dearer(self) -> list[str]:
        """The measures that cost more than they did, beyond doubt."""
        return [name for name, each in self.intervals().items() if each.is_above_one]

    @property
    def exit_code(self) -> int:
        return DEARER if self.dearer else 0

    def line(self) -> str:
        return "  ".join(f"{name} {_ratio(each)}" for name, each in self.intervals().items())

    def print(self, console: Console) -> None:
        table = Table(title=f"new / old after {self.rounds} rounds")
        for title in ("measure", "new", "old", "ratio", "95 % interval", "±", ""):
            table.add_column(title, justify="left" if title in ("measure", "") else "right")
        for name, each in self.intervals().items():
            measure, costs = MEASURES[name], self._costs[name]
            new, old = (f"{median(sides) * measure.per:,.1f} {measure.unit}" for sides in _sides(costs))
            low_high = "unknown" if isinf(each.high) else f"{each.low:.3f} – {each.high:.3f}"
            half = "" if isinf(each.high) else f"{each.half_width:.3f}"
            table.add_row(name, new, old, f"{each.median:.3f}", low_high, half, _verdict(each))
        console.print(table)
        wide = [name for name, each in self.intervals().items() if not each.is_narrow]
        if wide:
            console.print(f"The time was up before all intervals were within ± {NARROW}: {', '.join(wide)}.")


def _sides(costs: Sequence[Cost]) -> tuple[list[float], list[float]]:
    return [cost.new for cost in costs] or [0.0], [cost.old for cost in costs] or [0.0]


def _ratio(each: Interval) -> str:
    return f"{each.median:.3f}" + ("" if isinf(each.high) else f"±{each.half_width:.3f}")


def _verdict(each: Interval) -> str:
    if each.is_above_one:
        return "[red]dearer[/red]"
    return "[green]cheaper[/green]" if each.high < 1.0 else ""
