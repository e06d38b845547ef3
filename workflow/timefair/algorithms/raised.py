"""Where an algorithm raises at its first evaluation; called in the environment of the algorithm."""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path

from timefair.algorithms import registry
from timefair.algorithms.adapter import Enough, Sphere
from timefair.basics.errors import described

_PACKAGE = Path(__file__).parents[1]


def main(use: str, parameters: str) -> None:
    """Launch an algorithm on a sphere until it has made an evaluation. If it raises, print the
    exception, then the last file and line in the traceback that is not timefair's.
    """
    import numpy as np

    algorithm = registry.load(use, json.loads(parameters))
    try:
        algorithm.prepare()
        algorithm.solve(Sphere(most=1), np.random.default_rng(0))
    except Enough:
        pass
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        others = [f for f in frames if not Path(f.filename).is_relative_to(_PACKAGE)]
        places = [f"{frame.filename}:{frame.lineno}" for frame in others]
        print(described(error), *places[-1:], sep="\n", file=sys.stderr, flush=True)
