"""Writes landscape_pflacco.json: features of samples, computed by pflacco.

    python tests/golden/make_landscape_pflacco.py

It needs an environment of its own: Python 3.11, numpy 1.24.4, pandas 2.0.3, pflacco 1.2.2. Points
are uniform in the unit cube and drawn from numpy's PCG64, which gives the same numbers in all
versions. Values are scaled to their range, as `timefair.extensions.classifier.landscape` does,
because the slopes of the information content depend on their unit. All points are candidates for
the next step of its tour, which starts at the first point.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

SAMPLES = {"sphere": 2, "ellipsoid": 5, "rastrigin": 3, "step": 4}
"""Dimension of each function's sample."""


def sample(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Points and values of a function, which the test makes again."""
    dimension = SAMPLES[name]
    x = np.random.default_rng(len(name)).uniform(size=(40 * dimension, dimension))
    z = x - 0.3
    if name == "sphere":
        y = (z**2).sum(axis=1)
    elif name == "ellipsoid":
        mixed = z + 0.5 * z[:, ::-1]
        y = (10.0 ** np.linspace(0.0, 3.0, dimension) * mixed**2).sum(axis=1)
    elif name == "rastrigin":
        y = (10.0 * z**2 - np.cos(12.0 * np.pi * z)).sum(axis=1)
    else:
        y = np.round(8.0 * np.abs(z)).sum(axis=1) + 1e-6 * x[:, 0]
    return x, (y - y.min()) / (y.max() - y.min())


def main() -> None:
    from pflacco import classical_ela_features as pflacco

    found = {}
    for name in SAMPLES:
        x, y = sample(name)
        start = {"ic_nn_neighborhood": len(x), "ic_nn_start": 0}
        features = {
            **pflacco.calculate_ela_meta(x, y),
            **pflacco.calculate_nbc(x, y),
            **pflacco.calculate_dispersion(x, y),
            **pflacco.calculate_information_content(x, y, **start),
            **pflacco.calculate_ela_distribution(x, y),
        }
        found[name] = {k: float(v) for k, v in features.items() if "costs_runtime" not in k}
    path = Path(__file__).with_name("landscape_pflacco.json")
    origin = f"pflacco 1.2.2, numpy {np.__version__}, Python {sys.version.split()[0]}"
    path.write_text(json.dumps({"origin": origin, "features": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
