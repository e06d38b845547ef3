"""The checklist: each part is met by a campaign in order, and not if one thing is not."""

import copy
from dataclasses import replace

import pytest

from timefair.exhibits.campaign.checklist import ITEMS
from timefair.exhibits.registry import TABLES
from timefair.records.integrity import Origins
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.store import write_record

SPEC = {"threads": 1, "restart": None, "ancillary": {"method": "defaults"}}
CAMPAIGN = {
    "name": "trial",
    "seed": 3,
    "budget": {"final_target": 1e-8},
    "restart": {"policy": "independent", "tau_s": None},
    "stopping": {"rule": "fixed"},
    "algorithms": {"A": SPEC, "B": copy.deepcopy(SPEC)},
    "tables": ["ert", "success", "quantiles", "ancillary"],
    "figures": ["anytime", "profile"],
}
MACHINE = {
    "cpu": "Z80", "cores": 2, "cores_physical": 2, "governor": None, "turbo": False,
    "memory_mb": 15_922.4, "kernel": "6.1", "python": "3.11.7", "python_flags": "-O3",
    "numpy_compilers": {"c": "gcc 14"}, "blas": "openblas 0.3",
    "blas_threads": [{"library": "openblas 0.3", "threads": 1}], "versions": {"numpy": "2.3.5"},
    "commit": "abc123", "package_commit": "def456",
    "missing": {"governor": "not available here: no file"},
}  # fmt: skip
FACTS = {"campaign": CAMPAIGN, "key": "k", "code": "c0de" * 16, "machine": MACHINE}
ANALYSIS = Analysis(targets=(10.0, 1e-8), campaign=CAMPAIGN)


@pytest.fixture
def campaign(run, table):
    """Two algorithms, two instances, two runs; a function of what is changed in one run of A."""

    def make(rows=slice(0, 1), **changes):
        every = [
            run([(1, 0.1, 5.0)], algorithm=label, instance=instance, run=r, seed=k, core=0)
            for k, (label, instance, r) in enumerate(
                (label, instance, r) for label in "AB" for instance in (1, 2) for r in (0, 1)
            )
        ]
        for row in every[rows]:
            row.update(changes)
        return Runs.of(table(*every))

    return make


def with_facts(runs, **of_a):
    origins = {}
    for label, facts in (("A", FACTS | of_a), ("B", FACTS)):
        origins[label] = Origins()
        origins[label].add(facts)
    return replace(runs, origins=origins)


def also(runs, **facts):
    runs.origins["A"].add(FACTS | facts)
    return runs


def changed(mapping, path, value):
    """A copy with one value, at a path such as ``budget.final_target``, changed."""
    result = copy.deepcopy(mapping)
    *folders, name = path.split(".")
    place = result
    for folder in folders:
        place = place[folder]
    place[name] = value
    return result


def filled(runs, analysis=ANALYSIS):
    return TABLES["checklist"](runs, analysis).set_index(["topic", "part"])


def not_met(runs, analysis=ANALYSIS):
    frame = filled(runs, analysis)
    return frame.loc[frame["met"].eq(False).fillna(False), "missing"].to_dict()


@pytest.mark.parametrize(
    ("changes", "evidence", "missing"),
    [
        ({}, "each run had private views of the folders that it writes to", None),
        ({"isolation": "shared"}, "shared files", "runs could read files of earlier runs: A"),
        ({"isolation": "strict"}, "a process that does not hold the problem", None),
        ({"isolation": "watched", "watched_because": "no"}, "each run (no)", None),
        ({"isolation": "watched", "appeared": "x"}, "compared", "(table leftovers): A"),
        ({"isolation": "watched", "appeared_in_trial": "x"}, "compared", "(table leftovers): A"),
        ({"isolation": None}, "private views", "not recorded for 1 of 8 runs"),
    ],
)
def test_independence_of_runs(campaign, changes, evidence, missing):
    part = filled(with_facts(campaign(**changes))).loc["Statistics", "Independence"]
    assert evidence in part["evidence"]
    assert "nan" not in part["evidence"]
    assert part["met"] == (missing is None)
    assert missing is None or missing in part["missing"]


