"""A function that can be paused with its complete state, numpy's and Python's global random
generators included: some libraries draw from them.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np


class PausableThread:
    """A function in its own thread. The function runs only while the caller waits in `go_on`.

    A pause does not change the function's view of numpy's and Python's global generators.

    - `function`: Called at the first `go_on`. It calls `pause` wherever it can be paused.
    """

    def __init__(self, function: Callable[[], object]) -> None:
        self._function = function
        self._on, self._back = threading.Semaphore(0), threading.Semaphore(0)
        self._error: BaseException | None = None
        self.has_ended = False
        """Whether the function has returned or raised."""
        threading.Thread(target=self._live, daemon=True).start()

    def go_on(self) -> None:
        """Let the function run until it pauses or ends; raise its exception, if any. No effect
        afterwards.
        """
        if self.has_ended:
            return
        self._on.release()
        self._back.acquire()
        if self._error is not None:
            raise self._error

    def pause(self) -> None:
        """Wait for the next `go_on`; only the function itself may call this."""
        states = global_states()
        self._back.release()
        self._on.acquire()
        restore_global_states(states)

    def _live(self) -> None:
        self._on.acquire()
        try:
            self._function()
        except BaseException as error:
            self._error = error
        self.has_ended = True
        self._back.release()


def seed_global_generators(rng: np.random.Generator) -> None:
    np.random.seed(rng.integers(2**32, dtype=np.uint32))  # noqa: NPY002
    random.seed(int(rng.integers(2**63)))


def global_states() -> tuple[Any, Any]:
    return np.random.get_state(), random.getstate()  # noqa: NPY002


def restore_global_states(states: tuple[Any, Any]) -> None:
    np.random.set_state(states[0])  # noqa: NPY002
    random.setstate(states[1])
