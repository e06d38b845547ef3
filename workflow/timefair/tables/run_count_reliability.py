"""Can one know whether an estimate is right? Probabilities for functions and algorithms unseen."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.statistics.run_count.calibration import calibration_curve
from timefair.statistics.run_count.features import features
from timefair.statistics.run_count.reliability import cross_validate
from timefair.statistics.run_count.widths import is_kept_promise
from timefair.tables.progress import Progress
from timefair.tables.run_count_rules import ESTIMATES
from timefair.tables.run_count_samples import Samples
from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis

