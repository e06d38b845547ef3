"""The sections of a campaign file, each key with its type, default and description."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import reduce
from itertools import chain, product
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    TypeAdapter,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from timefair.basics.errors import InputError
from timefair.basics.extension import Extension, added_keys, extensions
from timefair.basics.sections import (
    CampaignView,
    Choice,
    Cost,
    Count,
    Fault,
    FunctionNames,
    Megabytes,
    Name,
    Numbers,
    OneLine,
    OwnDimensions,
    Parameters,
    Positive,
    Repeats,
    Schedule,
    Search,
    Seconds,
    Section,
    Threads,
    key,
    or_names,
    or_text,
)
from timefair.policies import restart_policies, stopping_rules
from timefair.policies.restarts import Independent, RestartPolicy
from timefair.policies.stopping import FixedNumber, StoppingPolicy
from timefair.records.rundata.settings import (
    CampaignSeed,
    Perturbed,
    Statistics,
    Targets,
    TargetValues,
)

UNKNOWN = "unknown_choice"  # the type of pydantic's error for a value that chooses no class


class ChosenSection:
    """A key that chooses the class of its section, from `kinds`; `usual` is the default section."""

    def __init__(self, key: str, kinds: Mapping[str, type[Section]], usual: Any) -> None:
        self.key, self.kinds, self.usual = key, kinds, usual
        self.default: str = getattr(usual, key)

    @property
    def type(self) -> Any:
        return Annotated[
            reduce(or_, self.kinds.values()),
            Field(discriminator=self.key),
            self,
            BeforeValidator(self._with_key),
        ]

    def having(self, key: str) -> list[str]:
        """The values of the choosing key for which the section has a given key."""
        return [name for name, kind in self.kinds.items() if key in kind.model_fields]

    def _with_key(self, value: object) -> object:
        if not isinstance(value, Mapping):
            return value
        name = value.get(self.key, self.default)
        if not isinstance(name, str) or name not in self.kinds:
            raise PydanticCustomError(UNKNOWN, "unknown {key}", {"key": self.key})
        return {**value, self.key: name}

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """If the key is missing, only the usual class is allowed."""
        schema = handler(core)
        for kind in map(handler.resolve_ref_schema, schema["oneOf"]):
            required = kind.get("required", [])
            if kind["properties"][self.key]["const"] != self.default and self.key not in required:
                kind["required"] = [self.key, *required]
        return schema


CHOICES = {
    "restart": ChosenSection("policy", restart_policies(), Independent()),
    "stopping": ChosenSection("rule", stopping_rules(), FixedNumber()),
}
"""The sections of a campaign whose class is chosen, by name."""

if TYPE_CHECKING:
    from timefair.exhibits.charts.pages import Page

    Restart: TypeAlias = RestartPolicy
    Stopping: TypeAlias = StoppingPolicy
else:
    Restart, Stopping = (CHOICES[section].type for section in ("restart", "stopping"))


class ChosenProblems(Section):
    """Which problems: every function in every dimension on every instance."""

    # In the JSON schema, `dimensions` may be missing, because some suites have their own.
    model_config = ConfigDict(
        json_schema_extra=lambda schema: schema["required"].remove("dimensions")
    )

    suite: str = key(
        "The suite of the problems, for example `bbob`, or your own `module:function`."
    )
    functions: Numbers = key('Numbers of the functions: `3`, `[1, 3, 8]` or ranges, `"1-5,20-24"`.')
    dimensions: Numbers = key(
        "Dimensions of the search space, written in the same way. Without them, each function is "
        "in its own dimension, if the suite has such ones."
    )
    own_dimensions: OwnDimensions = key(
        "The dimension of each function, such as `{1: 3, 2: 5}`, in place of `dimensions`. The "
        "default is that of the suite, if there are no `dimensions`.",
        {},
    )
    instances: Numbers = key("Numbers of the instances, written in the same way.")
    parameters: Parameters = key(
        "Parameters of the suite, such as the bounds of your own function.", {}
    )
    names: FunctionNames = key(
        "Names of functions by their numbers, such as `{1: pump}`. Figures, printed tables and "
        "the report show them beside the numbers. The default names are those of the suite, or "
        "the attribute `names` of your own function. After a change, nothing is measured again.",
        {},
    )

    @model_validator(mode="before")
    @classmethod
    def _filled(cls, value: object) -> object:
        """With the dimensions that follow from the functions, if there are none."""
        if not isinstance(value, Mapping) or value.get("dimensions") is not None:
            return value
        value = {key: given for key, given in value.items() if key != "dimensions"}
        with suppress(ValidationError):
            own = TypeAdapter(OwnDimensions).validate_python(value.get("own_dimensions", {}))
            if own := own or _own_dimensions(value):
                value |= {"own_dimensions": own, "dimensions": sorted({*own.values()})}
        return value

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        own = self.own_dimensions
        if own and {*own} != {*self.functions}:
            yield "own_dimensions", "should have one for each of the functions, and no others"
        elif own and {*own.values()} != {*self.dimensions}:
            yield "own_dimensions", "there are dimensions, too; remove one of both"

    @property
    def spaces(self) -> tuple[tuple[int, int], ...]:
        """The functions with the dimensions that they are in, sorted by dimension."""
        return tuple(
            (function, dimension)
            for dimension in self.dimensions
            for function in self.functions
            if self.own_dimensions.get(function, dimension) == dimension
        )

    @property
    def count(self) -> int:
        return len(self.spaces) * len(self.instances)

    @property
    def given_names(self) -> dict[str, dict[str, str]]:
        """The names by suite and number, in the form of `timefair.problems.names.GIVEN`."""
        return {self.suite: {str(number): name for number, name in self.names.items()}}


def _own_dimensions(problems: Mapping[str, object]) -> dict[int, int]:
    """The dimensions that a suite gives to the functions of a section; any for unknown ones."""
    from timefair.problems.suites import SUITES

    suite = problems.get("suite")
    own = SUITES[suite].own_dimensions if isinstance(suite, str) and suite in SUITES else {}
    functions = TypeAdapter(Numbers).validate_python(problems.get("functions"))
    return {function: own.get(function, min(own.values())) for function in functions if own}


Format = Literal["pdf", "png", "svg"]
IsolationMode = Literal["private", "strict", "shared"]
"""The modes of `isolation`; the mode that was in force is a `records.status.Isolation`."""


class Ancillary(Section):
    """What an algorithm costs besides its runs, divided evenly among the problems."""

    tuning_s: Cost = key("Seconds spent on tuning its parameters, for all problems together.", 0.0)
    preparation_s: Cost | None = key(
        "Seconds of preparation, for all problems together; `null`: the median of the measured "
        "times.",
        None,
    )
    method: str | None = key("How its parameters were tuned. The checklist shows this text.", None)


USUAL_LENGTH = 1000
"""The parameter of a schedule until a number is chosen, so that its algorithm can be checked."""


class AlgorithmSpec(Section):
    """One algorithm: its code and its settings. A string stands for its `use`."""

    model_config = ConfigDict(json_schema_extra=or_text)

    use: str = key("`library:name` of a supported library, or your own `module:function`.")
    parameters: Parameters = key(
        "Keyword arguments for the algorithm, in place of its defaults.", {}
    )
    schedule: Schedule | None = key(
        "For an algorithm whose launches have a length, such as Max_iter: this parameter, and how "
        "it is set. `{Max_iter: fill}`: one launch fills the budget; `{Max_iter: {launches: 5}}`: "
        "five launches do; `{Max_iter: 500}`: this number. What a launch costs is measured on "
        "each problem before its runs.",
        None,
    )
    integer: Literal["native", "round", "keys"] = key(
        "`native`: the algorithm itself supports integer variables. `round`: the algorithm is for "
        "continuous variables, and timefair rounds its points in the integer variables of the "
        "problem. `keys`: the algorithm is for continuous variables, and the permutation of a "
        "suite with permutations is the order of its coordinates, from 0 to 1 (random keys).",
        "native",
    )
    constraint_penalty: Positive | None = key(
        "A weight w for an algorithm that does not take constraints: it minimizes f + w (max(g_1, "
        "0) + ... + max(g_m, 0)). `null`: the algorithm itself takes them.",
        None,
    )
    threads: Threads = key("Threads, and thus cores, that one run may use.", 1)
    restart: Restart | None = key(
        "Restart policy of this algorithm; `null`: that of the campaign.", None
    )
    isolation: IsolationMode | None = key(
        "Isolation of this algorithm; `null`: that of the campaign.", None
    )
    ancillary: Ancillary = key("Costs of this algorithm besides its runs.", Ancillary())
    seed_as: str | None = key(
        "Label of another algorithm whose seeds this one gets, run by run: for two versions of "
        "one algorithm, which `timefair compare` then compares in pairs; `null`: seeds of its "
        "own.",
        None,
    )
    formerly: Name | None = key(
        "Earlier label of this algorithm, whose seeds and finished runs it keeps; `null`: none.",
        None,
    )
    tuned: Name | None = key(
        "Written by timefair: of a tuned variant, the label of the algorithm whose parameters are "
        "searched.",
        None,
    )

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: object) -> object:
        return {"use": value} if isinstance(value, str) else value

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        for name in self.schedule or {}:
            if name in self.parameters:
                yield "schedule", f"{name!r}: also in parameters; give it once"
            if self.search is not None:
                yield "schedule", f"{name!r}: excludes {self.search.key}; give one"

    @property
    def arguments(self) -> dict[str, Any]:
        """Its parameters and that of its schedule, which is `USUAL_LENGTH` until it is chosen."""
        chosen = (self.schedule or {}).items()
        lengths = {name: n if isinstance(n, int) else USUAL_LENGTH for name, n in chosen}
        return {**self.parameters, **lengths}

    @property
    def search(self) -> Any:
        """The `Search` for its parameters, for a tuned variant; None without one."""
        added = (getattr(self, key, None) for key in added_keys("algorithms"))
        return next((one for one in added if isinstance(one, Search)), None)


def _with_tuned(algorithms: dict[str, AlgorithmSpec]) -> dict[str, AlgorithmSpec]:
    """The algorithms, each followed by its tuned variant, unchanged if it exists already."""
    both: dict[str, AlgorithmSpec] = {}
    for label, spec in algorithms.items():
        both[label] = spec
        if (search := spec.search) and (name := search.label_of(label)) not in algorithms:
            both[name] = spec.model_copy(update={search.key: None, "tuned": label})
    return both


class Published(Section):
    """Published data of an algorithm: evaluations are used, times only of timefair's own runs."""

    format: Literal["coco", "ioh", "timefair", "table", "benchopt"] = key(
        "The format of the data: COCO's (`.info`, `.dat`, `.tdat`), IOHprofiler's (`.json` or, "
        "before 2021, `.info`, `.dat`), a campaign of timefair (its folder or archive; its seconds "
        "are converted by reference kernels), or a table of runs (`.csv`, `.parquet`) of your own "
        "or of benchopt. Other times are left out."
    )
    path: str = key(
        "A folder, or an archive (.zip, .tgz, .tar); for a table, the file.", min_length=1
    )
    algorithm: str | None = key(
        "Name of the algorithm in the data; `null` if the data contain only one.",
        None,
        min_length=1,
    )
    columns: dict[str, OneLine] = key(
        "For a table: names of its columns in the file, such as `{value: best_f}`.", {}
    )
    set: dict[str, OneLine] = key(
        "For a table: columns that the file does not have, with one word for all rows.", {}
    )


