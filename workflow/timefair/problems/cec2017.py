"""The functions of the CEC2017 competition, equal to the organizers' program.

N. H. Awad, M. Z. Ali, J. J. Liang, B. Y. Qu, P. N. Suganthan, *Problem Definitions and Evaluation
Criteria for the CEC 2017 Special Session and Competition on Single Objective Bound Constrained
Real-Parameter Numerical Optimization*, 2016. Functions 1-10 are basic functions, 11-20 hybrids,
21-30 compositions. D is 10, 30, 50 or 100, and 2 for functions 1-10 and 21-28. The bounds are
-100 and 100. The organizers removed f2 from the competition: ``functions: 1,3-30``.

The organizers' shifts, rotations and orders of the variables are read from the package opfunu,
which is not imported: ``pip install 'timefair[cec]'``. There is one instance. Values are equal to
those of the program within 1e-12, relatively, where it differs from the report, too:

- f6 (Schaffer's F7) is not rotated.
- f8 (non-continuous Rastrigin) has no steps: it is Rastrigin's function.
- The minimum of f9 (Levy) is 900 where the shifted and rotated variables are 1; at the shift, the
  value is between 900.7 and 909.6.
- In f14 and f20, Schaffer's F7 reads the first variables instead of those of its group, and those
  of its group have no effect.
- f2 is compiled as C++. As C, the program takes the absolute value of whole numbers.

f_opt is 100 times the number of the function, which is the minimum of the program.
"""

from __future__ import annotations

from collections.abc import Mapping

from timefair.problems import compiled as cec
from timefair.problems.base import numbered
from timefair.problems.cec_suites import Cec, Formula, Hybrid, composed

BASIC = (
    *(cec.BENT_CIGAR, cec.DIFFERENT_POWERS, cec.ZAKHAROV, cec.ROSENBROCK, cec.RASTRIGIN),
    *(cec.SCHAFFER_F7, cec.LUNACEK, cec.RASTRIGIN, cec.LEVY_2017, cec.SCHWEFEL),
)
FIFTHS = (0.2,) * 5
HYBRID_5 = Hybrid((cec.BENT_CIGAR, cec.HGBAT, cec.RASTRIGIN, cec.ROSENBROCK), (0.2, 0.2, 0.3, 0.3))
HYBRID_6 = Hybrid((cec.SCHAFFER_F6, cec.HGBAT, cec.ROSENBROCK, cec.SCHWEFEL), (0.2, 0.2, 0.3, 0.3))
HYBRID_7 = Hybrid(
    (cec.KATSUURA, cec.ACKLEY, cec.GRIEWANK_ROSENBROCK, cec.SCHWEFEL, cec.RASTRIGIN),
    (0.1, 0.2, 0.2, 0.2, 0.3),
)
HYBRID_8 = Hybrid((cec.ELLIPTIC, cec.ACKLEY, cec.RASTRIGIN, cec.HGBAT, cec.DISCUS), FIFTHS)
HYBRID_9 = Hybrid(
    (cec.BENT_CIGAR, cec.RASTRIGIN, cec.GRIEWANK_ROSENBROCK, cec.WEIERSTRASS, cec.SCHAFFER_F6),
    FIFTHS,
)


