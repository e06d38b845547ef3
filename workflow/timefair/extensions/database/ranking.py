"""Measures one more algorithm on a design of the database, and says where it stands among all."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import yaml
from scipy import stats

from timefair.basics.errors import InputError
from timefair.basics.words import number, rough
from timefair.campaign import configuration, driver, plan
from timefair.cli.arguments import progress
from timefair.exhibits.comparisons.comparison import decide, over
from timefair.extensions.database.standings import EVALUATIONS, Costs, Standing, spaces
from timefair.extensions.database.store import DECISIVE, Design, entry
from timefair.measure import runner as jobs
from timefair.problems import names
from timefair.records.integrity import machine_kinds
from timefair.records.rundata.published import Bridge, bridge
from timefair.records.rundata.runs import Runs
from timefair.records.status import Status
from timefair.statistics.samples import Floats

CAMPAIGNS = Path("campaigns")
COSTS_S = (1e-3, 1e-1)  # costs of an evaluation, besides evaluations alone and measured seconds
ALPHA = 0.05
FEWEST = 6  # functions with which Wilcoxon's test can decide at 95 %


class Placed(NamedTuple):
    """The standings of an algorithm in one suite and dimension, as ``bbob, D = 5``.

    - `overall`: By the words for a measure. - `groups`: By group of functions, then by measure.
    - `decided`: By measure, a test against each other algorithm, with ``better`` if it is
      significant, in the direction of ``balance``.
    """

    title: str
    overall: Mapping[str, Standing]
    groups: Mapping[str, Mapping[str, Standing]]
    decided: Mapping[str, Mapping[str, Mapping[str, Any]]]

    def better(self, by: str, sign: int = 1) -> list[str]:
        """Those that it is significantly better than; with the sign -1, worse than."""
        rows = self.decided[by].items()
        return [name for name, row in rows if "better" in row and row["balance"] * sign > 0]


class Ranked(NamedTuple):
    """All standings, what to say beside them, and the entries of the algorithm itself (`twins`)."""

    use: str
    design: str
    placed: Sequence[Placed]
    against: str | None
    remarks: Sequence[str]
    twins: Sequence[str]

    def is_worse(self, by: str) -> bool:
        return any(self.against in one.better(by, -1) for one in self.placed)


def campaign_of(design: Design, use: str, parameters: Mapping[str, Any]) -> Path:
    """Write the campaign that measures an algorithm as the design was, with the recorded ones as
    published data; its file, if it is right.
    """
    label = re.sub(r"[^\w.-]+", "-", use).strip("-.") or "mine"
    while label in design.campaign.algorithms:
        label += "-again"
    kept = json.loads(design.campaign.model_dump_json(include=set(DECISIVE), exclude_defaults=True))
    path, name = str(design.path), f"rank-{label}-{design.name}"
    published = {
        name: {"format": "timefair", "path": path, "algorithm": name}
        for name in design.campaign.algorithms
    }
    asked = {
        "name": name,
        "algorithms": {label: entry(design.campaign, use, parameters)},
        "published": published,
        "tables": ["ranks", "comparison"],
        "figures": [],
    }
    file = CAMPAIGNS / name / "campaign.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump(kept | asked, sort_keys=False), encoding="utf-8")
    try:
        configuration.load(file)
    except InputError:
        shutil.rmtree(file.parent)
        raise
    return file


def measured(file: Path, cores: int) -> Path:
    campaign = configuration.load(file)
    folder = Path("results") / campaign.name
    driver.permit(campaign, folder)
    seconds = plan.wall_seconds(campaign, cores)
    most = "" if seconds is None else f"at most about {rough(seconds)} on {cores} core(s); "
    print(f"{most}after a stop, the same command goes on", flush=True)
    (collected,) = jobs.complete(campaign, folder, cores, partial(progress, "jobs"))
    return collected


def twins(design: Design, use: str, parameters: Mapping[str, Any]) -> list[str]:
    every = design.campaign.algorithms.items()
    return [k for k, one in every if (one.use, dict(one.parameters)) == (use, dict(parameters))]


def placed(
    design: Design,
    collected: Path,
    use: str,
    parameters: Mapping[str, Any],
    against: str | None = None,
) -> Ranked:
    """Where the runs of a collected file, of one algorithm, stand among those of a design.
    `InputError` if no run of it was completed, or `against` did not run on all functions.
    """
    label, analysis = collected.stem, design.analysis
    runs = Runs.read([*design.files, collected])
    remarks = list(_failures(runs, label, use))
    own = twins(design, use, parameters)
    others = [name for name in design.campaign.algorithms if name not in own]
    costs, bridges = {"evaluations": EVALUATIONS}, dict[str, Bridge]()
    try:
        bridges = _bridges(design, runs, label, others)
    except InputError as error:
        remarks.append(f"No ranks in seconds: {error}")
    else:
        costs |= {"seconds": 0.0, **{f"{1e3 * c:g} ms an evaluation": c for c in COSTS_S}}
        remarks += _said(bridges)
    every = spaces(runs.timed_by(analysis.time), analysis)
    of_spaces = [_placed(one, design, label, others, against, costs, bridges) for one in every]
    return Ranked(use, design.name, of_spaces, against, remarks, own)


def _bridges(design: Design, runs: Runs, label: str, others: Sequence[str]) -> dict[str, Bridge]:
    """The bridge from each other's machine to this one. One of the same kind may have had another
    speed, so its kernels count as well; without them, it is taken to be as fast.
    """
    clock: Literal["cpu", "wall"] = "cpu" if design.analysis.time == "cpu" else "wall"
    found, mine, charged = {}, runs.origins[label], design.campaign.budget.evaluation_cost_s
    for name in others:
        if (theirs := runs.origins.get(name)) is None:
            continue
        kinds = machine_kinds([theirs])
        same = kinds == machine_kinds([mine])
        if same and (charged or not (theirs.kernels and mine.kernels)):
            continue
        recorded = f"{name} was recorded on another machine ({'; '.join(sorted(map(str, kinds)))})"
        if len(kinds) > 1 or charged:
            raise InputError(f"{recorded}; a bridge is from one machine, without simulated cost")
        code = theirs.kernels[0]["implementation"] if theirs.kernels else "compiled"
        try:
            found[name] = bridge(code, mine.kernels, theirs.kernels, clock=clock)
        except InputError as error:
            raise InputError(f"{recorded}: {error}") from None
    return found


def _said(bridges: Mapping[str, Bridge]) -> Iterator[str]:
    if bridges:
        every = np.array([one[:3] for one in bridges.values()])
        ends = (every[:, 0].min(), every[:, 0].max(), every.min(), every.max())
        least, most, low, high = (number(float(of), digits=2) for of in ends)
        yield (
            f"Seconds of {len(bridges)} optimizers are of another machine or day, times {least} to "
            f"{most} (reference kernels); ranks and verdicts allow for {low} to {high}."
        )


def _placed(
    every: Costs,
    design: Design,
    label: str,
    others: Sequence[str],
    against: str | None,
    costs: Mapping[str, float],
    bridges: Mapping[str, Bridge],
) -> Placed:
    where = f"{design.path}: {every.title}"
    if len(every.functions) < FEWEST:
        raise InputError(f"{where}: {len(every.functions)} functions, should have {FEWEST}")
    if against is not None and against not in every.labels:
        raise InputError(f"--against: {against!r}: was not recorded on all of {where}")
    of_groups = names.groups(every.suite).items()
    on = {name: [f for f in some if f in every.functions] for name, some in of_groups}
    on = {"": list(every.functions), **{name: some for name, some in on.items() if some}}
    found: dict[str, dict[str, Standing]] = {name: {} for name in on}
    decided: dict[str, dict[str, dict[str, Any]]] = {}
    for words, cost in costs.items():
        at_ends = []  # by the bridges, and by both ends of their intervals
        for end in range(3 if bridges and cost != EVALUATIONS else 1):
            factors = {name: (one.ratio, one.low, one.high)[end] for name, one in bridges.items()}
            rng, at = np.random.default_rng(design.campaign.seed), every.times(factors).at(cost)
            at_ends.append(at.standings(label, others, on, 1 - ALPHA, rng))
        for name, of in found.items():
            low = min(one[name].low for one in at_ends)
            high = max(one[name].high for one in at_ends)
            of[words] = at_ends[0][name]._replace(low=low, high=high)
        decided[words] = _decided([one[""] for one in at_ends], against)
    if against is not None:
        pair = {"tests": 1, "algorithm_a": label, "algorithm_b": against}
        planned = decide({words: rows[against] | pair for words, rows in decided.items()}, ALPHA)
        for words, row in planned.items():
            decided[words][against] = row
    return Placed(every.title, found.pop(""), found, decided)


def _decided(at_ends: Sequence[Standing], against: str | None) -> dict[str, dict[str, Any]]:
    """The test against each other; with the false discovery rate of all but `against`."""
    rows = {
        name: _tested([one.gains[:, k] for one in at_ends])
        for k, name in enumerate(at_ends[0].labels[1:])
    }
    family = [row for name, row in rows.items() if name != against]
    adjusted = stats.false_discovery_control([row["p"] for row in family])
    for row, p in zip(family, adjusted.tolist(), strict=True):
        row |= {"p_adjusted": p, **({"better": True} if p <= ALPHA and row["balance"] else {})}
    return rows


def _tested(gains: Sequence[Floats]) -> dict[str, Any]:
    """The test of a pair that a bridge between machines cannot change."""
    rows = [over(of) for of in gains]
    sides = {np.sign(row["balance"]) for row in rows}
    balance = rows[0]["balance"] if len(sides) == 1 else 0.0
    return rows[0] | {"p": max(row["p"] for row in rows), "balance": balance}


def _failures(runs: Runs, label: str, use: str) -> Iterator[str]:
    mine = runs.frame[runs.frame["algorithm"] == label]
    failed = mine[mine["status"] != Status.OK]
    if not len(failed):
        return
    each = ", ".join(f"{count} {name}" for name, count in failed["status"].value_counts().items())
    said = [line for text in failed["message"].dropna() for line in str(text).splitlines()[-1:]]
    why = "; the first: ".join([each, *said[:1]])
    if len(failed) == len(mine):
        raise InputError(f"{use}: all {len(mine)} runs failed ({why})")
    yield f"{len(failed)} of {len(mine)} runs failed ({why}); they count to their end."


def verdict(ranked: Ranked, by: str) -> str:
    parts = []
    for one in ranked.placed:
        s = one.overall[by]
        parts.append(
            f"{one.title}: place {s.position} of {len(s.labels)} by {by}, "
            f"average rank {s.rank:.1f}{_interval(s)}; "
            f"significantly better than {len(one.better(by))}, worse than {len(one.better(by, -1))}"
        )
    if ranked.against is not None:
        rows = [one.decided[by][ranked.against] for one in ranked.placed]
        p = ", ".join(f"{row['p_adjusted']:.2g}" for row in rows)
        better = all("better" in row for row in rows)
        side = "significantly better" if better else "not significantly worse"
        side = "significantly worse" if ranked.is_worse(by) else side
        parts.append(f"{side} than {ranked.against} (p = {p})")
    return f"{ranked.use}: {'; '.join(parts)}"


def page(ranked: Ranked, by: str) -> str:
    lines = [f"# {ranked.use} among the optimizers of {ranked.design}", "", verdict(ranked, by), ""]
    lines += [f"- {remark}" for remark in ranked.remarks] + [""] * bool(ranked.remarks)
    if ranked.twins:
        lines += [f"Its own entries are left out: {', '.join(ranked.twins)}.", ""]
    for one in ranked.placed:
        lines += [f"## {one.title}", "", *_table(one)]
        for words in one.overall:
            better, worse = (", ".join(one.better(words, sign)) or "none" for sign in (1, -1))
            lines.append(f"- By {words}, it is significantly better than {better}, "
                         f"and worse than {worse}.")  # fmt: skip
        lines += ["", *_everyone(one, by)]
    lines += [
        "Ranks are over the functions, by the targets to which an algorithm has the smaller "
        "expected running time, each pair within the cost up to which both are known; seconds "
        "within the timing noise are ties. The interval has the rank of a second measurement on "
        "the same functions and instances. p: Wilcoxon's signed-rank test over the functions, "
        "adjusted to a false discovery rate of 5 % over the optimizers (Benjamini and Hochberg "
        "1995); the pair with --against is planned, and adjusted over the measures alone. "
        "A cost of an evaluation is added afterwards; nothing is measured again.",
        "",
    ]
    return "\n".join(lines)


def _table(one: Placed) -> list[str]:
    lines = [["by", "place", "better than", "worse than", "rank on all", *one.groups]]
    lines.append(["---"] * len(lines[0]))
    for words, s in one.overall.items():
        ranks = [s, *(of[words] for of in one.groups.values())]
        counts = [f"{len(one.better(words, sign))}" for sign in (1, -1)]
        place = f"{s.position} of {len(s.labels)}"
        lines.append([words, place, *counts, *(f"{of.rank:.1f}{_interval(of)}" for of in ranks)])
    return [*(f"| {' | '.join(cells)} |" for cells in lines), ""]


def _everyone(one: Placed, by: str) -> list[str]:
    s, rows = one.overall[by], []
    for k in np.argsort(s.ranks, kind="stable"):
        name, row = s.labels[k], one.decided[by].get(s.labels[k], {})
        sign = f"it is {'better' if row['balance'] > 0 else 'worse'}" if "better" in row else ""
        p = f"{row['p_adjusted']:.2g}" if row else ""
        rows.append(f"| {name if row else f'**{name}**'} | {s.ranks[k]:.1f} | {sign} | {p} |")
    return [f"| by {by} | average rank | significantly | p |", "|---|---|---|---|", *rows, ""]


def _interval(s: Standing) -> str:
    return f" ({s.low:.1f} to {s.high:.1f})" if np.isfinite(s.low) else ""
