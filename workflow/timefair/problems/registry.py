"""The suites that a campaign can name."""

from __future__ import annotations

from timefair.problems.base import Suite
from timefair.problems.coco import Bbob

SUITES: dict[str, Suite] = {suite.name: suite for suite in (Bbob(),)}
