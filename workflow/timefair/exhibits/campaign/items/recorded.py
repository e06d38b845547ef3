"""What the records say besides their runs: campaigns, code and machines that they come from."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from timefair.records.integrity import Origins
from timefair.rundata.runs import Runs

Facts = Mapping[str, Any]


def labels(runs: Runs) -> list[str]:
    """The algorithms, sorted."""
    return sorted(runs.frame["algorithm"].unique())


def origins(runs: Runs) -> dict[str, Origins]:
    """Where the runs of each algorithm come from; nothing known of it where no record says."""
    return {label: runs.origins.get(label, Origins()) for label in labels(runs)}


def asked(runs: Runs, pick: Callable[[str, Facts], object]) -> dict[str, list[Any]]:
    """What the campaigns of each algorithm's records asked for, each different value of it.

    ``pick`` takes a label and a campaign as the record has it.
    """
    return {
        label: distinct([pick(label, campaign) for campaign in one.campaign if campaign])
        for label, one in origins(runs).items()
    }


def machines(runs: Runs) -> list[Facts]:
    """The facts of the machines, each different set of them."""
    return distinct(
        [machine for one in origins(runs).values() for machine in one.machine if machine]
    )


def told(runs: Runs, name: str) -> list[Any]:
    """The different values of a fact, where the machines tell it."""
    values = (machine.get(name) for machine in machines(runs))
    return distinct([value for value in values if value is not None])


def untold(runs: Runs, *names: str) -> str:
    """Which of these facts some machine does not tell, with its reasons; empty if all do."""
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
    """Each different JSON value once, in an order that does not depend on theirs."""
    by_text = {json.dumps(value, sort_keys=True): value for value in values}
    return [by_text[text] for text in sorted(by_text)]