def test_a_campaign_in_order_meets_all(campaign):
    frame = filled(with_facts(campaign()))
    assert frame["met"].all()
    assert frame["missing"].isna().all()
    assert frame["evidence"].notna().all()
    assert list(dict.fromkeys(frame["item"])) == list(range(1, 9))
    assert list(dict.fromkeys(topic for topic, _ in frame.index)) == list(ITEMS)


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (("Budget", "Time T"), "T = 1 s of wall clock for every run, restarts included"),
        (("Budget", "Cap on evaluations"), "none"),
        (("Budget", "Early end"), "a run ends at the precision 1e-08"),
        (("Restarts", "Policy"), "independent"),
        (("Restarts", "Completed restarts"), "median of a run: A 1, B 1"),
        (("Targets", "Targets"), "2 precisions, 10 to 1e-08"),
        (("Targets", "Success"), "0 of 8 runs reached 1e-08; rates in table success"),
        (("Results", "Profiles"), "figures: profile"),
        (("Statistics", "Seeds"), "campaign seed 3"),
        (("Statistics", "Repetitions"), "runs of each algorithm on each of 2 problems: 2"),
        (("Statistics", "Intervals or tests"), "95 % intervals in ert, quantiles, success"),
        (("Machine", "Hardware"), "Z80 with 2 cores and 16 GB; physical cores: 2; governor: not"),
        (("Machine", "Hardware"), "turbo: off"),
        (("Machine", "BLAS"), "openblas 0.3; threads of openblas 0.3: 1"),
        (("Machine", "Compiler flags"), "Python: -O3; numpy: c gcc 14"),
        (("Machine", "Versions"), "Python 3.11.7, numpy 2.3.5"),
        (("Tuning", "Tuning"), "0 s, defaults"),
        (("Tuning", "Preparation"), "A 0.1 s (measured), B 0.1 s (measured)"),
        (("Tuning", "Amortisation"), "not charged; the share would be at most 0.1 s per problem"),
        (("Code", "Code"), "c0dec0dec0de"),
        (("Code", "Commit"), "working directory: abc123; timefair: def456"),
        (("Code", "Configuration"), "results/trial/campaign.json"),
    ],
)
def test_evidence_is_concrete(campaign, part, said):
    assert said in filled(with_facts(campaign())).loc[part, "evidence"]


