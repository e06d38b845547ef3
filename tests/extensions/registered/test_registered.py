"""Registered questions: their answers, registration, deviations, and what is refused."""

import copy
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from campaigns import SMALL, SPHERE, refused

from timefair import cli
from timefair.basics.errors import InputError
from timefair.campaign import configuration, driver, plan
from timefair.exhibits.registry import TABLES
from timefair.extensions.registered import registration
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.store import write_record
from timefair.report.page import page

TARGET = 0.1


@pytest.fixture
def runs(run, table):
    """Three algorithms on three functions; the hare needs few slow evaluations."""
    rng = np.random.default_rng(1)
    rows = []
    for function in (1, 2, 3):
        for k in range(8):
            late, noise = function + 0.1 * k, rng.uniform(0.9, 1.1, 2)
            for name, evaluations, seconds, end in (
                ("hare", 10, 0.4, 0.02 * late),
                ("snail", 500, 0.8, 0.024 * late),
                ("tortoise", 100, 0.1, 0.005 * late),
            ):
                events = [
                    (1, 0.01, 9.0),
                    (evaluations, seconds * noise[0], TARGET),
                    (2 * evaluations, 0.95, end * noise[1]),
                ]
                rows.append(run(events, run=k, function=function, algorithm=name, evaluations=5000))
    return Runs.of(table(*rows))


def question(**changes):
    return {
        "question": "Which is better?", "table": "comparison", "measure": "precision",
        "target": None, "algorithms": ["tortoise", "hare"], "dimension": None, "function": None,
        "test": "wilcoxon", "alpha": 0.05, "success": "better",
    } | changes  # fmt: skip


def answered(runs, labels=("hare", "snail", "tortoise"), final_target=None, **changes):
    problems = {"suite": "bbob", "functions": [1, 2, 3], "dimensions": [2], "instances": [1]}
    registration = {
        "campaign": {
            "registered": question(**changes),
            "problems": problems,
            "runs": 8,
            "budget": {"final_target": final_target},
            "stopping": {"rule": "race"},
            "algorithms": {label: {} for label in labels},
        },
        "analysis": {"resamples": 20},
        "deviations": [],
    }
    return TABLES["registered"](runs, Analysis(added={"registered": registration}))


def exploratory(name, runs, **keys):
    frame = TABLES[name](runs, Analysis(targets=(TARGET,)))
    frame["function"] = frame["function"].astype(str)
    mine = (frame["algorithm_a"] == "hare") & (frame["algorithm_b"] == "tortoise")
    for key, value in keys.items():
        mine &= frame[key] == value
    return frame[mine].iloc[0]


ON_TWO = {"function": 2, "test": "mann-whitney"}
TO_TARGET = {"table": "ert", "target": TARGET, "function": 2, "test": "score"}
REVERSAL = TO_TARGET | {"table": "rank_reversals", "measure": "ert"}


@pytest.mark.parametrize(("changes", "function"), [({}, "all"), (ON_TWO, "2")])
def test_it_is_the_row_of_the_comparison_before_the_correction(runs, changes, function):
    keys = {"function": function, "measure": "precision", "criterion": "Q.50"}
    row = exploratory("comparison", runs, **keys)
    own = answered(runs, **changes).iloc[0]
    assert own["p"] == row["p"]
    assert row["p_adjusted"] > row["p"]
    if function == "2":
        assert (own["value_a"], own["value_b"]) == (row["value_b"], row["value_a"])
        assert (own["better"], own["answer"]) == ("tortoise", "yes")
    else:  # three functions are too few for any decision
        assert (own["value_a"], own["value_b"]) == (1, 0)
        assert (own["better"], own["answer"]) == (None, "no")


def test_a_rank_reversal_has_the_two_p_values_of_its_table(runs):
    row = exploratory("rank_reversals", runs, function="2", criterion="fixed target")
    own = answered(runs, **REVERSAL, algorithms=["hare", "tortoise"]).set_index("measure")
    assert own["p"].to_dict() == {
        "ert_evaluations": row["p_by_evaluations"],
        "ert_s": row["p_by_time"],
    }
    assert own["better"].to_dict() == {"ert_evaluations": "hare", "ert_s": "tortoise"}
    assert set(own["answer"]) == {"yes"}


@pytest.mark.parametrize(
    ("changes", "answer"),
    [
        (ON_TWO | {"algorithms": ["hare", "tortoise"]}, "no"),
        (ON_TWO | {"algorithms": ["hare", "tortoise"], "success": "different"}, "yes"),
        (ON_TWO | {"alpha": 1e-5}, "no"),
        (TO_TARGET | {"measure": "ert_s"}, "yes"),
        (TO_TARGET | {"measure": "ert_evaluations"}, "no"),
        (TO_TARGET | {"measure": "ert_evaluations", "success": "different"}, "yes"),
        (TO_TARGET | {"measure": "ert_s", "target": 1e-9}, "no"),
        (REVERSAL, "no"),
        (REVERSAL | {"success": "different"}, "yes"),
        (REVERSAL | {"success": "different", "algorithms": ["hare", "snail"]}, "no"),
    ],
)
def test_success_is_what_was_registered(runs, changes, answer):
    assert set(answered(runs, **changes)["answer"]) == {answer}


@pytest.mark.parametrize("changes", [{}, ON_TWO, TO_TARGET | {"measure": "ert_s"}])
def test_without_runs_of_an_algorithm_there_is_no_answer(runs, changes):
    own = answered(runs.where((runs.frame["algorithm"] != "hare").to_numpy()), **changes)
    assert own["answer"].tolist() == ["not answered"]
    assert own[["runs_a", "runs_b"]].values.tolist()[0][1] == 0


VALUES = {
    "tortoise": [(1, 0.1, 512.0), (10, 0.2, 300.0), (50, 0.5, 4.0)],
    "hare": [(1, 0.1, 512.0), (20, 0.2, 300.0), (30, 0.5, 100.0)],
    "snail": [(1, 0.1, 512.0), (90, 0.9, -256.0)],
}
"""Events with values of f, whose optimum is unknown."""


def without_optimum(run, table, *labels):
    """One run per function; of two, the tortoise is better on f1 and f2, and the hare on f3."""
    rows = []
    for function in (1, 2, 3):
        for label in labels:
            events = VALUES[label]
            if function == 3 and label == "hare":
                events = [*events, (60, 0.8, 2.0)]
            names = {"run": 0, "function": function, "algorithm": label}
            rows.append(run(events, **names, f_opt=None, best_f=events[-1][2]))
    return Runs.of(table(*rows))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        ON_TWO,
        {"table": "ert", "measure": "ert_evaluations", "target": 0.5},
        TO_TARGET | {"measure": "ert_evaluations", "target": 0.5},
    ],
)
def test_runs_that_were_not_planned_do_not_move_an_unknown_optimum(run, table, changes):
    planned = without_optimum(run, table, "tortoise", "hare")
    more = without_optimum(run, table, "tortoise", "hare", "snail")
    labels = ("tortoise", "hare")
    assert answered(more, labels, **changes).equals(answered(planned, labels, **changes))


CAMPAIGN = SMALL | {
    "problems": SPHERE | {"functions": "1-2"},
    "algorithms": dict.fromkeys(("DE", "PSO"), "timefair:random-search"),
    "budget": {"time_s": 1},
}


def order(**changes):
    return {
        "question": "Is DE <faster>?", "answer": "yes",
        "registered": "2026-11-22T15:28:30.602+00:00",
        "digest": "ab" * 32, "table": "ert", "measure": "ert_s", "suite": "bbob", "dimension": 2,
        "function": "1", "target": 0.01, "algorithm_a": "DE", "algorithm_b": "PSO", "runs_a": 5,
        "runs_b": 4, "value_a": 0.2, "value_b": 0.5, "test": "score", "p": 0.0123, "alpha": 0.05,
        "detectable_ratio": 1.2, "better": "DE", "success": "better",
    } | changes  # fmt: skip


@pytest.fixture
def written():
    def make(*orders, deviations=()):
        tables = {
            "registered": pd.DataFrame(list(orders)),
            "deviations": pd.DataFrame(
                list(deviations), columns=["kind", "subject", "registered", "found"]
            ),
        }
        text = page(tables, {}, configuration.parse(CAMPAIGN))
        return text, " ".join(re.sub(r"<[^>]+>", " ", text.partition("<script")[0]).split())

    return make


def test_the_answer_is_first_deviations_are_listed_and_all_else_is_exploratory(written):
    html, text = written(order())
    sections = re.findall(r'<h2 id="(\w+)"', html)
    assert sections[0] == "registered"
    assert "Registered question: Is DE &lt;faster&gt;? Yes. No deviations." in text
    assert "ERT in seconds to 0.01 on f1 sphere of bbob, 2 dimensions: DE 0.2 from 5 runs" in text
    assert "DE is better (score test of equal ERTs, p = 0.0123)." in text
    assert "2026-11-22 15:28:30 UTC (SHA-256 abab" in text
    assert "the only confirmatory result" in text
    assert "Who wins (exploratory)" in text
    _, text = written(order(), deviations=[("targets", "targets", "1, 0.1", "<5>")])
    assert "Yes. 1 deviation from the registration." in text
    assert "targets targets 1, 0.1 &lt;5&gt;" in text
    missing = {"kind": "registration", "subject": "registration.json"}
    rows = [(*missing.values(), "before the first run", "never")]
    _, text = written(order(registered=None, digest=None), deviations=rows)
    assert "Question, not registered: Is DE" in text
    assert "Its answer is exploratory" in text
    assert "confirmatory" not in text


FILE = {
    "name": "study",
    "problems": {"suite": "bbob", "functions": 1, "dimensions": 2, "instances": "1-2"},
    "algorithms": {"a": "timefair:random-search", "b": "timefair:random-search"},
    "budget": {"evaluations": 100},
    "runs": 3,
    "registered": {
        "question": "Is a better than b?", "table": "comparison", "measure": "precision",
        "algorithms": ["a", "b"], "function": 1, "test": "mann-whitney",
    },
}  # fmt: skip


class Study:
    """A registered campaign whose runs nobody measured; a test changes what it likes."""

    def __init__(self, folder: Path, run, table) -> None:
        self._run, self._table = run, table
        self.folder = folder / "results/study"
        self.file: dict[str, Any] = copy.deepcopy(FILE)
        self.content = registration.register(self.campaign, self.folder)
        self.started = datetime.now(UTC) + timedelta(hours=1)
        self.runs = {"a": [0, 1, 2], "b": [0, 1, 2]}
        self.code = dict(self.content["code"])
        self.keys = {label: keys["1"] for label, keys in self.content["keys"].items()}
        self.perturbed: set[tuple[str, int]] = set()

    @property
    def campaign(self):
        return configuration.parse(self.file)

    @property
    def path(self) -> Path:
        return self.folder / registration.FILE

    def edit(self, change: Callable[[dict[str, Any]], object]) -> None:
        content = json.loads(self.path.read_text())
        change(content)
        self.path.write_text(json.dumps(content))

    def measure(self) -> list[Path]:
        plan.write_snapshot(self.campaign, self.folder)
        paths = []
        for label, runs in self.runs.items():
            job = plan.Job(label, 1, 2, (1, 2), 1)
            names = {"algorithm": label, "started_utc": self.started}
            launch = {"start_s": 0.0, "end_s": 1.0, "evaluations": 1, "end": "returned"}
            rows = [
                self._run(
                    [(1, 0.1, best := 1.0 + run)],
                    run=run,
                    instance=instance,
                    best_f=best,
                    evaluations=1,
                    launches=1,
                    launch_log=[launch | {"best_precision": best}],
                    perturbation="perturbed" if (label, run) in self.perturbed else "clean",
                    **names,
                )
                for instance in job.instances
                for run in runs
            ]
            facts = {"code": self.code[label], "key": self.keys[label], "machine": {}}
            facts["campaign"] = self.campaign.model_dump(mode="json")
            path = self.folder / job.record(self.keys[label])
            path.parent.mkdir(parents=True, exist_ok=True)
            write_record(path, self._table(*rows).to_batches(), facts)
            paths.append(path)
        return paths

    def table(self, name: str):
        campaign = self.campaign
        settings = campaign.settings_of(name)
        settings["added"] = dict(registration.settings(campaign, self.folder))
        return TABLES[name](Runs.read(self.measure()), Analysis.of(settings))

    def deviations(self) -> list[tuple[str, str]]:
        rows = self.table("deviations")
        return list(rows[["kind", "subject"]].itertuples(index=False, name=None))


