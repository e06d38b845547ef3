"""False alarms and power of `timefair audit --bias`, from repeated audits.

    python benchmarks/bias.py measure FILE ALGORITHM FIRST LAST
    python benchmarks/bias.py table FILE

The first audits an algorithm with the seeds from FIRST to LAST and appends a line of JSON for each
to FILE; seeds that are there are skipped. The second prints, per algorithm and test, in how many
audits it had a finding, and the quantiles of the factors. The biased algorithms are
``tests/extensions/bias/biased.py:origin``, ``:centre``, ``:bounds`` and ``:axes``.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from timefair.algorithms import registry
from timefair.extensions.bias.probe import probe
from timefair.linux import kernel


def measure(file: Path, use: str, first: int, last: int) -> None:
    kernel.adopt_orphans()
    algorithm = registry.load(use, {})
    algorithm.prepare()
    done = {(row["use"], row["seed"]) for row in rows(file)}
    for seed in range(first, last + 1):
        if (use, seed) not in done:
            found = [vars(one) for one in probe(algorithm, use, seed)]
            with file.open("a") as out:
                print(json.dumps({"use": use, "seed": seed, "found": found}), file=out)


def rows(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def share(count: int, total: int) -> str:
    low, high = binomtest(count, total).proportion_ci(method="exact")
    return f"{count} of {total}, 95 % interval {100 * low:.1f} to {100 * high:.1f} %"


def table(file: Path) -> None:
    audits = defaultdict(list)
    for row in rows(file):
        audits[row["use"]].append(row["found"])
    for use, found in audits.items():
        any_kind = sum(any(one["found"] for one in audit) for audit in found)
        print(f"{use}: any finding in {share(any_kind, len(found))}")
        for tests in zip(*found, strict=True):
            factors = np.quantile([one["factor"] for one in tests], [0, 0.5, 1])
            count = sum(one["found"] for one in tests)
            print(
                f"  {tests[0]['kind']}, {tests[0]['problems']}:", share(count, len(tests)), end=""
            )
            print("; factors", *(f"{factor:.3g}" for factor in factors))


if __name__ == "__main__":
    if sys.argv[1] == "measure":
        measure(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        table(Path(sys.argv[2]))
