"""What a user chooses about the analysis; nothing here changes a measurement."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

Clock = Literal["wall", "cpu", "reference"]
CLOCKS: tuple[Clock, ...] = ("wall", "cpu", "reference")


@dataclass(frozen=True)
class RunCount:
    """How rules for the number of runs are judged.

    Attributes
    ----------
    cap
        Runs of a complete sample, at least 5; what a cell has beyond them is independent truth.
    taus, outliers
        The settings of the skewness rule: every combination.
    judge, resamples, seeds
        ``analytic``, or ``resampled`` with so many resamples and repetitions.
    width
        Relative width of the rules that keep a promise.
    bounds
        Least and greatest value that a best precision can have, for the anytime-valid interval of
        the mean; without them it is not compared.
    """

    cap: int = 50
    taus: tuple[float, ...] = (0.05, 0.1, 0.15, 0.2)
    outliers: tuple[str, ...] = ("iqr", "percentile", "mad")
    judge: Literal["analytic", "resampled"] = "analytic"
    resamples: int = 1000
    seeds: int = 10
    width: float = 0.5
    bounds: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.cap < 5:
            raise ValueError(f"cap must be at least 5, not {self.cap}")


@dataclass(frozen=True)
class Analysis:
    """Settings that all tables share.

    Attributes
    ----------
    targets
        Precisions to reach, each finite and at least 0, without repetition.
    relative_targets
        Shares in (0, 1) of the way from a problem's first evaluations to the best that any
        algorithm found there; see `timefair.statistics.targets`. May be empty.
    quantiles
        Probabilities in (0, 1] of the quantiles table.
    confidence
        Nominal coverage of intervals, in (0, 1).
    resamples
        Bootstrap samples of an interval.
    seed
        Of the bootstrap. The draws of a row depend on it and on the row's own names only, so that
        another algorithm in the campaign does not change them.
    band
        Probabilities of the edges of the band around a median trajectory.
    executions
        Numbers of executions k of which the best is reported, each at least 1.
    ancillary
        ``amortised``: tables in seconds charge each run its share of tuning and preparation.
    tuning_s, preparation_s
        For each algorithm that has declared them, seconds for all problems together; a
        preparation that is None is taken as measured.
    disturbed
        ``exclude``: tables of results leave disturbed runs out.
    time
        The clock whose seconds they have; see `Runs.timed_by`.
    mixed
        ``allow``: runs of different machines, software, code or configurations may be in a table.
    run_count
        How rules for the number of runs are judged.
    campaign
        What was asked for, as the campaign's snapshot has it, with the names of all tables and
        figures; the checklist alone reads it.
    problems
        Problems that those seconds are shared out among, at least 1.
    """

    targets: tuple[float, ...]
    quantiles: tuple[float, ...] = (0.1, 0.5, 0.9)
    confidence: float = 0.95
    resamples: int = 1000
    seed: int = 0
    band: tuple[float, float] = (0.25, 0.75)
    relative_targets: tuple[float, ...] = (1e-1, 1e-3, 1e-5)
    executions: tuple[int, ...] = (1, 2, 3, 5, 10, 20, 50)
    ancillary: Literal["excluded", "amortised"] = "excluded"
    tuning_s: Mapping[str, float] = field(default_factory=dict)
    preparation_s: Mapping[str, float | None] = field(default_factory=dict)
    problems: int = 1
    disturbed: Literal["flag", "exclude", "repeat"] = "flag"
    time: Clock = "wall"
    mixed: Literal["refuse", "allow"] = "refuse"
    run_count: RunCount = field(default_factory=RunCount)
    campaign: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Analysis:
        """The settings as a campaign has them, its section ``run_count`` as a mapping."""
        return cls(**{**settings, "run_count": RunCount(**settings["run_count"])})

    def __post_init__(self) -> None:
        if not self.targets or not all(0 <= t < math.inf for t in self.targets):
            raise ValueError(f"targets must be finite and at least 0, got {self.targets}")
        if len(set(self.targets)) < len(self.targets):
            raise ValueError(f"targets must not repeat, got {self.targets}")
        if not all(0 < share < 1 for share in self.relative_targets):
            raise ValueError(f"relative targets must lie in (0, 1), got {self.relative_targets}")
        if not self.executions or not all(k >= 1 for k in self.executions):
            raise ValueError(f"executions must be at least 1, got {self.executions}")
        if self.problems < 1:
            raise ValueError(f"problems must be at least 1, not {self.problems}")
        if not self.quantiles or not all(0 < p <= 1 for p in self.quantiles):
            raise ValueError(f"quantiles must lie in (0, 1], got {self.quantiles}")
        if not 0 < self.confidence < 1:
            raise ValueError(f"confidence must lie in (0, 1), not {self.confidence}")
        if self.resamples < 1:
            raise ValueError(f"resamples must be at least 1, not {self.resamples}")
        if self.seed < 0:
            raise ValueError(f"seed must not be negative, not {self.seed}")
        if not 0 <= self.band[0] <= self.band[1] <= 1:
            raise ValueError(f"band must be two rising probabilities, not {self.band}")

    def stream(self, names: Mapping[str, object]) -> np.random.Generator:
        """The random stream of a row: by the seed and the row's own names alone."""
        text = repr(sorted(names.items()))
        return np.random.default_rng([self.seed, zlib.crc32(text.encode())])

    @property
    def targets_from_easy(self) -> tuple[float, ...]:
        """The targets, largest precision first: the order of rows in every table."""
        return tuple(sorted(self.targets, reverse=True))

    @property
    def asked_tables(self) -> tuple[str, ...]:
        """The tables that the campaign asked for."""
        return tuple(self.campaign.get("tables", ()))

    @property
    def asked_figures(self) -> tuple[str, ...]:
        """The figures that the campaign asked for."""
        return tuple(self.campaign.get("figures", ()))