class Cec2017(Cec):
    name = "cec2017"
    year = 2017
    functions = range(1, 31)
    dimensions = (2, 10, 30, 50, 100)
    undefined: Mapping[int, frozenset[int]] = {2: frozenset((*range(11, 21), 29, 30))}
    names: Mapping[int, str] = numbered(
        1,
        *("bent cigar", "different powers", "Zakharov", "Rosenbrock", "Rastrigin", "Schaffer F7"),
        *("bi-Rastrigin", "non-continuous Rastrigin", "Levy", "Schwefel"),
        *(f"hybrid {k}" for k in range(1, 11)),
        *(f"composition {k}" for k in range(1, 11)),
    )
    groups: Mapping[str, range] = {
        "unimodal": range(1, 4),
        "multimodal": range(4, 11),
        "hybrid": range(11, 21),
        "composition": range(21, 31),
    }
    at_optimum: Mapping[int, float] = {k: 100.0 * k for k in functions}
    displaced: Mapping[int, float] = {9: 1.0}
    # fmt: off
    formulas: Mapping[int, Formula] = {
        **dict(enumerate(BASIC, start=1)),
        11: Hybrid((cec.ZAKHAROV, cec.ROSENBROCK, cec.RASTRIGIN), (0.2, 0.4, 0.4)),
        12: Hybrid((cec.ELLIPTIC, cec.SCHWEFEL, cec.BENT_CIGAR), (0.3, 0.3, 0.4)),
        13: Hybrid((cec.BENT_CIGAR, cec.ROSENBROCK, cec.LUNACEK), (0.3, 0.3, 0.4)),
        14: Hybrid(
            (cec.ELLIPTIC, cec.ACKLEY, cec.SCHAFFER_F7, cec.RASTRIGIN), (0.2, 0.2, 0.2, 0.4)
        ),
        15: HYBRID_5,
        16: HYBRID_6,
        17: HYBRID_7,
        18: HYBRID_8,
        19: HYBRID_9,
        20: Hybrid(
            (cec.HGBAT, cec.KATSUURA, cec.ACKLEY, cec.RASTRIGIN, cec.SCHWEFEL, cec.SCHAFFER_F7),
            (0.1, 0.1, 0.2, 0.2, 0.2, 0.2),
        ),
        21: composed((cec.ROSENBROCK, 10), (cec.ELLIPTIC, 20, 1e10, 1e4), (cec.RASTRIGIN, 30)),
        22: composed((cec.RASTRIGIN, 10), (cec.GRIEWANK, 20, 100, 1e3), (cec.SCHWEFEL, 30)),
        23: composed(
            (cec.ROSENBROCK, 10), (cec.ACKLEY, 20, 100, 1e3), (cec.SCHWEFEL, 30),
            (cec.RASTRIGIN, 40)
        ),
        24: composed(
            (cec.ACKLEY, 10, 100, 1e3), (cec.ELLIPTIC, 20, 1e10, 1e4),
            (cec.GRIEWANK, 30, 100, 1e3), (cec.RASTRIGIN, 40)
        ),
        25: composed(
            (cec.RASTRIGIN, 10, 1e3, 1e4), (cec.HAPPYCAT, 20, 1e3, 1e3),
            (cec.ACKLEY, 30, 100, 1e3), (cec.DISCUS, 40, 1e10, 1e4), (cec.ROSENBROCK, 50)
        ),
        26: composed(
            (cec.SCHAFFER_F6, 10, 2e7, 1e4), (cec.SCHWEFEL, 20), (cec.GRIEWANK, 20, 100, 1e3),
            (cec.ROSENBROCK, 30), (cec.RASTRIGIN, 40, 1e3, 1e4)
        ),
        27: composed(
            (cec.HGBAT, 10, 1e3, 1e4), (cec.RASTRIGIN, 20, 1e3, 1e4), (cec.SCHWEFEL, 30, 4e3, 1e4),
            (cec.BENT_CIGAR, 40, 1e30, 1e4), (cec.ELLIPTIC, 50, 1e10, 1e4),
            (cec.SCHAFFER_F6, 60, 2e7, 1e4)
        ),
        28: composed(
            (cec.ACKLEY, 10, 100, 1e3), (cec.GRIEWANK, 20, 100, 1e3), (cec.DISCUS, 30, 1e10, 1e4),
            (cec.ROSENBROCK, 40), (cec.HAPPYCAT, 50, 1e3, 1e3), (cec.SCHAFFER_F6, 60, 2e7, 1e4)
        ),
        29: composed((HYBRID_5, 10), (HYBRID_6, 30), (HYBRID_7, 50)),
        30: composed((HYBRID_5, 10), (HYBRID_8, 30), (HYBRID_9, 50)),
    }
    # fmt: on


CEC2017 = Cec2017()
"""The functions of the CEC2017 competition, as distributed."""
