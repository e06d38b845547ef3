"""Measures one more algorithm on a design of the database, and says where it stands among all."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml  # type: ignore[import-untyped]

from timefair.basics.errors import InputError
from timefair.campaign import configuration, requirement
from timefair.extensions.database.standings import EVALUATIONS, Costs, Standing, spaces
from timefair.extensions.database.store import DECISIVE, Design
from timefair.measure.runner import jobs
from timefair.problems import names
from timefair.records.integrity import machine_kinds
from timefair.records.rundata.runs import Runs
from timefair.records.status import Status

CAMPAIGNS = Path("campaigns")
COSTS_S = (1e-3, 1e-1)
"""Costs of an evaluation, besides evaluations alone and measured seconds."""
ALPHA = 0.05
FEWEST = 6
"""Functions with which Wilcoxon's test can decide at 95 %."""


@dataclass(frozen=True)
class Placed:
    """The standings of an algorithm in one suite and dimension.

    - `overall`: By the words for a measure. - `groups`: By group of functions, then by measure.
    """

    suite: str
    dimension: int
    overall: Mapping[str, Standing]
    groups: Mapping[str, Mapping[str, Standing]]


@dataclass(frozen=True)
class Ranked:
    """All standings, and what to say beside them; `twins` are its entries in the database."""

    use: str
    design: str
    placed: Sequence[Placed]
    remarks: Sequence[str]
    twins: Sequence[str]


def campaign_of(design: Design, use: str, parameters: Mapping[str, Any]) -> tuple[Path, str]:
    """Write the campaign that measures an algorithm as the design was; its file and its label.

    The recorded algorithms are its published data: `snakemake` makes the usual tables of it.
    """
    label = re.sub(r"[^\w.-]+", "-", use).strip("-.") or "mine"
    while label in design.campaign.algorithms:
        label += "-again"
    kept = json.loads(design.campaign.model_dump_json(include=set(DECISIVE), exclude_defaults=True))
    published = {
        name: {"format": "timefair", "path": str(design.path), "algorithm": name}
        for name in design.campaign.algorithms
    }
    name = f"rank-{label}-{design.name}"
    asked = {
        **kept,
        "name": name,
        "algorithms": {label: {"use": use, "parameters": dict(parameters)}},
        "published": published,
        "tables": ["ranks", "comparison"],
        "figures": [],
    }
    file = CAMPAIGNS / name / "campaign.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump(asked, sort_keys=False), encoding="utf-8")
    return file, label


def measured(file: Path, cores: int, progress: Callable[[int, int], object]) -> Path:
    """The collected runs of the campaign's algorithm; those that are missing are measured."""
    campaign = configuration.load(file)
    folder = Path("results") / campaign.name
    requirement.permit(campaign, folder)
    (collected,) = jobs.complete(campaign, folder, cores, progress)
    return collected


def placed(
    design: Design, collected: Path, label: str, use: str, parameters: Mapping[str, Any]
) -> Ranked:
    """Where the runs of a collected file stand among those of a design."""
    runs = Runs.read([*design.files, collected])
    remarks = list(_failures(runs, label))
    kinds = machine_kinds(runs.origins.values())
    costs = {"evaluations": EVALUATIONS}
    if len(kinds) == 1:
        costs |= {"seconds": 0.0, **{f"{1e3 * c:g} ms an evaluation": c for c in COSTS_S}}
    else:
        remarks.append(
            "No ranks in seconds: the recorded runs are from another machine "
            f"({'; '.join(sorted(map(str, kinds)))}). Evaluations do not depend on the machine."
        )
    specs = design.campaign.algorithms
    twins = [
        name
        for name, spec in specs.items()
        if spec.use == use and dict(spec.parameters) == dict(parameters)
    ]
    others = [name for name in specs if name not in twins]
    found = [
        _in_space(design, every, suite, dimension, label, others, costs)
        for suite, dimension, every in spaces(runs, design.analysis)
    ]
    return Ranked(use, design.name, found, remarks, twins)


