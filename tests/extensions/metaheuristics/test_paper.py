"""The key ``paper``: its tables, tests against the proposed algorithm, and the spreadsheet."""

import re
import shutil
import subprocess

import numpy as np
import openpyxl
import pandas as pd
import pytest
from campaigns import SMALL
from scipy import stats

from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.cli import main
from timefair.exhibits.latex import Setting, document, typeset
from timefair.exhibits.layout import by_function
from timefair.exhibits.registry import TABLES
from timefair.extensions.metaheuristics import complexity, keys
from timefair.extensions.metaheuristics.against import RANK
from timefair.extensions.metaheuristics.designs import _written
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

PRINTED = (
    "paper_values", "against", "friedman", "complexity",
    "aocc", "u_scores", "rank_over_time", "eaf", "eaf_difference",
)  # fmt: skip
LABELS = ("CMA-ES", "L-SHADE-EpSin", "improved_GWO%", "PSO", "HHO & WOA", "NL-SHADE-RSP-MID")
CAMPAIGN = SMALL | {"algorithms": {"A": "timefair:random-search", "B": "scipy:Nelder-Mead"}}


def test_the_key_asks_for_tables_and_figures(tmp_path):
    campaign = configuration.parse(CAMPAIGN | {"paper": "metaheuristics", "tables": []})
    assert {"paper_values", "against", "overhead"} <= set(campaign.table_names)
    assert {"boxplots", "convergence"} <= set(campaign.figure_names)
    assert dict(keys.settings(campaign, tmp_path))["proposed"] == "A"
    chosen = CAMPAIGN | {"paper": {"form": "metaheuristics", "proposed": "B"}}
    assert dict(keys.settings(configuration.parse(chosen), tmp_path))["proposed"] == "B"
    assert "against" not in configuration.parse(CAMPAIGN).table_names


@pytest.mark.parametrize(
    ("columns", "at", "figure"),
    [
        ([], {"the end of the runs"}, None),
        (["evaluations"], {"equal evaluations"}, "convergence_evaluations"),
        (["evaluations", "seconds"], {"equal evaluations", "equal time"}, "convergence"),
    ],
)
def test_runs_of_others_have_the_tables_that_they_allow(columns, at, figure, tmp_path):
    keys = pd.MultiIndex.from_product([["A", "B"], ["F2", "F10"], [3], [1], range(6)])
    names = ["algorithm", "function", "dimension", "instance", "run"]
    runs = pd.DataFrame(list(keys), columns=names)
    runs = runs.assign(evaluations=9, seconds=0.5, value=runs["run"] + (runs["algorithm"] == "B"))
    runs[[*names, *columns, "value"]].to_csv(tmp_path / "r.csv", index=False)
    (tmp_path / "s.yaml").write_text("paper: {form: metaheuristics, proposed: B}\ntables: []\n")
    made = tmp_path / "made"
    asked = ("analyse", tmp_path / "r.csv", "-o", made, "--settings", tmp_path / "s.yaml")
    assert main(list(map(str, asked))) == 0
    against = pd.read_csv(made / "tables" / "against.csv")
    assert set(against["at"]) == at
    assert set(against["proposed"]) == {"B"}
    assert set(against["function"]) == {"2", "10", "all", "Friedman rank"}
    drawn = {path.stem for path in (made / "figures").glob("*.svg")}
    curves = {name for name in drawn if name.startswith("convergence")}
    assert {"boxplots"} <= drawn
    assert figure in curves if figure else not curves


def test_the_proposed_algorithm_is_one_of_the_campaign():
    wrong = CAMPAIGN | {"paper": {"form": "metaheuristics", "proposed": "C"}}
    with pytest.raises(InputError, match=r"paper\.proposed: 'C': should be an algorithm"):
        configuration.parse(wrong)


def test_a_design_has_its_constraints():
    """The gear train has one inequality; the two reactors have four of each kind."""
    row = {"suite": "engineering", "function": 18, "dimension": 4, "instance": 1}
    best = [13.0, 7.0, 42.0984455958549, 176.6365958424394]
    g = list(map(float, _written(row, best, {})["g"].split()))
    assert g[0] == pytest.approx(0.0193 * best[2] - 0.0625 * 13, abs=1e-7)
    both = _written(row | {"function": 11, "dimension": 7}, [1.0] * 7, {})
    assert [len(both[key].split()) for key in "gh"] == [4, 4]
    assert _written(row | {"suite": "elsewhere"}, best, {}).keys() == {"x"}


