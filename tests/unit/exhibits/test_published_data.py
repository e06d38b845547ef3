"""Published data, times of a foreign clock, and recorded runs, beside measured ones."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from campaigns import SMALL

from timefair import cli
from timefair.campaign import configuration, plan
from timefair.exhibits.registry import FIGURES, TABLES
from timefair.io.importing import WantedProblems, import_all, import_data
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.schema import PUBLISHED
from timefair.records.store import with_facts, write_record

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


CLOCKED = Analysis(targets=(10.0, 1.0), resamples=20, campaign={"algorithms": {}})
HEADER = "suite,algorithm,function,dimension,instance,run,evaluations,seconds,value,optimum\n"


def lines_of(algorithm):
    return "".join(
        f"bbob,{algorithm},1,2,1,{k},{at},{0.1 * at},{value},0\n"
        for k in range(4)
        for at, value in ((1, 20.0), (3 + k, 5.0), (9, 0.5))
    )


@pytest.fixture
def foreign(tmp_path):
    def made(name="mine.csv", labels=("B", "C")):
        (tmp_path / name).write_text(HEADER + "".join(map(lines_of, labels)))
        (tmp_path / "collected").mkdir(exist_ok=True)
        import_all(tmp_path / name, "table", tmp_path / "collected")
        return [tmp_path / f"collected/{label}.parquet" for label in labels]

    return made


@pytest.fixture
def measured_file(tmp_path, run, table):
    runs = table(*(run([(1, 0.1, 8.0), (5 + k, 0.4, 0.5)], run=k, seed=k) for k in range(4)))
    path = tmp_path / "collected/A.parquet"
    path.parent.mkdir(exist_ok=True)
    write_record(path, runs.to_batches(), {"algorithm": "A"})
    return path


def test_alone_they_have_seconds_and_say_whose(foreign):
    runs = Runs.read(foreign())
    assert runs.foreign_clock
    frame = TABLES["ert"](runs, CLOCKED)
    assert frame["ert_s"].notna().all()
    assert frame.attrs["published"] == "All times are of a foreign clock."
    assert "Whether any of the 8 runs was perturbed is unknown." in frame.attrs["perturbed"]


def test_beside_measured_runs_only_evaluations_count(foreign, measured_file):
    runs = Runs.read([*foreign(), measured_file])
    assert not runs.foreign_clock
    frame = TABLES["ert"](runs, CLOCKED)
    others = frame["algorithm"] != "A"
    assert frame.loc[others, "ert_s"].isna().all()
    assert frame.loc[others, "ert_evaluations"].notna().all()
    expected = "Published data, whose times are of a foreign clock and omitted: B, C."
    assert frame.attrs["published"] == expected
    ecdf = TABLES["ecdf"](runs, CLOCKED)
    assert set(ecdf.loc[ecdf["unit"] == "seconds", "algorithm"]) == {"A"}


def test_the_checklist_says_where_runs_are_from(foreign, tmp_path):
    frame = TABLES["checklist"](Runs.read(foreign()), CLOCKED)
    (row,) = frame[frame["part"] == "Imported data"].to_dict("records")
    path = tmp_path / "mine.csv"
    assert row["evidence"].startswith(f"all times are of a foreign clock: B from {path} (SHA-256 ")
    said = frame.set_index("part")["missing"]
    assert said["Tuning"] == said["Overshoot"] == "not recorded"
    assert said["Independence"] == "not known of imported runs"
    assert "share a random stream" not in said["Seeds"].to_numpy()[0]


@pytest.fixture
def results(tmp_path):
    published = {name: {"format": "table", "path": str(tmp_path)} for name in "BCD"}
    measured = {"algorithms": {"A": "timefair:random-search"}, "budget": {"time_s": 1}}
    campaign = configuration.parse(SMALL | measured | {"published": published})
    plan.write_snapshot(campaign, tmp_path)
    return tmp_path


@pytest.mark.usefixtures("measured_file")
def test_commands_say_in_one_line_whose_times_are_left_out(foreign, results, capsys):
    foreign()
    assert cli.main(["table", str(results), "ert"]) == 0
    expected = "timefair: B, C: times are of a foreign clock; left out beside measured runs\n"
    assert capsys.readouterr().err == expected


@pytest.mark.usefixtures("measured_file")
@pytest.mark.parametrize("format", ["table", "coco"])
def test_exports_in_seconds_leave_them_out(format, foreign, results, tmp_path, capsys):
    foreign()
    output = tmp_path / ("runs.csv" if format == "table" else "exported")
    words = ["export", format, str(results)]
    more = ["--cost", "seconds"] if format == "coco" else []
    assert cli.main([*words, "--output", str(output), *more]) == 0
    said = [f"timefair: {label}: skipped, its times are of a foreign clock" for label in "BC"]
    assert capsys.readouterr().err.splitlines() == said
    written = (
        output.read_text() if format == "table" else " ".join(p.name for p in output.iterdir())
    )
    assert "B" not in written.partition("\n")[2] or format == "coco"
    assert format == "table" or written == "A"


WANTED = WantedProblems("bbob", [1], [2], [1])
TARGET, REACHED_S = 1.03, 0.25  # after 2.5 evaluations on average, in `fixtures_of_runs`
KERNELS = {"implementation": "compiled"} | {
    name: [1e-3, 1e-3] for name in ("arithmetic", "memory", "interpreter")
}
TWICE = KERNELS | {name: [2e-3, 2e-3] for name in ("arithmetic", "memory", "interpreter")}
MACHINE = {"cpu": "Z80", "cores": 2, "memory_mb": 15_922.4}


def _collected(facts, timed):
    named = {name: [value] for name, value in facts.items()}
    return {"collected": named | ({"kernels": [timed] * 16} if timed else {})}


@pytest.fixture
def both(tmp_path, write, row):
    """Runs of `ours`, and of `theirs` on a machine that is half as fast."""

    def read(here=KERNELS, there=TWICE, budget=None, runs=2, **changes):
        facts = {
            "machine": MACHINE,
            "campaign": {"budget": {"final_target": None} | (budget or {})},
        }
        ours, theirs = (
            [row(k % 2, algorithm=label) | {"run": k} | of for k in range(runs)]
            for label, of in (("ours", {}), ("theirs", {"cpu_s": 0.5, **changes}))
        )
        of = _collected(facts, there)
        write(tmp_path / "there" / "collected" / "theirs.parquet", *theirs, **of)
        write(tmp_path / "ours.parquet", *ours, **_collected(facts, here))
        output = tmp_path / "theirs.parquet"
        found = import_data(
            tmp_path / "there", "timefair", output, algorithm="theirs", label="theirs",
            wanted=WANTED,
        )  # fmt: skip
        return Runs.read([tmp_path / "ours.parquet", output]), found

    return read


def ert_of(runs, label="theirs", **settings):
    table = TABLES["ert"](runs, Analysis(targets=(TARGET,), **settings))
    return table[table["algorithm"] == label].iloc[0], table.attrs["published"]


def test_seconds_are_those_of_this_machine_and_the_limits_have_the_bridge(both):
    runs, _ = both()
    (ours, _), (theirs, said) = ert_of(runs, "ours"), ert_of(runs)
    assert ours["ert_s"] == pytest.approx(REACHED_S)
    assert theirs["ert_s"] == pytest.approx(REACHED_S / 2)
    assert theirs["ert_evaluations"] == ours["ert_evaluations"]
    ratio = theirs["ert_s_high"] / ours["ert_s_high"]
    assert ratio > 0.51  # the limit, and not only the ERT, has the uncertainty of the kernels
    assert said.startswith("Seconds of theirs are those of another machine (Z80 with 2 cores")
    assert "times 0.5 [0.47, 0.53], the ratio of the reference kernels (arithmetic)" in said
    assert runs.frame["algorithm"].unique().tolist() == ["ours"]  # no other result has them


def test_seconds_across_machines_with_a_simulated_cost_and_on_the_cpu_clock(both):
    runs, _ = both(evaluation_cost_s=0.08, charged_s=0.24)
    assert ert_of(runs)[0]["ert_s"] == pytest.approx(0.2 + (REACHED_S - 0.2) / 2)
    runs, _ = both()
    runs.frame["cpu_s"] = 1.0
    assert ert_of(runs, time="cpu")[0]["ert_s"] == pytest.approx(REACHED_S * 0.5 / 2)


@pytest.mark.parametrize(
    ("changes", "caution"),
    [
        ({"here": None}, "no reference kernels were timed here"),
        ({"there": None}, "Published data, which have no times: theirs."),
        ({"budget": {"cpu_s": 1.0}}, "they are of another clock"),
    ],
)
def test_without_a_bridge_there_are_no_seconds(both, changes, caution):
    runs, found = both(**changes)
    row, said = ert_of(runs)
    assert np.isnan(row["ert_s"])
    assert row["ert_evaluations"] == 2.5
    assert caution in said
    assert any("no reference kernels" in one for one in found.cautions) == ("there" in changes)


def test_a_verdict_that_the_bridge_could_change_is_none(both):
    settings = Analysis(targets=(TARGET,))

    def better(kernels):
        runs, _ = both(there=kernels, runs=40)
        table = TABLES["comparison"](runs, settings)
        row = table[(table["measure"] == "seconds") & (table["criterion"] == "ERT")].iloc[-1]
        return row["better"]

    slightly = KERNELS | {name: [1.02e-3, 1.02e-3] for name in TWICE if name != "implementation"}
    assert better(TWICE) == "theirs"
    assert pd.isna(better(slightly))
