"""Which run of a job is next, and when an instance has had enough of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from timefair.statistics.run_count.stopping import StoppingRule, decide


class Repetitions:
    """The runs of one job: instances take turns until the round, or a stopping rule, ends them.

    Parameters
    ----------
    earlier : mapping
        For each instance of the job, in the order of their turns, the best precisions of its runs
        in the rounds before, in their order.
    more : int
        Runs of an instance in this round.
    rule : StoppingRule, optional
        What may end an instance earlier. Without one, nothing does.
    resting : mapping, optional
        Instances that get no run in this round, each with the reason.
    """

    def __init__(
        self,
        earlier: Mapping[int, Sequence[float]],
        more: int,
        rule: StoppingRule | None = None,
        resting: Mapping[int, str] | None = None,
    ) -> None:
        self._values = {instance: list(values) for instance, values in earlier.items()}
        self._ends = {instance: len(values) + more for instance, values in earlier.items()}
        self._rule = rule
        self._paths: dict[int, list[float]] = {instance: [] for instance in earlier}
        self._ended: dict[int, str] = dict(resting or {})
        for instance, values in self._values.items():
            for n in range(1, len(values) + 1):
                self._judge(instance, n)
        self.most = sum(
            self._ends[instance] - len(values)
            for instance, values in self._values.items()
            if instance not in self._ended
        )
        """Runs of this round at most."""

    def next(self) -> tuple[int, int] | None:
        """Instance and run to measure; None when the job is over."""
        waiting = [
            (len(values), place, instance)
            for place, (instance, values) in enumerate(self._values.items())
            if instance not in self._ended and len(values) < self._ends[instance]
        ]
        if not waiting:
            return None
        run, _, instance = min(waiting)
        return instance, run

    def add(self, instance: int, precision: float) -> None:
        """Take the result of the run that `next` named."""
        self._values[instance].append(precision)
        self._judge(instance, len(self._values[instance]))

    def outcome(self) -> list[dict[str, Any]]:
        """For each instance: its runs so far, what ended it, and the rule's number at each look.

        ``reason`` is None for an instance that goes on; in ``path``, None is a number that is
        undefined.
        """
        return [
            {
                "instance": instance,
                "runs": len(values),
                "reason": self._ended.get(instance),
                "path": [None if math.isnan(look) else look for look in self._paths[instance]],
            }
            for instance, values in self._values.items()
        ]

    def _judge(self, instance: int, n: int) -> None:
        if self._rule is None or instance in self._ended:
            return
        decision = decide(self._rule, self._values[instance][:n])
        if n >= self._rule.start:
            self._paths[instance].append(decision.value)
        if decision.stop:
            self._ended[instance] = decision.reason.value