def test_functions_in_their_own_dimensions_are_in_their_order():
    rows = pd.DataFrame({"suite": "s", "dimension": [2, 3, 7], "function": [4, 9, 1]})
    assert by_function(rows)["function"].tolist() == [1, 4, 9]
    same = rows.assign(function=[4, 9, 4])
    assert by_function(same) is same


@pytest.mark.slow
def test_complexity_is_measured_and_in_the_table(tmp_path, run, table):
    campaign = configuration.parse(CAMPAIGN)
    said = []
    complexity.measure(campaign, None, 30, tmp_path, said.append)
    rows = complexity.measured(tmp_path)
    assert rows == said
    analysis = Analysis(targets=(1.0,), added={"complexity": rows})
    runs = Runs.of(table(run(algorithm="A"), run(algorithm="B")))
    frame = TABLES["complexity"](runs, analysis)
    assert frame["algorithm"].tolist() == ["A", "B"]
    assert (frame[["t0_s", "t1_s", "t2_s"]] > 0).all(axis=None)
    wanted = (frame["t2_s"] - frame["t1_s"]) / frame["t0_s"]
    assert frame["complexity"].tolist() == pytest.approx(wanted.tolist())
    (tmp_path / complexity.FILE).write_text("[")
    with pytest.raises(InputError, match="damaged"):
        complexity.measured(tmp_path)