@pytest.fixture
def study(tmp_path, run, table):
    return Study(tmp_path, run, table)


def put(*place: str, value: object) -> Callable[[Study], None]:
    def change(study: Study) -> None:
        section = study.file
        for key in place[:-1]:
            section = section.setdefault(key, {})
        section[place[-1]] = value

    return change


def attribute(name: str, label: str, value: Any) -> Callable[[Study], None]:
    return lambda study: getattr(study, name).update({label: value})


def own(**changes: Any) -> Callable[[Study], None]:
    return lambda study: study.file["registered"].update(changes)


def several(*changes: Callable[[Study], object]) -> Callable[[Study], None]:
    def make(study: Study) -> None:
        for change in changes:
            change(study)

    return make


CHANGES: dict[str, tuple[Callable[[Study], object], set[tuple[str, str]]]] = {
    # the question and the campaign
    "table": (own(table="ert", measure="ert_evaluations", target=1.0, test="score"),
     {("question", f"registered.{key}") for key in ("table", "measure", "target", "test")}),
    "targets": (put("targets", value=[1, 2]), {("targets", "targets")}),
    "more runs": (put("runs", value=4), {("number of runs", "runs")}),
    "algorithm": (put("algorithms", "c", value="timefair:random-search"),
     {("algorithms", "algorithms.c")}),
    "budget": (put("budget", "evaluations", value=200), {("measurement", "budget.evaluations")}),
    # the runs
    "added runs": (attribute("runs", "a", [0, 1, 2, 3]), {("added runs", "a")}),
    "missing runs": (attribute("runs", "b", [0, 2]), {("missing runs", "b")}),
    "excluded runs": (
        several(
            put("timing", "perturbed", value="exclude"),
            lambda study: study.perturbed.add(("a", 1)),
            lambda study: registration.register(study.campaign, study.folder),
        ),
        {("excluded runs", "a")},
    ),
    "code of an algorithm": (attribute("code", "a", "f" * 64), {("code", "measuring a")}),
    "earlier runs": (lambda study: setattr(study, "started", datetime.now(UTC) - timedelta(days=1)),
     {("time", "a"), ("time", "b")}),
    # the registration
    "edited level": (
        lambda study: study.edit(lambda c: c["campaign"]["registered"].update(alpha=0.2)),
        {("registration", "registration.json"), ("question", "registered.alpha")},
    ),
    "edited algorithms": (
        lambda study: study.edit(lambda c: c["code"].pop("a") and c["keys"].pop("a")),
        {("registration", "registration.json"), ("code", "measuring a")},
    ),
    "deleted": (lambda study: study.path.unlink(), {("registration", "registration.json")}),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_found(study, change):
    make, expected = CHANGES[change]
    make(study)
    assert expected <= set(study.deviations())


@pytest.mark.slow
def test_the_checklist_has_the_registration(study):
    def part():
        rows = study.table("checklist")
        return rows[rows["part"] == "Registration"].iloc[0]

    assert part()["met"]
    assert study.content["digest"] in part()["evidence"]
    study.file["seed"] = 2
    assert part()["missing"] == "1 deviation (table deviations): measurement"


@pytest.mark.slow
def test_the_answer_keeps_the_registered_question_and_the_planned_runs(study):
    before = study.table("registered")
    study.file["registered"] |= {"alpha": 0.5, "algorithms": ["b", "a"], "question": "Other?"}
    study.runs["a"] = [0, 1, 2, 3, 4, 5]
    assert study.table("registered").equals(before)


def test_measuring_needs_the_registration_and_the_question(study):
    driver.permit(study.campaign, study.folder)
    question = study.file.pop("registered")
    with pytest.raises(InputError, match=r"registered: missing, but .* registers a question"):
        driver.permit(study.campaign, study.folder)
    study.path.unlink()
    driver.permit(study.campaign, study.folder)
    study.file["registered"] = question
    with pytest.raises(InputError, match="registered: not registered yet"):
        driver.permit(study.campaign, study.folder)
    study.measure()
    driver.permit(study.campaign, study.folder)  # too late: it is a deviation


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.clear(),
        lambda content: content.update(registered_utc="2026-11-22T15:00:00"),
        lambda content: content.update(keys={"a": 1}),
        lambda content: content["campaign"].pop("budget"),
        lambda content: content["campaign"].pop("registered"),
    ],
)
def test_a_damaged_registration_is_named(study, change):
    study.edit(change)
    with pytest.raises(InputError, match=r"registration\.json: not a registration"):
        study.deviations()