def _in_space(
    design: Design,
    every: Costs,
    suite: str,
    dimension: int,
    label: str,
    others: Sequence[str],
    costs: Mapping[str, float],
) -> Placed:
    if len(every.functions) < FEWEST:
        raise InputError(f"{design.path}: {len(every.functions)} functions, should have {FEWEST}")
    of_groups = names.groups(suite).items()
    on = {name: [f for f in some if f in every.functions] for name, some in of_groups}
    on = {"": list(every.functions), **{name: some for name, some in on.items() if some}}
    found: dict[str, dict[str, Standing]] = {name: {} for name in on}
    for words, cost in costs.items():
        rng = np.random.default_rng(design.campaign.seed)
        for name, one in every.at(cost).standings(label, others, on, 1 - ALPHA, rng).items():
            found[name][words] = one
    return Placed(suite, dimension, found.pop(""), found)


def _failures(runs: Runs, label: str) -> Iterator[str]:
    status = runs.frame.loc[runs.frame["algorithm"] == label, "status"]
    failed = status[status != Status.OK].value_counts()
    if len(failed):
        each = ", ".join(f"{count} {name}" for name, count in failed.items())
        yield f"{failed.sum()} of {len(status)} runs failed ({each}); they count to their end."


def verdict(ranked: Ranked, by: str) -> str:
    """One line: the place by one measure, in each dimension."""
    parts = []
    for one in ranked.placed:
        s = one.overall[by]
        parts.append(
            f"{one.suite} D = {one.dimension}: place {s.position} of {len(s.labels)} by {by}, "
            f"average rank {s.rank:.1f}{_interval(s)}; "
            f"significantly better than {len(s.better)}, worse than {len(s.worse)}"
        )
    return f"{ranked.use}: {'; '.join(parts)}"


def is_worse(ranked: Ranked, by: str, than: str) -> bool:
    """Whether it is significantly worse than one of the database in some dimension."""
    return any(than in one.overall[by].worse for one in ranked.placed)


def page(ranked: Ranked, by: str) -> str:
    """The page, in Markdown."""
    lines = [f"# {ranked.use} among the optimizers of {ranked.design}", "", verdict(ranked, by), ""]
    lines += [f"- {remark}" for remark in ranked.remarks] + [""] * bool(ranked.remarks)
    if ranked.twins:
        lines += [f"Its own entries are left out: {', '.join(ranked.twins)}.", ""]
    for one in ranked.placed:
        lines += [f"## {one.suite}, D = {one.dimension}", "", *_table(one)]
        for words, s in one.overall.items():
            lines.append(
                f"- By {words}, it is significantly better than {', '.join(s.better) or 'none'}, "
                f"and worse than {', '.join(s.worse) or 'none'}."
            )
        lines.append("")
        lines += _everyone(one.overall[by], by)
    lines += [
        "Ranks are over the functions, by the targets to which an algorithm has the smaller "
        "expected running time, each pair within the cost up to which both are known. The interval "
        "has the rank of a second measurement on the same functions and instances. Significant: "
        "Wilcoxon's signed-rank test over the functions, times the number of optimizers. A cost of "
        "an evaluation is added afterwards; nothing is measured again.",
        "",
    ]
    return "\n".join(lines)


def _table(one: Placed) -> list[str]:
    """A row for each measure: the place, the rank over all functions and on each group."""
    head = ["by", "place", "better than", "worse than", "rank on all", *one.groups]
    lines = [head, ["---"] * len(head)]
    for words, s in one.overall.items():
        ranks = [s, *(of[words] for of in one.groups.values())]
        counts = [f"{s.position} of {len(s.labels)}", f"{len(s.better)}", f"{len(s.worse)}"]
        lines.append([words, *counts, *(f"{of.rank:.1f}{_interval(of)}" for of in ranks)])
    return [*(f"| {' | '.join(cells)} |" for cells in lines), ""]


def _everyone(s: Standing, by: str) -> list[str]:
    rows = []
    for k in np.argsort(s.ranks, kind="stable"):
        name = s.labels[k]
        sign = "it is worse" if name in s.worse else "it is better" if name in s.better else ""
        rows.append(f"| {f'**{name}**' if k == 0 else name} | {s.ranks[k]:.1f} | {sign} |")
    return [f"| by {by} | average rank | significantly |", "|---|---|---|", *rows, ""]


def _interval(s: Standing) -> str:
    return f" ({s.low:.1f} to {s.high:.1f})" if np.isfinite(s.low) else ""
