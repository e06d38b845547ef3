"""What was run, on what, how to repeat it and what to cite."""

from __future__ import annotations

import shlex
from collections.abc import Hashable, Mapping, Sequence
from html import escape
from itertools import groupby
from math import isnan
from typing import Any

import yaml

from timefair import __version__
from timefair.algorithms.libraries import implementation
from timefair.basics.words import counted, listed, number, percent, schedule_in_words
from timefair.campaign.configuration import ALLOWED, Campaign
from timefair.report import part_of
from timefair.report.evidence import Evidence
from timefair.report.markup import Names, folded, table

MOST_ALGORITHMS = 20  # number of algorithms up to which their list is not folded
REPEAT = """<p>Save the campaign as <code>{name}.yaml</code> and run</p>
<pre>snakemake --cores all --configfile {name}.yaml</pre>
<p>with timefair {version} and the library versions that are listed under
<a href="#checklist">Checklist</a>. The seed is {seed}, so the runs draw the same random
numbers{limit}.</p>
<details class="long"><summary>The campaign with all defaults</summary>
<pre>{campaign}</pre></details>"""

REPEAT_FOREIGN = """<p>With the same file, whose SHA-256 is in the checklist, run</p>
<pre>{command}</pre>
<p>with timefair {version}. This repeats the analysis. timefair does not know how the runs
were made.</p>"""

OF_QUANTILES = {"quantiles", "multirun", "disagreements"}
QUANTILES = (
    "Probability and Certainty in the Performance of Evolutionary and Swarm Optimization "
    "Algorithms, Mathematics 2022, 10(22), 4364, doi 10.3390/math10224364"
)
RUN_COUNT = (
    "T. Eftimov, P. Korošec, Adaptive Estimation of the Number of Algorithm Runs in Stochastic "
    "Optimization, GECCO 2025"
)
COCO = (
    "N. Hansen et al., COCO: a platform for comparing continuous optimizers in a black-box "
    "setting, Optimization Methods and Software 36, 2021"
)


def how_runs_went(evidence: Evidence) -> list[str]:
    """A line on failed and perturbed runs; none without the table `runs`, or for imported runs."""
    rows = evidence.table("runs")
    if rows.empty or evidence.campaign.is_foreign:
        return []
    failed = int(rows.loc[rows["status"] != "ok", "runs"].sum())
    every = counted(int(rows["runs"].sum()), "run")
    were = counted(int(rows["perturbed"].sum()), "was perturbed", "were perturbed")
    return [f"{failed} of {every} failed, {were}."]


def in_one_sentence(campaign: Campaign) -> str:
    chosen = campaign.problems
    named = listed([str(dimension) for dimension in chosen.dimensions])
    where = f", each in its own number of dimensions ({named})"
    if not chosen.own_dimensions:
        where = f" in {named} dimension{'s' * (named != '1')}"
    fixed = campaign.stopping.rule == "fixed" and not campaign.is_foreign
    allowed = "" if "evaluations" in campaign.lacks else f" and {_budget(campaign)} per run"
    return (
        f"{counted(len(campaign.timed), 'algorithm')} on "
        f"{counted(len(chosen.functions), 'function')} of {chosen.suite}{where}, "
        f"{counted(len(chosen.instances), 'instance')} each, with {'at most ' * (not fixed)}"
        f"{counted(campaign.runs, 'run')} per instance{allowed}.{_beside(campaign)}"
    )


def _beside(campaign: Campaign) -> str:
    if campaign.lacks:
        return f" All runs are imported. {ALLOWED[campaign.lacks]}"
    if campaign.is_foreign:
        return " All runs are imported: their times were recorded elsewhere, not by timefair."
    if not campaign.published:
        return ""
    named = listed(list(campaign.published))
    recorded = any(of.format == "timefair" for of in campaign.published.values())
    what = "of costs to targets" if recorded else "in evaluations"
    return f" Comparisons {what} include published data of {named}."


