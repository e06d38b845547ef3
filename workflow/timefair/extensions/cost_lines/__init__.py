"""Expected running times at other costs of an evaluation: lines, crossings, and who wins.

- `lines`: the line of each algorithm, its range, and the confidence set of a crossing;
- `tables`, `figure`: what readers see.

The best algorithm for each evaluation cost and budget is in the table ``cost_map`` of the core.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, exhibits=("tables",))
