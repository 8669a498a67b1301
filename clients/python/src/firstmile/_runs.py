"""Results of a file, while they arrive."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from ._drive import AsyncDriver, Driver
from ._flows import Aggregate
from ._steps import Steps


class _Run:
    def __init__(self, steps: Callable[[Aggregate], Steps]) -> None:
        self._steps = steps
        self._aggregate = Aggregate()

    @property
    def aggregate(self) -> dict[str, Any] | None:
        """About all of them: None before the last, and where they were sent in several requests."""
        return self._aggregate.value


class FeatureRun(_Run):
    """Results in the order of what was sent: iterate over it."""

    def __init__(self, driver: Driver, steps: Callable[[Aggregate], Steps]) -> None:
        super().__init__(steps)
        self._driver = driver

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self._driver.items(self._steps(self._aggregate))


class AsyncFeatureRun(_Run):
    """Results in the order of what was sent: iterate over it with ``async for``."""

    def __init__(self, driver: AsyncDriver, steps: Callable[[Aggregate], Steps]) -> None:
        super().__init__(steps)
        self._driver = driver

    def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        return self._driver.items(self._steps(self._aggregate))
