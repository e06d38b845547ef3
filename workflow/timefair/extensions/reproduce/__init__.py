"""Measures single recorded runs again, and compares them with their records.

`chosen` reads a run from a record, or chooses runs of a campaign. `likeness` compares two runs, and
their code, software, parameters, seed and machine. `verdict` measures runs again and judges them.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, commands="commands", groups={"reproduce": "trust"})
