"""What a campaign is made of: sections of keys, each with its type, default and meaning."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from timefair.campaign.configuration.values import (
    Bounds,
    Choice,
    Cost,
    Count,
    Megabytes,
    Name,
    Numbers,
    Parameters,
    Positive,
    Repeats,
    Resamples,
    Seconds,
    Seed,
    Share,
    Threads,
)


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Problems(_Section):
    """Which problems: every function in every dimension on every instance."""

    suite: str = Field(
        description="The suite the problems are from, for example `bbob`, or `module:function` of "
        "your own."
    )
    functions: Numbers = Field(
        description='Numbers of the functions: `3`, `[1, 3, 8]` or ranges, `"1-5,20-24"`.'
    )
    dimensions: Numbers = Field(description="Dimensions of the search space, written likewise.")
    instances: Numbers = Field(description="Numbers of the instances, written likewise.")
    parameters: Parameters = Field(
        default={}, description="What the suite can be set, such as bounds of your own function."
    )


def _or_text(schema: dict[str, Any]) -> None:
    """In the JSON schema: a text does for the whole section."""
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


class Restart(_Section):
    """What happens when the algorithm returns before the budget is used up."""

    policy: Literal["none", "independent", "fixed", "luby", "stagnation", "bet-and-run"] = Field(
        default="independent",
        description="`none`: the run ends. `independent`: it is launched again with fresh "
        "randomness. `fixed`: the same, and each launch is ended after its share tau. `luby`: "
        "after tau times 1, 1, 2, 1, 1, 2, 4, ... `stagnation`: when it has not improved for a "
        "plateau. `bet-and-run`: several launches get tau each, and the best of them goes on.",
    )
    tau_s: Seconds | None = Field(
        default=None,
        description="Seconds of one launch (`fixed`), of the unit (`luby`), or of one candidate "
        "(`bet-and-run`).",
    )
    tau_evaluations: Count | None = Field(
        default=None, description="The same in evaluations, instead of seconds."
    )
    plateau_s: Seconds | None = Field(
        default=None, description="With `stagnation`: seconds without an improvement."
    )
    plateau_evaluations: Count | None = Field(
        default=None, description="With `stagnation`: evaluations without one; the first counts."
    )
    candidates: Repeats | None = Field(
        default=None, description="With `bet-and-run`: launches that the best is chosen from; 40."
    )


RESTART_KEYS: dict[str, tuple[str, ...]] = {
    "none": (),
    "independent": (),
    "fixed": ("tau_s", "tau_evaluations"),
    "luby": ("tau_s", "tau_evaluations"),
    "stagnation": ("plateau_s", "plateau_evaluations"),
    "bet-and-run": ("tau_s", "tau_evaluations", "candidates"),
}
"""Which keys of `restart` each policy reads."""


class Ancillary(_Section):
    """What an algorithm costs besides its runs; shared out evenly among the problems."""

    tuning_s: Cost = Field(
        default=0.0, description="Seconds that finding its parameters took, for all problems."
    )
    preparation_s: Cost | None = Field(
        default=None,
        description="Seconds to get it ready, for all problems; `null`: as measured, once a job.",
    )
    method: str | None = Field(
        default=None, description="How its parameters were found, for the report."
    )


class AlgorithmSpec(_Section):
    """One algorithm: whose it is and how it is set. A text alone is its `use`."""

    model_config = ConfigDict(json_schema_extra=_or_text)

    use: str = Field(
        description="`library:name` of a supported library, or `module:function` of your own."
    )
    parameters: Parameters = Field(
        default={}, description="Keyword arguments for it; what is not given is its default."
    )
    threads: Threads = Field(default=1, description="Threads, and cores, that one run may use.")
    restart: Restart | None = Field(
        default=None, description="How its runs are restarted; `null`: as the campaign says."
    )
    ancillary: Ancillary = Field(default=Ancillary(), description="What it costs besides its runs.")

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: object) -> object:
        return {"use": value} if isinstance(value, str) else value


class Published(_Section):
    """Data of an algorithm that others have measured: they count evaluations, and have no times."""

    format: Literal["coco", "ioh"] = Field(
        description="Whose data format it is: COCO's (`.info`, `.dat`, `.tdat`) or IOHprofiler's "
        "(`.json` or, before 2021, `.info`, `.dat`)."
    )
    path: str = Field(min_length=1, description="A folder, or an archive (.zip, .tgz, .tar).")
    algorithm: str | None = Field(
        default=None,
        min_length=1,
        description="Which algorithm is taken, as the data call it; `null`: they have one alone.",
    )


class Budget(_Section):
    """What a run may use; the first that is used up ends it. At least one is needed."""

    time_s: Seconds | None = Field(
        default=None, description="T: seconds of wall clock for a run, its restarts included."
    )
    evaluations: Count | None = Field(default=None, description="Evaluations for a run.")
    evaluations_per_dimension: Count | None = Field(
        default=None, description="Evaluations for a run, times the dimension of the problem."
    )
    final_target: Positive | None = Field(
        default=1e-8,
        description="A precision that ends the run when reached, where the optimum is known; "
        "`null`: none does.",
    )

    def evaluations_for(self, dimension: int) -> int | None:
        """The budget of evaluations in a dimension; None without one."""
        if self.evaluations_per_dimension is not None:
            return self.evaluations_per_dimension * dimension
        return self.evaluations


Technique = Literal["none", "iqr", "percentile", "mad", "mad-mean"]


class Stopping(_Section):
    """When an algorithm has run often enough on a problem; `runs` is the most that it gets."""

    rule: Literal["fixed", "skewness", "quantile", "mean", "race", "pair"] = Field(
        default="fixed",
        description="`fixed`: after `runs`. `skewness`: when the sample is symmetric (run-count "
        "paper). `quantile`, `mean`: when its interval is narrow enough. `race`: an algorithm that "
        "can no longer be the best is dropped after a round. `pair`: of two algorithms, each round "
        "goes to the one that makes the difference of their means better known.",
    )
    start: Repeats | None = Field(
        default=None,
        description="The least number of runs; `null`: 5 with `skewness`, 10 with the others.",
    )
    tau: Cost = Field(default=0.05, description="With `skewness`: the largest absolute skewness.")
    outliers: Technique = Field(
        default="mad", description="With `skewness`: what is left out before it is taken."
    )
    p: Share = Field(default=0.5, description="With `quantile`: which; 0.5 is the median.")
    width: Positive = Field(
        default=0.5,
        description="With `quantile` and `mean`: how far the interval may reach from the estimate. "
        "With `pair`: the standard error.",
    )
    relative: bool = Field(
        default=True,
        description="Whether `width` is a share of the estimate; with `pair`, of the ratio.",
    )
    confidence: Share = Field(
        default=0.95,
        description="With `quantile` and `mean`: of the interval. With `race`: that the best is "
        "not dropped.",
    )
    validity: Literal["single", "horizon", "anytime"] | None = Field(
        default=None,
        description="With `quantile` and `mean`: whether the confidence holds for one look, for "
        "all looks up to `runs`, or for all looks without an end. `null`: `horizon` with "
        "`quantile`; with `mean` `anytime` where `bounds` are given, else `single`.",
    )
    bounds: Bounds | None = Field(
        default=None,
        description="With `mean`: what the best precision of a run can be at least and at most, "
        "known beforehand, as `[0, 100]`; `anytime` needs it.",
    )

    @property
    def compares(self) -> bool:
        """Whether it decides by the results of all algorithms, after each round."""
        return self.rule in ("race", "pair")


RULE_KEYS: dict[str, tuple[str, ...]] = {
    "fixed": (),
    "skewness": ("start", "tau", "outliers"),
    "quantile": ("start", "p", "width", "relative", "confidence", "validity"),
    "mean": ("start", "width", "relative", "confidence", "validity", "bounds"),
    "race": ("confidence",),
    "pair": ("start", "width", "relative"),
}
"""Which keys of `stopping` each rule reads."""


class Limits(_Section):
    """What ends a run that is out of hand."""

    memory_mb: Megabytes = Field(default=4096, description="Memory of one run, in MB.")
    wall_s: Seconds = Field(
        default=3600.0, description="Seconds after which a run without `budget.time_s` is ended."
    )


class Timing(_Section):
    """What is done about runs that something else on the machine disturbed."""

    disturbed: Literal["flag", "exclude", "repeat"] = Field(
        default="flag",
        description="`flag`: they count, and every table says how many there are. `exclude`: "
        "tables of results leave them out. `repeat`: each is measured again at once.",
    )
    repeats: Repeats = Field(
        default=2, description="With `repeat`: how often a run is measured again at most."
    )
    reference: bool | None = Field(
        default=None,
        description="Whether a small fixed piece of work (about 14 ms) is timed around each run, "
        "to tell how fast the core is; `null`: with `budget.time_s`.",
    )

    @property
    def most_repeats(self) -> int:
        """How often a disturbed run is measured again."""
        return self.repeats if self.disturbed == "repeat" else 0


class RunCount(_Section):
    """How the tables on numbers of runs judge rules, on cells with at least `cap` runs."""

    cap: Repeats = Field(
        default=50, description="Runs of a complete sample; further ones are independent truth."
    )
    taus: Annotated[tuple[Cost, ...], Field(min_length=1, strict=False)] = Field(
        default=(0.05, 0.1, 0.15, 0.2), description="Limits of the skewness."
    )
    outliers: Annotated[tuple[Technique, ...], Field(min_length=1, strict=False)] = Field(
        default=("iqr", "percentile", "mad"), description="Techniques against outliers."
    )
    judge: Literal["analytic", "resampled"] = Field(
        default="analytic",
        description="`resampled`: as in the paper. `analytic`: its limit for many resamples.",
    )
    resamples: Resamples = Field(default=1000, description="With `resampled`: resamples.")
    seeds: Repeats = Field(default=10, description="With `resampled`: repetitions, averaged.")
    width: Positive = Field(
        default=0.5, description="Of the rules that keep a promise: share of the estimate."
    )
    bounds: Bounds | None = Field(
        default=None,
        description="What a best precision can be at least and at most, known beforehand, as "
        "`[0, 100]`, for the anytime-valid interval of the mean; `null`: it is not compared.",
    )


class Statistics(_Section):
    """How results are summed up; a change measures nothing again."""

    quantiles: Annotated[tuple[Share, ...], Field(min_length=1, strict=False)] = Field(
        default=(0.1, 0.5, 0.9), description="Quantiles: peak, average and bad case."
    )
    confidence: Share = Field(default=0.95, description="Confidence of the intervals.")
    resamples: Resamples = Field(default=1000, description="Bootstrap resamples.")
    executions: Annotated[tuple[Count, ...], Field(min_length=1, strict=False)] = Field(
        default=(1, 2, 3, 5, 10, 20, 50),
        description="Numbers of executions k: what the best of k runs gives.",
    )
    ancillary: Literal["excluded", "amortised"] = Field(
        default="excluded",
        description="`amortised`: every table in seconds charges each run its share of tuning and "
        "preparation. The table `ancillary` shows the effect in either case.",
    )
    time: Literal["wall", "cpu", "reference"] = Field(
        default="wall",
        description="What seconds are in the tables: of the wall clock, of CPU time, or CPU time "
        "in units of the reference kernel. The table `units` tells which repeats best.",
    )
    mixed: Literal["refuse", "allow"] = Field(
        default="refuse",
        description="`allow`: a table may have runs of different machines, software, code or "
        "configurations in it.",
    )
    run_count: RunCount = Field(
        default=RunCount(), description="How the tables on numbers of runs judge rules."
    )


class Figures(_Section):
    """Which figures are drawn, and as what. A text or a list alone are its `names`."""

    model_config = ConfigDict(json_schema_extra=_or_names)

    names: Choice = Field(
        default=("default",),
        description="Figures to draw: `default`, `all`, or a list of names (`default` may be among "
        "them).",
    )
    formats: Annotated[tuple[Format, ...], Field(min_length=1, strict=False)] = Field(
        default=("pdf", "svg"), description="Formats of their files: `pdf`, `png`, `svg`."
    )

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: object) -> object:
        return {"names": value} if isinstance(value, str | list | tuple) else value


class Campaign(_Section):
    """One configuration file and what it produces, in `results/<name>/`."""

    name: Name = Field(description="Name of the campaign, and of its folder in `results/`.")
    seed: Seed = Field(
        default=1, description="Every random stream of the campaign derives from it."
    )
    problems: Problems = Field(description="Which problems.")
    algorithms: Annotated[dict[Name, AlgorithmSpec], Field(min_length=1)] = Field(
        description="The algorithms, each under a label of your choice."
    )
    published: dict[Name, Published] = Field(
        default={},
        description="Algorithms whose published data stand beside the measured ones where "
        "evaluations are counted, each under a label of your choice.",
    )
    budget: Budget = Field(description="What a run may use.")
    restart: Restart = Field(default=Restart(), description="How a run is restarted.")
    runs: Repeats = Field(default=15, description="R: runs of each algorithm on each problem.")
    stopping: Stopping = Field(
        default=Stopping(), description="What may end the runs on a problem earlier."
    )
    rounds: Repeats = Field(
        default=1,
        description="Rounds the runs are split into; each lets all algorithms have "
        "their turn, so that a bad minute of the machine hits all alike.",
    )
    instances_per_job: Repeats = Field(
        default=1, description="Instances that one job measures; raise it for large campaigns."
    )
    limits: Limits = Field(default=Limits(), description="What ends a run that is out of hand.")
    timing: Timing = Field(default=Timing(), description="What is done about disturbed runs.")
    targets: Annotated[tuple[Positive, ...], Field(min_length=1, strict=False)] = Field(
        default=tuple(float(f"1e{k}") for k in range(2, -9, -1)),
        description="Precisions whose times to reach are reported.",
    )
    relative_targets: Annotated[tuple[Share, ...], Field(strict=False)] = Field(
        default=(1e-1, 1e-3, 1e-5),
        description="Targets relative to what was found: shares of the way from a problem's first "
        "evaluations to the best of all algorithms that may be left.",
    )
    statistics: Statistics = Field(default=Statistics(), description="How results are summed up.")
    tables: Choice = Field(
        default=("default",),
        description="Tables to make: `default`, `all`, or a list of names (`default` may be among "
        "them).",
    )
    figures: Figures = Field(
        default=Figures(),
        description="Figures to draw, written likewise; or a section with formats.",
    )

    def restart_of(self, label: str) -> Restart:
        """How the runs of one algorithm are restarted."""
        return self.algorithms[label].restart or self.restart

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
        """The figures asked for, `all` and `default` spelled out."""
        from timefair.exhibits.registry import FIGURES, chosen

        return chosen(self.figures.names, FIGURES)

    @property
    def made_tables(self) -> tuple[str, ...]:
        """The tables asked for, those that figures are drawn from, and what every report says."""
        from timefair.exhibits.registry import FIGURES

        drawn = (FIGURES[figure].table for figure in self.figure_names)
        return tuple(sorted({*self.table_names, *drawn, *REPORTED}))

    @property
    def analysis_settings(self) -> dict[str, Any]:
        """What the tables are made with, the arguments of `tables.settings.Analysis`."""
        chosen = self.problems
        return {
            "targets": self.targets,
            "relative_targets": self.relative_targets,
            **self.statistics.model_dump(),
            "disturbed": self.timing.disturbed,
            "seed": self.seed,
            "tuning_s": {label: spec.ancillary.tuning_s for label, spec in self.algorithms.items()},
            "preparation_s": {
                label: spec.ancillary.preparation_s for label, spec in self.algorithms.items()
            },
            "problems": len(chosen.functions) * len(chosen.dimensions) * len(chosen.instances),
        }

    @property
    def rooms(self) -> tuple[str, ...]:
        """The rooms of exhibits that its tables are from."""
        from timefair.exhibits.registry import TABLES

        return tuple(dict.fromkeys(TABLES[table].room for table in self.made_tables))

    def settings_of_room(self, room: str) -> dict[str, Any]:
        """What the tables of a room are made and printed with."""
        from timefair.exhibits.registry import TABLES

        here = [table for table in self.made_tables if TABLES[table].room == room]
        asked = next((table for table in here if TABLES[table].asked), here[0])
        return self.settings_of(asked) | {"budget": self.budget.model_dump(mode="json")}

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


REPORTED = ("checklist", "disturbance", "drift", "runs")
"""Tables on the measurement, made for the report also where nobody asked for them."""


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
