"""The database, and what `timefair rank` and `timefair recommend` make of it.

The recorded design is a part of the database: three algorithms, six functions in 5 dimensions, a
run of 0.3 s of CPU time on each of three instances.
"""

import json
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from timefair import cli
from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.exhibits.comparisons.comparison import decided
from timefair.extensions.database import advice, ranking, store
from timefair.extensions.database.standings import EVALUATIONS, spaces
from timefair.io.reading import unpacked
from timefair.records.rundata.published import KERNELS
from timefair.records.rundata.runs import Runs
from timefair.records.store import open_record, write_record
from timefair.statistics.rank_tests import hochberg

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
ARCHIVE = ROOT / "timefair-data/database-bbob-5.zip"
LABELS = ("DE", "scipy-L-BFGS-B", "random-search")
KEPT = {"functions": [1, 3, 5, 7, 9, 11]}


def written(source: Path, target: Path, label: str, kernels: float = 0, **machine: str) -> None:
    """A record of some of the runs of another, under a label, perhaps of another machine.

    - `kernels`: Seconds of each reference kernel; 0: none was timed.
    """
    record = open_record(source)
    runs = record.read()
    runs = runs.filter(pc.is_in(runs["function"], pa.array(KEPT["functions"], pa.int32())))
    names = pa.array([label] * len(runs))
    runs = runs.set_column(runs.schema.get_field_index("algorithm"), "algorithm", names)
    facts = {k: v for k, v in record.facts.items() if k != "schema_version"}
    collected = facts["collected"]
    collected |= {"machine": [one | machine for one in collected["machine"]]}
    timed = [{"implementation": "compiled", **dict.fromkeys(KERNELS, [kernels] * 2)}] * 9
    collected |= {"kernels": timed if kernels else []}
    write_record(target, runs.to_batches(), facts | {"algorithm": label, "collected": collected})


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results") / "study"
    (folder / "collected").mkdir(parents=True)
    with zipfile.ZipFile(ARCHIVE) as archive:
        whole = json.loads(archive.read("database-bbob-5/campaign.json"))
        for label in LABELS:
            name = f"database-bbob-5/collected/{label}.parquet"
            source = Path(archive.extract(name, folder / "whole"))
            written(source, folder / "collected" / f"{label}.parquet", label)
    whole["algorithms"] = {label: whole["algorithms"][label] for label in LABELS}
    whole |= {"name": "study", "problems": whole["problems"] | KEPT}
    (folder / "campaign.json").write_text(json.dumps(whole))
    return folder


@pytest.fixture(scope="module")
def database(results, tmp_path_factory):
    folder = tmp_path_factory.mktemp("database")
    assert store.add(results, folder).startswith(f"{folder}/study.zip: 3 optimizers")
    return folder


def test_an_archive_keeps_the_costs_to_targets(results, tmp_path, monkeypatch):
    files = sorted((results / "collected").glob("*.parquet"))
    whole = Runs.read(files)
    monkeypatch.setattr(store, "TARGETS", (30.0, 1e-4))
    store.add(results, tmp_path)
    with store.opened(tmp_path / "study.zip") as design:
        assert design.campaign.budget.cpu_s == 0.3
        for unit in ("seconds", "evaluations"):
            targets = (*store.TARGETS, *design.campaign.targets)
            of_both = [runs.runtimes(unit, targets) for runs in (whole, design.runs)]
            assert np.array_equal(*of_both)
        bytes_of = [sum(path.stat().st_size for path in some) for some in (design.files, files)]
        assert bytes_of[0] < bytes_of[1]
    with unpacked(tmp_path / "study.zip") as folder:
        found = {one.algorithm for one in published(folder)}
    assert found == set(LABELS)


def published(folder):
    from timefair.io.importing import timefair_data_sets
    from timefair.io.reading import Cautions

    return timefair_data_sets(folder, Cautions())


