"""The functions of the CEC2022 competition, equal to the organizers' program.

A. Kumar, K. V. Price, A. W. Mohamed, A. A. Hadi, P. N. Suganthan, *Problem Definitions and
Evaluation Criteria for the CEC 2022 Special Session and Competition on Single Objective Bound
Constrained Numerical Optimization*, 2021. Functions 1-5 are basic functions, 6-8 hybrids, 9-12
compositions. D is 2, 10 or 20; 6-8 do not exist in D = 2. The bounds are -100 and 100.

The organizers' shifts, rotations and orders of the variables are read from the package opfunu,
which is not imported: ``pip install 'timefair[cec]'``. There is one instance. Values are equal to
those of the program within 1e-12, relatively, where it differs from the report, too:

- f3 (Schaffer's F7) is not rotated.
- f4 (non-continuous Rastrigin) has no steps: it is Rastrigin's function.
- In f7, Schaffer's F7 reads the first variables instead of those of its group. The last fifth of
  the variables in the order of the groups has no effect.
- In f10, Schwefel's function is not rotated.

The optimum is the shift, and its value is the one of the report in every function.
"""

from __future__ import annotations

from collections.abc import Mapping

from timefair.problems import compiled as cec
from timefair.problems.base import numbered
from timefair.problems.cec_suites import Cec, Formula, Hybrid, composed


class Cec2022(Cec):
    name = "cec2022"
    year = 2022
    functions = range(1, 13)
    dimensions = (2, 10, 20)
    undefined: Mapping[int, frozenset[int]] = {2: frozenset((6, 7, 8))}
    names: Mapping[int, str] = numbered(
        1,
        *("Zakharov", "Rosenbrock", "Schaffer F7", "Rastrigin", "Levy"),
        *(f"hybrid {k}" for k in range(1, 4)),
        *(f"composition {k}" for k in range(1, 5)),
    )
    groups: Mapping[str, range] = {
        "basic": range(1, 6),
        "hybrid": range(6, 9),
        "composition": range(9, 13),
    }
    at_optimum: Mapping[int, float] = dict(
        enumerate((300, 400, 600, 800, 900, 1800, 2000, 2200, 2300, 2400, 2600, 2700), start=1)
    )
    # fmt: off
    formulas: Mapping[int, Formula] = {
        1: cec.ZAKHAROV,
        2: cec.ROSENBROCK,
        3: cec.SCHAFFER_F7,
        4: cec.RASTRIGIN,
        5: cec.LEVY,
        6: Hybrid((cec.BENT_CIGAR, cec.HGBAT, cec.RASTRIGIN), (0.4, 0.4, 0.2)),
        7: Hybrid(
            (cec.HGBAT, cec.KATSUURA, cec.ACKLEY, cec.RASTRIGIN, cec.SCHWEFEL, cec.SCHAFFER_F7),
            (0.1, 0.2, 0.2, 0.2, 0.1, 0.2),
        ),
        8: Hybrid(
            (cec.KATSUURA, cec.HAPPYCAT, cec.GRIEWANK_ROSENBROCK, cec.SCHWEFEL, cec.ACKLEY),
            (0.3, 0.2, 0.2, 0.1, 0.2),
        ),
        9: composed(
            (cec.ROSENBROCK, 10, 1e4, 1e4), (cec.ELLIPTIC, 20, 1e10, 1e4),
            (cec.BENT_CIGAR, 30, 1e30, 1e4), (cec.DISCUS, 40, 1e10, 1e4),
            (cec.ELLIPTIC, 50, 1e10, 1e4, False), biases=(0, 200, 300, 100, 400)
        ),
        10: composed(
            (cec.SCHWEFEL, 20, 1, 1, False), (cec.RASTRIGIN, 10), (cec.HGBAT, 10),
            biases=(0, 200, 100)
        ),
        11: composed(
            (cec.SCHAFFER_F6, 20, 2e7, 1e4), (cec.SCHWEFEL, 20), (cec.GRIEWANK, 30, 100, 1e3),
            (cec.ROSENBROCK, 30), (cec.RASTRIGIN, 20, 1e3, 1e4), biases=(0, 200, 300, 400, 200)
        ),
        12: composed(
            (cec.HGBAT, 10, 1e3, 1e4), (cec.RASTRIGIN, 20, 1e3, 1e4), (cec.SCHWEFEL, 30, 4e3, 1e4),
            (cec.BENT_CIGAR, 40, 1e30, 1e4), (cec.ELLIPTIC, 50, 1e10, 1e4),
            (cec.SCHAFFER_F6, 60, 2e7, 1e4), biases=(0, 300, 500, 100, 400, 200)
        ),
    }
    # fmt: on


CEC2022 = Cec2022()
"""The functions of the CEC2022 competition, as distributed."""
