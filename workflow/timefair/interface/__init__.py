"""timefair from Python: `run` a campaign, `load` its results, `analyse` runs that you have timed.

`campaigns` starts the workflow, `sources` makes files of functions, and `results` reads what came
of it.
"""

from timefair.interface.campaigns import analyse, run
from timefair.interface.results import Results, load

__all__ = ["Results", "analyse", "load", "run"]