def test_the_list_names_each_optimizer(database):
    rows = {row["label"]: row for row in store.read_list(database)}
    assert list(rows) == list(LABELS)
    assert rows["DE"]["implementation"] == "compiled"
    assert float(rows["DE"]["own_time_us"]) < float(rows["scipy-L-BFGS-B"]["own_time_us"])
    assert rows["scipy-L-BFGS-B"]["use"] == "scipy:L-BFGS-B"
    assert rows["scipy-L-BFGS-B"]["version"][0].isdigit()
    assert {row["designs"] for row in rows.values()} == {"study"}


@pytest.mark.parametrize(
    ("harm", "fault"),
    [
        (lambda folder: (folder / store.OPTIMIZERS).open("a").write("x"), "not as written"),
        (lambda folder: (folder / "study.zip").unlink(), "is missing"),
        (lambda folder: (folder / "more.zip").write_bytes(b"x"), "has no digest"),
    ],
)
def test_a_change_is_found(database, tmp_path, harm, fault):
    for path in database.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert not list(store.changed(tmp_path))
    harm(tmp_path)
    (line,) = store.changed(tmp_path)
    assert fault in line


def test_a_large_archive_is_refused(results, tmp_path, monkeypatch):
    monkeypatch.setattr(store, "MOST_MB", 0)
    with pytest.raises(InputError, match="at most 0 MB"):
        store.add(results, tmp_path)
    assert not list(tmp_path.glob("*.zip"))


def test_the_database_of_the_repository_is_whole():
    folder = ROOT / store.FOLDER
    if not folder.is_dir():
        pytest.skip("there is none yet")
    sizes = [path.stat().st_size for path in store.designs(folder).values()]
    assert max(sizes) <= store.MOST_MB * 1e6
    assert sum(sizes) <= store.MOST_MB_TOGETHER * 1e6
    assert store.read_list(folder)


def test_pairs_are_those_of_the_table_comparison(database):
    with store.opened(database / "study.zip") as design:
        (costs,) = spaces(design.runs, design.analysis)
        rows, _ = decided(design.runs, design.analysis)
        at = costs.at(EVALUATIONS)
        tested = 0
        for row in rows:
            if (row["measure"], row["criterion"], row["function"]) == ("evaluations", "ERT", "all"):
                a, b = (costs.labels.index(row[name]) for name in ("algorithm_a", "algorithm_b"))
                gains = at.gains[:, a, b]
                share = np.mean((gains > 0) + 0.5 * (gains == 0))
                assert row["a12"] == pytest.approx(share)
                assert row["differences"] == np.count_nonzero(gains)
                tested += 1
        assert tested == 3


def standing_of(label, costs, cost):
    rng = np.random.default_rng(1)
    return costs.at(cost).standings(label, costs.labels, {"": costs.functions}, 0.95, rng)[""]


def test_an_evaluation_cost_moves_ranks_towards_those_by_evaluations(database):
    with store.opened(database / "study.zip") as design:
        (costs,) = spaces(design.runs, design.analysis)
    ranks = {}
    for cost in (0.0, 1e-3, 1e3, EVALUATIONS):
        one = standing_of("DE", costs, cost)
        ranks[cost] = dict(zip(one.labels, one.ranks, strict=True))
        assert sum(ranks[cost].values()) == pytest.approx(6)
        assert 1 <= one.low <= one.rank <= one.high <= 3
    assert ranks[1e3] == ranks[EVALUATIONS]
    assert ranks[0.0]["DE"] < ranks[1e3]["DE"]  # compiled, and it needs many evaluations


def ranked(database, tmp_path, like, against=None, **machine):
    with store.opened(database / "study.zip") as design:
        record = tmp_path / "mine.parquet"
        written(next(one for one in design.files if one.stem == like), record, "mine", **machine)
        return ranking.placed(design, record, f"timefair:{like}", {}, against)


