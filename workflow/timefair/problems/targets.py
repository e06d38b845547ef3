"""Default target precisions of suites for which they differ from the usual ones."""

from __future__ import annotations

from collections.abc import Mapping

TWO_OBJECTIVES = (
    *(10 ** (-k / 10) for k in range(51)),
    0.0,
    *(-(10 ** (k / 5 - 5)) for k in range(6)),
)
"""The 58 targets of COCO for two objectives: 1 to 1e-5, 0, and -1e-5 to -1e-4."""

OF_TWO_OBJECTIVES: Mapping[str, tuple[float, ...]] = dict.fromkeys(
    ("bbob-biobj", "bbob-biobj-ext"), TWO_OBJECTIVES
)
"""Those of the suites with two objectives, by the name of the suite."""

MOVING = (100.0, 50.0, 20.0, 10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1)
"""Errors in a changing landscape, whose highest peak has a height of at most 70."""

USUAL: Mapping[str, tuple[float, ...]] = {**OF_TWO_OBJECTIVES, "moving": MOVING}
"""By the name of the suite."""
