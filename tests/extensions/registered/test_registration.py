"""A question is registered before the first run, and every change after that is found."""

import copy
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from campaigns import refused

from timefair import cli
from timefair.basics.errors import InputError
from timefair.campaign import configuration, plan, requirement
from timefair.exhibits.registry import TABLES
from timefair.extensions.registered import registration
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.store import write_record

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
    """A change of one key of the campaign file."""

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
    "table": (
        own(table="ert", measure="ert_evaluations", target=1.0, test="score"),
        {("question", f"registered.{key}") for key in ("table", "measure", "target", "test")},
    ),
    "order": (own(algorithms=["b", "a"]), {("question", "registered.algorithms")}),
    "targets": (put("targets", value=[1, 2]), {("targets", "targets")}),
    "more runs": (put("runs", value=4), {("number of runs", "runs")}),
    "instances": (put("problems", "instances", value="1-3"), {("problems", "problems.instances")}),
    "algorithm": (
        put("algorithms", "c", value="timefair:random-search"),
        {("algorithms", "algorithms.c")},
    ),
    "budget": (put("budget", "evaluations", value=200), {("measurement", "budget.evaluations")}),
    "stopping": (put("stopping", value={"rule": "success"}), {("measurement", "stopping.rule")}),
    "mixed": (put("statistics", "mixed", value="allow"), {("analysis", "statistics.mixed")}),
    "tables": (put("tables", value="ert"), {("analysis", "tables")}),
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
    "key": (attribute("keys", "b", "e" * 64), {("settings or software", "b")}),
    "earlier runs": (
        lambda study: setattr(study, "started", datetime.now(UTC) - timedelta(days=1)),
        {("time", "a"), ("time", "b")},
    ),
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
}


@pytest.mark.slow
def test_nothing_deviates_without_a_change(study):
    assert study.deviations() == []
    answer = study.table("registered").iloc[0]
    assert answer["digest"] == study.content["digest"]
    assert answer["answer"] == "no"


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
    requirement.permit(study.campaign, study.folder)
    question = study.file.pop("registered")
    with pytest.raises(InputError, match=r"registered: missing, but .* registers a question"):
        requirement.permit(study.campaign, study.folder)
    study.path.unlink()
    requirement.permit(study.campaign, study.folder)
    study.file["registered"] = question
    with pytest.raises(InputError, match="registered: not registered yet"):
        requirement.permit(study.campaign, study.folder)
    study.measure()
    requirement.permit(study.campaign, study.folder)  # too late: it is a deviation


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.clear(),
        lambda content: content.pop("git"),
        lambda content: content.pop("replaces"),
        lambda content: content.update(registered_utc="2026-11-22T15:00:00"),
        lambda content: content.update(registered_utc=5),
        lambda content: content.update(keys={"a": 1}),
        lambda content: content.update(code=[1]),
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


TO_TARGET = {"table": "ert", "measure": "ert_s", "test": "score"}


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
        (TO_TARGET | {"target": 0}, "registered.target: 0: should be greater than 0"),
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
