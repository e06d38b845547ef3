"""The algorithms of pygmo for two objectives: their arguments, with the defaults of pygmo."""

from __future__ import annotations

from collections.abc import Mapping

POPULATION = 100
"""Points of a population; ``nsga2`` needs a multiple of 4, and ``maco`` more than its
kernel size.
"""

_ENDLESS: dict[str, object] = {"gen": 2**32 - 1}
_MOEAD: dict[str, object] = {
    **_ENDLESS,
    **{"weight_generation": "grid", "decomposition": "tchebycheff", "neighbours": 20},
    **{"CR": 1.0, "F": 0.5, "eta_m": 20.0, "realb": 0.9, "limit": 2},
    "preserve_diversity": True,
}
DEFAULTS: Mapping[str, dict[str, object]] = {
    "maco": {
        **_ENDLESS,
        **{"ker": 63, "q": 1.0, "threshold": 1, "n_gen_mark": 7},
        **{"evalstop": 100_000, "focus": 0.0, "memory": False},
    },
    "moead": _MOEAD,
    "moead_gen": _MOEAD,
    "nsga2": {**_ENDLESS, "cr": 0.95, "eta_c": 10.0, "m": 0.01, "eta_m": 50.0},
    "nspso": {
        **_ENDLESS,
        **{"omega": 0.6, "c1": 2.0, "c2": 2.0, "chi": 1.0, "v_coeff": 0.5},
        **{"leader_selection_range": 60, "diversity_mechanism": "crowding distance"},
        "memory": False,
    },
}
"""Arguments by name of the algorithm; ``gen`` is the largest number that pygmo can count."""
