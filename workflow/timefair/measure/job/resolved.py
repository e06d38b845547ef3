"""The settings of a campaign for measuring one algorithm, for a process without pydantic."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from timefair.environments import unchecked
from timefair.policies.restarts.base import RestartPolicy

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign


def resolved(campaign: Campaign | Resolved, label: str, dimension: int) -> dict[str, Any]:
    """The arguments of `Resolved`, in a form that JSON can represent."""
    if isinstance(campaign, Resolved):
        return campaign.arguments
    spec, budget = campaign.algorithms[label], campaign.budget
    problems, limits = campaign.problems, campaign.limits
    policy = campaign.restart_of(label)
    return {
        "label": label,
        "problems": {"suite": problems.suite, "parameters": problems.parameters},
        "algorithm": {
            "use": spec.use,
            "parameters": spec.parameters,
            "integer": spec.integer,
            "constraint_penalty": spec.constraint_penalty,
            "threads": spec.threads,
        },
        "budget": {
            "time_s": budget.time_s,
            "final_target": budget.final_target,
            "evaluation_cost_s": budget.evaluation_cost_s,
        },
        "evaluations": budget.evaluations_for(dimension),
        "limits": {"memory_mb": limits.memory_mb, "wall_s": limits.wall_s},
        "repeats": campaign.timing.most_repeats,
        "reference": campaign.reference_is_timed,
        "isolation": campaign.isolation_of(label),
        "apart": campaign.is_apart(label),
        "restart": {
            "module": type(policy).__module__,
            "name": type(policy).__name__,
            "values": policy.model_dump(mode="json"),
        },
    }


class Resolved:
    """The attributes of `Campaign` that measuring one algorithm in one dimension needs.

    The values were checked when the campaign was read. ``arguments`` are those of the constructor.
    """

    def __init__(
        self,
        *,
        label: str,
        problems: Mapping[str, Any],
        algorithm: Mapping[str, Any],
        budget: Mapping[str, Any],
        evaluations: int | None,
        limits: Mapping[str, Any],
        repeats: int,
        reference: bool,
        isolation: str,
        apart: bool,
        restart: Mapping[str, Any],
    ) -> None:
        self.arguments = {name: value for name, value in locals().items() if name != "self"}
        self.problems = SimpleNamespace(**problems)
        self.algorithms = {label: SimpleNamespace(**algorithm)}
        self.budget = SimpleNamespace(**budget, evaluations_for=lambda _: evaluations)
        self.limits = SimpleNamespace(**limits)
        self.timing = SimpleNamespace(most_repeats=repeats)
        self.reference_is_timed = reference
        self._isolation, self._apart = isolation, apart
        with unchecked.sections():
            module = import_module(restart["module"])
        self._restart: RestartPolicy = getattr(module, restart["name"])(**restart["values"])

    def restart_of(self, _: str) -> RestartPolicy:
        """The restart policy of the runs."""
        return self._restart

    def isolation_of(self, _: str) -> str:
        """The isolation of the runs."""
        return self._isolation

    def is_apart(self, _: str) -> bool:
        """Whether the algorithm runs in processes that do not hold the problem."""
        return self._apart

    def environment_of(self, _: str) -> None:
        """None, because this process already runs in the environment of the algorithm."""
