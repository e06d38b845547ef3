"""What was run, on what, how to repeat it and what to cite."""

from __future__ import annotations

import shlex
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from math import isnan, nan
from typing import Any

import yaml

from timefair import __version__
from timefair.algorithms.registry import implementation
from timefair.basics.sections import format_ranges
from timefair.basics.words import counted, listed, number, percent, schedule_in_words
from timefair.campaign.configuration import ALLOWED, Campaign
from timefair.report.evidence import Evidence
from timefair.report.markup import Names, definitions, folded

MOST_ALGORITHMS = 20  # number of algorithms up to which their list is not folded
REPEAT = """<p>Save the campaign as <code>{name}.yaml</code> and run</p>
<pre>snakemake --cores all --configfile {name}.yaml</pre>
<p>with timefair {version} and the library versions that are listed under
<a href="#machine">Machine</a>. The seed is {seed}, so the runs draw the same random
numbers{limit}.</p>
<details class="long"><summary>The campaign with all defaults</summary>
<pre>{campaign}</pre></details>"""

REPEAT_FOREIGN = """<p>With the same file, whose SHA-256 is in the checklist, run</p>
<pre>{command}</pre>
<p>with timefair {version}. This repeats the analysis. timefair does not know how the runs
were made.</p>"""

OF_MEASUREMENT = ("Restarts", "Isolation", "Perturbed runs")  # unknown for imported runs
OF_NUMBERS, NUMBER = ("Evaluations/s", "Own share of the time"), ' class="number"'
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
    """Sentence on the algorithms, the problems, the number of runs and the budget."""
    chosen = campaign.problems
    named = listed([str(dimension) for dimension in chosen.dimensions])
    own = bool(chosen.own_dimensions)
    where = f"{named} dimension{'s' * (named != '1')}"
    allowed = "" if "evaluations" in campaign.lacks else f" and {_budget(campaign)} per run"
    return (
        f"{counted(len(campaign.timed), 'algorithm')} on "
        f"{counted(len(chosen.functions), 'function')} of {chosen.suite}{', each' * own} in "
        f"{f'its own number of dimensions ({named})' if own else where}, "
        f"{counted(len(chosen.instances), 'instance')} each, with {_runs(campaign)}{allowed}."
        f"{_beside(campaign)}"
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


def _runs(campaign: Campaign) -> str:
    fixed = campaign.stopping.rule == "fixed" and not campaign.is_foreign
    most = "" if fixed else "at most "
    return f"{most}{counted(campaign.runs, 'run')} per instance"


def _budget(campaign: Campaign) -> str:
    if "evaluations" in campaign.lacks:
        return "not known"
    budget = campaign.budget
    said = []
    if budget.time_s is not None:
        said.append(f"{number(budget.time_s)}\u00a0s of wall clock")
        if cost := budget.evaluation_cost_s:
            said[-1] += f" with {number(cost)}\u00a0s of simulated cost per evaluation"
    if budget.cpu_s is not None:
        said.append(f"{number(budget.cpu_s)}\u00a0s of CPU time")
    if budget.evaluations_per_dimension is not None:
        said.append(f"{budget.evaluations_per_dimension} evaluations times the dimension")
    elif budget.evaluations is not None:
        said.append(f"{budget.evaluations} evaluations")
    return ("at most " if campaign.is_foreign else "") + listed(said, "or")


def implementations(evidence: Evidence) -> str:
    """A line on what is compared, for the first screen; empty without the table `runs`."""
    speeds = {name: speed(evidence, name) for name in evidence.campaign.algorithms}
    known = {name: one for name, one in speeds.items() if one.per_s > 0}
    if not known:
        return ""
    said = []
    for code in dict.fromkeys(one.code for one in known.values()):
        each = [f"{name} {one}" for name, one in known.items() if one.code == code]
        said.append(f"{listed(each)}, {code}")
    return (
        '<p class="brief">Implementations are compared, not only algorithms. Evaluations per '
        "second (and the share of the time in the algorithm’s own code): "
        f"{escape('; '.join(said))}.</p>\n"
    )


@dataclass(frozen=True)
class Speed:
    """What an algorithm is implemented in, its evaluations per second and its own share of time,
    which are NaN if they are unknown.
    """

    code: str
    per_s: float
    own: float

    def __str__(self) -> str:
        own = "" if isnan(self.own) else f"\u00a0({percent(self.own)})"
        return f"{float(f'{self.per_s:.2g}'):,.12g}{own}"

    def cells(self) -> str:
        rate = "–" if isnan(self.per_s) else number(self.per_s)
        own = "–" if isnan(self.own) else percent(self.own)
        numbers = "".join(f'<td class="number">{said}</td>' for said in (rate, own))
        return f"<td>{escape(self.code)}</td>{numbers}"


def speed(evidence: Evidence, algorithm: str) -> Speed:
    code = implementation(evidence.campaign.algorithms[algorithm].use)
    rows = evidence.table("runs")
    rows = rows[rows["algorithm"] == algorithm]
    whole = rows["real_s"].sum()
    if not whole > 0:
        return Speed(code, nan, nan)
    inside = (rows["objective_share"] * rows["real_s"]).sum(min_count=1)
    return Speed(code, rows["evaluations"].sum() / whole, max(1 - inside / whole, 0.0))


def setup(evidence: Evidence, names: Names) -> str:
    campaign = evidence.campaign
    chosen, budget = campaign.problems, campaign.budget
    targets, kind = evidence.targets
    final = None if evidence.optimum == "unknown" else budget.final_target
    facts = {
        "Problems": f"{chosen.suite}, functions {format_ranges(chosen.functions)}, dimensions "
        f"{format_ranges(chosen.dimensions)}, instances {format_ranges(chosen.instances)}",
        "Budget of a run": _budget(campaign)
        + (f"; a run ends early at the precision {number(final)}" if final is not None else ""),
        "Restarts": campaign.restart.policy,
        "Isolation": campaign.isolation,
        "Runs": f"{_runs(campaign)}, in {counted(campaign.rounds, 'round')}; "
        f"stopping rule: {campaign.stopping.rule}",
        "Targets": f"{len(targets)} {kind}, {number(max(targets))} to {number(min(targets))}",
        "Confidence": f"{100 * campaign.statistics.confidence:g}\u00a0%",
        "Perturbed runs": {"flag": "are included", "exclude": "are omitted from results"}.get(
            campaign.timing.perturbed, "are measured again"
        ),
        "Seed": str(campaign.seed),
    }
    if campaign.is_foreign:
        known = {key: text for key, text in facts.items() if key not in OF_MEASUREMENT}
        known["Runs"] = _runs(campaign)
        return definitions(known, "facts") + "\n" + _imported(campaign, names)
    rows = "\n".join(
        f'<tr><th scope="row">{names.one(label)}</th><td><code>{escape(spec.use)}</code></td>'
        f"{speed(evidence, label).cells()}"
        f"<td>{escape(_parameters(evidence, label))}</td>"
        f"<td>{escape(campaign.restart_of(label).policy)}</td>"
        f"<td>{campaign.isolation_of(label)}</td></tr>"
        for label, spec in campaign.algorithms.items()
    )
    head = (
        "Name", "Code", "Implemented in", "Evaluations/s", "Own share of the time", "Parameters",
        "Restarts", "Isolation",
    )  # fmt: skip
    algorithms = _algorithms(head, rows, len(campaign.algorithms))
    return f"{definitions(facts, 'facts')}\n{algorithms}"


def _imported(campaign: Campaign, names: Names) -> str:
    rows = "\n".join(
        f'<tr><th scope="row">{names.one(label)}</th>'
        f"<td>{escape(data.algorithm or label)}</td><td>{escape(data.path)}</td></tr>"
        for label, data in campaign.published.items()
    )
    return _algorithms(("Name", "Name in the file", "File"), rows, len(campaign.published))


def _algorithms(head: Sequence[str], rows: str, count: int) -> str:
    named = "".join(f'<th scope="col"{NUMBER * (name in OF_NUMBERS)}>{name}</th>' for name in head)
    table = (
        f'<div class="scroll"><table>\n<thead><tr>{named}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody>\n</table></div>"
    )
    return folded("Algorithms", table, count, MOST_ALGORITHMS)


def _parameters(evidence: Evidence, label: str) -> str:
    """The parameters of an algorithm; of that of a schedule, its values and their choice."""
    spec, rows = evidence.campaign.algorithms[label], evidence.table("restarts")
    said: dict[str, object] = dict(spec.parameters)
    for name, asked in (spec.schedule or {}).items():
        found = rows[rows["algorithm"] == label]["length_median"].dropna().tolist()
        ends = dict.fromkeys(f"{end(found):g}" for end in (min, max) if found)
        said[name] = f"{' to '.join(ends)} ({schedule_in_words(asked)})".lstrip()
    return ", ".join(f"{name} = {value}" for name, value in said.items()) or "defaults"


def machine(evidence: Evidence) -> str:
    """The facts of the machine in the checklist, as a list; empty without a checklist."""
    rows = evidence.table("checklist")
    if rows.empty:
        return ""
    known = rows[rows["topic"] == "Machine"]
    said = {
        str(part): "; ".join(str(text) for text in texts if isinstance(text, str))
        for part, *texts in known[["part", "evidence", "missing"]].itertuples(index=False)
    }
    return definitions(said, "facts")


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

STYLE = """
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #111; background: #fff;
  font: 1rem/1.45 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.15rem; margin: 1.8rem 0 0.4rem; }
table { width: 100%; border-collapse: collapse; table-layout: fixed; font-size: 0.9rem; }
th, td { padding: 0.35rem 0.6rem 0.35rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid #ccc; overflow-wrap: anywhere; }
thead th { border-bottom: 2px solid #111; }
col.part { width: 20%; } col.met { width: 12%; } col.missing { width: 26%; }
.met { color: #0a5c2b; font-weight: 600; } .open { color: #a11212; font-weight: 600; }
@media print {
  body { max-width: none; margin: 0; padding: 0; font-size: 10pt; }
  h2 { break-after: avoid; } tr { break-inside: avoid; } thead { display: table-header-group; }
}
"""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reporting checklist of {campaign}</title>
<style>{style}</style>
</head>
<body>
<main>
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
<h{level} id="item-{number}">{number}. {topic}: {verdict}</h{level}>
<table aria-labelledby="item-{number}">
<colgroup><col class="part"><col class="met"><col><col class="missing"></colgroup>
<thead><tr><th scope="col">Part</th><th scope="col">Met?</th><th scope="col">Evidence</th>
<th scope="col">What is missing</th></tr></thead>
<tbody>
{parts}
</tbody>
</table>
</section>"""


def checklist_page(rows: Sequence[Row], campaign: str, note: str) -> str:
    """The page of a campaign, with a note on its runs; ``met`` is null for unmeasured parts."""
    return PAGE.format(campaign=escape(campaign), style=STYLE, contents=checklist(rows, note))


def checklist(rows: Sequence[Row], note: str, level: int = 2) -> str:
    """The content of the page below its title, with the items as headings of a level."""
    items = [list(parts) for _, parts in groupby(rows, key=lambda row: row["item"])]
    met = [all(row["met"] is None or row["met"] for row in parts) for parts in items]
    summary = f"{sum(met)} of {len(items)} items are met." if items else "No runs."
    open_items = [
        f'<a href="#item-{parts[0]["item"]}">{escape(parts[0]["topic"])}</a>'
        for parts, closed in zip(items, met, strict=True)
        if not closed
    ]
    if open_items:
        summary += f" Not met: {', '.join(open_items)}."
    shown = [
        ITEM.format(
            level=level,
            number=parts[0]["item"],
            topic=escape(parts[0]["topic"]),
            verdict=_verdict(closed),
            parts="\n".join(map(_part, parts)),
        )
        for parts, closed in zip(items, met, strict=True)
    ]
    return CONTENTS.format(
        summary=summary, note=escape(note), source=escape(SOURCE), items="\n".join(shown)
    )


def _part(row: Row) -> str:
    return (
        f'<tr><th scope="row">{escape(row["part"])}</th><td>{_verdict(row["met"])}</td>'
        f"<td>{escape(row['evidence'] or '')}</td><td>{escape(row['missing'] or '')}</td></tr>"
    )


def _verdict(met: bool | None) -> str:
    """The verdict as a word and a symbol: the colour adds no information."""
    if met is None:
        return '<span aria-hidden="true">–</span> not measured'
    if met:
        return '<span class="met"><span aria-hidden="true">✓</span> met</span>'
    return '<span class="open"><span aria-hidden="true">✗</span> not met</span>'