class Budget(Section):
    """What a run may use; the first limit that it reaches ends it. At least one is needed."""

    time_s: Seconds | None = key("T: seconds of wall clock for a run, restarts included.", None)
    cpu_s: Seconds | None = key(
        "T in CPU time instead: seconds that the threads and processes of a run compute, restarts "
        "included. Waiting does not count.",
        None,
    )
    evaluations: Count | None = key("Number of evaluations of a run.", None)
    evaluations_per_dimension: Count | None = key(
        "Number of evaluations of a run as a multiple of the dimension of the problem.", None
    )
    evaluation_cost_s: Cost = key(
        "Simulated evaluation cost: seconds that are added to the time of each evaluation, "
        "without waiting.",
        0.0,
    )
    final_target: Positive | None = key(
        "Precision at which a run ends if the optimum is known; `null`: none. It does not end a "
        "run whose values have noise that timefair knows of.",
        1e-8,
    )

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        each = self.evaluations_per_dimension
        if self.seconds is None and self.evaluations is None and each is None:
            yield "", "empty; give time_s, cpu_s, evaluations or evaluations_per_dimension"
        if self.cpu_s is not None:
            if self.time_s is not None:
                yield "cpu_s", f"{self.cpu_s:g}: excludes time_s ({self.time_s:g}); give one"
            if self.evaluation_cost_s:
                yield "cpu_s", f"{self.cpu_s:g}: excludes evaluation_cost_s; give one"
        if self.evaluations is not None and each is not None:
            yield (
                "evaluations",
                f"{self.evaluations}: excludes evaluations_per_dimension ({each}); give one",
            )

    @property
    def unit(self) -> Literal["seconds", "evaluations"]:
        """What the budget is in, and results are compared in first."""
        return "evaluations" if self.seconds is None else "seconds"

    @property
    def seconds(self) -> float | None:
        """T, in seconds of the wall clock or of CPU time; None without it."""
        return self.time_s if self.cpu_s is None else self.cpu_s

    def evaluations_for(self, dimension: int) -> int | None:
        if self.evaluations_per_dimension is not None:
            return self.evaluations_per_dimension * dimension
        return self.evaluations


