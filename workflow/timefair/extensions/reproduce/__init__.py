"""Measures single recorded runs again, and compares them with their records.

`chosen` reads a run from a record. `again` measures it. `likeness` compares the two runs. `origins`
lists the differences in code, software, parameters, seed and machine. `verdict` combines these
steps. `sample` chooses runs of a campaign, and `reproduction` replays and judges them.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, commands="commands", groups={"reproduce": "trust"})