def _budget(campaign: Campaign) -> str:
    budget = campaign.budget
    cost = budget.evaluation_cost_s
    simulated = f" with {number(cost)}\u00a0s of simulated cost per evaluation" if cost else ""
    each = budget.evaluations_per_dimension
    limits = (
        (budget.time_s, f"\u00a0s of wall clock{simulated}"),
        (budget.cpu_s, "\u00a0s of CPU time"),
        (each, " evaluations times the dimension"),
        (budget.evaluations if each is None else None, " evaluations"),
    )
    said = [
        f"{limit if isinstance(limit, int) else number(limit)}{words}"
        for limit, words in limits
        if limit is not None
    ]
    return "at most " * campaign.is_foreign + listed(said, "or")


def implementations(evidence: Evidence) -> str:
    """A line on what is compared, for the first screen; empty without the table `runs`."""
    codes: dict[str, list[str]] = {}
    for name in evidence.campaign.algorithms:
        code, said = speed(evidence, name)
        if said:
            codes.setdefault(code, []).append(f"{name} {said}")
    if not codes:
        return ""
    compared = "; ".join(f"{listed(each)}, {code}" for code, each in codes.items())
    return (
        '<p class="brief">Implementations are compared, not only algorithms. Evaluations per '
        "second (and the share of the time in the algorithm’s own code): "
        f"{escape(compared)}.</p>\n"
    )


def speed(evidence: Evidence, algorithm: str) -> tuple[str, str]:
    """What an algorithm is implemented in, and its evaluations per second, with the share of its
    own code in the time if that is known; empty without the table `runs`."""
    code = implementation(evidence.campaign.algorithms[algorithm].use)
    rows = evidence.table("runs")
    rows = rows[rows["algorithm"] == algorithm]
    whole, evaluations = rows["real_s"].sum(), rows["evaluations"].sum()
    if not (whole > 0 and evaluations > 0):
        return code, ""
    inside = (rows["objective_share"] * rows["real_s"]).sum(min_count=1) / whole
    own = "" if isnan(inside) else f"\u00a0({percent(max(1 - inside, 0.0))})"
    return code, f"{float(f'{evaluations / whole:.2g}'):,.12g}{own}"


def setup(evidence: Evidence, names: Names) -> str:
    """The algorithms; of imported runs, where they come from."""
    campaign = evidence.campaign
    speeds = "Implemented in, evaluations per second (own share of the time)"
    head: tuple[str, ...] = "Name", "Code", speeds, "Parameters", "Restarts", "Isolation"
    found: dict[str, tuple[str, ...]] = {
        label: (
            f"<code>{escape(spec.use)}</code>",
            escape(", ".join(filter(None, speed(evidence, label)))),
            escape(_parameters(evidence, label)),
            escape(campaign.restart_of(label).policy),
            campaign.isolation_of(label),
        )
        for label, spec in campaign.algorithms.items()
    }
    if campaign.is_foreign:
        head = "Name", "Name in the file", "File"
        found = {
            label: (escape(data.algorithm or label), escape(data.path))
            for label, data in campaign.published.items()
        }
    rows = (
        f'<tr><th scope="row">{names.one(label)}</th>'
        f"{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        for label, cells in found.items()
    )
    return folded("Algorithms", table(head, rows), len(found), MOST_ALGORITHMS)


def _parameters(evidence: Evidence, label: str) -> str:
    """The parameters of an algorithm; of that of a schedule, its values and their choice."""
    spec, rows = evidence.campaign.algorithms[label], evidence.table("restarts")
    said: dict[str, object] = dict(spec.parameters)
    for name, asked in (spec.schedule or {}).items():
        found = rows[rows["algorithm"] == label]["length_median"].dropna().tolist()
        ends = dict.fromkeys(f"{end(found):g}" for end in (min, max) if found)
        said[name] = f"{' to '.join(ends)} ({schedule_in_words(asked)})".lstrip()
    return ", ".join(f"{name} = {value}" for name, value in said.items()) or "defaults"


