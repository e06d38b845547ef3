"""Detects perturbed runs: reads counters before and after each run, judges the run, and may repeat
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from timefair.measure.perturbation.interference import judge
from timefair.measure.perturbation.reference import Reference
from timefair.measure.perturbation.surroundings import Counters
from timefair.records.status import Perturbation

Row = dict[str, Any]


class RunMonitor:
    """Measures the runs of one job, one right after the other, and detects perturbed ones.

    Parameters
    ----------
    cores
        The cores that the job holds and that this process is pinned to.
    reference
        Whether the reference kernel is timed around each run.
    parts
        Parts of the kernel, see `timefair.measure.perturbation.reference.Reference`.
    repeats
        Maximal number of repetitions of a perturbed run.
    """

    def __init__(
        self, cores: Iterable[int], *, reference: bool, repeats: int = 0, parts: int = 1
    ) -> None:
        self._counters = Counters(cores)
        self._reference = Reference(parts) if reference else None
        self._repeats = repeats

    @property
    def reference_spent_s(self) -> float:
        """Seconds of wall clock that the reference kernel has taken so far."""
        return self._reference.spent_s if self._reference else 0.0

    def measure(self, run: Callable[[], Row]) -> Row:
        """Measure a run, and repeat it at once until it is not perturbed.

        There are at most `repeats` repetitions, and the last one counts. All repetitions have the
        same seed, and whether a run is repeated does not depend on its result, so no result is
        preferred.

        Parameters
        ----------
        run
            Measures one run. Its row has at least ``real_s``, ``charged_s`` and
            ``foreign_delay_s``.

        Returns
        -------
        dict
            The row of the last repetition with ``repeats``, ``perturbation``, ``perturbed_by``, the
            increase of each counter (see `surroundings.Surroundings`), and the seconds of the
            reference kernel before and after the run.
        """
        row = self._observed(run)
        repeats = 0
        while row["perturbation"] == Perturbation.PERTURBED and repeats < self._repeats:
            repeats += 1
            row = self._observed(run)
        return row | {"repeats": repeats}

    def _observed(self, run: Callable[[], Row]) -> Row:
        reference = self._reference
        before_s = reference.last_s if reference else None
        before = self._counters.look()
        row = run()
        added = self._counters.look().since(before)
        after_s = reference.take() if reference else None
        mean_s = (before_s + after_s) / 2 if before_s and after_s else None
        best_s = reference.best_s if reference else None
        perturbation, reason = judge(
            row["real_s"], row["foreign_delay_s"], mean_s, best_s, row["charged_s"]
        )
        return {
            **row,
            **added._asdict(),
            "reference_before_s": before_s,
            "reference_after_s": after_s,
            "perturbation": perturbation,
            "perturbed_by": reason,
        }