class Limits(Section):
    """Limits of memory and time, which end a run that is out of control."""

    memory_mb: Megabytes = key("Memory of one run, in MB.", 4096)
    wall_s: Seconds = key(
        "Seconds of wall clock after which a run without `budget.time_s` is ended.", 3600.0
    )


class Timing(Section):
    """How runs are treated that something else on the machine perturbed."""

    perturbed: Perturbed
    repeats: Repeats = key("With `repeat`: how often a run is repeated at most.", 2)
    reference: bool | None = key(
        "Whether the reference kernel, a small fixed piece of work (about 14 ms), is timed before "
        "and after each run. It measures the speed of the core. `null`: only if `budget.time_s` "
        "or `budget.cpu_s` is set.",
        None,
    )

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        if self.repeats != type(self).model_fields["repeats"].default and not self.most_repeats:
            yield "repeats", f"{self.repeats}: only with 'repeat', not {self.perturbed!r}"

    @property
    def most_repeats(self) -> int:
        return self.repeats if self.perturbed == "repeat" else 0


class RequiredMachine(Section):
    """What a machine must have for a job to measure on it; `null` requires nothing."""

    processor: OneLine | None = key(
        "Processor, such as `EPYC 7763`: a part of the name of its model. With `*` or `?`, the "
        "pattern describes the complete name. Case does not matter.",
        None,
    )
    cores: Repeats | None = key("Number of cores (hardware threads) of the machine, exactly.", None)
    memory_gb: Repeats | None = key(
        "Memory of the machine in GB, exactly, in the size that is built in: 16 for a machine "
        "that reports 15.6.",
        None,
    )
    host: OneLine | None = key("Host name, written in the same way as `processor`.", None)


