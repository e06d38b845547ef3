"""What tests of rules for numbers of runs share: kept values, and a rule asked after each run."""

from typing import NamedTuple

import numpy as np

from timefair.statistics.run_count.stopping_rules import Reason, decide, fences


def is_kept(sample, outliers):
    low, high = fences(np.sort(np.asarray(sample, dtype=float)), outliers)
    return (low <= np.asarray(sample)) & (np.asarray(sample) <= high)


class StopPath(NamedTuple):
    """Where a rule stopped and why, with the numbers that it computed from `start` to n."""

    n: int
    reason: Reason
    path: np.ndarray


def stopping(rule, sample):
    """Where a rule stops on a complete sample if it is asked after each run."""
    decisions = []
    for n in range(rule.start, rule.cap + 1):
        decisions.append(decide(rule, sample[:n]))
        if decisions[-1].stop:
            break
    return StopPath(n, decisions[-1].reason, np.array([one.value for one in decisions]))
