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

from timefair.problems.base import numbered
from timefair.problems.cec_evaluation import (
    ACKLEY,
    BENT_CIGAR,
    DISCUS,
    ELLIPTIC,
    GRIEWANK,
    GRIEWANK_ROSENBROCK,
    HAPPYCAT,
    HGBAT,
    KATSUURA,
    RASTRIGIN,
    ROSENBROCK,
    SCHAFFER_F6,
    SCHWEFEL,
    WEIERSTRASS,
)
from timefair.problems.cec_suites import Cec, Formula, Hybrid, Part

HYBRIDS = (
    Hybrid((SCHWEFEL, RASTRIGIN, ELLIPTIC), (0.3, 0.3, 0.4)),
    Hybrid((BENT_CIGAR, HGBAT, RASTRIGIN), (0.3, 0.3, 0.4)),
    Hybrid((GRIEWANK, WEIERSTRASS, ROSENBROCK, SCHAFFER_F6), (0.2, 0.2, 0.3, 0.3)),
    Hybrid((HGBAT, DISCUS, GRIEWANK_ROSENBROCK, RASTRIGIN), (0.2, 0.2, 0.3, 0.3)),
    Hybrid((SCHAFFER_F6, HGBAT, ROSENBROCK, SCHWEFEL, ELLIPTIC), (0.1, 0.2, 0.2, 0.2, 0.3)),
    Hybrid((KATSUURA, HAPPYCAT, GRIEWANK_ROSENBROCK, SCHWEFEL, ACKLEY), (0.1, 0.2, 0.2, 0.2, 0.3)),
)
BASIC = (
    *(ELLIPTIC, BENT_CIGAR, DISCUS, ROSENBROCK, ACKLEY, WEIERSTRASS, GRIEWANK),
    *((Part(RASTRIGIN, 1, 0, rotated=False),), RASTRIGIN),
    *((Part(SCHWEFEL, 1, 0, rotated=False),), SCHWEFEL),
    *(KATSUURA, HAPPYCAT, HGBAT, GRIEWANK_ROSENBROCK, SCHAFFER_F6),
)
COMPOSITIONS = (
    (
        Part(ROSENBROCK, 10, 0, 1e4, 1e4),
        Part(ELLIPTIC, 20, 100, 1e10, 1e4),
        Part(BENT_CIGAR, 30, 200, 1e30, 1e4),
        Part(DISCUS, 40, 300, 1e10, 1e4),
        Part(ELLIPTIC, 50, 400, 1e10, 1e4, rotated=False),
    ),
    (Part(SCHWEFEL, 20, 0, rotated=False), Part(RASTRIGIN, 20, 100), Part(HGBAT, 20, 200)),
    (
        Part(SCHWEFEL, 10, 0, 4e3, 1e3),
        Part(RASTRIGIN, 30, 100, 1e3, 1e3),
        Part(ELLIPTIC, 50, 200, 1e10, 1e3),
    ),
    (
        Part(SCHWEFEL, 10, 0, 4e3, 1e3),
        Part(HAPPYCAT, 10, 100, 1e3, 1e3),
        Part(ELLIPTIC, 10, 200, 1e10, 1e3),
        Part(WEIERSTRASS, 10, 300, 400, 1e3),
        Part(GRIEWANK, 10, 400, 100, 1e3),
    ),
    (
        Part(HGBAT, 10, 0, 1e3, 1e4),
        Part(RASTRIGIN, 10, 100, 1e3, 1e4),
        Part(SCHWEFEL, 10, 200, 4e3, 1e4),
        Part(WEIERSTRASS, 20, 300, 400, 1e4),
        Part(ELLIPTIC, 20, 400, 1e10, 1e4),
    ),
    (
        Part(GRIEWANK_ROSENBROCK, 10, 0, 4e3, 1e4),
        Part(HAPPYCAT, 20, 100, 1e3, 1e4),
        Part(SCHWEFEL, 30, 200, 4e3, 1e4),
        Part(SCHAFFER_F6, 40, 300, 2e7, 1e4),
        Part(ELLIPTIC, 50, 400, 1e10, 1e4),
    ),
    (Part(HYBRIDS[0], 10, 0), Part(HYBRIDS[1], 30, 100), Part(HYBRIDS[2], 50, 200)),
    (Part(HYBRIDS[3], 10, 0), Part(HYBRIDS[4], 30, 100), Part(HYBRIDS[5], 50, 200)),
)


class Cec2014(Cec):
    """The suite ``cec2014``."""

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
