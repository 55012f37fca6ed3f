"""The long form of the crash tests runs only when it is asked for: `make chaos`."""

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "chaos" in config.option.markexpr:
        return
    asked_for = [item for item in items if item.get_closest_marker("chaos") is None]
    config.hook.pytest_deselected(items=[item for item in items if item not in asked_for])
    items[:] = asked_for