def repeat(campaign: Campaign) -> str:
    if campaign.is_foreign:
        data = next(iter(campaign.published.values()))
        words = ["--format", data.format] if data.format != "table" else []
        for option, parts in (("--columns", data.columns), ("--set", data.set)):
            if parts:
                words += [option, ",".join(f"{name}={word}" for name, word in parts.items())]
        command = " ".join(["timefair analyse", data.path, shlex.join(words)]).strip()
        return REPEAT_FOREIGN.format(version=__version__, command=escape(command))
    content = campaign.model_dump(mode="json")
    return REPEAT.format(
        name=escape(campaign.name),
        version=__version__,
        seed=campaign.seed,
        limit="" if campaign.budget.time_s is None else ", but times differ between executions",
        campaign=escape(yaml.safe_dump(content, sort_keys=False, allow_unicode=True)),
    )


def cite(evidence: Evidence) -> str:
    sources = {
        f"timefair {__version__}: measurement and analysis (its entry is in CITATION.cff)": True,
        f"{SOURCE.removesuffix(', section 4')}: the protocol": True,
        f"{QUANTILES}: peak, average and bad case": not OF_QUANTILES.isdisjoint(evidence.tables),
        f"{RUN_COUNT}: the number of runs": any(
            name.startswith("run_count") for name in evidence.tables
        ),
        f"{COCO}: the problems": evidence.campaign.problems.suite.startswith("bbob"),
    }
    items = "\n".join(f"<li>{escape(source)}.</li>" for source, used in sources.items() if used)
    return f"<ul>\n{items}\n</ul>"


Row = Mapping[Hashable, Any]

SOURCE = (
    "J. J. Lian, Time-Fair Benchmarking for Metaheuristics: A Restart-Fair Protocol for "
    "Fixed-Time Comparisons, 2025, section 4"
)

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reporting checklist of {campaign}</title>
<style>{style}</style>
</head>
<body>
<main class="checklist">
<h1>Reporting checklist of {campaign}</h1>
{contents}
</main>
</body>
</html>
"""

CONTENTS = """<p>{summary}</p>
<p>{note}</p>
<p>The items are those of {source}. The evidence comes from the records of the campaign and from its
configuration. An item is met if none of its parts is open.</p>
{items}"""

ITEM = """<section>
<h3 id="item-{number}">{number}. {topic}: {verdict}</h3>
{parts}
</section>"""

VERDICT = {
    None: '<span aria-hidden="true">–</span> not measured',
    True: '<span class="met"><span aria-hidden="true">✓</span> met</span>',
    False: '<span class="open"><span aria-hidden="true">✗</span> not met</span>',
}
"""Verdicts as a word and a symbol: the colour adds no information."""


def checklist_page(rows: Sequence[Row], campaign: str, note: str) -> str:
    """The page of a campaign, with a note on its runs; ``met`` is null for unmeasured parts."""
    contents = checklist(rows, note)
    return PAGE.format(campaign=escape(campaign), style=part_of("page.css"), contents=contents)


def checklist(rows: Sequence[Row], note: str) -> str:
    """The content of the page below its title."""
    groups = (list(parts) for _, parts in groupby(rows, key=lambda row: row["item"]))
    items = [(parts, all(row["met"] is None or row["met"] for row in parts)) for parts in groups]
    missing = [
        f'<a href="#item-{parts[0]["item"]}">{escape(parts[0]["topic"])}</a>'
        for parts, closed in items
        if not closed
    ]
    met = len(items) - len(missing)
    summary = f"{met} of {len(items)} items are met." if items else "No runs."
    summary += f" Not met: {', '.join(missing)}." if missing else ""
    shown = [
        ITEM.format(
            number=parts[0]["item"],
            topic=escape(parts[0]["topic"]),
            verdict=VERDICT[closed],
            parts=table(("Part", "Met?", "Evidence", "What is missing"), map(_part, parts)),
        )
        for parts, closed in items
    ]
    return CONTENTS.format(
        summary=summary, note=escape(note), source=escape(SOURCE), items="\n".join(shown)
    )


def _part(row: Row) -> str:
    texts = (escape(row[name] or "") for name in ("evidence", "missing"))
    cells = "".join(f"<td>{cell}</td>" for cell in (VERDICT[row["met"]], *texts))
    return f'<tr><th scope="row">{escape(row["part"])}</th>{cells}</tr>'