@pytest.mark.slow
def test_verify_lists_the_deviations(study, capsys):
    study.runs["a"] = [0, 1, 2, 3]
    study.file["seed"] = 5
    study.measure()
    cli.main(["verify", str(study.folder), "--points-s", "0"])
    said = capsys.readouterr().out
    assert "measurement: seed: registered 1, found 5" in said
    assert "added runs: a: registered 6, found 2 more" in said
    assert "2 deviations from the registration" in said


def test_the_command_registers_and_check_shows_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("study.yaml").write_text(json.dumps(FILE))
    assert cli.main(["register", "study.yaml"]) == 0
    said = capsys.readouterr().out
    content = json.loads(Path("results/study/registration.json").read_text())
    assert "12 planned runs were registered on" in said
    assert content["digest"] in said
    Path("study.yaml").write_text(json.dumps(FILE | {"seed": 7}))
    assert cli.main(["check", "study.yaml"]) == 0
    assert "measurement: seed: registered 1, found 7" in capsys.readouterr().out
    Path("study.yaml").write_text(
        json.dumps({key: value for key, value in FILE.items() if key != "registered"})
    )
    assert cli.main(["register", "study.yaml"]) == 2


IN_SECONDS = {"table": "ert", "measure": "ert_s", "test": "score"}


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"measure": "ert_s"}, "registered.measure: 'ert_s': should be 'precision' with"),
        ({"target": 1.0}, "registered.target: 1: only with an ERT"),
        ({"table": "ert", "measure": "ert_s", "test": "score"}, "registered.target: empty; give"),
        ({"algorithms": ["a", "z"]}, "registered.algorithms: 'z': should be algorithms"),
        ({"algorithms": ["a"]}, "registered.algorithms: ['a']: should be two algorithms"),
        ({"function": 7}, "registered.function: 7: should be one of problems.functions"),
        ({"test": "score"}, "registered.test: 'score': should be 'mann-whitney'"),
        (
            {"alpha": 0.001},
            "registered.test: 'mann-whitney': never significant at alpha 0.001; should have at "
            "least 7 runs of each algorithm on the function, not 6",
        ),
        (IN_SECONDS | {"target": 0}, "registered.target: 0: should be greater than 0"),
    ],
)
def test_bad_input_names_the_key(changes, line):
    with pytest.raises(InputError) as error:
        configuration.parse(FILE | {"registered": FILE["registered"] | changes})
    assert error.value.faults[0].startswith(line)
    assert len(error.value.faults) == 1


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"runs": 1, "problems": FILE["problems"] | {"instances": 1}},
            "never significant at alpha 0.05; should have at least 4 runs of each algorithm on the "
            "function, not 1",
        ),
        (
            {"rounds": 3, "stopping": {"rule": "race"}},
            "does not keep its level alpha after the tests of stopping.rule 'race'; choose another "
            "rule",
        ),
    ],
)
def test_a_campaign_that_its_question_does_not_suit_is_refused(changes, line):
    assert list(refused(configuration.parse, FILE | changes)) == [
        f"registered.test: 'mann-whitney': {line}"
    ]
