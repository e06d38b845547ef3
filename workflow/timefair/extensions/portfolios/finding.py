"""A sentence on whether two algorithms that share the budget reach more targets than one."""

from __future__ import annotations

from collections.abc import Iterator

from timefair.basics.words import percent
from timefair.extensions.portfolios.tables import SINGLE, VIRTUAL
from timefair.report.evidence import Evidence, Space
from timefair.report.findings import functions_of

FEWEST_FUNCTIONS = 6  # with fewer functions, an average over them says nothing about other ones

ARRANGEMENT, SIZE = "in turn", 2
"""The portfolio in the sentence; choosing the best of several would be biased."""


def findings(evidence: Evidence, space: Space) -> Iterator[str]:
    """On the pair that shares the budget, with the best single algorithm and the bound.

    None if the gain may be due to chance, if the pair does not reach more targets than the best
    single algorithm, or for fewer than `FEWEST_FUNCTIONS` functions.
    """
    rows = evidence.of("portfolio", space, unit=evidence.unit)
    if rows.empty or len(functions_of(evidence, space)) < FEWEST_FUNCTIONS:
        return
    of = {(row["arrangement"], row["size"]): row for row in rows.to_dict("records")}
    row, single = of.get((ARRANGEMENT, SIZE)), of.get((SINGLE, 1))
    bound = next((one for (arrangement, _), one in of.items() if arrangement == VIRTUAL), None)
    if row is None or single is None or bound is None:
        return
    if not (row["gain_low"] > 0 and row["held_out"] > single["share"]):
        return
    shares = [percent(float(share)) for share in row["shares"].split(", ")]
    first, second = (
        f"{name} for {share} of the budget"
        for name, share in zip(row["members"].split(", "), shares, strict=True)
    )
    yield (
        f"{first}, then {second} reach {percent(row['held_out'])} of the targets on "
        f"functions not used to choose them; {single['members']} alone reaches "
        f"{percent(single['share'])}, and the best algorithm on each target "
        f"{percent(bound['share'])}."
    )
