"""Features of the landscape of a job's problems, for a stopping rule that uses them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from timefair.basics.errors import InputError
from timefair.measure.runs.elsewhere import NoAnswer, elsewhere
from timefair.problems import registry as suites

if TYPE_CHECKING:
    from timefair.campaign import plan
    from timefair.campaign.configuration import Campaign


def landscape_of(campaign: Campaign, job: plan.Job, instance: int) -> dict[str, float]:
    """The features of a problem, by name; empty if the problem cannot be sampled.

    The evaluations are made before the first run, in a process of their own, and count for no
    algorithm. The result is empty if the problem raises, ends its process or takes longer than
    `limits.wall_s`; the runs of the job show why.
    """

    def described() -> dict[str, float]:
        from timefair.problems.sampling import sample
        from timefair.statistics.classifier.landscape import named_landscape

        suite = suites.find(campaign.problems.suite, campaign.problems.parameters)
        return named_landscape(*sample(suite.problem(job.function, job.dimension, instance)))

    try:
        return dict(elsewhere(described, campaign.limits.wall_s))
    except (InputError, NoAnswer):
        return {}