OUT_OF_ORDER = [
    ("run", {"budget_s": 2.0}, ("Budget", "Time T"), "not all runs had the same T"),
    ("run", {"budget_s": None}, ("Budget", "Time T"), "not all runs had the same T"),
    ("run", {"budget_evaluations": 9}, ("Budget", "Cap on evaluations"), "different caps"),
    ("run", {"overshoot_s": 0.06}, ("Budget", "Overshoot"), "for more than 50 ms after T: 1"),
    ("run", {"overshoot_s": None}, ("Budget", "Overshoot"), "not recorded for 1 of 8 runs"),
    ("run", {"completed_restarts": None}, ("Restarts", "Completed restarts"), "for 1 of 8 runs"),
    ("run", {"stop_reason": "algorithm_ended"}, ("Restarts", "Use of the budget"), "1 of A"),
    ("run", {"stop_reason": "failure"}, ("Restarts", "Use of the budget"), "1 of A"),
    ("run", {"seed": 1}, ("Statistics", "Seeds"), "2 runs share a random stream"),
    ("run", {"seed": None}, ("Code", "Seeds"), "runs without one: 1"),
    ("campaign", ("budget.final_target", None), ("Budget", "Early end"), "not all runs had the"),
    ("campaign", ("seed", 4), ("Statistics", "Seeds"), "runs of different seeds"),
    ("machine", ("cpu", "6502"), ("Machine", "Hardware"), "runs of 2 kinds of machines"),
    ("machine", ("kernel", "6.2"), ("Machine", "System"), "runs under 2 kernels"),
    ("machine", ("blas", "mkl"), ("Machine", "BLAS"), "runs with 2 libraries"),
    ("machine", ("python_flags", "-O2"), ("Machine", "Compiler flags"), "different builds"),
    ("machine", ("versions.numpy", "2.0.0"), ("Machine", "Versions"), "numpy 2.0.0 and 2.3.5"),
    ("machine", ("versions.scipy", None), ("Machine", "Versions"), "version not known: scipy"),
    ("machine", ("commit", "abc123-dirty"), ("Code", "Commit"), "files differed from the commit"),
    ("machine", ("blas_threads", [{"library": "mkl", "threads": 2}]), ("Machine", "Threads"),
     "more than allowed: A 2 of mkl"),
    ("asked", ("tables", ["ert", "success", "quantiles"]), ("Tuning", "Amortisation"),
     "table ancillary"),
    ("asked", ("tables", ["ert", "ancillary"]), ("Targets", "Success"), "select table success"),
    ("asked", ("tables", ["success", "ancillary"]), ("Results", "ERT"),
     "select table or figure ert"),
    ("asked", ("figures", ["profile", "anytime_evaluations"]), ("Results", "Anytime"),
     "figure anytime"),
    ("asked", ("figures", ["anytime", "profile_evaluations"]), ("Results", "Profiles"),
     "figure profile"),
    ("asked", ("algorithms.A.ancillary.method", None), ("Tuning", "Tuning"),
     "declare algorithms.A.ancillary.method"),
]  # fmt: skip
"""What is changed: one run, the campaign or the machine of A's records, or what is asked for."""


@pytest.mark.parametrize(("of", "change", "part", "said"), OUT_OF_ORDER)
def test_one_thing_out_of_order_is_told(campaign, of, change, part, said):
    runs = with_facts(
        campaign(**(change if of == "run" else {})),
        campaign=changed(CAMPAIGN, *change) if of == "campaign" else CAMPAIGN,
        machine=changed(MACHINE, *change) if of == "machine" else MACHINE,
    )
    asked = changed(CAMPAIGN, *change) if of == "asked" else CAMPAIGN
    missing = not_met(runs, ANALYSIS.model_copy(update={"campaign": asked}))
    assert list(missing) == [part]
    assert said in missing[part]


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("cpu", ("Machine", "Hardware")),
        ("memory_mb", ("Machine", "Hardware")),
        ("kernel", ("Machine", "System")),
        ("blas", ("Machine", "BLAS")),
        ("numpy_compilers", ("Machine", "Compiler flags")),
    ],
)
def test_what_a_machine_does_not_tell_is_missing_with_its_reason(campaign, name, part):
    silent = changed(MACHINE, name, None) | {"missing": {name: "not available here: no file"}}
    missing = not_met(replace(campaign(), origins={k: Origins([CAMPAIGN], ["k"], ["c"], [silent])
                                                   for k in "AB"}))  # fmt: skip
    assert missing == {part: f"{name} not available here: no file"}


def test_runs_of_one_algorithm_that_differ_are_told(campaign):
    other = changed(CAMPAIGN, "restart.policy", "none")
    missing = not_met(also(with_facts(campaign()), code="5a" * 32, campaign=other))
    assert "runs of several versions of A" in missing["Code", "Code"]
    assert "A: runs under different policies" in missing["Restarts", "Policy"]


def test_a_stopping_rule_explains_numbers_of_runs(campaign, run, table):
    rows = [run(run=k, seed=k, core=0) for k in range(2)]
    rows += [run(run=k, seed=9 + k, core=0, algorithm="B") for k in range(3)]
    runs = with_facts(Runs.of(table(*rows)))
    assert "no stopping rule" in not_met(runs)["Statistics", "Repetitions"]
    ruled = changed(CAMPAIGN, "stopping.rule", "skewness")
    for one in runs.origins.values():
        one.campaign[:] = [ruled]
    row = filled(runs).loc["Statistics", "Repetitions"]
    assert row["met"]
    assert ": 2 to 3;" in row["evidence"]
    assert "ended by the rule skewness" in row["evidence"]


