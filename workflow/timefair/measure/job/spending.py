"""How a measuring job spends its time, summed by activity."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator


class Spending:
    """Wall-clock seconds per activity, in the order in which activities were first recorded."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def add(self, name: str, seconds: float) -> None:
        """Add seconds that were measured elsewhere."""
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds

    @contextlib.contextmanager
    def on(self, name: str) -> Iterator[None]:
        """Add the time that the block takes."""
        start = time.monotonic()
        try:
            yield
        finally:
            self.add(name, time.monotonic() - start)

    def __str__(self) -> str:
        """``10.43 s: timed runs 8.000, reference kernel 0.214``."""
        parts = (f"{name} {seconds:.3f}" for name, seconds in self.seconds.items())
        return f"{sum(self.seconds.values()):.3f} s: {', '.join(parts)}"