def test_an_optimizer_measured_again_has_its_own_rank(database, tmp_path):
    found = ranked(database, tmp_path, "DE")
    assert found.twins == ["DE"]
    (one,) = found.placed
    assert one.overall["seconds"].labels == ("mine", "random-search", "scipy-L-BFGS-B")
    with store.opened(database / "study.zip") as design:
        (costs,) = spaces(design.runs, design.analysis)
    own = standing_of("DE", costs, 0.0)
    # Two of the three have the same runs, so that other ratios are within their timing noise.
    assert one.overall["seconds"].rank == pytest.approx(own.rank, abs=0.5)
    assert list(one.groups) == ["separable", "moderate", "ill-conditioned"]
    text = ranking.page(found, "seconds")
    assert "| **mine** |" in text
    assert "100 ms an evaluation" in text
    assert ranking.verdict(found, "seconds").startswith("timefair:DE: bbob, D = 5: place 1 of 3 by")


def test_another_machine_without_kernels_has_no_ranks_in_seconds(database, tmp_path):
    found = ranked(database, tmp_path, "DE", cpu="another")
    assert list(found.placed[0].overall) == ["evaluations"]
    assert found.remarks[0].startswith(
        "No ranks in seconds: scipy-L-BFGS-B was recorded on another"
    )
    assert "no reference kernels in the records of this campaign" in found.remarks[0]


@pytest.fixture(scope="module")
def timed(results, tmp_path_factory):
    """The same design, recorded with kernels of 2 ms."""
    folder = tmp_path_factory.mktemp("timed") / "study"
    (folder / "collected").mkdir(parents=True)
    (folder / "campaign.json").write_text((results / "campaign.json").read_text())
    for path in (results / "collected").glob("*.parquet"):
        written(path, folder / "collected" / path.name, path.stem, kernels=2e-3)
    database = tmp_path_factory.mktemp("database")
    store.add(folder, database)
    return database


@pytest.mark.parametrize(("kernels", "factor"), [(2e-3, 1), (1e-3, 0.5), (1.0, 500)])
def test_another_machine_with_kernels_has_ranks_in_seconds(timed, tmp_path, kernels, factor):
    found = ranked(timed, tmp_path, "DE", "random-search", kernels=kernels, cpu="another")
    here = ranked(timed, tmp_path, "DE")
    (remark,) = found.remarks
    assert remark.startswith("Seconds of 2 optimizers are of another machine or day, times")
    assert f"times {factor} to {factor} (reference kernels)" in remark
    assert list(found.placed[0].overall) == list(here.placed[0].overall)
    for words, one in found.placed[0].overall.items():
        same = here.placed[0].overall[words]
        assert one.low <= one.rank <= one.high
        if factor == 1:  # the timing noise is that of two machines
            assert one.low <= same.low + 0.05
            assert same.high <= one.high + 0.05
        elif factor == 500 and words == "seconds":  # the others are slower by far
            assert one.rank < same.rank
        elif words == "evaluations":
            assert one.ranks.tolist() == same.ranks.tolist()


def test_verdicts_are_by_the_procedure_of_the_table_comparison(database, tmp_path):
    """The pair with --against is planned, so that only the measures count."""
    found = ranked(database, tmp_path, "random-search", "scipy-L-BFGS-B")
    rows = found.placed[0].decided
    p = [rows[words]["scipy-L-BFGS-B"]["p"] for words in rows]
    assert all(rows[words]["scipy-L-BFGS-B"]["tests"] == 1 for words in rows)
    assert [rows[words]["scipy-L-BFGS-B"]["p_adjusted"] for words in rows] == hochberg(p).tolist()
    assert found.is_worse("evaluations") == (hochberg(p)[0] <= 0.05)
    assert f"than scipy-L-BFGS-B (p = {hochberg(p)[0]:.2g}" in ranking.verdict(found, "evaluations")


