"""Published data stand beside measured runs where evaluations are counted, and nowhere else."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from timefair.exhibits import latex
from timefair.exhibits.registry import FIGURES, TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.schema import PUBLISHED
from timefair.records.store import with_facts

ANALYSIS = Analysis(
    targets=(10.0, 1.0, 0.1),
    resamples=20,
    tuning_s={"A": 0.3},
    campaign={"name": "c", "tables": list(TABLES), "figures": list(FIGURES)},
)
AMONG = {
    "ert", "ert_by_instance", "quantiles_to_target", "success", "anytime", "ecdf",
    "profile_evaluations", "restarted_curves",
    "ranks", "posthoc", "summary", "comparison", "against",
}  # fmt: skip
"""The tables that name published data."""
INDICATORS = {"aocc", "u_scores", "rank_over_time", "eaf", "eaf_difference"}
"""Those that name them, and in which another algorithm may change the end or the scores."""
OF_PAIRS = {"posthoc", "comparison", "against"}

SOURCE = {
    "format": "coco", "path": "old.tgz", "sha256": "0123456789abcdef", "algorithm": "old",
    "cautions": ["x.dat: trials broke off"],
}  # fmt: skip


@pytest.fixture(scope="module")
def traces():
    """A function: random events (evaluations, seconds, precision) of a run."""
    rng = np.random.default_rng(8)

    def make(end):
        at = np.unique(np.append(1, rng.integers(2, end, 9)))
        precision = 10 ** (1.5 - np.cumsum(rng.exponential(0.5, at.size)))
        return [(int(n), n / end, float(q)) for n, q in zip(at, precision, strict=True)]

    return make


@pytest.fixture(scope="module")
def measured(run, table, traces):
    return table(
        *(
            run(
                traces(end), run=k, algorithm=name, function=f, dimension=d, instance=i,
                evaluations=end, seed=hash((f, d, i, k, end)) % 2**40, round=1 + k // 2,
            )
            for name, end in (("A", 300), ("C", 1000))
            for f, d in ((1, 2), (8, 2), (1, 5))
            for i in (1, 2)
            for k in range(4)
        )
    )  # fmt: skip


@pytest.fixture(scope="module")
def published(run, table, traces):
    """Runs of B, between A and C by the alphabet, that are much longer; none on function 8."""
    unknown = dict.fromkeys(
        ["round", "seed", "budget_s", "status", "stop_reason", "attempts", "wall_s", "cpu_s",
         "launches", "completed_restarts", "overshoot_s", "reaped_s", "preparation_s",
         "objective_s", "bare_s", "perturbation", "launch_log"]
    )  # fmt: skip
    rows = [
        run(
            traces(50_000), run=k, algorithm="B", function=1, dimension=d, instance=1,
            evaluations=50_000, **unknown,
        )
        for d in (2, 5)
        for k in range(3)
    ]  # fmt: skip
    for row in rows:
        row["events"] = [event | {"time_s": None, "launch": None} for event in row["events"]]
    return table(*rows)


@pytest.fixture(scope="module")
def alone(measured):
    return Runs.of(measured)


@pytest.fixture(scope="module")
def beside(measured, published):
    both = pa.concat_tables([published, measured])
    return Runs.of(with_facts(both, {PUBLISHED: {"B": SOURCE}}))


def of_measured(frame):
    """Only what is measured; in seconds where the rows have units."""
    rows = frame[frame["algorithm"].astype(str) != "B"]
    if "unit" in rows:
        rows = rows[rows["unit"].str.startswith("seconds")]
    return rows.astype({"algorithm": str}).reset_index(drop=True)


@pytest.mark.thinned(9)
@pytest.mark.parametrize(
    "name", sorted(set(TABLES) - AMONG - INDICATORS - {"friedman", "checklist"})
)
def test_all_other_tables_do_not_change(name, alone, beside):
    analysis = Analysis(**{**vars(ANALYSIS), "ancillary": "amortised"})
    without, among = TABLES[name](alone, analysis), TABLES[name](beside, analysis)
    pd.testing.assert_frame_equal(among, without)
    assert among.attrs["published"] == ""
    assert among.attrs["perturbed"] == without.attrs["perturbed"]


@pytest.mark.parametrize("name", sorted(INDICATORS - {"eaf_difference"}))
def test_indicators_have_published_data_in_evaluations_alone(name, alone, beside):
    without, among = TABLES[name](alone, ANALYSIS), TABLES[name](beside, ANALYSIS)
    assert set(among["unit"][among["algorithm"] == "B"]) == {"evaluations"}
    seconds = (
        frame[frame["unit"] == "seconds"].reset_index(drop=True) for frame in (among, without)
    )
    pd.testing.assert_frame_equal(*seconds, check_categorical=False, check_dtype=False)


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    "name", sorted(AMONG - {"profile_evaluations", "ranks", "summary"} - OF_PAIRS)
)
@pytest.mark.parametrize("ancillary", ["excluded", "amortised"])
def test_what_is_measured_keeps_its_numbers(name, ancillary, alone, beside):
    analysis = Analysis(**{**vars(ANALYSIS), "ancillary": ancillary})
    without, among = TABLES[name](alone, analysis), TABLES[name](beside, analysis)
    assert len(of_measured(among)) > 0
    left_out = [column for column in among if column.endswith("evaluations_rank")]
    pd.testing.assert_frame_equal(
        of_measured(among).drop(columns=left_out), of_measured(without).drop(columns=left_out)
    )
    assert among.attrs["published"] == "Published data, which have no times: B."


@pytest.mark.parametrize("name", sorted(AMONG - {"ranks"} - OF_PAIRS))
def test_published_data_have_evaluations_and_no_seconds(name, beside):
    frame = TABLES[name](beside, ANALYSIS)
    rows = frame[frame["algorithm"] == "B"]
    assert len(rows) > 0
    if "unit" in rows:
        assert not rows["unit"].str.startswith("seconds").any()
    for column in rows:
        if column.endswith("_heavy_tail"):
            assert not rows[column].any(), column
        elif column.endswith("_s") or "_s_" in column:
            unknown = rows[column].isin([""]) if column.endswith("text") else rows[column].isna()
            assert unknown.all(), column
        elif "evaluations" in column and not column.endswith(("_low", "_high", "_sd")):
            assert column.startswith("mean_") or rows[column].notna().all(), column
    assert list(frame["algorithm"].cat.categories) == ["A", "C", "B"]


def test_ert_by_hand(beside):
    row = TABLES["ert"](beside, ANALYSIS).query(
        "algorithm == 'B' and dimension == 2 and target == 1.0"
    )
    old = beside.published
    reached = old.runtimes("evaluations", [1.0])[:, 0]
    members = (old.frame["dimension"] == 2).to_numpy()
    cost = np.where(np.isfinite(reached), reached, 50_000.0)[members].sum()
    assert row["ert_evaluations"].item() == cost / np.isfinite(reached[members]).sum()
    assert (row["runs"].item(), row["ert_s"].isna().item()) == (3, True)


@pytest.mark.slow
def test_ranks_are_among_those_that_have_the_measure(alone, beside):
    without, among = (TABLES["ranks"](runs, ANALYSIS) for runs in (alone, beside))
    timed = without["measure"] != "evaluations"
    same = among[among["measure"] != "evaluations"].astype({"algorithm": str})
    pd.testing.assert_frame_equal(
        same.reset_index(drop=True), without[timed].reset_index(drop=True)
    )
    in_evaluations = among[among["measure"] == "evaluations"]
    assert set(in_evaluations["algorithm"]) == {"A", "B", "C"}
    assert set(in_evaluations["problems"]) == {1}  # B was not run on function 8
    posthoc = TABLES["posthoc"](beside, ANALYSIS)
    of_b = posthoc[(posthoc["algorithm_a"] == "B") | (posthoc["algorithm_b"] == "B")]
    assert set(of_b["measure"]) == {"evaluations"}
    friedman = TABLES["friedman"](beside, ANALYSIS)
    assert friedman.groupby("measure")["algorithms"].first().to_dict() == {
        "precision": 2, "seconds": 2, "evaluations": 3,
    }  # fmt: skip


def test_the_checklist_names_the_sources(alone, beside):
    without, among = (TABLES["checklist"](runs, ANALYSIS) for runs in (alone, beside))
    more = among[~among["part"].isin(without["part"])]
    assert more["evidence"].tolist() == [
        "in evaluations only: B from old.tgz (SHA-256 0123456789ab)"
    ]
    assert "; ".join(more.iloc[0].astype(str)).count("B: x.dat: trials broke off") == 1
    pd.testing.assert_frame_equal(among[among["part"].isin(without["part"])], without)


OF_A_TASK = ("constraints", "two objectives", "changes")


@pytest.mark.thinned(9)
@pytest.mark.parametrize("name", sorted(n for n in FIGURES if FIGURES[n].needs not in OF_A_TASK))
def test_every_figure_is_drawn(name, beside):
    figure = FIGURES[name](TABLES[FIGURES[name].table](beside, ANALYSIS))
    legend = figure.legends[0] if figure.legends else None
    drawn = {text.get_text() for text in legend.get_texts()} if legend else set()
    if drawn & {"A", "B", "C"}:
        assert ("B" in drawn) == ("evaluations" in name or name == "ranks")


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", sorted(AMONG))
def test_captions_say_so(name, beside, tmp_path):
    frame = TABLES[name](beside, ANALYSIS)
    frame.to_parquet(tmp_path / "t.parquet")
    frame = pd.read_parquet(tmp_path / "t.parquet")
    tex = latex.typeset(
        TABLES[name].exhibit,
        frame,
        TABLES[name].exhibit.printed(frame),
        latex.Setting(ANALYSIS, time_s=1.0),
    )
    assert "Published data, which have no times: B." in tex
