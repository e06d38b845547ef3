"""Whether the first algorithm is faster than the next by a factor that matters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from timefair.basics.together import ALL
from timefair.exhibits.probabilities.practical import BETTER, EQUAL, WORSE
from timefair.report.evidence import Evidence, Space
from timefair.report.words import counted, number, percent

FASTER = {"seconds": "faster", "evaluations": "faster in evaluations"}


def matters(evidence: Evidence, space: Space) -> Iterator[str]:
    """Sentences on who is probably the best, and on the first two algorithms.

    The first two are those with the highest probability of being the best over all functions. There
    are no sentences without the tables `probability_best` and `practical`.
    """
    rows = evidence.of("probability_best", space, unit=evidence.unit, function=ALL)
    rows = rows[rows["p_best"].notna()] if len(rows) else rows
    if len(rows) < 2:
        return
    order = rows.sort_values(["p_best", "p_first"], ascending=False, kind="stable")
    first, second = order.iloc[0], order.iloc[1]
    if first["runs"] > 1:
        yield _best(first)
    pair = sorted((str(first["algorithm"]), str(second["algorithm"])))
    pairs = evidence.of("practical", space, unit=evidence.unit)
    if pairs.empty:
        return
    pairs = pairs[(pairs["algorithm_a"] == pair[0]) & (pairs["algorithm_b"] == pair[1])]
    on_functions = pairs[(pairs["function"] != ALL) & pairs["p_equal"].notna()]
    if len(on_functions):
        yield _counted(evidence, space, on_functions, pair, str(first["algorithm"]))


def _best(first: pd.Series[Any]) -> str:
    """The probability that the first algorithm is the best over functions."""
    limits = f"[{100 * first['p_first_low']:.0f}, {100 * first['p_first_high']:.0f}]"
    return (
        f"By the expected cost to the hardest target of each function, {first['algorithm']} is the "
        f"best over functions like these with a probability of {percent(float(first['p_best']))}; "
        "on another such function, it is first with a probability of "
        f"{percent(float(first['p_first']))} {limits} (Plackett-Luce)."
    )


def _counted(
    evidence: Evidence, space: Space, rows: pd.DataFrame, pair: list[str], first: str
) -> str:
    """Numbers of functions on which the first is better than the other, equal and worse."""
    turned = first != pair[0]
    other = pair[0] if turned else pair[1]
    verdicts = rows["verdict"].value_counts()
    better, worse = (int(verdicts.get(name, 0)) for name in (BETTER, WORSE))
    if turned:
        better, worse = worse, better
    equal = int(verdicts.get(EQUAL, 0))
    open_ones = len(rows) - better - equal - worse
    ratio = float(rows["matters"].iloc[0])
    resolved = max(evidence.resolved(space, evidence.unit, each) for each in rows["function"])
    machine = ""
    if resolved > ratio:
        shown = number(resolved, digits=2)
        machine = f" The speed of the machine may explain ratios of times below {shown}."
    return (
        f"{first} is {FASTER[evidence.unit]} than {other} by a factor that matters (more than "
        f"{number(ratio)}) on {better} of {counted(len(rows), 'function')}, practically equal on "
        f"{equal} and slower on {worse}; {open_ones} {'is' if open_ones == 1 else 'are'} open "
        f"(probability below {percent(evidence.confidence)}).{machine}"
    )
