"""Which run of a job is next, and when an instance has had enough of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from timefair.statistics.run_count.stopping import Decision, StoppingRule, decide


class Repetitions:
    """The runs of one job: instances take turns until a stopping rule, or the round, ends them.

    Parameters
    ----------
    instances : sequence of int
        The job's instances, in the order of their turns.
    end : int
        The number of runs of an instance after this round.
    rule : StoppingRule, optional
        What may end an instance earlier. Without one, nothing does.
    earlier : mapping, optional
        For each instance, the best precisions of its runs in the rounds before, in their order.
    dropped : mapping, optional
        Instances that get no run in this round, each with the reason.
    """

    def __init__(
        self,
        instances: Sequence[int],
        end: int,
        rule: StoppingRule | None = None,
        earlier: Mapping[int, Sequence[float]] | None = None,
        dropped: Mapping[int, str] | None = None,
    ) -> None:
        self._end, self._rule = end, rule
        self._values = {i: list((earlier or {}).get(i, ())) for i in instances}
        self._paths: dict[int, list[float]] = {i: [] for i in instances}
        self._ended: dict[int, str] = dict(dropped or {})
        for instance in instances:
            self._judge_past(instance)

    def next(self) -> tuple[int, int] | None:
        """Instance and run to measure; None when the job is over."""
        waiting = [
            (len(values), place, instance)
            for place, (instance, values) in enumerate(self._values.items())
            if instance not in self._ended and len(values) < self._end
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

        ``reason`` is None for an instance that goes on, or that was never to be ended early; the
        path has None where the number is undefined.
        """
        return [
            {
                "instance": instance,
                "runs": len(values),
                "reason": self._ended.get(instance),
                "path": [None if value != value else value for value in self._paths[instance]],
            }
            for instance, values in self._values.items()
        ]

    def _judge_past(self, instance: int) -> None:
        for n in range(1, len(self._values[instance]) + 1):
            self._judge(instance, n)

    def _judge(self, instance: int, n: int) -> None:
        if self._rule is None or instance in self._ended:
            return
        decision: Decision = decide(self._rule, self._values[instance][:n])
        if n >= self._rule.start:
            self._paths[instance].append(decision.value)
        if decision.stop:
            self._ended[instance] = decision.reason.value
