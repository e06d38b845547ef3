"""The fixtures of unit tests."""

from fixtures_of_runs import (  # noqa: F401
    _one_thread,
    campaign,
    measured,
    no_runs,
    row,
    run,
    table,
    write,
)
