"""The sections of a campaign file, each key with its type, default and description."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import ConfigDict, Field, model_validator

from timefair.basics.sections import CampaignView, Fault, Section
from timefair.basics.values import (
    Choice,
    Cost,
    Count,
    FunctionNames,
    Megabytes,
    Name,
    Numbers,
    Parameters,
    Positive,
    Repeats,
    Seconds,
    Threads,
)
from timefair.campaign.configuration.choices import CHOICES
from timefair.campaign.configuration.registered import Registered
from timefair.policies.restarts.base import RestartPolicy
from timefair.policies.stopping.base import StoppingPolicy
from timefair.rundata.settings import (
    CampaignSeed,
    Disturbed,
    RelativeTargets,
    Statistics,
    Targets,
    TargetValues,
)

if TYPE_CHECKING:
    from timefair.charts.pages import Page

    Restart: TypeAlias = RestartPolicy
    Stopping: TypeAlias = StoppingPolicy
else:
    Restart, Stopping = (CHOICES[section].type for section in ("restart", "stopping"))


class ChosenProblems(Section):
    """Which problems: every function in every dimension on every instance."""

    suite: str = Field(
        description="The suite of the problems, for example `bbob`, or your own `module:function`."
    )
    functions: Numbers = Field(
        description='Numbers of the functions: `3`, `[1, 3, 8]` or ranges, `"1-5,20-24"`.'
    )
    dimensions: Numbers = Field(
        description="Dimensions of the search space, written in the same way."
    )
    instances: Numbers = Field(description="Numbers of the instances, written in the same way.")
    parameters: Parameters = Field(
        default={}, description="Parameters of the suite, such as the bounds of your own function."
    )
    names: FunctionNames = Field(
        default={},
        description="Names of functions by their numbers, such as `{1: pump}`. Figures, printed "
        "tables and the report show them beside the numbers. The default names are those of the "
        "suite, or the attribute `names` of your own function. After a change, nothing is measured "
        "again.",
    )

    @property
    def given_names(self) -> dict[str, dict[str, str]]:
        """The names by suite and number, as `timefair.problems.names.GIVEN` has them."""
        return {self.suite: {str(number): name for number, name in self.names.items()}}


def _or_text(schema: dict[str, Any]) -> None:
    """In the JSON schema: a string may replace the section."""
    section = dict(schema)
    schema.clear()
    schema["anyOf"] = [{"type": "string"}, section]


def _or_names(schema: dict[str, Any]) -> None:
    """In the JSON schema: a text or a list of names does for the complete section."""
    section = dict(schema)
    schema.clear()
    names: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
    schema["anyOf"] = [{"type": "string"}, names, section]


Format = Literal["pdf", "png", "svg"]


IsolationMode = Literal["private", "strict", "shared"]
"""The modes of `isolation`; what was in force is a `records.status.Isolation`."""


class Ancillary(Section):
    """What an algorithm costs besides its runs, divided evenly among the problems."""

    tuning_s: Cost = Field(
        default=0.0,
        description="Seconds spent on tuning its parameters, for all problems together.",
    )
    preparation_s: Cost | None = Field(
        default=None,
        description="Seconds of preparation, for all problems together; `null`: the median of the "
        "measured times.",
    )
    method: str | None = Field(
        default=None, description="How its parameters were tuned. The checklist shows this text."
    )


class AlgorithmSpec(Section):
    """One algorithm: its code and its settings. A string stands for its `use`."""

    model_config = ConfigDict(json_schema_extra=_or_text)

    use: str = Field(
        description="`library:name` of a supported library, or your own `module:function`."
    )
    parameters: Parameters = Field(
        default={}, description="Keyword arguments for the algorithm, in place of its defaults."
    )
    integer: Literal["native", "round"] = Field(
        default="native",
        description="`native`: the algorithm itself supports integer variables. `round`: the "
        "algorithm is for continuous variables, and timefair rounds its points in the integer "
        "variables of the problem.",
    )
    threads: Threads = Field(
        default=1, description="Threads, and thus cores, that one run may use."
    )
    restart: Restart | None = Field(
        default=None, description="Restart policy of this algorithm; `null`: that of the campaign."
    )
    isolation: IsolationMode | None = Field(
        default=None, description="Isolation of this algorithm; `null`: that of the campaign."
    )
    ancillary: Ancillary = Field(
        default=Ancillary(), description="Costs of this algorithm besides its runs."
    )

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: object) -> object:
        return {"use": value} if isinstance(value, str) else value


class Published(Section):
    """Data of an algorithm that others have measured; they count evaluations and have no times."""

    format: Literal["coco", "ioh"] = Field(
        description="The format of the data: COCO's (`.info`, `.dat`, `.tdat`) or IOHprofiler's "
        "(`.json` or, before 2021, `.info`, `.dat`)."
    )
    path: str = Field(min_length=1, description="A folder, or an archive (.zip, .tgz, .tar).")
    algorithm: str | None = Field(
        default=None,
        min_length=1,
        description="Name of the algorithm in the data; `null` if the data contain only one.",
    )


class Budget(Section):
    """What a run may use; the first limit that it reaches ends it. At least one is needed."""

    time_s: Seconds | None = Field(
        default=None, description="T: seconds of wall clock for a run, restarts included."
    )
    evaluations: Count | None = Field(default=None, description="Number of evaluations of a run.")
    evaluations_per_dimension: Count | None = Field(
        default=None,
        description="Number of evaluations of a run as a multiple of the dimension of the problem.",
    )
    evaluation_cost_s: Cost = Field(
        default=0.0,
        description="Virtual evaluation cost: seconds that are added to the time of each "
        "evaluation, without waiting.",
    )
    final_target: Positive | None = Field(
        default=1e-8,
        description="Precision at which a run ends if the optimum is known; `null`: none.",
    )

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        each = self.evaluations_per_dimension
        if self.time_s is None and self.evaluations is None and each is None:
            yield "", "empty; give time_s, evaluations or evaluations_per_dimension"
        if self.evaluations is not None and each is not None:
            yield (
                "evaluations",
                f"{self.evaluations}: excludes evaluations_per_dimension ({each}); give one",
            )

    def evaluations_for(self, dimension: int) -> int | None:
        """The budget of evaluations in a dimension; None without one."""
        if self.evaluations_per_dimension is not None:
            return self.evaluations_per_dimension * dimension
        return self.evaluations


class Limits(Section):
    """What ends a run that goes out of control."""

    memory_mb: Megabytes = Field(default=4096, description="Memory of one run, in MB.")
    wall_s: Seconds = Field(
        default=3600.0, description="Seconds after which a run without `budget.time_s` is ended."
    )


class Timing(Section):
    """How runs are treated that something else on the machine disturbed."""

    disturbed: Disturbed
    repeats: Repeats = Field(
        default=2, description="With `repeat`: how often a run is repeated at most."
    )
    reference: bool | None = Field(
        default=None,
        description="Whether the reference kernel, a small fixed piece of work (about 14 ms), is "
        "timed before and after each run. It measures the speed of the core. `null`: only if "
        "`budget.time_s` is set.",
    )

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        if self.repeats != type(self).model_fields["repeats"].default and not self.most_repeats:
            yield "repeats", f"{self.repeats}: only with 'repeat', not {self.disturbed!r}"

    @property
    def most_repeats(self) -> int:
        """How often a disturbed run is measured again."""
        return self.repeats if self.disturbed == "repeat" else 0


class Figures(Section):
    """Which figures are drawn, and as what. A text or a list alone are its `names`."""

    model_config = ConfigDict(json_schema_extra=_or_names)

    names: Choice = Field(
        default=("default",),
        description="Figures to draw: `default`, `all`, or a list of names (`default` may be among "
        "them).",
    )
    formats: Annotated[tuple[Format, ...], Field(min_length=1, strict=False)] = Field(
        default=("pdf", "svg"), description="File formats: `pdf`, `png`, `svg`."
    )

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: object) -> object:
        return {"names": value} if isinstance(value, str | list | tuple) else value


class Campaign(Section):
    """One configuration file and what it produces, in `results/<name>/`."""

    name: Name = Field(description="Name of the campaign, and of its folder in `results/`.")
    seed: CampaignSeed
    problems: ChosenProblems = Field(
        description="The problems: every function in every dimension on every instance."
    )
    algorithms: Annotated[dict[Name, AlgorithmSpec], Field(min_length=1)] = Field(
        description="The algorithms, each under a label of your choice."
    )
    published: dict[Name, Published] = Field(
        default={},
        description="Algorithms with published data, each under a label of your choice. They "
        "appear only in results that count evaluations.",
    )
    budget: Budget = Field(
        description="Limits of a run. The first limit that a run reaches ends it. At least one is "
        "needed."
    )
    restart: Restart = Field(
        default=CHOICES["restart"].usual,
        description="Restart policy: when a launch ends, and what follows it.",
    )
    runs: Repeats = Field(
        default=15, description="R: number of runs of each algorithm on each problem."
    )
    stopping: Stopping = Field(
        default=CHOICES["stopping"].usual,
        description="Stopping rule: when an algorithm has enough runs on a problem.",
    )
    rounds: Repeats = Field(
        default=1,
        description="Number of rounds into which the runs are divided. All algorithms take turns "
        "in each round, so that a slow minute of the machine affects all of them.",
    )
    instances_per_job: Repeats = Field(
        default=1,
        description="Number of instances that a job measures; increase it for large campaigns.",
    )
    limits: Limits = Field(
        default=Limits(), description="Limits that end a run which is out of control."
    )
    isolation: IsolationMode = Field(
        default="private",
        description="`private`: files that a run writes are removed when it ends, so that no other "
        "run can read them. `strict`: as `private`, and the algorithm runs in a process that does "
        "not hold the problem; a second core evaluates for it. `shared`: files stay, for "
        "algorithms that need a cache from run to run.",
    )
    timing: Timing = Field(
        default=Timing.model_validate({}), description="How disturbed runs are treated."
    )
    targets: Targets
    target_values: TargetValues
    relative_targets: RelativeTargets
    statistics: Statistics = Field(default=Statistics(), description="How results are summarized.")
    registered: Registered | None = Field(
        default=None,
        description="The primary question, which `timefair register` records before the first run; "
        "`null`: none, and all results are exploratory.",
    )
    tables: Choice = Field(
        default=("default",),
        description="Tables to make: `default`, `all`, or a list of names (`default` may be among "
        "them).",
    )
    figures: Figures = Field(
        default=Figures(),
        description="Figures to draw, written in the same way; or a section with `names` and "
        "`formats`.",
    )

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        for label in self.published:
            if label in self.algorithms:
                key = f"published.{label}"
                yield key, "an algorithm already has this label; give another"
        for label, spec in self.algorithms.items():
            if self.is_apart(label) and spec.threads > 1:
                key = f"algorithms.{label}.threads"
                yield key, f"{spec.threads}: should be 1 with isolation: strict"
        yield from self._alike_labels()
        if self.rounds > self.runs:
            yield "rounds", f"{self.rounds}: more than runs ({self.runs})"

    def _alike_labels(self) -> Iterator[Fault]:
        """Labels that differ only in case: on some file systems they name the same files."""
        seen: dict[str, str] = {}
        for section in ("algorithms", "published"):
            for label in getattr(self, section):
                before = seen.setdefault(label.lower(), label)
                if before != label:
                    yield (
                        f"{section}.{label}",
                        f"differs from {before!r} only in case; give another",
                    )

    def restart_of(self, label: str) -> Restart:
        """How the runs of one algorithm are restarted."""
        return self.algorithms[label].restart or self.restart

    def isolation_of(self, label: str) -> IsolationMode:
        """What the runs of one algorithm share."""
        return self.algorithms[label].isolation or self.isolation

    def is_apart(self, label: str) -> bool:
        """Whether an algorithm runs in processes that do not hold the problem.

        An external program does so anyway.
        """
        external = self.algorithms[label].use.startswith("external:")
        return self.isolation_of(label) == "strict" and not external

    def cores_of(self, label: str) -> int:
        """The cores that a run of an algorithm holds: its threads, and one that evaluates apart."""
        return self.algorithms[label].threads + self.is_apart(label)

    @property
    def reference_is_timed(self) -> bool:
        """Whether the reference kernel is timed around each run."""
        if self.timing.reference is None:
            return self.budget.time_s is not None
        return self.timing.reference

    @property
    def table_names(self) -> tuple[str, ...]:
        """The tables asked for, `all` and `default` spelled out."""
        from timefair.exhibits.registry import TABLES, chosen

        return chosen(self.tables, TABLES)

    @property
    def figure_names(self) -> tuple[str, ...]:
        """The figures asked for, `all` and `default` spelled out, without those of `lacking`."""
        lacking = self.lacking
        return tuple(name for name in self._chosen_figures if name not in lacking)

    @property
    def lacking(self) -> dict[str, str]:
        """What the campaign lacks for figures that it asks for, by the name of the figure."""
        from timefair.exhibits.registry import FIGURES

        missing = {}
        if len(self.problems.dimensions) < 2:
            missing["dimensions"] = "needs several problems.dimensions"
        cap = self.statistics.run_count.cap
        if self.runs < cap and not self.published:
            missing["samples"] = f"needs statistics.run_count.cap ({cap}) runs"
        needs = {name: FIGURES[name].needs for name in self._chosen_figures}
        return {name: missing[need] for name, need in needs.items() if need in missing}

    @property
    def not_drawn(self) -> list[str]:
        """One line for each figure that is asked for by its name but lacks something."""
        return [
            f"figures: {name}: is not drawn; it {reason}"
            for name, reason in self.lacking.items()
            if name in self.figures.names
        ]

    @property
    def _chosen_figures(self) -> tuple[str, ...]:
        from timefair.exhibits.registry import FIGURES, chosen

        return chosen(self.figures.names, FIGURES)

    def pages_of(self, figure: str) -> tuple[Page, ...]:
        """The pages of a figure: the overview first, or the only one."""
        from timefair.exhibits.registry import FIGURES

        return FIGURES[figure].pages(
            self.problems.dimensions,
            self.problems.functions,
            len(self.algorithms) + len(self.published),
        )

    @property
    def figure_files(self) -> tuple[str, ...]:
        """The names of the files of all pages of all figures, without their endings."""
        return tuple(page.file(name) for name in self.figure_names for page in self.pages_of(name))

    @property
    def made_tables(self) -> tuple[str, ...]:
        """The tables asked for, those that figures are drawn from, and what every report says."""
        from timefair.exhibits.registry import FIGURES

        drawn = (FIGURES[figure].table for figure in self.figure_names)
        of_question = () if self.registered is None else CONFIRMATORY
        return tuple(sorted({*self.table_names, *drawn, *REPORTED, *of_question}))

    @property
    def analysis_settings(self) -> dict[str, Any]:
        """What the tables are made with, the arguments of `rundata.settings.Analysis`."""
        chosen = self.problems
        return {
            "targets": self.targets,
            "target_values": self.target_values,
            "relative_targets": self.relative_targets,
            **self.statistics.model_dump(),
            "disturbed": self.timing.disturbed,
            "seed": self.seed,
            "tuning_s": {label: spec.ancillary.tuning_s for label, spec in self.algorithms.items()},
            "preparation_s": {
                label: spec.ancillary.preparation_s for label, spec in self.algorithms.items()
            },
            "problems": len(chosen.functions) * len(chosen.dimensions) * len(chosen.instances),
            "restarted_by_seconds": {
                label: f"restart.{key}"
                for label in self.algorithms
                if (key := self.restart_of(label).seconds_key)
            },
            "function_names": chosen.given_names if chosen.names else {},
        }

    @property
    def rooms(self) -> tuple[str, ...]:
        """The rooms of exhibits that its tables are from."""
        from timefair.exhibits.registry import TABLES

        return tuple(dict.fromkeys(TABLES[table].room for table in self.made_tables))

    def settings_of_room(self, room: str) -> dict[str, Any]:
        """What the tables of a room are made with."""
        from timefair.exhibits.registry import TABLES

        here = [table for table in self.made_tables if TABLES[table].room == room]
        asked = next((table for table in here if TABLES[table].asked), here[0])
        return self.settings_of(asked)

    def settings_of(self, table: str) -> dict[str, Any]:
        """What one table is made with: the analysis and, for the checklist, the whole campaign."""
        from timefair.exhibits.registry import TABLES

        if not TABLES[table].asked:
            return self.analysis_settings
        asked = self.model_dump(mode="json")
        named = {"tables": list(self.table_names), "figures": list(self.figure_names)}
        return {**self.analysis_settings, "campaign": asked | named}

    def snapshot(self) -> str:
        """The campaign as JSON, every default written out; `restore` reads it."""
        return json.dumps(self.model_dump(mode="json"), indent=1) + "\n"


REPORTED = ("checklist", "disturbance", "drift", "leftovers", "resolution", "runs")
"""Tables on the measurement, made for the report also where nobody asked for them."""


CONFIRMATORY = ("registered", "deviations")
"""Tables on the registered question, made for the report of a campaign that has one."""


def known_tables() -> Mapping[str, object]:
    """The tables that can be asked for."""
    from timefair.exhibits.registry import TABLES

    return TABLES


def known_figures() -> Mapping[str, object]:
    """The figures that can be asked for."""
    from timefair.exhibits.registry import FIGURES

    return FIGURES


def json_schema() -> str:
    """The JSON schema of a campaign file, for editors; kept in ``config/schema.json``."""
    return json.dumps(Campaign.model_json_schema(), indent=2) + "\n"