class RightMachine(Section):
    """Requirements of the machine on which jobs measure."""

    require: RequiredMachine | None = key(
        "What the machine must have. On another machine, a job fails before its first run. After "
        "a change, nothing is measured again.",
        None,
    )

    @property
    def required(self) -> dict[str, Any]:
        """The requirements by key; empty if there are none."""
        return {} if self.require is None else self.require.model_dump(exclude_none=True)


class Figures(Section):
    """Which figures are drawn, and as what. A text or a list alone are its `names`."""

    model_config = ConfigDict(json_schema_extra=or_names)

    names: Choice = key(
        "Figures to draw: `default`, `all`, or a list of names (`default` may be among them); an "
        "empty list: none.",
        ("default",),
    )
    formats: Annotated[tuple[Format, ...], Field(min_length=1, strict=False)] = key(
        "File formats: `pdf`, `png`, `svg`.", ("pdf", "svg")
    )

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: object) -> object:
        return {"names": value} if isinstance(value, str | list | tuple) else value


def _described(of: Any) -> str:
    """The description of a key's type: its own, or the docstring of its class."""
    every = getattr(of, "__metadata__", ())
    own = next((one.description for one in every if getattr(one, "description", None)), None)
    return own or " ".join((of.__doc__ or "").split())


def _extended(kind: Any, part: str) -> Any:
    """A section with the keys that extensions add to a part of the campaign file."""
    added: dict[str, Any] = {
        key: (of | None, Field(default=None, description=_described(of)))
        for key, of in added_keys(part).items()
    }
    return create_model(
        kind.__name__, __base__=kind, __module__=__name__, __doc__=kind.__doc__, **added
    )


