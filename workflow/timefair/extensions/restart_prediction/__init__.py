"""Which restart policy would have been faster, computed from the launches of measured runs.

- `statistics`: the law of a launch, and the cost of runs under each policy;
- `choice`: the best policy, judged on functions and runs that were not used to choose it;
- `cells`: the launches of each algorithm on each function, and the policies that are compared;
- `tables`, `figure`, `findings`: what readers see.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, exhibits=("tables",), findings="findings")
