"""The numbers that the prose quotes, as text, by name.

``runs`` or ``perturbed`` are of all runs. ``d5.leader`` is of dimension 5.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

from study import findings
from study.findings import COSTS_S
from study.tables import Study
from study.words import duration, interval, number, percent

Named = Iterator[tuple[str, str]]


def of_study(study: Study) -> dict[str, str]:
    """All numbers."""
    found = dict(_of_all(study))
    for dimension in study.campaign.problems.dimensions:
        parts = (_ranking, _map, _rank_reversals, _restarts, _portfolios)
        found |= {f"d{dimension}.{n}": text for part in parts for n, text in part(study, dimension)}
    return found


def _of_all(study: Study) -> Named:
    campaign, frame = study.campaign, study.runs.frame
    problems, where = campaign.problems, study.where
    yield "runs", f"{len(frame):,}"
    yield "algorithms", str(len(campaign.algorithms))
    yield "pairs", f"{math.comb(len(campaign.algorithms), 2):,}"
    yield "functions", str(len(problems.functions))
    yield "instances", str(len(problems.instances))
    yield "runs_of_instance", str(campaign.runs)
    yield "runs_of_function", str(campaign.runs * len(problems.instances))
    yield "targets", str(len(campaign.targets))
    yield "confidence", percent(campaign.statistics.confidence)
    yield "dimensions", " and ".join(map(str, problems.dimensions))
    if campaign.budget.time_s is not None:
        yield "budget", duration(campaign.budget.time_s)
    if where.first is not None and where.last is not None:
        yield "date", f"{where.first:%d %B %Y}".lstrip("0")
        yield "lasted", duration((where.last - where.first).total_seconds())
    machines = [str(machine.get("cpu")) for machine in where.machines]
    yield "cpu", " and ".join(dict.fromkeys(machines))
    yield "costly", " and ".join(study.costly)
    yield "failed", f"{int((frame['status'] != 'ok').sum()):,}"
    yield from _quality(study)


def _quality(study: Study) -> Named:
    perturbation = study.table("perturbation")
    share = perturbation["perturbed"] / perturbation["runs"]
    worst = share.idxmax()
    yield "perturbed", percent(perturbation["perturbed"].sum() / perturbation["runs"].sum())
    yield "most_perturbed", str(perturbation["algorithm"][worst])
    yield "most_perturbed_share", percent(share[worst])
    yield "delay", percent(perturbation["delay_share_median"].median())
    speeds = findings.speeds(study.runs.frame)
    yield "fastest_tenth", number(speeds.min(), 3)
    yield "slowest_tenth", number(speeds.max(), 3)
    noise = study.table("timing_noise")
    over_all = noise["function"] == "all"
    yield "detectable_ratio", number(noise.loc[~over_all, "detectable_ratio"].max(), 3)
    yield "detectable_ratio_over_all", number(noise.loc[over_all, "detectable_ratio"].max(), 3)


def _ranking(study: Study, dimension: int) -> Named:
    summary = _of(study.table("summary"), dimension).set_index("algorithm")
    ranks = _of(study.table("ranks"), dimension)
    by_time, by_evaluations = summary["rank_s"].idxmin(), summary["rank_evaluations"].idxmin()
    moved = (summary["rank_s"] - summary["rank_evaluations"]).abs().sort_values().index[-1]
    yield "reached_by", str(summary["reached"].idxmax())
    yield "reached", percent(summary["reached"].max())
    yield "first_by_time", str(by_time)
    yield "first_by_time_rank", number(summary["rank_s"][by_time], 3)
    yield "first_by_evaluations", str(by_evaluations)
    yield "first_by_evaluations_rank", number(summary["rank_evaluations"][by_evaluations], 3)
    yield "moved", str(moved)
    yield "moved_by_time", number(summary["rank_s"][moved], 3)
    yield "moved_by_evaluations", number(summary["rank_evaluations"][moved], 3)
    yield "critical_difference", number(ranks["critical_difference"].max(), 3)


def _map(study: Study, dimension: int) -> Named:
    for name, cost_map in (("all", study.table("cost_map")), ("cheap", study.cheap_map)):
        until = findings.known_until_s(cost_map, dimension, COSTS_S[-1])
        yield f"known_until.{name}", duration(until)
    frame = study.runs.frame
    here = frame[(frame["dimension"] == dimension) & frame["algorithm"].isin(study.costly)]
    yield "costly_evaluations", number(here["evaluations"].median(), 3)
    leaders = [findings.leader(study.cheap_map, dimension, cost) for cost in COSTS_S]
    known = [each for each in leaders if each is not None and each.best]
    yield "leads", str(len(known))
    yield "sure_leads", str(sum(each.is_sure for each in known))
    yield "leaders", ", ".join(dict.fromkeys(each.best for each in known)) or "none"


def _rank_reversals(study: Study, dimension: int) -> Named:
    table = study.table("rank_reversals")
    for name, over_all in (("all", True), ("functions", False)):
        every = findings.rank_reversals(table, dimension, over_all=over_all, significant=False)
        yield f"rank_reversals.{name}", f"{len(every):,}"
        sure = findings.rank_reversals(table, dimension, over_all=over_all)
        yield f"rank_reversals.{name}.significant", f"{len(sure):,}"
    crossovers = _of(study.table("cost_crossovers"), dimension)
    yield "crossovers", f"{int(crossovers['turns_at_s'].notna().sum()):,}"
    yield "crossovers.between", f"{int((crossovers['set'] == 'between').sum()):,}"


def _restarts(study: Study, dimension: int) -> Named:
    counts = _of(study.table("restart_advice"), dimension)["verdict"].value_counts()
    for verdict in ("gain", "nothing to gain", "undecided", "not judged"):
        yield f"restarts.{verdict.replace(' ', '_')}", str(int(counts.get(verdict, 0)))


def _portfolios(study: Study, dimension: int) -> Named:
    table = study.table("portfolio")
    alone = next(r for r in findings.portfolios(table, dimension) if r["size"] == 1)
    pair = findings.best_pair(table, dimension)
    yield "alone", str(alone["members"])
    yield "alone_held_out", percent(alone["held_out"])
    yield "pair", str(pair["members"]).replace(", ", " and ")
    yield "pair_arrangement", str(pair["arrangement"])
    yield "pair_held_out", percent(pair["held_out"])
    gain, low, high = (number(100 * pair[n]) for n in ("gain", "gain_low", "gain_high"))
    yield "pair_gain", f"{gain} {interval(low, high)}"


def _of(table: pd.DataFrame, dimension: int) -> pd.DataFrame:
    return table[table["dimension"] == dimension]
