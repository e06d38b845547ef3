"""`isolation: strict`: an algorithm runs in a process of its own, which cannot reach the problem.
`solvers` is the side of the process that evaluates, `host` that of the algorithm; `channel` is the
memory between them, and `calls` refuses system calls to the algorithm's processes.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, isolation={"strict": "solvers"})
