"""The functions of the CEC2020 and CEC2021 competitions, equal to the organizers' program.

C. T. Yue, K. V. Price, P. N. Suganthan, J. J. Liang, M. Z. Ali, B. Y. Qu, N. H. Awad, P. P. Biswas,
*Problem Definitions and Evaluation Criteria for the CEC 2020 Special Session and Competition on
Single Objective Bound Constrained Numerical Optimization*, 2019, and A. W. Mohamed, A. A. Hadi,
A. K. Mohamed, P. Agrawal, A. Kumar, P. N. Suganthan, the same for 2021, 2020. Functions 1-4 are
basic functions, 5-7 hybrids, 8-10 compositions. D is 5, 10, 15, 20, 30, 50 or 100, in ``cec2021``
10 or 20; all but 5-7 exist in D = 2, too. The competition has neither f6 nor f7 in D = 5 (the
program divides by 0 in f7). The bounds are -100 and 100. Data and instance are as in ``cec2017``.

``cec2021`` has the functions of ``cec2020`` with rounded data and 8 choices of transformations.
Two versions of the program for 2020 are in circulation. Both suites follow the later one. The
earlier one neither shifts nor rotates f4, and has groups of other sizes in f6 in D = 15.

Parameters
----------
transformations
    Of ``cec2021``: which of the bias of f, the shift and the rotation are applied, as the
    organizers name it: ``bias-shift-rot``, the default, ``bias-shift``, ``bias-rot``,
    ``shift-rot``, ``bias``, ``shift``, ``rot`` or ``basic`` for none of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from timefair.problems import compiled as cec
from timefair.problems.base import numbered
from timefair.problems.cec2017 import CEC2017
from timefair.problems.cec_suites import Cec, Formula, Hybrid, Part
from timefair.problems.parameters import Allowed, Word


class Cec2020(Cec):
    name = "cec2020"
    year = 2020
    functions = range(1, 11)
    dimensions: tuple[int, ...] = (2, 5, 10, 15, 20, 30, 50, 100)
    undefined: Mapping[int, frozenset[int]] = {2: frozenset((5, 6, 7)), 5: frozenset((6, 7))}
    files: Mapping[int, int] = {4: 7, 5: 4, 6: 16, 7: 6, 8: 22, 9: 24, 10: 25}
    names: Mapping[int, str] = numbered(
        1,
        *("bent cigar", "Schwefel", "bi-Rastrigin", "Griewank-Rosenbrock"),
        *(f"hybrid {k}" for k in range(1, 4)),
        *(f"composition {k}" for k in range(1, 4)),
    )
    groups: Mapping[str, range] = {
        "basic": range(1, 5),
        "hybrid": range(5, 8),
        "composition": range(8, 11),
    }
    at_optimum: Mapping[int, float] = dict(
        enumerate((100, 1100, 700, 1900, 1700, 1600, 2100, 2200, 2400, 2500), start=1)
    )
    formulas: Mapping[int, Formula] = {
        1: cec.BENT_CIGAR,
        2: cec.SCHWEFEL,
        3: cec.LUNACEK,
        4: cec.GRIEWANK_ROSENBROCK,
        5: Hybrid((cec.SCHWEFEL, cec.RASTRIGIN, cec.ELLIPTIC), (0.3, 0.3, 0.4), rest=0),
        6: Hybrid(
            (cec.SCHAFFER_F6, cec.HGBAT, cec.ROSENBROCK, cec.SCHWEFEL), (0.2, 0.2, 0.3, 0.3), rest=0
        ),
        7: Hybrid(
            (cec.SCHAFFER_F6, cec.HGBAT, cec.ROSENBROCK, cec.SCHWEFEL, cec.ELLIPTIC),
            (0.1, 0.2, 0.2, 0.2, 0.3),
            rest=0,
        ),
        8: CEC2017.formulas[22],
        9: CEC2017.formulas[24],
        10: CEC2017.formulas[25],
    }


CEC2020 = Cec2020()
"""The functions of the CEC2020 competition, as distributed."""


class Cec2021(Cec2020):
    name = "cec2021"
    year = 2021
    dimensions = (2, 10, 20)
    undefined: Mapping[int, frozenset[int]] = {2: frozenset((5, 6, 7))}
    files: Mapping[int, int] = {}
    transformations: str = "bias-shift-rot"
    parameters: ClassVar[Allowed] = {
        "transformations": Word(
            (
                *("bias-shift-rot", "bias-shift", "bias-rot", "shift-rot"),
                *("bias", "shift", "rot", "basic"),
            )
        )
    }

    def _bias(self, function: int) -> float:
        return self.at_optimum[function] if "bias" in self.transformations else 0.0

    def _parts(self, function: int) -> Sequence[Part]:
        parts = super()._parts(function)
        if "shift" in self.transformations:
            return parts
        return [part._replace(bias=0.0) for part in parts]  # as in the program

    def _data(self, function: int, n: int, count: int) -> tuple[NDArray[Any], Any]:
        shifts, rotations = super()._data(function, n, count)
        return (
            shifts if "shift" in self.transformations else np.zeros_like(shifts),
            rotations if "rot" in self.transformations else [None] * count,
        )


CEC2021 = Cec2021()
"""The functions of the CEC2021 competition, as distributed."""