def test_a_spreadsheet_has_all_rows_and_digits(tmp_path, capsys):
    folder = tmp_path / "results/tiny"
    (folder / "tables").mkdir(parents=True)
    (folder / "campaign.json").write_text(configuration.parse(CAMPAIGN).snapshot())
    assert main(["export", "xlsx", str(folder)]) == 2
    assert "has no tables" in capsys.readouterr().err
    frame = pd.DataFrame({"algorithm": ["=A()", "="], "ert_s": [np.inf, 1 / 3], "x": [np.nan, 2.0]})
    frame.to_parquet(folder / "tables/ert.parquet")
    output = tmp_path / "tiny.xlsx"
    assert main(["export", "xlsx", str(folder), "-o", str(output)]) == 0
    book = openpyxl.load_workbook(output)
    assert book.sheetnames == ["contents", "ert"]
    rows = [[cell.value for cell in row] for row in book["ert"].iter_rows()]
    assert rows == [["algorithm", "ert_s", "x"], ["=A()", "inf", None], ["=", 1 / 3, 2.0]]
    assert book["ert"]["A2"].data_type == "s"


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
@pytest.mark.parametrize("count", [8, 13])
def test_tables_of_thirty_functions_fit_the_page(count, tmp_path, run, table):
    rng = np.random.default_rng(count)
    labels = [LABELS[k] if k < len(LABELS) else f"variant {k}" for k in range(count)]
    rows = [
        run([(1, 0.01, q * 100 + 1.0), (50, 0.5, q)], algorithm=name, function=f, run=k,
            budget_s=1.0, wall_s=1.0, evaluations=100, stop_reason="time")
        for name in labels for f in range(1, 31)
        for k, q in enumerate(10 ** rng.uniform(-7, 6, size=3))
    ]  # fmt: skip
    measured = [
        {"suite": "bbob", "dimension": 2, "function": 18, "algorithm": name, "evaluations": 200_000,
         "t0_s": 0.1, "t1_s": 1.0, "t2_s": [2.0, 2.1]}
        for name in labels
    ]  # fmt: skip
    added = {"proposed": labels[1], "complexity": measured}
    analysis = Analysis(targets=(1e2, 1e-2, 1e-8), resamples=20, added=added)
    runs, names = Runs.of(table(*rows)), [name for name in PRINTED if name in TABLES]
    for name in names:
        one, frame = TABLES[name].exhibit, TABLES[name](runs, analysis)
        tex = typeset(one, frame, one.printed(frame), Setting(analysis, time_s=1.0))
        (tmp_path / f"{name}.tex").write_text(tex)
    (tmp_path / "tables.tex").write_text(document(names))
    command = ["pdflatex", "-interaction=nonstopmode", "tables.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "tables.log").read_text(errors="replace")
    assert not re.findall(r"^!.*|Overfull .hbox.*|Float too large.*", log, re.MULTILINE)
    assert done.returncode == 0


ANALYSIS = Analysis(targets=(1.0,), resamples=50, added={"proposed": "new"})


@pytest.fixture
def against(run, table):
    def made(values, at="equal time"):
        rows = [
            run([(5, 0.1, 900.0), (10, 0.2, float(q))], algorithm=name, function=f, run=k,
                budget_s=1.0, wall_s=1.0, evaluations=10)
            for name, of in values.items()
            for f, some in of.items()
            for k, q in enumerate(some)
        ]  # fmt: skip
        frame = TABLES["against"](Runs.of(table(*rows)), ANALYSIS)
        return frame[frame["at"] == at].set_index(["function", "algorithm"])

    return made


def samples(ties):
    rng = np.random.default_rng(3)
    draw = (lambda m: rng.integers(1, 6, 12) + float(m)) if ties else (lambda m: m + rng.random(12))
    return {
        name: {f: draw(shift * f) for f in (1, 2, 3)}
        for name, shift in (("new", 0.0), ("old", 0.25), ("bad", 2.0))
    }


@pytest.mark.parametrize("ties", [False, True])
def test_p_is_that_of_scipy(against, ties):
    values = samples(ties)
    frame = against(values)
    method = (
        stats.PermutationMethod(n_resamples=20_000, rng=np.random.default_rng(1))
        if ties
        else "exact"
    )
    for f in (1, 2, 3):
        for other in ("bad", "old"):
            test = stats.mannwhitneyu(values["new"][f], values[other][f], method=method)
            wanted = pytest.approx(test.pvalue, rel=1e-9, abs=1.2e-2 if ties else 0.0)
            assert frame.loc[(str(f), other), "p"] == wanted
            smaller = 1 - test.statistic / 144
            assert frame.loc[(str(f), other), "a12"] == pytest.approx(smaller)
    for family in (["1", "2", "3"], ["all"], [RANK]):
        p, found = np.sort(frame.loc[family, ["p", "p_adjusted"]].to_numpy(), axis=0).T
        holm = np.maximum.accumulate(p * np.arange(len(p), 0, -1))
        assert found == pytest.approx(np.minimum(holm, 1))


def test_last_rows(against):
    low, high = np.arange(1.0, 13.0), np.arange(21.0, 33.0)
    equal = np.full(12, 5.0)
    frame = against({"new": {1: low, 2: high, 3: equal}, "old": {1: high, 2: low, 3: equal}})
    assert frame.loc[[("1", "old"), ("2", "old"), ("3", "old")], "verdict"].tolist() == [
        "+", "−", "="
    ]  # fmt: skip
    over = frame.loc[("all", "old")]
    assert (over["verdict"], over["a12"], over["p"]) == ("1/1/1", 0.5, 1.0)
    ranks = frame.loc[(RANK, "old")]
    assert (ranks["proposed_value"], ranks["value"], ranks["p"]) == (1.5, 1.5, 1.0)


def test_equal_evaluations_are_those_that_all_runs_of_both_were_allowed(run, table):
    """The fast one makes ten evaluations in the time in which the slow one makes five; a third one
    that makes one does not change how these two are compared."""
    budget = {"budget_s": 1.0, "wall_s": 1.0, "stop_reason": "time"}
    rows = [
        *(run([(1, 0.1, 8.0), (5, 0.5, 4.0 + k), (10, 1.0, 1.0)], run=k, algorithm="new",
              evaluations=10, **budget) for k in range(6)),
        *(run([(1, 0.1, 9.0), (5, 0.9, 2.0)], run=k, algorithm="slow", evaluations=5, **budget)
          for k in range(6)),
        *(run([(1, 0.9, 7.0)], run=k, algorithm="slowest", evaluations=1, **budget)
          for k in range(6)),
    ]  # fmt: skip
    frame = TABLES["against"](Runs.of(table(*rows)), ANALYSIS).set_index(["function", "at"])
    at = frame.loc[("1", "equal evaluations")].set_index("algorithm")
    assert at["evaluations"].to_dict() == {"slow": 5, "slowest": 1}
    assert at["verdict"].to_dict() == {"slow": "−", "slowest": "−"}
    assert set(frame.loc[("1", "equal time"), "verdict"]) == {"+"}
    ranks = frame.loc[(RANK, "equal evaluations")].set_index("algorithm")
    assert ranks["proposed_value"].tolist() == [3.0, 3.0]
    assert ranks["value"].to_dict() == {"slow": 2.0, "slowest": 1.0}
