"""Measures single recorded runs again, and compares them with their records. `chosen` reads a run
from a record, or chooses runs of a campaign. `verdict` measures runs again and compares both runs,
and their code, software, parameters, seed and machine.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, commands="commands", groups={"reproduce": "trust"})
