"""Where the time of a measuring job goes, added up by name."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator


class Spending:
    """Seconds of wall clock by what they were spent on, in the order of the first mention."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def add(self, name: str, seconds: float) -> None:
        """Add what was measured elsewhere."""
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
