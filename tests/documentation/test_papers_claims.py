"""Numbers of docs/explanation/papers-claims.md: those of the golden and the stored tables."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from math import inf, sqrt

import numpy as np
import pandas as pd
import pytest
from fences import ROOT
from scipy.stats import fisher_exact, studentized_range

from timefair.statistics.disagreements import opposed_pairs
from timefair.statistics.ert import ert
from timefair.statistics.probability import success_interval

GOLDEN = ROOT / "tests/golden"
EXPLANATION = ROOT / "docs/explanation"
PAGE = (EXPLANATION / "papers-claims.md").read_text(encoding="utf-8")
VERDICTS = ("Holds in part", "Holds", "Does not hold", "Cannot be decided")
SETTING = ["tau", "outliers"]
RULE, FIXED, RANDOM = "skewness", "fixed n at the same saving", "random n"


def section(heading: str) -> str:
    """The text under the heading that begins so, each run of white space as one space."""
    (found,) = re.findall(rf"^##+ {re.escape(heading)}.*?(?=^##|\Z)", PAGE, flags=re.M | re.S)
    return " ".join(found.split())


def golden(name: str, field: str = "value") -> pd.DataFrame:
    """A table of the quantiles paper: a row per problem and a column per algorithm."""
    cells = pd.read_csv(GOLDEN / f"{name}.csv")
    return cells.pivot(index="problem", columns="algorithm", values=field)


def opposed(first: pd.DataFrame, second: pd.DataFrame) -> dict[str, set[str]]:
    """The pairs of algorithms that the tables order oppositely, of each problem that has some."""
    found = {
        problem: {
            "".join(sorted(first.columns[list(pair)]))
            for pair in opposed_pairs(first.loc[problem], second.loc[problem])
        }
        for problem in first.index
    }
    return {problem: pairs for problem, pairs in found.items() if pairs}


def count(found: dict[str, set[str]]) -> int:
    return sum(map(len, found.values()))


def share(successes: int, trials: int, what: str = "") -> str:
    """As the page writes a share with its interval."""
    interval = success_interval(successes, trials, 0.95)
    return f"{successes} of {trials}{what} [{interval.low:.2f}, {interval.high:.2f}]"


def study(name: str) -> pd.DataFrame:
    """A stored table of the study of run counts, over all dimensions."""
    table = pd.read_csv(EXPLANATION / f"run-count/{name}.csv")
    return table[table["dimension"] == "all"]


def signed(value: float) -> str:
    return f"{value:.1f}".replace("-", "\N{MINUS SIGN}")


def span(values: pd.Series) -> str:
    return f"{values.min():.1f} to {values.max():.1f} %"


def test_every_claim_of_the_summary_has_a_section_with_its_verdict() -> None:
    summary = dict(re.findall(r"^\| (\d+) \| .* \| ([^|;]+?)(?:;[^|]*)? \|$", PAGE, re.M))
    numbers = [int(number) for number in re.findall(r"^### (\d+)\. ", PAGE, re.M)]
    assert numbers == [int(number) for number in summary]
    assert {after - before for before, after in pairwise(numbers)} == {1}
    assert f"| {len(numbers)} claims" in (ROOT / "docs/README.md").read_text(encoding="utf-8")
    for number, verdict in summary.items():
        text = section(f"{number}. ").partition("**Verdict.** ")[2]
        (stated,) = re.findall(f"^({'|'.join(VERDICTS)})[ ,.:]", text)
        assert stated.lower() == verdict


def test_the_worked_example() -> None:
    text = section("1. ")
    for case in json.loads((GOLDEN / "seed000_checks.json").read_text())["ert"]["example"]:
        failures = case["R"] - case["s"]
        spent = [case["mean_success"]] * case["s"] + [case["T"]] * failures
        value = ert(spent, [True] * case["s"] + [False] * failures)
        assert f"{value:.2f} s" in text
        assert f"{case['paper']}" in text
        assert share(case["s"], case["R"]) in text
    assert f"p = {fisher_exact([[19, 1], [17, 3]]).pvalue:.2f}" in text


def test_rank_reversals_of_the_default_campaign() -> None:
    rows = pd.read_csv(EXPLANATION / "papers/default-rank-reversals.csv")
    text = section("3. ")
    assert (rows["function"] == "all").all()
    assert f"| 15 pairs | {len(rows)} | {rows['significant'].sum()} | 24 functions |" in text
    (pair,) = rows[
        (rows["algorithm_a"] == "BIPOP-CMA-ES") & (rows["algorithm_b"] == "DE")
    ].itertuples()
    assert f"on {pair.by_evaluations_a:.0f} functions at equal evaluations" in text
    assert (
        f"on {pair.by_time_b:.0f} functions at equal time (p = {pair.p_adjusted:.3f} after" in text
    )


def test_accuracy_and_savings() -> None:
    table = study("savings")
    table = table[table["rule"] == RULE]
    mad = table[(table["tau"] == 0.05) & (table["outliers"] == "mad")].iloc[0]
    accurate = round(mad["accurate_percent"] * mad["samples"] / 100)
    interval = success_interval(accurate, int(mad["samples"]), 0.95)
    assert (
        f"{mad['accurate_percent']:.1f} % [{100 * interval.low:.1f}, {100 * interval.high:.1f}] "
        f"of {mad['samples']} samples" in section("6. ")
    )

    text = section("7. ")
    assert span(table[table["tau"] == 0.05]["saved_percent"]) in text
    iqr = table[(table["tau"] == 0.1) & (table["outliers"] == "iqr")].iloc[0]
    assert f"the rule saves {iqr['saved_percent']:.1f} % in the study" in text
    assert f"accurate for {iqr['accurate_percent']:.1f} %" in text


def test_table_1_of_the_run_count_paper() -> None:
    printed = pd.read_csv(GOLDEN / "seed001_table1.csv")
    printed["outliers"] = printed["tech"].str.lower()
    ours = study("accuracy")
    ours = ours[ours["rule"] == RULE].set_index(SETTING)
    printed = printed.set_index(SETTING).drop(columns="tech")
    difference = (ours[printed.columns] - printed.reindex(ours.index)).abs()
    assert not difference.isna().any(axis=None)
    text = section("6. ")
    assert f"In all {difference.size} cells" in text
    assert f"at most {difference.max(axis=None):.1f} percentage points" in text


def test_accuracy_in_the_small_campaigns() -> None:
    comparison = (EXPLANATION / "papers.md").read_text(encoding="utf-8")
    ours = re.findall(r"^\| 0\.05 \| MAD \| [\d.]+ / [\d.]+ \| ([\d.]+) / ", comparison, re.M)
    for number, samples, percent in zip(("9. ", "10. "), (520, 132), ours, strict=True):
        interval = success_interval(round(float(percent) * samples / 100), samples, 0.95)
        low, high = 100 * interval.low, 100 * interval.high
        assert f"and {samples} samples" in section(number)
        assert f"{percent} % [{low:.1f}, {high:.1f}]" in section(number)


@pytest.mark.parametrize(("portfolio", "number"), [("DE", "9. "), ("NG", "10. ")])
def test_table_2_of_the_run_count_paper(portfolio: str, number: str) -> None:
    table = pd.read_csv(GOLDEN / "seed001_table2.csv")
    table = table[table["portfolio"] == portfolio]
    text = section(number)
    assert f"saves {span(table['pct_saved'])} of {table['total'].iloc[0]:,.0f} runs" in text
    assert f"accurate for {span(table['acc'])}" in text
    assert span(table[table["tau"] == 0.05]["pct_saved"]) in section("7. ")


def test_controls_and_other_rules() -> None:
    text = section("8. ")
    table = study("accuracy").pivot(index=SETTING, columns="rule")
    for control in (FIXED, RANDOM):
        cells = []
        for criterion in ("true", "accurate_independent_percent"):
            difference = table[criterion][RULE] - table[criterion][control]
            cells.append(f"{signed(difference.min())} to {signed(difference.max())}")
        assert f"| {' | '.join(cells)} |" in text

    mad = table.xs((0.05, "mad")).xs(RULE, level="rule")
    assert f"{mad['never_stopped_percent']:.1f} % of the samples. These samples count" in text
    assert f"Of the others, {mad['accurate_stopped_percent']:.1f} % are accurate" in text

    rules = study("rules").set_index(["rule", "setting"])
    width, race = rules.loc[("width of the median", "horizon")], rules.loc[("racing", "α = 0.05")]
    assert f"saves {width['saved_percent']:.1f} % of the runs" in text
    assert f"For {width['kept_median_percent']:.1f} % of the samples, the median" in text
    assert f"(all 50 runs: {rules.loc[('fixed n', 'n = 50')]['kept_median_percent']:.1f} %)" in text
    assert f"no longer be the best) saves {race['saved_percent']:.1f} %" in text
    found = round(race["winner_percent"] * race["problems"] / 100)
    assert f"On {share(found, int(race['problems']), ' problems')}, it finds" in text


def test_mean_and_median() -> None:
    text = section("12. ")
    printed = opposed(golden("table02_mean"), golden("table03_q50"))
    here = pd.read_csv(EXPLANATION / "papers/quantiles-small-disagreements.csv")
    assert f"| {count(printed)} of 420 | {len(here)} of 420 |" in text
    functions = here["function"].nunique()
    assert f"| {share(len(printed), 20)} | {share(functions, 20)} |" in text


def test_jde_and_jade() -> None:
    text = section("13. ")
    ranks = pd.read_csv(GOLDEN / "average_ranks.csv").set_index("table")
    for name in ("table02_mean", "table03_q50"):
        assert f"({ranks.loc[name, 'D']:.2f} and {ranks.loc[name, 'C']:.2f})" in text
    here = pd.read_csv(EXPLANATION / "papers/quantiles-small-disagreements.csv")
    pair = here[["algorithm", "other"]].apply(frozenset, axis=1) == frozenset(("JADE", "jDE"))
    assert f"on {pair.sum()} of 20 functions" in text
    printed = opposed(golden("table02_mean"), golden("table03_q50"))
    assert f"they do so on {sum('CD' in pairs for pairs in printed.values())};" in text
    tests = json.loads((GOLDEN / "friedman.json").read_text())
    mean, median = (
        tests[name]["pairs"]["CD"]["p_nemenyi"] for name in ("table02_mean", "table03_q50")
    )
    assert f"(p = {mean:.2f} by the mean, {median:.2f} by the median)" in text


def test_peak_average_and_bad_case() -> None:
    text = section("14. ")
    ranks = pd.read_csv(GOLDEN / "average_ranks.csv").set_index("table")["E"]
    reasons = pd.read_csv(GOLDEN / "exclusions.csv").set_index("where")["reason"]
    bad = float(reasons["table09_q90"].split()[-3])
    assert f"| {ranks['table08_q10']:.2f} | {ranks['table03_q50']:.2f} | {bad:.2f} |" in text
    here = pd.read_csv(EXPLANATION / "papers/quantiles-small-ranks.csv")
    here = here[here["algorithm"] == "PSO"].set_index("criterion")["average_rank"]
    assert f"| {here['Q.10']:.2f} | {here['Q.50']:.2f} | {here['Q.90']:.2f} |" in text
    tests = json.loads((GOLDEN / "friedman.json").read_text())
    by_peak = tests["table08_q10"]["pairs"]["BE"]["p_nemenyi"]
    cro = float(reasons["table09_q90"].split()[-6])
    by_bad = studentized_range.sf((bad - cro) / sqrt(7 * 8 / (12 * 20)), 7, inf)
    assert f"p = {by_peak:.2f} by Q.10 and {by_bad:.2f} by Q.90)" in text


def test_average_ranks_differ_by_at_most() -> None:
    comparison = (EXPLANATION / "papers.md").read_text(encoding="utf-8")
    pairs = re.findall(r"(\d\.\d\d) / (\d\.\d\d)", comparison)
    assert f"Of the {len(pairs)} average ranks" in section("15. ")
    largest = np.abs(np.subtract(*np.array(pairs, dtype=float).T)).max()
    assert f"by more than {largest:.2f}." in section("15. ")


def test_means_over_successful_runs() -> None:
    text = section("16. ")
    mean, median = golden("table04_fe_mean_wrong", "rank"), golden("table07_fe_q50", "rank")
    rate = golden("table05_success_rate", "percent")
    assert mean.loc["F02", "E"] == 1
    assert np.isinf(golden("table07_fe_q50").loc["F02", "E"])
    assert f"where {rate.loc['F02', 'E']:.0f} % of its runs succeed" in text
    ranks = pd.read_csv(GOLDEN / "average_ranks.csv").set_index("table")["E"]
    assert f"{ranks['table04_fe_mean_wrong']:.2f} by this mean" in text
    assert f"{ranks['table07_fe_q50']:.2f} by the median" in text
    found = opposed(mean, median)
    functions = share(len(found), 20, " functions")
    assert f"order {count(found)} of 420 pairs differently, on {functions}" in text


def test_printed_probabilities_and_intervals() -> None:
    table = pd.read_csv(GOLDEN / "table01_multirun.csv").drop(columns="runs")
    assert f"All {table.size} cells" in section("17. ")
    cells = pd.concat(
        [pd.read_csv(GOLDEN / f"{name}.csv") for name in ("table13_pci_q50", "table14_pci_q10")]
    )
    printed = int((cells["approx_one"] == 0).sum())
    assert f"{printed - 1} of the {printed} printed intervals" in section("18. ")


def test_errors_in_the_print() -> None:
    text = section("Errors in the print")
    excluded = pd.read_csv(GOLDEN / "exclusions.csv")
    decimals = excluded["reason"].str.startswith("decimal point lost").sum()
    assert decimals == 10
    assert "ten cells" in text
    counts = re.search(
        r"counts are (\d+) \(Q0.10\), \d+ \(Q0.50\), (\d+)",
        " ".join(excluded["should_be"].dropna()),
    )
    assert counts
    assert f"the reverse: {counts[2]} and {counts[1]}" in text
    for part, whole, percent in ((933, 1080, 86.39), (198, 240, 82.50)):
        assert f"{part}/{whole}" in text
        assert f"{100 * part / whole:.2f} %" == f"{percent:.2f} %"
        assert f"{percent:.2f} %" in text
