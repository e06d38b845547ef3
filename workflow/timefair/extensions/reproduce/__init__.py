"""Measures single recorded runs again, and compares them with their records.

`chosen` reads a run from a record, or chooses runs of a campaign. `likeness` compares two runs, and
their code, software, parameters, seed and machine. `verdict` measures runs again and judges them.
`claims` judges the claims of a campaign by new runs with other seeds.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, commands="commands", groups={"reproduce": "trust"})
