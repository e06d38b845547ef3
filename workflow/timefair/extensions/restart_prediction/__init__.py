"""Whether launches of another length would have been faster, computed from the measured launches.

`statistics` has the law of a launch, `tables`, `figure` and `findings` what readers see.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, exhibits=("tables",), findings="findings")
