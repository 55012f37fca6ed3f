"""In which order the tests run: another one each time, drawn by lot, and repeated when its seed is given."""

import random
from collections import defaultdict

import pytest


def drawn(items: list[pytest.Item], seed: int) -> list[pytest.Item]:
    """Files in an order drawn by lot and the tests of each too; files that take long come first, so that at the end no
    process has to wait for another's last one."""
    chance = random.Random(seed)
    files: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: item.nodeid):
        files[item.nodeid.partition("::")[0]].append(item)
    order = list(files.values())
    chance.shuffle(order)
    for tests in order:
        chance.shuffle(tests)
    order.sort(key=lambda tests: not any(test.get_closest_marker("long") for test in tests))
    return [test for tests in order for test in tests]
