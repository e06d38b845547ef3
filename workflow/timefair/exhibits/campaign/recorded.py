"""Facts in records other than runs: their campaigns, code and machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from timefair.records.integrity import Origins, environments
from timefair.records.rundata.runs import Runs

Facts = Mapping[str, Any]


def labels(runs: Runs) -> list[str]:
    """The algorithms, sorted."""
    return sorted(runs.frame["algorithm"].unique())


def origins(runs: Runs) -> dict[str, Origins]:
    """Origins of each algorithm's runs; empty if no record contains them."""
    return {label: runs.origins.get(label, Origins()) for label in labels(runs)}


def asked(runs: Runs, pick: Callable[[str, Facts], object]) -> dict[str, list[Any]]:
    """The different values of a setting in the campaigns of each algorithm's records.

    ``pick`` takes a label and a campaign in the form of a record.
    """
    return {
        label: distinct([pick(label, campaign) for campaign in one.campaign if campaign])
        for label, one in origins(runs).items()
    }


def machines(runs: Runs) -> list[Facts]:
    """The different sets of facts of machines."""
    return distinct(
        [machine for one in origins(runs).values() for machine in one.machine if machine]
    )


def told(runs: Runs, name: str) -> list[Any]:
    """The different values of a fact, from machines that report it."""
    values = (machine.get(name) for machine in machines(runs))
    return distinct([value for value in values if value is not None])


def differs(runs: Runs, name: str) -> bool:
    """Whether a fact differs among algorithms in the shared environment, or within another one."""
    return any(len(_values(group, name)) > 1 for group in environments(origins(runs)))


def _values(group: Iterable[Origins], name: str) -> list[Any]:
    values = (machine.get(name) for one in group for machine in one.machine if machine)
    return distinct([value for value in values if value is not None])


def untold(runs: Runs, *names: str) -> str:
    """The facts that some machine does not report, with reasons; empty if all report them."""
    seen = machines(runs)
    if not seen:
        return "the records do not name a machine"
    reasons = [
        f"{name} {machine.get('missing', {}).get(name, 'not recorded')}"
        for name in names
        for machine in seen
        if machine.get(name) is None
    ]
    return "; ".join(dict.fromkeys(reasons))


def distinct(values: list[Any]) -> list[Any]:
    """The different JSON values, in an order that does not depend on the order of the input."""
    by_text = {json.dumps(value, sort_keys=True): value for value in values}
    return [by_text[text] for text in sorted(by_text)]