def test_the_campaign_is_that_of_the_design(database, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with store.opened(database / "study.zip") as design:
        asked = configuration.load(ranking.campaign_of(design, "timefair:DE", {"F": 0.7}))
        assert asked.algorithms["timefair-DE"].parameters == {"F": 0.7}
        assert set(asked.published) == set(LABELS)
        for key in ("seed", "problems", "budget", "runs", "targets"):
            assert getattr(asked, key) == getattr(design.campaign, key)


def test_a_run_that_is_too_short_gives_bounds(database):
    with store.opened(database / "study.zip") as design:
        (costs,) = spaces(design.runs, design.analysis)
    short, long = (advice.shares(costs, 1e-3, budget) for budget in (0.5, 1e9))
    assert np.array_equal(short.low, short.high)
    assert (long.high >= long.low).all()
    search = costs.labels.index("random-search")
    assert long.high[search].mean() == 1  # of a run without end, nothing is known
    assert long.low[search].mean() < 0.5


def test_the_shortlist_begins_with_the_usual_one_if_choosing_gains_nothing(database):
    with store.opened(database / "study.zip") as design:
        (costs,) = spaces(design.runs, design.analysis)
    nothing = advice.shares(costs, 0.0, 1e-9)
    assert not nothing.low.any()
    shortlist, _, usual, gain = advice.advise(costs, nothing)
    assert (gain, shortlist[0]) == (0, usual)


def test_commands(database, results, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["--dimension", "6", "--evaluation-cost", "0.1", "--budget", "100"]
    more = ["--database", str(database), "--cores", "2", "--integer", "-o", "decide.yaml"]
    assert cli.main(["recommend", *words, *more]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("bbob, D = 5, the nearest to 6: 3 optimizers, 6 functions;")
    assert [line[:2] for line in lines[1:4]] == ["1.", "2.", "3."]
    assert configuration.load("decide.yaml").budget.evaluation_cost_s == 0.1
    for wrong, said in (
        (
            ["recommend", *words, "--database", "nowhere"],
            "nowhere: there is no such file or folder",
        ),
        (["recommend", *words[:-1], "-1"], "--budget: -1: should be above 0"),
        (["rank", "timefair:DE", "--database", str(database), "--design", "studi"], "'study'"),
        (
            ["rank", "timefair:DE", "--database", str(database), "--against", "DF"],
            "'DF' is unknown",
        ),
        (["rank", "timefair:DE", "--parameters", "3"], "--parameters: 3: should be like"),
        (["rank", "timefair:DE", "--cores", "0"], "--cores: 0: should be at least 1"),
    ):
        assert cli.main(wrong) == 2
        assert said in capsys.readouterr().err


def test_rank_measures_only_the_new_algorithm(results, tmp_path, monkeypatch, capsys):
    """With 60 evaluations a run, a constant algorithm is worse than the recorded ones."""
    small = tmp_path / "small"
    (small / "collected").mkdir(parents=True)
    for path in (results / "collected").glob("*.parquet"):
        (small / "collected" / path.name).write_bytes(path.read_bytes())
    asked = json.loads((results / "campaign.json").read_text())
    asked |= {"budget": {"evaluations": 60}, "runs": 1, "instances_per_job": 3}
    (small / "campaign.json").write_text(json.dumps(asked))
    (tmp_path / "mine.py").write_text(
        "def solve(objective, rng):\n    while True:\n        objective(objective.upper)\n"
    )
    monkeypatch.chdir(tmp_path)
    words = ["rank", "mine.py:solve", "--database", "small", "--by", "evaluations", "--cores", "2"]
    assert cli.main(words) == 0  # six functions are too few for a significant difference
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith("mine.py:solve: bbob, D = 5: place 4 of 4 by evaluations")
    page = tmp_path / "results/rank-mine.py-solve-study/rank.md"
    assert "# mine.py:solve among the optimizers of study" in page.read_text()
    (records,) = (page.parent / "records").iterdir()
    stamps = [path.stat().st_mtime_ns for path in sorted(records.rglob("*.parquet"))]
    assert len(stamps) == 6
    assert cli.main(words) == 0  # nothing is measured again
    assert stamps == [path.stat().st_mtime_ns for path in sorted(records.rglob("*.parquet"))]
