"""The order of a job's runs, and the decision when an instance needs no more of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from timefair.statistics.run_count.stopping import StoppingRule, decide


class Repetitions:
    """The runs of one job: instances take turns until the round or a stopping rule ends them.

    Parameters
    ----------
    earlier : mapping
        For each instance of the job, in the order of their turns, the best precisions of its runs
        in earlier rounds, in the order of the runs.
    more : int
        Maximal number of runs of an instance in this round.
    rules : mapping, optional
        For each instance, the rule that may end it earlier. Without rules, no instance ends
        earlier.
    resting : mapping, optional
        Instances that get no run in this round, with the reasons.
    because : str, optional
        The rule's reason for the runs of this round, if it gives one.
    """

    def __init__(
        self,
        earlier: Mapping[int, Sequence[float]],
        more: int,
        rules: Mapping[int, StoppingRule] | None = None,
        resting: Mapping[int, str] | None = None,
        because: str | None = None,
    ) -> None:
        self._values = {instance: list(values) for instance, values in earlier.items()}
        self._ends = {instance: len(values) + more for instance, values in earlier.items()}
        self._rules, self._because = dict(rules or {}), because
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
        """Maximal number of runs in this round."""

    def next(self) -> tuple[int, int] | None:
        """The instance and the run to measure next; None when the job is over."""
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
        """For each instance: its runs so far, why it ended, and the rule's statistic at each look.

        ``reason`` is None for an instance that continues. In ``path``, an undefined statistic is
        None. ``because`` is the reason for the runs of this round; it is missing without a reason.
        """
        because = {} if self._because is None else {"because": self._because}
        return [
            {
                "instance": instance,
                "runs": len(values),
                "reason": self._ended.get(instance),
                "path": [None if math.isnan(look) else look for look in self._paths[instance]],
            }
            | because
            for instance, values in self._values.items()
        ]

    def _judge(self, instance: int, n: int) -> None:
        rule = self._rules.get(instance)
        if rule is None or instance in self._ended:
            return
        decision = decide(rule, self._values[instance][:n])
        if n >= rule.start:
            self._paths[instance].append(decision.value)
        if decision.stop:
            self._ended[instance] = decision.reason.value
