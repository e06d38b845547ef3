"""The user's settings of the analysis; none of them changes a measurement."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from timefair.basics.sections import (
    Bounds,
    CampaignView,
    Choice,
    Cost,
    Count,
    Distinct,
    Fault,
    Finite,
    Positive,
    Repeats,
    Resamples,
    Section,
    Seed,
    Share,
    Technique,
)

if TYPE_CHECKING:
    import numpy as np

Clock = Literal["wall", "cpu", "reference"]
CLOCKS: tuple[Clock, ...] = ("wall", "cpu", "reference")
NoisyValue = Literal["recommended", "best_measured", "best_evaluated", "measured"]
"""What tables use of a noisy run: by a rule of `statistics.runtimes`, or as measured."""
EVERY_PAIR, WITH_THE_BEST = "all", "best"  # values of ``pairs`` other than labels of algorithms


class RunCount(Section):
    """How the tables on numbers of runs judge rules, on cells with at least `cap` runs."""

    cap: Annotated[Repeats, Field(ge=5)] = Field(
        default=50,
        description="Number of runs in a complete sample. Further runs are an independent sample "
        "of the truth.",
    )
    taus: Annotated[tuple[Cost, ...], Field(min_length=1, strict=False)] = Field(
        default=(0.05, 0.1, 0.15, 0.2), description="Limits of the skewness that are compared."
    )
    outliers: Annotated[tuple[Technique, ...], Field(min_length=1, strict=False)] = Field(
        default=("iqr", "percentile", "mad"), description="Outlier filters that are compared."
    )
    width: Positive = Field(
        default=0.5, description="Width of the rules with a promise, as a share of the estimate."
    )
    bounds: Bounds | None = Field(
        default=None,
        description="Smallest and largest best precision that a run can have, known in advance, "
        "such as `[0, 100]`. The anytime-valid interval of the mean needs them; `null`: this "
        "interval is not compared.",
    )


class Matters(Section):
    """What matters to the reader of `timefair compare`."""

    ratio: Annotated[Positive, Field(ge=1)] = Field(
        default=1.1,
        description="Ratio of the costs of two versions above which a difference matters; "
        "`timefair compare` calls versions equal below it.",
    )


class Statistics(Section):
    """How results are summarized; a change measures nothing again."""

    quantiles: Annotated[tuple[Share, ...], Field(min_length=1, strict=False), Distinct] = Field(
        default=(0.1, 0.5, 0.9), description="Quantiles: peak, average and bad case."
    )
    confidence: Share = Field(default=0.95, description="Confidence of the intervals.")
    resamples: Resamples = Field(default=1000, description="Bootstrap resamples.")
    executions: Annotated[tuple[Count, ...], Field(min_length=1, strict=False)] = Field(
        default=(1, 2, 3, 5, 10, 20, 50),
        description="Numbers of executions k, for the best of k runs.",
    )
    ancillary: Literal["excluded", "amortised"] = Field(
        default="excluded",
        description="`amortised`: every table in seconds charges each run its share of tuning and "
        "preparation. The table `ancillary` shows the effect in either case.",
    )
    time: Clock = Field(
        default="wall",
        description="Clock of the tables in seconds: wall clock, CPU time, or CPU time in units of "
        "the reference kernel.",
    )
    noisy_value: NoisyValue = Field(
        default="recommended",
        description="What a noisy run has found, where the value without noise is known. "
        "`recommended`: the value without noise of the point that the run recommends, which its "
        "user would get. `best_measured`: of the best measured point. `best_evaluated`: the best "
        "value without noise of all evaluated points, as COCO has it. `measured`: the best "
        "measured value. The table `noise` has all four.",
    )
    workers: Count = Field(
        default=1,
        description="Number of evaluations of a batch that run at the same time on your machines. "
        "The tables on the cost of an evaluation count ⌈n / workers⌉ for a batch of n points.",
    )
    pairs: Annotated[Choice, Field(min_length=1)] | None = Field(
        default=None,
        description="Pairs of algorithms in the tables of pairs. `all`: all pairs. `best`: pairs "
        "with the best algorithm. A list of algorithms: pairs with one of these. `null`: `all` for "
        "up to 12 algorithms, `best` for more.",
    )
    matters: Matters = Field(
        default=Matters(), description="How large a difference has to be to matter."
    )
    mixed: Literal["refuse", "allow"] = Field(
        default="refuse",
        description="`allow`: a table may contain runs of different machines, software, code or "
        "configurations.",
    )
    run_count: RunCount = Field(
        default=RunCount(),
        description="Settings of the tables that compare stopping rules and numbers of runs.",
    )

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        if self.time == "reference" and not campaign.reference_is_timed:
            yield "time", "'reference': needs timing.reference: true"
        if self.time == "wall" and campaign.budget.cpu_s is not None:
            yield "time", "'wall': with budget.cpu_s, runs have no other clock; write 'cpu'"
        if self.time != "wall" and campaign.budget.evaluation_cost_s:
            yield "time", f"{self.time!r}: with budget.evaluation_cost_s write 'wall'"
        suite = campaign.problems.suite
        if self.noisy_value == "best_evaluated" and ":" in suite:
            yield (
                "noisy_value",
                f"{self.noisy_value!r}: of {suite} the values without noise are not known of all "
                "evaluated points; write 'recommended' or 'best_measured'",
            )
        if campaign.published and suite == "bbob-noisy" and self.noisy_value != "best_evaluated":
            yield (
                "noisy_value",
                f"{self.noisy_value!r}: published data of {suite} have the best value without "
                "noise of all evaluated points; write 'best_evaluated'",
            )
        if self.pairs not in (None, (EVERY_PAIR,), (WITH_THE_BEST,)):
            for label in self.pairs or ():
                if label not in campaign.algorithms and label not in campaign.published:
                    yield (
                        "pairs",
                        f"{label!r}: should be {EVERY_PAIR!r}, {WITH_THE_BEST!r} or algorithms of "
                        "this campaign",
                    )
        if self.time != "wall" and self.ancillary == "amortised":
            yield (
                "time",
                f"{self.time!r}: ancillary cost is in seconds of the wall clock; with "
                "statistics.ancillary 'amortised' write 'wall'",
            )


USUAL_TARGETS = tuple(float(f"1e{k}") for k in range(2, -9, -1))
"""Precisions, for problems with a known optimum."""
CURVE_TARGETS = 51  # number of targets of an ECDF, as in COCO
USUAL_SHARES = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
"""Shares of what was found, for problems without one."""

Targets = Annotated[
    tuple[Finite, ...],
    Distinct,
    Field(
        min_length=1,
        strict=False,
        default=USUAL_TARGETS,
        description="Target precisions. The tables report the time to reach each of them. If the "
        "optimum of a problem is unknown, targets are shares of the distance from its first values "
        "to the best value found: the target 0.1 is reached when a tenth of it is left. The "
        "default is then 0.5 to 0.001. With two objectives, targets are precisions of the "
        "hypervolume indicator, which can be 0 and negative, and the default is the 58 targets of "
        "COCO, 1 to -1e-4. In the suite `moving`, the default is 100 to 0.1.",
    ),
]
TargetValues = Annotated[
    tuple[Finite, ...],
    Distinct,
    Field(
        strict=False,
        default=(),
        description="Target values of f, instead of `targets`, for your own function.",
    ),
]
CampaignSeed = Annotated[
    Seed,
    Field(default=1, description="Seed from which every random stream of the campaign is derived."),
]
Perturbed = Annotated[
    Literal["flag", "exclude", "repeat"],
    Field(
        default="flag",
        description="`flag`: perturbed runs count, and every table states their number. `exclude`: "
        "tables of results omit them. `repeat`: each perturbed run is repeated at once.",
    ),
]


class Analysis(Statistics):
    """The settings that all tables share: the section `statistics`, and others that they read.

    - `targets`, `target_values`, `seed`, `perturbed`: As in the campaign file. The draws of a row
      depend on the seed and its own names only.
    - `tuning_s`, `preparation_s`, `problems`: For each algorithm that declares them, seconds for
      all problems together (None: measured), and the number of problems among which they are
      divided, at least 1.
    - `restarted_by_seconds`: For each algorithm whose launches end by seconds, the key for that.
    - `function_names`, `suite_parameters`: The names that the campaign gives functions, by suite
      and number as text; the parameters.
    - `added`, `campaign`: What extensions add, by their names; the campaign's snapshot, with the
      names of all tables and figures, which only the checklist reads.
    """

    targets: Targets
    target_values: TargetValues
    seed: CampaignSeed
    perturbed: Perturbed
    band: ClassVar[tuple[float, float]] = (0.25, 0.75)  # around a median trajectory
    tuning_s: dict[str, float] = Field(default={})
    preparation_s: dict[str, float | None] = Field(default={})
    problems: Count = 1
    restarted_by_seconds: dict[str, str] = Field(default={})
    function_names: dict[str, dict[str, str]] = Field(default={})
    suite_parameters: dict[str, Any] = Field(default={})
    added: dict[str, Any] = Field(default={})
    campaign: dict[str, Any] = Field(default={})

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Self:
        return cls(**settings)

    def suited(self, optimum: str) -> Analysis:
        """The same settings with the targets that suit runs whose optima are a `Runs.optimum`."""
        if self.target_values:
            return self.model_copy(update={"targets": self.target_values})
        if optimum == "unknown" and self.targets == USUAL_TARGETS:
            return self.model_copy(update={"targets": USUAL_SHARES})
        return self

    def stream(self, names: Mapping[str, object]) -> np.random.Generator:
        """The random stream of a row; it depends only on the seed and the row's own names."""
        import numpy as np

        text = repr(sorted(names.items()))
        return np.random.default_rng([self.seed, zlib.crc32(text.encode())])

    @property
    def curve_targets(self) -> tuple[float, ...]:
        """The targets of ECDFs: `CURVE_TARGETS` between the easiest and the hardest, in log steps.

        Values of f, a single target, and targets of which one is not positive are used as they are.
        """
        wanted = sorted(set(self.targets), reverse=True)
        few = 1 < len(wanted) < CURVE_TARGETS
        if self.target_values or not few or wanted[-1] <= 0:
            return self.targets
        easiest, hardest, steps = wanted[0], wanted[-1], CURVE_TARGETS - 1
        between = (easiest * (hardest / easiest) ** (k / steps) for k in range(1, steps))
        return (easiest, *between, hardest)

    @property
    def targets_from_easy(self) -> tuple[float, ...]:
        """The targets, largest precision first: the order of rows in every table."""
        return tuple(sorted(self.targets, reverse=True))

    @property
    def asked_tables(self) -> tuple[str, ...]:
        return tuple(self.campaign.get("tables", ()))
