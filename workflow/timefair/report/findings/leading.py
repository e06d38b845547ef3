"""The algorithms to show first if there are too many for one figure."""

from __future__ import annotations

import pandas as pd

from timefair.report.evidence import Evidence

COSTS = "ERT"
"""The criterion of costs in the table `ranks`."""


def leading(evidence: Evidence) -> list[str]:
    """The algorithms of the table `ranks`, the best first.

    They are ordered by their average rank by the expected cost to the targets, in the unit of the
    budget; equal ones by the rank of the precision at the end. Ranks are averaged over suites and
    dimensions. Empty without the table.
    """
    ranks = evidence.table("ranks")
    if ranks.empty:
        return []
    by_cost = (ranks["measure"] == evidence.unit) & (ranks["criterion"] == COSTS)
    by_quality = ranks["measure"] == "precision"
    names = ranks["algorithm"].astype(str)
    cost, quality = (
        ranks[of].groupby(names[of])["average_rank"].mean() for of in (by_cost, by_quality)
    )
    order = pd.DataFrame({"cost": cost, "quality": quality}).sort_values(["cost", "quality"])
    return [str(name) for name in order.index]
