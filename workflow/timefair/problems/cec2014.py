"""The functions of the CEC2014 competition, equal to the organizers' program.

J. J. Liang, B. Y. Qu, P. N. Suganthan, *Problem Definitions and Evaluation Criteria for the CEC
2014 Special Session and Competition on Single Objective Real-Parameter Numerical Optimization*,
2013. Functions 1-3 are unimodal, 4-16 multimodal, 17-22 hybrids, 23-30 compositions. D is 10, 20,
30, 50 or 100, and 2 for all functions but 17-22, 29 and 30. The bounds are -100 and 100.

Data and instance are as in ``cec2017``. f8 and f10 and the fifth part of f23 and the first of f24
are not rotated. f_opt is 100 times the number of the function.
"""

from __future__ import annotations

from collections.abc import Mapping

from timefair.problems import compiled as cec
from timefair.problems.base import numbered
from timefair.problems.cec_suites import Cec, Formula, Hybrid, Part, composed

HYBRIDS = (
    Hybrid((cec.SCHWEFEL, cec.RASTRIGIN, cec.ELLIPTIC), (0.3, 0.3, 0.4)),
    Hybrid((cec.BENT_CIGAR, cec.HGBAT, cec.RASTRIGIN), (0.3, 0.3, 0.4)),
    Hybrid((cec.GRIEWANK, cec.WEIERSTRASS, cec.ROSENBROCK, cec.SCHAFFER_F6), (0.2, 0.2, 0.3, 0.3)),
    Hybrid((cec.HGBAT, cec.DISCUS, cec.GRIEWANK_ROSENBROCK, cec.RASTRIGIN), (0.2, 0.2, 0.3, 0.3)),
    Hybrid(
        (cec.SCHAFFER_F6, cec.HGBAT, cec.ROSENBROCK, cec.SCHWEFEL, cec.ELLIPTIC),
        (0.1, 0.2, 0.2, 0.2, 0.3),
    ),
    Hybrid(
        (cec.KATSUURA, cec.HAPPYCAT, cec.GRIEWANK_ROSENBROCK, cec.SCHWEFEL, cec.ACKLEY),
        (0.1, 0.2, 0.2, 0.2, 0.3),
    ),
)
BASIC = (
    *(cec.ELLIPTIC, cec.BENT_CIGAR, cec.DISCUS, cec.ROSENBROCK),
    *(cec.ACKLEY, cec.WEIERSTRASS, cec.GRIEWANK),
    *((Part(cec.RASTRIGIN, 1, 0, rotated=False),), cec.RASTRIGIN),
    *((Part(cec.SCHWEFEL, 1, 0, rotated=False),), cec.SCHWEFEL),
    *(cec.KATSUURA, cec.HAPPYCAT, cec.HGBAT, cec.GRIEWANK_ROSENBROCK, cec.SCHAFFER_F6),
)
# fmt: off
COMPOSITIONS = (
    composed(
        (cec.ROSENBROCK, 10, 1e4, 1e4), (cec.ELLIPTIC, 20, 1e10, 1e4),
        (cec.BENT_CIGAR, 30, 1e30, 1e4), (cec.DISCUS, 40, 1e10, 1e4),
        (cec.ELLIPTIC, 50, 1e10, 1e4, False)
    ),
    composed((cec.SCHWEFEL, 20, 1, 1, False), (cec.RASTRIGIN, 20), (cec.HGBAT, 20)),
    composed(
        (cec.SCHWEFEL, 10, 4e3, 1e3), (cec.RASTRIGIN, 30, 1e3, 1e3), (cec.ELLIPTIC, 50, 1e10, 1e3)
    ),
    composed(
        (cec.SCHWEFEL, 10, 4e3, 1e3), (cec.HAPPYCAT, 10, 1e3, 1e3), (cec.ELLIPTIC, 10, 1e10, 1e3),
        (cec.WEIERSTRASS, 10, 400, 1e3), (cec.GRIEWANK, 10, 100, 1e3)
    ),
    composed(
        (cec.HGBAT, 10, 1e3, 1e4), (cec.RASTRIGIN, 10, 1e3, 1e4), (cec.SCHWEFEL, 10, 4e3, 1e4),
        (cec.WEIERSTRASS, 20, 400, 1e4), (cec.ELLIPTIC, 20, 1e10, 1e4)
    ),
    composed(
        (cec.GRIEWANK_ROSENBROCK, 10, 4e3, 1e4), (cec.HAPPYCAT, 20, 1e3, 1e4),
        (cec.SCHWEFEL, 30, 4e3, 1e4), (cec.SCHAFFER_F6, 40, 2e7, 1e4),
        (cec.ELLIPTIC, 50, 1e10, 1e4)
    ),
    composed((HYBRIDS[0], 10), (HYBRIDS[1], 30), (HYBRIDS[2], 50)),
    composed((HYBRIDS[3], 10), (HYBRIDS[4], 30), (HYBRIDS[5], 50)),
)
# fmt: on


class Cec2014(Cec):
    name = "cec2014"
    year = 2014
    functions = range(1, 31)
    dimensions = (2, 10, 20, 30, 50, 100)
    undefined: Mapping[int, frozenset[int]] = {2: frozenset((*range(17, 23), 29, 30))}
    names: Mapping[int, str] = numbered(
        1,
        *("elliptic", "bent cigar", "discus", "Rosenbrock", "Ackley", "Weierstrass", "Griewank"),
        *("Rastrigin", "rotated Rastrigin", "Schwefel", "rotated Schwefel", "Katsuura"),
        *("HappyCat", "HGBat", "Griewank-Rosenbrock", "Schaffer F6"),
        *(f"hybrid {k}" for k in range(1, 7)),
        *(f"composition {k}" for k in range(1, 9)),
    )
    groups: Mapping[str, range] = {
        "unimodal": range(1, 4),
        "multimodal": range(4, 17),
        "hybrid": range(17, 23),
        "composition": range(23, 31),
    }
    at_optimum: Mapping[int, float] = {k: 100.0 * k for k in functions}
    formulas: Mapping[int, Formula] = dict(enumerate((*BASIC, *HYBRIDS, *COMPOSITIONS), start=1))


CEC2014 = Cec2014()
"""The functions of the CEC2014 competition, as distributed."""