if not TYPE_CHECKING:
    AlgorithmSpec = _extended(AlgorithmSpec, "algorithms")


class Campaign(Section):
    """One configuration file and what it produces, in `results/<name>/`."""

    name: Name = key("Name of the campaign, and of its folder in `results/`.")
    seed: CampaignSeed
    problems: ChosenProblems = key(
        "The problems: every function in every dimension on every instance."
    )
    algorithms: Annotated[dict[Name, AlgorithmSpec], AfterValidator(_with_tuned)] = key(
        "The algorithms, each under a label of your choice.", json_schema_extra={"minProperties": 1}
    )
    published: dict[Name, Published] = key(
        "Algorithms with published data, each under a label of your choice. They appear only in "
        "results that count the cost to a target.",
        {},
    )
    budget: Budget = key(
        "Limits of a run. The first limit that a run reaches ends it. At least one is needed."
    )
    restart: Restart = key(
        "Restart policy: when a launch ends, and what follows it.", CHOICES["restart"].usual
    )
    runs: Repeats = key("R: number of runs of each algorithm on each problem.", 15)
    stopping: Stopping = key(
        "Stopping rule: when an algorithm has enough runs on a problem.", CHOICES["stopping"].usual
    )
    rounds: Repeats = key(
        "Number of rounds into which the runs are divided. All algorithms take turns in each "
        "round, so that a slow minute of the machine affects all of them.",
        1,
    )
    block: Literal["node"] | None = key(
        "For clusters with several kinds of nodes. `node`: one job measures all algorithms on a "
        "function, dimension and chunk of instances in a round, one after the other in random "
        "order, on one node. `null`: one job per algorithm.",
        None,
    )
    instances_per_job: Repeats = key(
        "Number of instances that a job measures; increase it for large campaigns.", 1
    )
    limits: Limits = key("Limits that end a run which is out of control.", Limits())
    machine: RightMachine = key(
        "Requirements of the machine on which jobs measure.", RightMachine()
    )
    isolation: IsolationMode = key(
        "`private`: files that a run writes are removed when it ends, so that no other run can "
        "read them. `strict`: as `private`, and the algorithm runs in a process that does not "
        "hold the problem; a second core evaluates for it. `shared`: files stay, for algorithms "
        "that need a cache from run to run.",
        "private",
    )
    network: bool = key(
        "`true`: runs use the network of the machine, for example a licence server or a simulator "
        "on localhost. `false`: each job has a network of its own, with a loopback, so that runs "
        "reach no other run; with `isolation: shared`, runs always use the machine's.",
        False,
    )
    timing: Timing = key("How perturbed runs are treated.", Timing.model_validate({}))
    targets: Targets
    target_values: TargetValues
    statistics: Statistics = key("How results are summarized.", Statistics())
    tables: Choice = key(
        "Tables to make: `default`, `all`, or a list of names (`default` may be among them); an "
        "empty list: only those that the report needs.",
        ("default",),
    )
    figures: Figures = key(
        "Figures to draw, written in the same way; or a section with `names` and `formats`.",
        Figures(),
    )

    @model_validator(mode="before")
    @classmethod
    def _with_usual(cls, value: object) -> object:
        """With the default targets of the suite, and tables in CPU time if the budget is."""
        if not isinstance(value, Mapping):
            return value
        from timefair.problems.suites import SUITES

        problems, budget, given = (value.get(k, {}) for k in ("problems", "budget", "statistics"))
        added: dict[str, object] = {}
        suite = problems.get("suite") if isinstance(problems, Mapping) else problems
        known = SUITES.get(suite) if isinstance(suite, str) else None
        if known and known.targets and "targets" not in value:
            added["targets"] = known.targets
        timed = isinstance(budget, Mapping) and budget.get("cpu_s") is not None
        if timed and isinstance(given, Mapping):
            added["statistics"] = {"time": "cpu", **given}
        return {**value, **added}

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        for label in self.published:
            if label in self.algorithms:
                yield f"published.{label}", "an algorithm already has this label; give another"
        others = [name for name, one in self.algorithms.items() if one.seed_as is None]
        for label, spec in self.algorithms.items():
            key = f"algorithms.{label}"
            if self.is_apart(label) and spec.threads > 1:
                yield f"{key}.threads", f"{spec.threads}: should be 1 with isolation: strict"
            if self.isolation_of(label) == "strict" and self.budget.cpu_s is not None:
                yield "budget.cpu_s", f"not with isolation: strict ({label}), which waits busily"
            name = spec.search.label_of(label) if spec.search else label
            if spec.search and self.algorithms[name].tuned != label:
                said = f"the label of the tuned variant of {label!r}; give another"
                yield f"algorithms.{name}", said
            if spec.tuned is not None and label not in self.tuned:
                yield f"{key}.tuned", f"{spec.tuned!r}: timefair writes this key; remove it"
            if spec.seed_as not in (None, *others):
                said = "should be an algorithm of this campaign, without seed_as"
                yield f"{key}.seed_as", f"{spec.seed_as!r}: {said}"
            if spec.formerly in self.algorithms:
                said = f"{spec.formerly!r}: should not be in the campaign any more"
                yield f"{key}.formerly", said
        if self.block is not None and self.stopping.compares:
            yield (
                "block",
                f"{self.block!r}: all algorithms of a block have runs, and stopping.rule "
                f"{self.stopping.rule!r} lets some rest; choose another rule, or write null",
            )
        if self.rounds > self.runs:
            yield "rounds", f"{self.rounds}: more than runs ({self.runs})"

    @property
    def tuned(self) -> dict[str, Any]:
        """The tuned variants by label, each with the search that determines its parameters."""
        every = self.algorithms
        searches = {k: every[one.tuned].search for k, one in every.items() if one.tuned in every}
        return {k: of for k, of in searches.items() if of and of.label_of(every[k].tuned) == k}

    def of_tuning(self, label: str) -> Campaign:
        """The campaign of the search for a tuned variant; see `Search.alone`."""
        search: Campaign = self.tuned[label].alone(self, label)
        return search

    def with_parameters(self, label: str, found: Mapping[str, Any]) -> Campaign:
        """The campaign with the parameters that a search has found for an algorithm."""
        return self._with(label, {"parameters": {**self.algorithms[label].parameters, **found}})

    def with_length(self, label: str, length: int) -> Campaign:
        schedule = self.algorithms[label].schedule or {}
        return self._with(label, {"schedule": dict.fromkeys(schedule, length)})

    def _with(self, label: str, keys: dict[str, Any]) -> Campaign:
        changed = self.algorithms[label].model_copy(update=keys)
        return self.model_copy(update={"algorithms": {**self.algorithms, label: changed}})

    @property
    def instance_chunks(self) -> list[tuple[int, ...]]:
        every, size = self.problems.instances, self.instances_per_job
        return [every[start : start + size] for start in range(0, len(every), size)]

    @property
    def is_foreign(self) -> bool:
        """Whether the campaign is of imported runs and measures nothing: see `campaign_of`."""
        return not self.algorithms

    @property
    def lacks(self) -> tuple[str, ...]:
        """Costs of imported runs that are not known: seconds, or evaluations, too."""
        if not self.is_foreign or self.budget.time_s is not None:
            return ()
        return ("seconds",) if self.budget.evaluations != 1 else ("seconds", "evaluations")

    @property
    def labels(self) -> tuple[str, ...]:
        """Measured and published."""
        return (*self.algorithms, *self.published)

    @property
    def timed(self) -> tuple[str, ...]:
        """The algorithms whose times are compared."""
        return tuple(self.published if self.is_foreign else self.algorithms)

    def seeds_of(self, label: str) -> str:
        """The label whose seeds an algorithm uses."""
        own = self.algorithms[label].seed_as or label
        return self.algorithms[own].formerly or own

    @property
    def changes_by_clock(self) -> bool:
        from timefair.problems.suites import SUITES

        suite = SUITES.get(self.problems.suite)
        return suite is not None and suite.environments > 1 and self.budget.unit == "seconds"

    def restart_of(self, label: str) -> Restart:
        return self.algorithms[label].restart or self.restart

    def isolation_of(self, label: str) -> IsolationMode:
        return self.algorithms[label].isolation or self.isolation

    def is_apart(self, label: str) -> bool:
        """Whether an algorithm runs in processes that do not hold the problem."""
        use = self.algorithms[label].use
        return self.isolation_of(label) == "strict" and not use.startswith("external:")

    def cores_of(self, label: str) -> int:
        """Cores that a run of an algorithm holds: its threads, and one for a separate evaluator."""
        return self.algorithms[label].threads + self.is_apart(label)

    @property
    def job_cores(self) -> int:
        """Cores of a job that measures several algorithms in turn: the maximum over these."""
        return max(map(self.cores_of, self.algorithms))

    @property
    def reference_is_timed(self) -> bool:
        timed = self.timing.reference
        return self.budget.seconds is not None if timed is None else timed

    def section(self, key: str) -> Any:
        """The section of an extension; None without the section or the extension."""
        return getattr(self, key, None)

    @property
    def table_names(self) -> tuple[str, ...]:
        """The requested tables, with `all` and `default` replaced by names."""
        return self._chosen("tables", self.tables)

    @property
    def figure_names(self) -> tuple[str, ...]:
        """The requested figures, `all` and `default` as names, without those in `lacking`."""
        lacking = self.lacking
        return tuple(n for n in self._chosen("figures", self.figures.names) if n not in lacking)

    def _chosen(self, kind: Literal["tables", "figures"], names: Choice) -> tuple[str, ...]:
        """These, and what keys of extensions request, without those of unknown costs."""
        from timefair.exhibits import registry

        added = [
            name
            for one in filter(self._has_key_of, extensions().values())
            for name in getattr(one, kind)
            if not self.lacks
            or name in one.of_values
            or (self.lacks == ("seconds",) and name.endswith("_evaluations"))
        ]
        return registry.chosen((*names, *added), getattr(registry, kind.upper()))

    @property
    def lacking(self) -> dict[str, str]:
        """By name of a requested figure, what the campaign lacks for it."""
        from timefair.exhibits.registry import FIGURES
        from timefair.problems.kinds import NEEDED
        from timefair.problems.suites import find

        missing, known = {}, None
        cap = self.statistics.run_count.cap
        if self.runs < cap and (self.is_foreign or not self.published):
            missing["samples"] = f"needs statistics.run_count.cap ({cap}) runs"
        with suppress(InputError):
            known = find(self.problems.suite, self.problems.parameters)
        for kind in NEEDED:
            if known is None or not issubclass(known.kind, kind):
                missing[kind.said] = f"needs a suite with {kind.said}"
        needs = {name: FIGURES[name].needs for name in self._chosen("figures", self.figures.names)}
        return {name: missing[need] for name, need in needs.items() if need in missing}

    @property
    def not_drawn(self) -> list[str]:
        """One line for each figure that is requested by name and cannot be drawn."""
        return [
            f"figures: {name}: is not drawn; it {reason}"
            for name, reason in self.lacking.items()
            if name in self.figures.names
        ]

    def pages_of(self, figure: str) -> tuple[Page, ...]:
        """The pages of a figure: the overview first, or the only page."""
        from timefair.exhibits.registry import FIGURES

        chosen, count = self.problems, len(self.labels)
        return FIGURES[figure].pages(chosen.dimensions, chosen.functions, count)

    @property
    def figure_files(self) -> tuple[str, ...]:
        """The file names of all pages of all figures, without their extensions."""
        return tuple(page.file(name) for name in self.figure_names for page in self.pages_of(name))

    @property
    def made_tables(self) -> tuple[str, ...]:
        """The requested tables, those that figures are drawn from, and those of every report."""
        from timefair.exhibits.registry import FIGURES

        needed = {*self.table_names, *(FIGURES[figure].table for figure in self.figure_names)}
        needed |= {*(REPORTED_FOREIGN if self.is_foreign else REPORTED)}
        if any(spec.schedule for spec in self.algorithms.values()):
            needed.add("restarts")
        for one in extensions().values():
            for_keys = any(getattr(self, key) is not None for key in one.reported_for)
            if for_keys or self._has_key_of(one):
                needed |= {*one.reported}
        return tuple(sorted(needed))

    def _has_key_of(self, one: Extension) -> bool:
        of_algorithms = product(self.algorithms.values(), one.sections_of("algorithms"))
        sections = chain(product([self], one.sections_of("")), of_algorithms)
        return any(getattr(section, key) is not None for section, (key, _) in sections)

    @property
    def analysis_settings(self) -> dict[str, Any]:
        """The settings with which tables are made: the arguments of `rundata.settings.Analysis`."""
        chosen = self.problems
        ancillary = {label: spec.ancillary for label, spec in self.algorithms.items()}
        return {
            "targets": self.targets,
            "target_values": self.target_values,
            **self.statistics.model_dump(),
            "perturbed": self.timing.perturbed,
            "seed": self.seed,
            "tuning_s": {label: of.tuning_s for label, of in ancillary.items()},
            "preparation_s": {label: of.preparation_s for label, of in ancillary.items()},
            "problems": chosen.count,
            "restarted_by_seconds": {
                label: f"restart.{key}"
                for label in self.algorithms
                if (key := self.restart_of(label).seconds_key)
            },
            "function_names": chosen.given_names if chosen.names else {},
            "suite_parameters": chosen.parameters,
        }

    def settings_of(self, table: str) -> dict[str, Any]:
        """The settings of one table; for the checklist, also the complete configuration."""
        from timefair.exhibits.registry import TABLES

        if not TABLES[table].asked:
            return self.analysis_settings
        asked = self.model_dump(mode="json")
        named = {"tables": list(self.table_names), "figures": list(self.figure_names)}
        return {**self.analysis_settings, "campaign": asked | named}

    def snapshot(self) -> str:
        """The campaign as JSON, with all defaults; `restore` reads it."""
        return json.dumps(self.model_dump(mode="json"), indent=1) + "\n"


REPORTED = ("checklist", "perturbation", "drift", "leftovers", "timing_noise", "runs")
"""Tables on the measurement, made for the report even if they are not requested."""

REPORTED_FOREIGN = ("checklist", "runs")  # those of them that apply to imported runs

if not TYPE_CHECKING:
    Campaign = _extended(Campaign, "")


def json_schema() -> str:
    """The JSON schema of a campaign file, with one line per property of a section."""
    text = json.dumps(Campaign.model_json_schema(), indent=1)
    return re.sub(r"\n {4}(?: +|(?=[\]}]))", "", text) + "\n"
