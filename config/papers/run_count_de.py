"""Write the DE portfolio of the run-count paper: its 104 configurations and its campaigns.

    python config/papers/run_count_de.py

T. Eftimov and P. Korošec, Adaptive Estimation of the Number of Algorithm Runs in Stochastic
Optimization, GECCO 2025: twelve strategies with F and CR drawn from (0, 1), 104 configurations in
all, NP = D. The paper does not list what it drew, so these are drawn anew. The strategies take
turns: eight rounds, and a ninth for the first eight, which are rand/1, rand/2, best/1 and best/2
with both crossovers. Each turn draws F, then CR, uniformly from .0001, .0002, ... .9999 by
``numpy.random.default_rng(2025)``.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from timefair.algorithms.builtin.differential_evolution.strategies import STRATEGIES

SEED, CONFIGURATIONS = 2025, 104

CAMPAIGN = """\
# {title}
# Written by run_count_de.py, which says how F and CR were drawn: change it there.

name: {name}
seed: 2025

problems:
  suite: bbob
  functions: {functions}
  dimensions: {dimensions}
  instances: {instances}

budget:
  evaluations_per_dimension: 10000
  final_target: 1e-8

restart:
  policy: none

runs: 50
instances_per_job: 15

tables:
  - runs
  - run_count_accuracy
  - run_count_savings
  - run_count_groups
  - run_count_rules
  - run_count_reliability
figures:
  - run_count_configurations
  - run_count_dimensions
  - run_count_problems
  - run_count_algorithms
  - run_count_rules
  - run_count_reliability

algorithms:
"""

ALGORITHM = """\
  {0.label}:
    use: timefair:DE
    parameters: {{strategy: {0.strategy}, F: {0.F}, CR: {0.CR}, population_per_dimension: 1, patience: 100}}
"""  # noqa: E501

FULL = {
    "title": "The DE portfolio of the run-count paper: 5,616,000 runs, about 200 core-hours.",
    "name": "run-count-de",
    "functions": "1-24",
    "dimensions": "[10, 20, 40]",
    "instances": "1-15",
}
SMALL = {
    "title": "The DE portfolio of the run-count paper, small: about half an hour on two cores.",
    "name": "run-count-de-small",
    "functions": "[1, 8, 10, 15, 21]",
    "dimensions": "10",
    "instances": "1",
}


class Configuration(NamedTuple):
    """A row of ``de-configurations.csv``, all of it text."""

    label: str
    strategy: str
    F: str
    CR: str


def configurations() -> list[Configuration]:
    """The 104 configurations, in the order in which they are drawn."""
    rng = np.random.default_rng(SEED)
    drawn = []
    for turn in range(CONFIGURATIONS):
        round, place = divmod(turn, len(STRATEGIES))
        strategy = list(STRATEGIES)[place]
        F, CR = (f"{k / 10_000:.4f}" for k in rng.integers(1, 10_000, size=2))
        label = f"DE-{strategy.replace('/', '-')}-{round + 1:02}"
        drawn.append(Configuration(label, strategy, F, CR))
    return drawn


def files() -> dict[str, str]:
    """What each file beside this one holds, by its name."""
    portfolio = configurations()
    rows = [",".join(row) for row in (Configuration._fields, *portfolio)]
    algorithms = "".join(map(ALGORITHM.format, portfolio))
    campaigns = {
        f"{keys['name']}.yaml": CAMPAIGN.format(**keys) + algorithms for keys in (FULL, SMALL)
    }
    return {"de-configurations.csv": "\n".join(rows) + "\n", **campaigns}


if __name__ == "__main__":
    for name, text in files().items():
        Path(__file__).with_name(name).write_text(text, encoding="utf-8")