@pytest.mark.parametrize(("objective_s", "met"), [(9e-3, True), (1e-3, False)])
def test_evaluations_are_a_budget_where_they_dominate(campaign, objective_s, met):
    given = {"budget_s": None, "budget_evaluations": 100, "objective_s": objective_s}
    frame = filled(with_facts(campaign(rows=slice(None), **given)))
    assert frame.loc[("Budget", "Time T"), "met"] == met
    cap = frame.loc[("Budget", "Cap on evaluations"), "evidence"]
    assert cap == "100 evaluations for every run"
    assert ("Budget", "Overshoot") not in frame.index


def test_amortised_cost_is_said(campaign):
    analysis = Analysis(
        targets=ANALYSIS.targets, ancillary="amortised", tuning_s={"A": 60.0}, problems=2,
        campaign=CAMPAIGN | {"tables": ["ert", "success"]},
    )  # fmt: skip
    frame = filled(with_facts(campaign()), analysis)
    assert frame["met"].all()
    assert frame.loc[("Tuning", "Tuning"), "evidence"] == "60 s, defaults (A); 0 s, defaults (B)"
    evidence = frame.loc[("Tuning", "Amortisation"), "evidence"]
    assert "every run is charged its share, at most 30" in evidence


def test_records_that_say_nothing_tick_nothing(campaign):
    missing = not_met(campaign(), Analysis(targets=(1.0,)))
    assert {topic for topic, _ in missing} >= {
        *("Budget", "Restarts", "Targets", "Results", "Statistics", "Machine", "Tuning", "Code")
    }
    assert missing["Machine", "Hardware"] == "the records do not name a machine"
    assert missing["Code", "Code"] == "the records of A, B do not contain it"


def test_what_records_say_is_read_with_them(run, table, tmp_path):
    paths = []
    for label, facts in (("A", FACTS), ("B", {"collected": vars(Origins(code=["1", "2"]))})):
        paths.append(tmp_path / f"{label}.parquet")
        write_record(paths[-1], table(run(algorithm=label)).to_batches(), facts)
    runs = Runs.read(paths)
    assert runs.origins["A"] == Origins([CAMPAIGN], ["k"], [FACTS["code"]], [MACHINE])
    assert runs.origins["B"].code == ["1", "2"]
    assert runs.where(runs.frame["algorithm"].to_numpy() == "A").origins == runs.origins


def own_environment(commit: str | None = None, **software: str) -> dict[str, object]:
    own = {"python": "venvs/old/bin/python", "path": "old" if commit else None, "commit": commit}
    versions = {"versions": MACHINE["versions"] | software}
    return {"machine": MACHINE | versions | {"own_environment": own, "blas": "openblas 0.2"}}


def test_a_declared_environment_may_differ_is_shown_and_has_one_state(campaign):
    runs = with_facts(campaign(), **own_environment(numpy="1.26.4", cma="3.4.0"))
    machine = filled(runs).loc["Machine"]
    assert machine["met"].all()
    expected = (
        "Python 3.11.7, numpy 2.3.5; in environments of their own: cma 3.4.0, numpy 1.26.4 (A)"
    )
    assert machine.loc["Versions", "evidence"] == expected
    assert machine.loc["Environments of their own", "evidence"] == "venvs/old/bin/python (A)"
    runs = with_facts(campaign(), **own_environment(numpy="1.26.4"))
    missing = not_met(also(runs, **own_environment(numpy="1.25.0")))
    assert missing == {("Machine", "Versions"): "numpy 1.25.0 and 1.26.4"}
    runs = with_facts(campaign(), **own_environment(commit="abc-dirty"))
    (missing,) = not_met(runs).values()
    assert missing == "files of A differed from the commit: commit, and measure again"
